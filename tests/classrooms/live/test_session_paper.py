"""Lessons on paper: printed boards, and answers entered by the teacher."""

from __future__ import annotations

import re

import pypdfium2
import pytest
from PIL import Image, ImageChops, ImageStat

from classrooms.live.activities.silent_board import board_of
from classrooms.live.errors import LessonRefusal
from classrooms.live.paper import PaperBoard, boards_pdf, card_places, read_letters
from classrooms.models import Answer
from core.printing.page import Page
from core.printing.paper import Paper
from core.printing.pdf import pages_pdf
from games.art.palettes import PALETTES
from games.art.raster import card_image
from games.printing.cards import Face, card_height
from games.rules import FULL_DECK, Card, find_sets, is_set
from lessons.models import LearningEvent
from tests.classrooms.live.lesson import Lesson, a_lesson

SCALE = 3
POINTS = {Paper.A4: (595, 842), Paper.LETTER: (612, 792)}
BOARDS = {size: FULL_DECK[3 : 3 + 5 * size : 5] for size in (9, 12, 15)}


def opened(pdf: bytes) -> tuple[list[Image.Image], list[str]]:
    """The pages as pictures and as text."""
    with pypdfium2.PdfDocument(pdf) as document:
        pages = [document[number] for number in range(len(document))]
        return [each.render(scale=SCALE).to_pil() for each in pages], [
            each.get_textpage().get_text_range() for each in pages
        ]


def difference(one: Image.Image, other: Image.Image) -> float:
    """The mean pixel difference of two images, from 0 to 255."""
    return ImageStat.Stat(ImageChops.difference(one.convert("L"), other.convert("L"))).mean[0]


def on_white(picture: Image.Image) -> Image.Image:
    white = Image.new("RGB", picture.size, "white")
    white.paste(picture, mask=picture.getchannel("A"))
    return white


def cut_out(page: Image.Image, place: tuple[float, float, float]) -> Image.Image:
    """Crop the area of a page with a card."""
    x, y, width = place
    left, top = round(x * SCALE), page.height - round((y + card_height(width)) * SCALE)
    return page.crop((left, top, left + round(width * SCALE), top + round(card_height(width) * SCALE)))


def printed(card: Card, palette: str) -> Image.Image:
    """A card as printed."""
    face = Face(card=card, x=20, y=20, width=150, palette=PALETTES[palette])
    (page,), _texts = opened(pages_pdf([Page(size=(200, 150), items=(face,))], title="A card"))
    return cut_out(page, (20, 20, 150))


@pytest.mark.parametrize("palette", ["standard", "black-and-white"])
@pytest.mark.parametrize("index", [0, 17, 40, 53, 80])
def test_a_card_in_a_pdf_looks_like_the_card_on_the_screen(palette, index):
    card = Card.from_index(index)
    drawn = printed(card, palette)
    assert difference(drawn, on_white(card_image(card, drawn.width, PALETTES[palette]))) < 4


def test_the_marks_tell_colors_apart_without_color():
    pictures = [printed(Card.from_index(index), "black-and-white") for index in (0, 27, 54, 3, 9)]
    assert all(difference(pictures[0], other) > 0.3 for other in pictures[1:])


@pytest.mark.parametrize("paper", list(Paper))
@pytest.mark.parametrize("size", [9, 12, 15])
def test_a_sheet_has_every_card_with_its_letter_and_the_code_and_the_round(paper, size):
    board = BOARDS[size]
    pdf = boards_pdf([PaperBoard(4, board)], class_name="Class 2B", code="BCDF23", paper=paper)
    (page, _key), (text, key) = opened(pdf)
    assert (round(page.width / SCALE), round(page.height / SCALE)) == POINTS[paper]
    for place, card in zip(card_places(size, paper), board, strict=True):
        drawn = cut_out(page, place)
        wanted = on_white(card_image(card, drawn.width, PALETTES["black-and-white"]))
        others = [each for each in board if each != card]
        here = difference(drawn, wanted)
        assert here < 12
        assert all(
            here < difference(drawn, on_white(card_image(other, drawn.width, PALETTES["black-and-white"])))
            for other in others
        )
    rows = re.findall(r"^[A-Z](?: [A-Z])*$", text.replace("\r", ""), re.MULTILINE)
    assert " ".join(rows).split() == list("ABCDEFGHIJKLMNO"[:size])
    for words in ("BCDF23", "Round 4", "Class 2B", "18."):
        assert words in text
    assert "BCDF23" in key


@pytest.mark.parametrize("paper", list(Paper))
@pytest.mark.parametrize("size", [9, 12, 15])
def test_nothing_is_drawn_over_anything_or_off_the_page(paper, size):
    places = card_places(size, paper)
    width, height = paper.size
    for x, y, card in places:
        assert 0 < x < x + card < width
        assert 0 < y < y + card_height(card) < height
    pdf = boards_pdf([PaperBoard(1, BOARDS[size])], class_name="Class 2B", code="BCDF23", paper=paper)
    with pypdfium2.PdfDocument(pdf) as document:
        text = document[0].get_textpage()
        boxes = [text.get_charbox(number) for number in range(text.count_chars())]
    assert min(box[1] for box in boxes) > 10
    assert max(box[2] for box in boxes) < width


def test_the_answers_are_on_the_last_page_and_on_no_other():
    sheets = [PaperBoard(1, BOARDS[12]), PaperBoard(2, FULL_DECK[:12])]
    _pages, texts = opened(boards_pdf(sheets, class_name="Class 2B", code="BCDF23", paper=Paper.A4))
    assert len(texts) == 3
    for sheet in sheets:
        for triple in find_sets(sheet.cards):
            assert sheet.letters(triple) in texts[2]
    assert "differ in" not in texts[0] + texts[1]
    assert len(re.findall(r"differ in \d", texts[2])) == sum(len(find_sets(sheet.cards)) for sheet in sheets)


def test_letters_are_read_as_teachers_type_them():
    board = BOARDS[12]
    wanted = [(board[0], board[3], board[10]), (board[1], board[2], board[5])]
    for text in ("A D K, B C F", "adk bcf", "ADKBCF", " a-d-k; b c f "):
        assert read_letters(text, board) == wanted


@pytest.mark.parametrize("text", ["", "  ", "A D", "A D K B", "A A D", "A D Z", "1 2 3", "ÄDK", "A D M"])
def test_letters_that_make_no_sense_are_refused_in_words(text):
    with pytest.raises(LessonRefusal) as refusal:
        read_letters(text, BOARDS[12])
    assert len(str(refusal.value)) > 10


# In a lesson


def on_paper(students: int = 2, **options) -> Lesson:
    lesson = a_lesson(students)
    lesson.begin("board", deck="full", size=12, **options)
    return lesson


def letters_of(lesson: Lesson, triple) -> str:
    board = board_of(lesson.activity, lesson.activity.round)
    return PaperBoard(1, board).letters(triple)


def wrong_triple(board):
    return next((a, b, c) for a, b, c in zip(board, board[1:], board[2:], strict=False) if not is_set(a, b, c))


@pytest.mark.django_db
def test_the_pdf_has_the_boards_of_this_round_and_the_next_ones():
    lesson = on_paper()
    response = lesson.teacher.get(f"/teach/session/{lesson.code}/paper.pdf")
    assert response["Content-Type"] == "application/pdf"
    pages, texts = opened(response.content)
    assert len(pages) == 4
    assert all(lesson.code in text for text in texts)
    printed = [board_of(lesson.activity, number) for number in (1, 2, 3)]
    lesson.seat(0, "target", target=2)
    for board in printed:
        assert [card.index for card in board] == lesson.activity.state["board"]
        lesson.steer("reveal")
        lesson.steer("next")


@pytest.mark.django_db
def test_the_paper_is_as_large_as_the_class_has_it_unless_asked():
    lesson = on_paper()
    path = f"/teach/session/{lesson.code}/paper.pdf"
    for query, paper in (("", Paper.LETTER), ("?paper=a4", Paper.A4), ("?paper=nonsense", Paper.LETTER)):
        page = opened(lesson.teacher.get(path + query).content)[0][0]
        assert (round(page.width / SCALE), round(page.height / SCALE)) == POINTS[paper]


@pytest.mark.django_db
def test_without_a_board_there_is_nothing_to_print():
    lesson = a_lesson(1)
    response = lesson.teacher.get(f"/teach/session/{lesson.code}/paper.pdf", follow=True)
    assert "Begin a silent board first" in response.text


@pytest.mark.django_db
def test_what_stands_on_a_sheet_is_kept_as_if_it_came_from_a_device():
    lesson = on_paper()
    board = board_of(lesson.activity, 1)
    found, wrong = find_sets(board)[:2], wrong_triple(board)
    letters = ", ".join(letters_of(lesson, triple) for triple in (*found, wrong, found[0]))
    assert "Letters on the sheet" in lesson.remote()
    activity = lesson.activity
    response = lesson.seat(1, "answer", activity=activity.number, round=1, letters=letters)
    assert response.status_code == 200
    rows = Answer.objects.filter(attendee=lesson.seats[1])
    assert [row.is_right for row in rows] == [True, True, False]
    assert {tuple(row.cards) for row in rows if row.is_right} == {
        tuple(sorted(card.index for card in triple)) for triple in found
    }
    assert LearningEvent.objects.filter(user=lesson.seats[1].user).count() == 3


@pytest.mark.django_db
def test_letters_are_those_of_the_printed_board_whatever_the_device_shows():
    lesson = on_paper(own="1")
    board = board_of(lesson.activity, 1)
    triple = find_sets(board)[0]
    lesson.seat(0, "answer", activity=1, round=1, letters=letters_of(lesson, triple))
    row = Answer.objects.get()
    assert row.is_right
    assert row.cards == sorted(card.index for card in triple)


@pytest.mark.django_db
def test_a_bad_sheet_is_refused_whole():
    lesson = on_paper()
    board = board_of(lesson.activity, 1)
    letters = f"{letters_of(lesson, find_sets(board)[0])}, A B"
    response = lesson.seat(0, "answer", activity=1, round=1, letters=letters)
    assert response.status_code == 422
    assert "three letters for each SET" in response.text
    assert not Answer.objects.exists()
