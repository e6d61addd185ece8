"""Login cards, read back from the print like a scanner and scissors would."""

from __future__ import annotations

import io
import re

import pypdfium2
import pytest
import zxingcpp
from PIL import Image

from classrooms.accounts.cards import picture_art
from classrooms.accounts.cards.login_cards import (
    COLUMNS,
    HEIGHT,
    ROWS,
    WIDTH,
    LoginCard,
    cards_pdf,
    sheet_grid,
)
from classrooms.accounts.pictures import NAMES
from classrooms.accounts.signing_in import card_token, read_card
from classrooms.classes.students import reset_student
from classrooms.models import Action, AuditEntry, User
from core.printing import paths
from core.printing.paper import Paper
from core.printing.text import is_printable
from tests.classrooms.people import enrol, signed_in

SCALE = 3
POINTS = {Paper.A4: (595, 842), Paper.LETTER: (612, 792)}


def made(count: int, **changes) -> list[LoginCard]:
    slugs = list(NAMES) * 10
    return [
        LoginCard(
            **{
                "name": f"Student {number}",
                "number": number,
                "address": f"https://set.school.example/join/card/{number}-1-{'a' * 24}/",
                "pictures": tuple(slugs[3 * number : 3 * number + 3]),
                **changes,
            }
        )
        for number in range(count)
    ]


def pdf_of(cards: list[LoginCard], paper: Paper = Paper.A4, class_name: str = "Class 2B") -> bytes:
    join = "https://set.school.example/join/"
    return cards_pdf(cards, class_name=class_name, code="BCDF23", join=join, paper=paper)


def sheets(pdf: bytes) -> list[Image.Image]:
    with pypdfium2.PdfDocument(pdf) as document:
        return [document[number].render(scale=SCALE).to_pil() for number in range(len(document))]


def text_of(pdf: bytes) -> str:
    with pypdfium2.PdfDocument(pdf) as document:
        return "\n".join(document[number].get_textpage().get_text_bounded() for number in range(len(document)))


def scanned(picture: Image.Image) -> list[str]:
    codes = zxingcpp.read_barcodes(picture, formats=zxingcpp.BarcodeFormat.QRCode)
    return [code.text for code in codes]


@pytest.mark.parametrize("paper", list(Paper))
def test_a_sheet_has_the_size_of_the_paper_and_ten_cards(paper):
    cards = made(13)
    pages = sheets(pdf_of(cards, paper))
    assert [(page.width // SCALE, page.height // SCALE) for page in pages] == [pytest.approx(POINTS[paper], abs=1)] * 2
    assert sorted(scanned(pages[0])) == sorted(card.address for card in cards[:10])
    assert sorted(scanned(pages[1])) == sorted(card.address for card in cards[10:])


@pytest.mark.parametrize("paper", list(Paper))
def test_each_card_lies_in_its_place_with_marks_to_cut_at(paper):
    cards = made(10)
    (page,) = sheets(pdf_of(cards, paper))
    left, bottom = sheet_grid(paper).corner
    top = paper.size[1] - bottom
    assert min(left, bottom) > 25, "printers leave a margin"
    for number, card in enumerate(cards):
        row, column = divmod(number, COLUMNS)
        x, y = left + column * WIDTH, top - ROWS * HEIGHT + row * HEIGHT
        cut = page.crop(tuple(round(SCALE * side) for side in (x, y, x + WIDTH, y + HEIGHT)))
        assert scanned(cut) == [card.address]
    gray = page.convert("L")
    for column in range(COLUMNS + 1):
        for row in range(ROWS + 1):
            x, y = SCALE * (left + column * WIDTH), SCALE * (top - row * HEIGHT)
            for dx, dy in ((10, 0), (-10, 0), (0, 10), (0, -10)):
                box = (round(x + dx) - 2, round(y + dy) - 2, round(x + dx) + 3, round(y + dy) + 3)
                assert min(gray.crop(box).tobytes()) < 200, "a cross at each corner of each card"


def test_a_card_says_the_name_the_class_its_code_and_where_to_go():
    text = text_of(pdf_of(made(1, name="Zoë")))
    for word in ("Zoë", "Class 2B", "BCDF23", "set.school.example/join/", "1", "2", "3"):
        assert word in text


@pytest.mark.parametrize(
    "name", ["Renée", "Łukasz Żółć", "Şükrü", "Nguyễn Thị", "Παπαδόπουλος", "Мария", "Ірина", "Նարեկ", "ნინო"]
)
def test_names_with_accents_and_in_other_scripts_are_printed(name):
    assert is_printable(name)
    assert name in text_of(pdf_of(made(1, name=name)))


@pytest.mark.parametrize(
    "name", ["יוסף כהן", "محمد علي", "علی رضا", "李小龙", "สมชาย", "अमित", "김민준", "さくら", "שָׁלוֹם"]
)
def test_names_from_all_over_the_world_are_printed(name):
    assert is_printable(name)
    assert "No." not in text_of(pdf_of(made(1, name=name)))
    assert ink_of_name(name) > ink_of_name("") + 500


def ink_of_name(name: str) -> int:
    """The number of dark pixels at the name of the first card."""
    (page,) = sheets(pdf_of(made(1, name=name)))
    left, bottom = sheet_grid(Paper.A4).corner
    top = Paper.A4.size[1] - bottom - ROWS * HEIGHT
    box = (left + WIDTH * 42 / 90, top + HEIGHT * 8 / 50, left + WIDTH, top + HEIGHT * 16 / 50)
    return sum(tone < 128 for tone in page.convert("L").crop(tuple(round(SCALE * side) for side in box)).tobytes())


@pytest.mark.parametrize("name", ["🙂", "ᏣᎳᎩ", "Ana 🙂"])
def test_a_name_that_our_fonts_lack_gets_a_line_to_write_on_and_a_number(name):
    assert not is_printable(name)
    text = text_of(pdf_of(made(1, name=name, number=7), class_name=name))
    assert "No. 7" in text
    assert "BCDF23" in text


def test_a_very_long_name_stays_on_its_card():
    card = made(1, name="W" * 40)[0]
    (page,) = sheets(pdf_of([card]))
    left, bottom = sheet_grid(Paper.A4).corner
    height = Paper.A4.size[1]
    beyond = page.crop(
        tuple(
            round(SCALE * side)
            for side in (
                left + WIDTH - 8,
                height - bottom - ROWS * HEIGHT + 10,
                left + WIDTH + 8,
                height - bottom - (ROWS - 1) * HEIGHT - 10,
            )
        )
    )
    assert min(beyond.convert("L").tobytes()) > 200


# The drawings


def test_there_is_a_drawing_of_each_picture_within_its_box():
    assert set(picture_art.ART) == set(NAMES)
    for art in picture_art.ART.values():
        for part in art.parts:
            for letter, points in paths.steps(part.path):
                assert letter in "MLCQZ"
                assert all(0 <= place <= picture_art.SIZE for point in points for place in point)


def test_drawings_differ_in_black_and_white():
    seen = []
    for slug in NAMES:
        card = made(1, pictures=(slug,))[0]
        (page,) = sheets(pdf_of([card]))
        left, bottom = sheet_grid(Paper.A4).corner
        x, y = left + WIDTH * 43 / 90, Paper.A4.size[1] - bottom - ROWS * HEIGHT + HEIGHT * 19 / 50
        side = WIDTH * 13 / 90
        cut = page.crop(tuple(round(SCALE * each) for each in (x, y, x + side, y + side))).convert("L")
        seen.append(cut.resize((16, 16)).tobytes())
    for number, one in enumerate(seen):
        for other in seen[:number]:
            far = sum(abs(a - b) for a, b in zip(one, other, strict=True)) / len(one)
            assert far > 20, "no two are alike at a glance"


def test_a_drawing_on_a_page_has_no_style_and_is_silent():
    for slug in NAMES:
        svg = picture_art.svg(slug)
        assert "style=" not in svg
        assert 'aria-hidden="true"' in svg
        assert svg.startswith('<svg class="picture" viewBox="0 0 100 100"')


# The page


@pytest.fixture
def client(classroom):
    return signed_in(classroom.teachers.get())


def addresses(response) -> list[str]:
    return [address for page in sheets(response.content) for address in scanned(page)]


def test_the_cards_of_a_class_open_the_accounts_of_its_students(client, classroom):
    enrolments = enrol(classroom, "Mia Okafor", "Noah Brandt", "Ada Wolf")
    response = client.get(f"/teach/{classroom.pk}/cards/")
    assert response.headers["Content-Type"] == "application/pdf"
    assert "no-store" in response.headers["Cache-Control"]
    expected = {f"http://localhost:8000/join/card/{card_token(each.student)}/" for each in enrolments}
    assert set(addresses(response)) == expected
    tokens = [re.fullmatch(r".*/card/([^/]+)/", address)[1] for address in addresses(response)]
    assert {read_card(token).display_name for token in tokens} == {"Mia", "Noah", "Ada"}
    entry = AuditEntry.objects.get(action=Action.PRINTED_CARDS)
    assert (entry.classroom, entry.amount, entry.person) == (classroom.pk, 3, None)


def test_the_paper_is_that_of_the_country_unless_one_is_chosen(client, classroom):
    enrol(classroom, "Mia Okafor")

    def size(query: str = "") -> tuple[int, int]:
        (page,) = sheets(client.get(f"/teach/{classroom.pk}/cards/{query}").content)
        return page.width // SCALE, page.height // SCALE

    assert size() == pytest.approx(POINTS[Paper.LETTER], abs=1)
    assert size("?paper=a4") == pytest.approx(POINTS[Paper.A4], abs=1)
    classroom.language = "fr"
    classroom.save()
    assert size() == pytest.approx(POINTS[Paper.A4], abs=1)
    assert client.get(f"/teach/{classroom.pk}/cards/?paper=a5").status_code == 404


def test_one_card_is_printed_for_one_student(client, classroom):
    mia, noah = enrol(classroom, "Mia Okafor", "Noah Brandt")
    response = client.get(f"/teach/{classroom.pk}/cards/?student={noah.pk}")
    assert addresses(response) == [f"http://localhost:8000/join/card/{card_token(noah.student)}/"]
    assert AuditEntry.objects.get(action=Action.PRINTED_CARDS).person == noah.student_id
    reset_student(noah.student, by=classroom.teachers.get(), classroom=classroom)
    again = client.get(f"/teach/{classroom.pk}/cards/?student={noah.pk}")
    assert addresses(again) != addresses(response)
    assert mia.student.card_number == 1


def test_there_is_no_card_for_nobody_or_for_an_account_from_home(client, classroom):
    assert client.get(f"/teach/{classroom.pk}/cards/").status_code == 404
    (mia,) = enrol(classroom, "Mia Okafor")
    User.objects.filter(pk=mia.student_id).update(is_home=True)
    assert client.get(f"/teach/{classroom.pk}/cards/").status_code == 404
    for query in (f"?student={mia.pk}", "?student=", "?student=x", "?student=999999"):
        assert client.get(f"/teach/{classroom.pk}/cards/{query}").status_code == 404
    assert not AuditEntry.objects.filter(action=Action.PRINTED_CARDS).exists()


def test_a_hundred_cards_are_ten_sheets():
    pdf = pdf_of(made(100))
    with pypdfium2.PdfDocument(io.BytesIO(pdf)) as document:
        assert len(document) == 10
