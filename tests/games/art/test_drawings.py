"""Friends, glyphs and the feature strip: one geometry for pages, print and pictures to share."""

from __future__ import annotations

import re
from itertools import combinations, product

import pytest

from core.printing.page import Page
from core.printing.pdf import pages_pdf
from core.printing.preview import page_svg
from games.art.friends import BOX, PAINTS, Mood, friend
from games.art.glyphs import HEIGHT, WIDTH, relation_glyph, value_glyph
from games.art.pieces import Drawing, Piece, ellipse, line, markup, moved, svg_file
from games.art.strip import ROW_HEIGHT, ROW_WIDTH, strip_drawing, strip_rows
from games.printing.drawings import Friend, Strip, paints
from games.rules import FULL_DECK, Card, explain, find_sets
from games.rules.cards import Color, Number, Shading, Shape
from games.rules.triples import FeaturePattern

VALUES = [value for feature in (Number, Color, Shading, Shape) for value in feature]
SET = find_sets(FULL_DECK[:12])[0]
NO_SETS = [triple for triple in combinations(FULL_DECK[::7], 3) if not explain(*triple).is_set]
MIDDLE_ODD = (Card(1, "red", "solid", "oval"), Card(2, "red", "solid", "oval"), Card(1, "red", "striped", "oval"))
COMMANDS = re.compile(r"(M-?[\d. -]+|L-?[\d. -]+|C-?[\d. -]+|Z)+")


def numbers(path: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?[\d.]+", path)]


def reach(drawing: Drawing) -> tuple[float, float, float, float]:
    """The box around all points of a drawing, with the widths of strokes."""
    xs, ys = [], []
    for piece in drawing:
        points = numbers(piece.path)
        margin = piece.width / 2 if piece.stroke else 0
        xs += [x + by for x in points[::2] for by in (-margin, margin)]
        ys += [y + by for y in points[1::2] for by in (-margin, margin)]
    return min(xs), min(ys), max(xs), max(ys)


DRAWINGS = [
    *(friend(shape, mood) for shape, mood in product(Shape, Mood)),
    *map(value_glyph, VALUES),
    *map(relation_glyph, FeaturePattern),
    strip_drawing(explain(*SET)),
    strip_drawing(explain(*MIDDLE_ODD)),
]


@pytest.mark.parametrize("drawing", DRAWINGS)
def test_a_drawing_has_only_what_printing_draws_and_a_paint_for_each_role(drawing):
    for piece in drawing:
        assert COMMANDS.fullmatch(piece.path), piece.path
        assert piece.fill or piece.stroke
        assert {piece.fill, piece.stroke} - {None} <= set(paints())


@pytest.mark.parametrize(("shape", "mood"), list(product(Shape, Mood)))
def test_a_friend_stands_in_its_box(shape, mood):
    left, top, right, bottom = reach(friend(shape, mood))
    assert BOX[0] <= left < right <= BOX[0] + BOX[2]
    assert BOX[1] <= top < bottom <= BOX[1] + BOX[3]


def test_every_friend_has_its_own_face_in_every_mood():
    assert len({friend(shape, mood) for shape, mood in product(Shape, Mood)}) == len(Shape) * len(Mood)


def test_no_friend_is_sad():
    assert {str(mood) for mood in Mood} == {"happy", "thinking", "cheering", "asleep"}


@pytest.mark.parametrize("value", VALUES)
def test_the_glyph_of_a_value_fits_a_card_and_looks_like_no_other(value):
    left, top, right, bottom = reach(value_glyph(value))
    assert 0 <= left < right <= WIDTH
    assert 0 <= top < bottom <= HEIGHT
    assert sum(value_glyph(other) == value_glyph(value) for other in VALUES) == 1


def test_only_the_glyph_of_a_color_has_a_color_and_it_has_a_mark_too():
    for value in VALUES:
        inks = {piece.fill or piece.stroke for piece in value_glyph(value)}
        assert inks == ({f"card-{value}", "card-paper"} if isinstance(value, Color) else {"card-ink"})


def test_a_row_of_the_strip_says_how_three_cards_relate():
    for triple in [SET, *NO_SETS[:200]]:
        verdict = explain(*triple)
        for row, each in zip(strip_rows(verdict), verdict.features, strict=True):
            assert row.glyphs == tuple(map(value_glyph, each.values))
            if each.odd_card:
                assert triple[row.odd] == each.odd_card
            else:
                assert row.odd is None


def test_the_link_goes_to_the_two_that_are_alike_and_around_an_odd_one_in_the_middle():
    links = {}
    for triple in NO_SETS:
        links.update({row.odd: row.link for row in strip_rows(explain(*triple)) if row.odd is not None})
    assert set(links) == {0, 1, 2}
    assert [numbers(links[odd])[::2] for odd in (0, 2)] == [[50, 83], [17, 50]]
    assert "C" in links[1]


@pytest.mark.parametrize("triple", [SET, MIDDLE_ODD, *NO_SETS[:20]])
def test_the_strip_as_a_picture_fits_its_box(triple):
    left, top, right, bottom = reach(strip_drawing(explain(*triple)))
    assert 0 <= left < right <= ROW_WIDTH
    assert 0 <= top < bottom <= 4 * ROW_HEIGHT


def test_on_a_page_paints_are_tokens():
    assert markup([Piece(line((0, 0), (1, 2)), stroke="ink", width=3)]) == (
        '<path d="M0 0L1 2" fill="none" stroke="var(--ink)" stroke-width="3" stroke-linecap="round"'
        ' stroke-linejoin="round"/>'
    )
    assert markup([Piece(ellipse((0, 0), 1), fill="joy")]).endswith('fill="var(--joy)"/>')


def test_a_picture_to_share_has_colors_of_its_own():
    text = svg_file(friend(Shape.OVAL, Mood.CHEERING), BOX, PAINTS)
    assert "var(" not in text
    assert PAINTS["friend-oval"] in text


def test_a_drawing_is_moved_and_scaled_with_its_strokes():
    (piece,) = moved([Piece(line((1, 2), (-3, 4)), stroke="ink", width=2)], (10, 20), 2)
    assert (piece.path, piece.width) == ("M12 24L4 28", 4)


def test_drawings_are_printed_from_the_same_paths():
    strip = Strip(x=10, y=10, width=200, verdict=explain(*SET))
    assert [outline.path for outline in strip.outlines] == [piece.path for piece in strip_drawing(explain(*SET))]
    page = Page(size=(300, 400), items=(strip, Friend(x=220, y=10, width=60, shape=Shape.OVAL, mood=Mood.ASLEEP)))
    assert pages_pdf([page], title="A strip").startswith(b"%PDF")
    assert strip.outlines[0].path in page_svg(page, "A strip")


def test_a_printed_friend_stands_in_its_box():
    printed = Friend(x=0, y=0, width=66, shape=Shape.SQUIGGLE, mood=Mood.CHEERING)
    xs, ys = zip(*((numbers(each.path)[::2], numbers(each.path)[1::2]) for each in printed.outlines), strict=True)
    assert min(min(each) for each in xs) >= 0
    assert max(max(each) for each in ys) <= BOX[3]
