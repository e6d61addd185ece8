"""The printed deck: rendered, cut into cards and read back."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image, ImageDraw

from core.printing.page import Box, Lines
from core.printing.paper import Paper
from core.printing.pdf import pages_pdf
from core.printing.preview import page_svg
from games.art.palettes import PALETTES
from games.printing.cards import Face
from games.printing.deck import FACE, HEIGHT, WIDTH, PrintedDeck, back_places, face_places
from games.rules.cards import FULL_DECK, Card, Feature, easy_deck
from tests.printed import SCALE, cards_on, cut_out, first_sheet, pictures_in, read_card, sheets, sizes, texts

ROOT = Path(__file__).resolve().parents[2]
ACROSS = {"a4": (842, 595), "letter": (792, 612)}
ASKED = {"cards": "full", "palette": "standard", "paper": "a4", "marks": False, "backs": True}
PRINTERS_MARGIN = 14  # points; about 5 mm


def deck(**changes) -> PrintedDeck:
    return PrintedDeck.asked(ASKED | changes)


def pdf_of(deck: PrintedDeck) -> bytes:
    return pages_pdf(deck.pages(), title="A deck")


def read_deck(deck: PrintedDeck) -> list[Card | None]:
    """Every card on every sheet, read where it would be cut out."""
    return [
        read_card(sheet, x, y, FACE, deck.palette) for sheet in sheets(pdf_of(deck)) for x, y in face_places(deck.grid)
    ]


@pytest.mark.parametrize("paper", list(Paper))
def test_all_81_cards_are_on_nine_sheets_of_the_paper_each_once(paper):
    printed = deck(paper=paper, backs=False)
    assert sizes(pdf_of(printed)) == [ACROSS[paper]] * 9
    assert read_deck(printed) == list(FULL_DECK)


def test_the_easy_deck_is_on_three_sheets():
    assert read_deck(deck(cards="easy", backs=False)) == list(easy_deck(Feature.SHADING))


@pytest.mark.parametrize("palette", sorted(set(PALETTES) - {"standard"}))
def test_each_palette_is_printed_so_that_every_card_can_be_told(palette):
    assert read_deck(deck(palette=palette, backs=False)) == list(FULL_DECK)


@pytest.mark.parametrize("paper", list(Paper))
def test_beside_the_cards_there_are_only_marks_to_cut_at_and_a_line_of_words(paper):
    printed = deck(paper=paper, backs=False)
    sheet = sheets(pdf_of(printed))[0].convert("L")
    whole = sheet.copy()
    draw = ImageDraw.Draw(sheet)
    for x, y in face_places(printed.grid):
        draw.rectangle(
            (x * SCALE, sheet.height - (y + FACE * 2 / 3) * SCALE, (x + FACE) * SCALE, sheet.height - y * SCALE), 255
        )
    dark = sum(sheet.point(lambda tone: tone < 160).tobytes()) / (sheet.width * sheet.height)
    assert dark < 0.004
    left, top, right, bottom = whole.point(lambda tone: 255 * (tone < 200)).getbbox()
    assert min(left, top, whole.width - right, whole.height - bottom) > PRINTERS_MARGIN * SCALE


@pytest.mark.parametrize("paper", list(Paper))
def test_marks_to_cut_at_are_where_cards_meet(paper):
    printed = deck(paper=paper, backs=False)
    sheet = sheets(pdf_of(printed))[0].convert("L")
    corners = {corner for x, y in printed.grid.places() for corner in ((x, y), (x + WIDTH, y + HEIGHT))}
    assert len(corners) == 14
    for x, y in corners:
        assert cut_out(sheet, x - 2, y - 2, 4, 4).getextrema()[0] < 150


@pytest.mark.parametrize("paper", list(Paper))
def test_each_card_has_its_back_behind_it_whichever_edge_the_sheet_is_turned_over(paper):
    printed = deck(paper=paper)
    pages = printed.pages()
    assert len(pages) == 18
    width, height = paper.across
    frames = [item for item in pages[1].items if isinstance(item, Box) and item.corner]
    behind = {(round(box.x + box.width / 2, 3), round(box.y + box.height / 2, 3)) for box in frames}
    middles = {(x + WIDTH / 2, y + HEIGHT / 2) for x, y in printed.grid.places()}
    assert behind == {(round(x, 3), round(height - y, 3)) for x, y in middles}
    assert behind == {(round(width - x, 3), round(y, 3)) for x, y in middles}
    # The first card is at the top left; flipped on the long edge, its back is at the bottom left.
    assert back_places(printed.grid)[0] == pytest.approx(printed.grid.corner)


def test_no_card_can_be_told_by_its_back_not_even_upside_down():
    printed = deck()
    sheet = sheets(pdf_of(printed))[1].convert("L")
    backs = [cut_out(sheet, x, y, WIDTH, HEIGHT).resize((87, 58)) for x, y in printed.grid.places()]
    first = backs[0].tobytes()
    for back in [*backs, *(each.transpose(Image.Transpose.ROTATE_180) for each in backs)]:
        assert sum(abs(a - b) for a, b in zip(back.tobytes(), first, strict=True)) / len(first) < 12
    assert sum(tone < 200 for tone in first) > 500, "and it is no white paper"


@pytest.mark.parametrize("palette", sorted(PALETTES))
def test_symbols_are_curves_and_letters_are_embedded(palette):
    pdf = pdf_of(deck(cards="easy", palette=palette))
    assert pictures_in(pdf) == 0
    assert b"/FontFile2" in pdf


def test_a_symbol_is_sharp_at_600_dpi():
    """From paper to ink takes at most three pixels, measured along a line through a solid oval."""
    printed = deck(backs=False)
    x, y = face_places(printed.grid)[0]
    sheet = first_sheet(pdf_of(printed), 600)
    level = sheet.height - round((y + FACE / 3) * 600 / 72)
    left = round((x + FACE / 4) * 600 / 72)
    tones = [sheet.getpixel((left + step, level)) for step in range(round(FACE / 4 * 600 / 72))]
    ink = tones[-1]
    assert 0 < sum(ink + 15 < tone < 240 for tone in tones) <= 3


def test_marks_tell_the_colors_where_they_are_wanted_or_needed():
    assert all(item.marks for page in deck(marks=True).pages() for item in page.items if isinstance(item, Face))
    black = deck(palette="black-and-white").palette
    assert black.marks


def test_the_same_deck_is_the_same_bytes():
    assert pdf_of(deck()) == pdf_of(deck())
    assert pdf_of(deck()) != pdf_of(deck(palette="tritanopia"))


def test_sheets_are_numbered():
    found = texts(pdf_of(deck(cards="easy")))
    assert "sheet 2 of 3" in found[2]
    assert "back of sheet 2" in found[3]


def test_what_is_shown_before_printing_has_everything_in_the_same_place():
    page = deck().pages()[0]
    root = ElementTree.fromstring(page_svg(page, "Page 1 of 18"))  # noqa: S314 (our own markup)
    width, height = page.size
    assert root.get("aria-label") == "Page 1 of 18"
    assert [float(each) for each in root.get("viewBox").split()] == pytest.approx([0, 0, width, height], abs=0.01)
    groups = [each for each in root if each.tag.endswith("}g")]
    faces = [item for item in page.items if isinstance(item, Face)]
    assert len(groups) == len(faces) == 9
    for group, face in zip(groups, faces, strict=True):
        x, y, scale = map(float, re.findall(r"[\d.]+", group.get("transform")))
        assert (x, y) == pytest.approx((face.x, height - face.y - face.width * 2 / 3), abs=0.02)
        assert scale * 300 == pytest.approx(face.width, abs=0.1)
        paints = {part.get("stroke") for part in group.iter()} - {None, face.palette.edge}
        assert paints == {face.palette.colors[face.card.color]}
    (cuts,) = [item for item in page.items if isinstance(item, Lines)]
    (path,) = [each for each in root if each.tag.endswith("}path")]
    assert path.get("d").count("M") == len(cuts.lines)
    assert "style=" not in ElementTree.tostring(root, encoding="unicode")


def test_the_sheet_that_is_read_is_the_sheet_that_is_laid_out():
    printed = deck(backs=False)
    pages = printed.pages()
    for page, sheet in zip(pages, sheets(pdf_of(printed)), strict=True):
        assert cards_on(page, sheet) == [item.card for item in page.items if isinstance(item, Face)]


MEASURE = """
import re, django
from pathlib import Path
django.setup()
from core.jobs.kinds import kind_of
asked = {"cards": "full", "palette": "standard", "paper": "a4", "marks": True, "backs": True}
told = []
made = kind_of("deck").work(asked, lambda progress, partial_result=None: told.append(progress))
assert made.file.startswith(b"%PDF") and made.data["pages"] == 18 and told[-1] == 1.0
# Not what `resource` says, in which the process that started this one counts.
print(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
"""


def test_printing_81_cards_takes_less_than_300_megabytes():
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "setsite.settings", "SETSITE_DEBUG": "1"}
    result = subprocess.run(
        [sys.executable, "-c", MEASURE], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert int(result.stdout) < 300_000
