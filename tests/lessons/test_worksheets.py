"""Worksheets: paper and screen show the same exercises, and the answers are right."""

from __future__ import annotations

import re
from string import ascii_uppercase

import pytest
from django.test import Client

from core.printing.page import Code
from core.printing.paper import Paper
from core.printing.pdf import pages_pdf
from games.art.palettes import PALETTES
from games.printing.cards import Face
from games.rules import Feature, explain, is_set, third_card
from games.rules.cards import Card
from lessons.models import LearningEvent
from lessons.printing.worksheets import Worksheet, tasks_on_a_page
from lessons.sheets import DIFFICULTIES, KINDS, MOST_TASKS, Sheet, read_sheet
from lessons.skills import ExerciseKind
from lessons.words import VERDICT_KINDS
from tests.lessons.test_learning import right_answer, wrong_answer
from tests.printed import cards_on, pictures_in, scanned, sheets, sizes, texts

SITE = "https://set.school.example"
UPRIGHT = {"a4": (595, 842), "letter": (612, 792)}


def sheet(kind: ExerciseKind = ExerciseKind.IS_SET, **changes) -> Sheet:
    return Sheet(**{"kind": kind, "seed": "apple", "tasks": 7, "level": "fair"} | changes)


def worksheet(
    kind: ExerciseKind = ExerciseKind.IS_SET, *, paper: Paper = Paper.A4, key: bool = True, **changes
) -> Worksheet:
    of = sheet(kind, **changes)
    address = f"{SITE}/learn/sheet/{kind}/{of.code}/"
    return Worksheet(sheet=of, address=address, palette=PALETTES["black-and-white"], paper=paper, key=key)


def pdf_of(worksheet: Worksheet) -> bytes:
    return pages_pdf(worksheet.pages(), title=worksheet.title)


# What is on a sheet


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("level", list(DIFFICULTIES))
def test_a_number_makes_the_same_sheet_again_and_no_task_twice(kind, level):
    made = sheet(kind, level=level, tasks=MOST_TASKS)
    again = read_sheet(kind.value, made.code)
    assert again == made
    assert len({frozenset(each.cards) for each in again.exercises}) == len(made.exercises) == MOST_TASKS
    assert len({each.seed for each in made.exercises}) == MOST_TASKS
    assert all(each.kind is kind for each in made.exercises)
    assert sheet(kind, seed="pear").exercises != sheet(kind).exercises


@pytest.mark.parametrize(("level", "cards"), [("easy", 9), ("fair", 12), ("hard", 12)])
def test_boards_have_twelve_cards_but_for_beginners(level, cards):
    assert {len(each.cards) for each in sheet(ExerciseKind.FIND_ALL, level=level).exercises} == {cards}


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("find-one", "apple-7-fair"),
        ("nothing", "apple-7-fair"),
        ("is-set", "apple-7"),
        ("is-set", "apple-0-fair"),
        ("is-set", "apple-25-fair"),
        ("is-set", "apple-07-fair"),
        ("is-set", "Apple-7-fair"),
        ("is-set", "apple-7-mad"),
        ("is-set", "a" * 13 + "-7-fair"),
    ],
)
def test_what_is_no_number_of_a_sheet_is_none(kind, code):
    assert read_sheet(kind, code) is None


# On paper


@pytest.mark.parametrize("paper", list(Paper))
@pytest.mark.parametrize("kind", KINDS)
def test_the_paper_shows_the_cards_of_every_task(kind, paper):
    printed = worksheet(kind, paper=paper)
    pages = printed.pages()
    pdf = pdf_of(printed)
    assert set(sizes(pdf)) == {UPRIGHT[paper]}
    legend = 3
    read: list[Card | None] = []
    for page, picture in zip(pages[:-1], sheets(pdf), strict=False):
        read += cards_on(page, picture)[legend:]
    assert read == [card for each in printed.sheet.exercises for card in (*each.cards, *each.choices)]
    assert pictures_in(pdf) == 0


@pytest.mark.parametrize("paper", list(Paper))
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_leaves_the_margins_and_no_task_runs_into_another(kind, paper):
    pages = worksheet(kind, paper=paper, tasks=MOST_TASKS).pages()
    width, height = paper.size
    assert len(pages) == -(-MOST_TASKS // tasks_on_a_page(kind, paper)) + 1
    for page in pages:
        faces = [item for item in page.items if isinstance(item, Face)]
        for one in faces:
            assert 40 <= one.x <= one.x + one.width <= width - 40
            assert 40 <= one.y <= one.y + one.width * 2 / 3 <= height - 40
        for number, one in enumerate(faces):
            for other in faces[:number]:
                beside = one.x + one.width <= other.x or other.x + other.width <= one.x
                above = one.y + one.width * 2 / 3 <= other.y or other.y + other.width * 2 / 3 <= one.y
                assert beside or above


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_is_the_same_bytes(kind):
    assert pdf_of(worksheet(kind)) == pdf_of(worksheet(kind))
    assert pdf_of(worksheet(kind)) != pdf_of(worksheet(kind, seed="pear"))


@pytest.mark.parametrize("kind", KINDS)
def test_the_code_on_each_page_leads_to_the_sheet_and_the_answers_have_none(kind):
    printed = worksheet(kind, tasks=8, paper=Paper.LETTER)
    *tasks, key = sheets(pdf_of(printed))
    assert tasks
    for page in tasks:
        assert scanned(page) == [f"{SITE}/learn/sheet/{kind}/apple-8-fair/"]
    assert not scanned(key)
    codes = [item for page in printed.pages() for item in page.items if isinstance(item, Code)]
    assert len(codes) == len(tasks)


# The answers


def key_lines(printed: Worksheet) -> list[str]:
    lines = re.findall(r"^(\d+)\.\s*(.*?)\s*$", texts(pdf_of(printed))[-1], re.MULTILINE)
    assert [int(number) for number, _text in lines] == list(range(1, printed.sheet.tasks + 1))
    return [text for _number, text in lines]


def test_there_are_no_answers_where_none_are_wanted():
    assert "Answers" in texts(pdf_of(worksheet()))[-1]
    assert not any("Answers" in text for text in texts(pdf_of(worksheet(key=False))))


@pytest.mark.parametrize("level", list(DIFFICULTIES))
def test_the_answers_say_what_is_a_set_and_what_breaks_it(level):
    printed = worksheet(ExerciseKind.IS_SET, level=level, tasks=MOST_TASKS)
    answers = key_lines(printed)
    for exercise, text in zip(printed.sheet.exercises, answers, strict=True):
        assert (text == "yes") is exercise.solve().yes is is_set(*exercise.cards)
        if text != "yes":
            named = {feature for feature in Feature if f"{feature.value}: two" in text}
            assert text.startswith("no (")
            assert named == set(exercise.solve().breaks)
    assert 4 < answers.count("yes") < MOST_TASKS - 4


@pytest.mark.parametrize("level", list(DIFFICULTIES))
def test_the_answers_give_the_letter_of_the_third_card(level):
    printed = worksheet(ExerciseKind.THIRD_CARD, level=level, tasks=MOST_TASKS)
    for exercise, text in zip(printed.sheet.exercises, key_lines(printed), strict=True):
        card = exercise.choices[ascii_uppercase.index(text[0])]
        assert card == exercise.solve().card == third_card(*exercise.cards)


@pytest.mark.parametrize("level", list(DIFFICULTIES))
def test_the_answers_list_every_set_by_its_letters(level):
    printed = worksheet(ExerciseKind.FIND_ALL, level=level, tasks=10)
    for exercise, text in zip(printed.sheet.exercises, key_lines(printed), strict=True):
        found = {
            frozenset(exercise.cards[ascii_uppercase.index(each)] for each in part.split()) for part in text.split(",")
        }
        assert found == {frozenset(triple) for triple in exercise.solve().sets}


@pytest.mark.parametrize("level", list(DIFFICULTIES))
def test_the_answers_explain_each_feature(level):
    printed = worksheet(ExerciseKind.EXPLAIN, level=level, tasks=MOST_TASKS)
    for exercise, text in zip(printed.sheet.exercises, key_lines(printed), strict=True):
        for feature, make in exercise.solve().makes.items():
            assert f"{feature.value}: {VERDICT_KINDS[make]}" in text
        assert text.startswith("a SET" if explain(*exercise.cards).is_set else "no SET")


# On screen


def path_on(printed: Worksheet) -> str:
    """The path in the QR code on the paper."""
    (address,) = scanned(sheets(pdf_of(printed))[0])
    return address.removeprefix(SITE)


@pytest.mark.django_db
@pytest.mark.parametrize("kind", KINDS)
def test_the_code_leads_to_the_same_exercises(client, kind):
    printed = worksheet(kind)
    path = path_on(printed)
    for number, exercise in enumerate(printed.sheet.exercises, 1):
        response = client.get(path, {"task": number})
        assert response.context["question"] == exercise
        assert f"Task {number} of 7" in response.text
        assert "wanted" not in response.text


@pytest.mark.django_db
@pytest.mark.parametrize("kind", KINDS)
def test_the_exercises_come_one_after_another_until_all_are_right(client, kind):
    printed = worksheet(kind, tasks=3)
    path = path_on(printed)
    for number, exercise in enumerate(printed.sheet.exercises, 1):
        page = client.get(path)
        assert page.context["task"] == number
        response = answer(client, path, page.context["ticket"], exercise)
        assert response.context["grade"].is_right
        assert f'href="{path}"' in response.text
    assert "You have got them all right!" in client.get(path).text
    assert client.get(path, {"task": 2}).context["question"] == printed.sheet.exercises[1]
    assert LearningEvent.objects.filter(source="sheet", kind=kind, is_right=True, is_first=True).count() == 3
    assert client.get(path).context["tasks"] == [(1, True), (2, True), (3, True)]


def answer(client: Client, path: str, ticket: str, exercise):
    """Send the right answer, in as many forms as it takes."""
    found = right_answer(exercise)
    if exercise.kind is not ExerciseKind.FIND_ALL:
        form = {"yes": str(int(found["yes"]))} if "yes" in found else found
        return client.post(path, {"ticket": ticket, **form})
    for cards in found["sets"]:
        response = client.post(path, {"ticket": ticket, "cards": cards})
        ticket = response.context["ticket"]
    return response


@pytest.mark.django_db
def test_a_wrong_answer_is_explained_and_can_be_put_right(client):
    printed = worksheet(ExerciseKind.THIRD_CARD)
    path, exercise = path_on(printed), printed.sheet.exercises[0]
    ticket = client.get(path).context["ticket"]
    response = client.post(path, {"ticket": ticket, **wrong_answer(exercise)})
    assert not response.context["grade"].is_right
    assert client.get(path).context["task"] == 1
    assert client.post(path, {"ticket": ticket, "card": "none"}).status_code == 422
    helped = client.post(path, {"ticket": ticket, "help": "1"})
    assert len(helped.context["helps"]) == 1


@pytest.mark.django_db
def test_a_ticket_of_another_place_or_sheet_is_not_taken(client):
    here = path_on(worksheet(ExerciseKind.IS_SET))
    other = path_on(worksheet(ExerciseKind.IS_SET, seed="pear"))
    for ticket in (client.get(other).context["ticket"], client.get("/learn/practice/").context["ticket"], "", "x"):
        response = client.post(here, {"ticket": ticket, "yes": "1"})
        assert response.status_code == 200
        assert response.context["task"] == 1
    assert not LearningEvent.objects.exists()


@pytest.mark.django_db
def test_a_sheet_that_is_none_is_not_there_and_a_fragment_is_one(client):
    assert client.get("/learn/sheet/is-set/nothing/").status_code == 404
    path = path_on(worksheet())
    fragment = client.get(path, headers={"HX-Request": "true"})
    assert "<html" not in fragment.text
    assert client.get(path, {"task": "99"}).context["task"] == 1
