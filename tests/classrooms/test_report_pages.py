"""The teacher's pages about a class: permissions, content, and the same numbers in files."""

from __future__ import annotations

import csv
import re
import time
from html import unescape
from io import BytesIO, StringIO

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from openpyxl import load_workbook

from classrooms.classes.assignments import assign, open_for
from classrooms.classes.students import NewStudent, add_students
from classrooms.models import Action, Assignment, AuditEntry, Task, User
from games.rules import Feature
from lessons.course.units import course
from lessons.progress.recording import finish_step
from lessons.skills import ExerciseKind, Skill
from tests.builders.pages import main_text_of
from tests.classrooms.people import enrol, make_adult, make_classroom, signed_in
from tests.classrooms.tries import a_set, answered, board, broken_by, player_of

pytestmark = pytest.mark.django_db

UNIT = course()[0]
PAGES = ["", "print/", "report.csv", "report.xlsx", "ledger/", "assignments/", "students/{enrolment}/"]
POSTS = ["assignments/new/daily/", "assignments/{assignment}/withdraw/"]


class Room:
    """A class of two, one of whom misses shading, with an assignment."""

    def __init__(self) -> None:
        self.teacher = make_adult("Rivera")
        self.classroom = make_classroom(self.teacher)
        self.mia, self.noah = add_students(
            self.classroom,
            [
                NewStudent(real_name="Mia Okafor", display_name="Comet", group="Foxes"),
                NewStudent(real_name="Noah Brandt"),
            ],
            by=self.teacher,
        )
        now = time.time()
        for skip in range(6):
            answered(
                self.mia, ExerciseKind.IS_SET, broken_by(Feature.SHADING, skip=skip), {"yes": True}, at=now - 600 + skip
            )
        self.assignment = assign(self.classroom, by=self.teacher, task=Task.DAILY, now=now - 86_400)
        self.client = signed_in(self.teacher)

    def url(self, page: str) -> str:
        place = page.format(enrolment=self.mia.pk, assignment=self.assignment.pk)
        return f"/teach/{self.classroom.pk}/{place}"

    def get(self, page: str):
        response = self.client.get(self.url(page))
        assert response.status_code == 200
        return response

    def post(self, page: str, **data):
        return self.client.post(self.url(page), data)


@pytest.fixture
def room() -> Room:
    return Room()


# Permissions


def others(room: Room) -> list[Client]:
    colleague = make_adult("Stone")
    make_classroom(colleague, "Class 3A")
    guardian = make_adult("Okafor")
    room.mia.student.guardian_links.create(guardian=guardian)
    staff = User.objects.create_superuser(email="root@school.example", password="x" * 12)
    return [signed_in(who) for who in (colleague, guardian, staff, room.mia.student)]


@pytest.mark.parametrize("page", PAGES)
def test_for_all_but_the_teachers_of_the_class_it_is_not_there(room, page):
    for client in others(room):
        assert client.get(room.url(page)).status_code == 404


@pytest.mark.parametrize("page", POSTS)
def test_nor_can_they_change_anything(room, page):
    for client in others(room):
        assert client.post(room.url(page), {"amount": 1}).status_code == 404
    assert Assignment.objects.get() == room.assignment


@pytest.mark.parametrize("page", PAGES)
def test_a_stranger_is_asked_to_sign_in(room, client, page):
    response = client.get(room.url(page))
    assert response.status_code == 302
    assert "next=" in response.headers["Location"]


@pytest.mark.parametrize("page", PAGES)
def test_it_is_only_looked_at(room, page):
    assert room.client.post(room.url(page)).status_code == 405


@pytest.mark.parametrize("page", POSTS)
def test_a_change_is_a_post_with_the_pages_own_token(room, page):
    assert room.client.get(room.url(page)).status_code == 405
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(room.teacher)
    assert strict.post(room.url(page), {"amount": 1}).status_code == 403


def test_a_student_of_another_class_is_not_there(room):
    (zoe,) = enrol(make_classroom(room.teacher, "Class 3A"), "Zoe Stern")
    assert room.client.get(room.url(f"students/{zoe.pk}/")).status_code == 404


def test_an_assignment_of_another_class_cannot_be_withdrawn(room):
    other = make_classroom(make_adult("Stone"))
    foreign = assign(other, by=room.teacher, task=Task.DAILY, now=time.time())
    assert room.client.post(room.url(f"assignments/{foreign.pk}/withdraw/")).status_code == 404
    assert Assignment.objects.filter(pk=foreign.pk).exists()


@pytest.mark.parametrize("page", PAGES)
def test_a_deleted_class_is_not_there(room, page):
    room.classroom.deleted_at = room.classroom.made_at
    room.classroom.save()
    assert room.client.get(room.url(page)).status_code == 404


# The overview


def test_a_class_of_nobody_says_what_to_do(room):
    empty = make_classroom(room.teacher, "Class 3A")
    response = room.client.get(f"/teach/{empty.pk}/")
    assert "Nobody is here yet" in main_text_of(response)
    assert f'class="main-button" href="{reverse("teach:roster", args=[empty.pk])}"' in response.text
    for page in ("ledger/", "assignments/", "print/"):
        assert room.client.get(f"/teach/{empty.pk}/{page}").status_code == 200


def test_who_needs_help_comes_first_and_with_what(room):
    text = main_text_of(room.get(""))
    need = "Mia Okafor Comet seems not to look at the shading shading: two and one missed 6 of 6"
    assert need in text
    assert text.index(need) < text.index("What they can do")


def test_where_nobody_does_it_says_so(room):
    room.mia.student.deleted_at = room.classroom.made_at
    room.mia.student.save()
    assert "Nobody misses the same thing again and again." in main_text_of(room.get(""))


def test_names_are_written_as_names_and_not_as_markup(room):
    room.mia.real_name = "<script>alert(1)</script>"
    room.mia.save()
    shown = [room.get(page).text for page in PAGES if not page.startswith("report")]
    assert not any("<script>alert" in text for text in shown)
    assert any("&lt;script&gt;alert(1)" in text for text in shown)


@pytest.mark.parametrize("page", ["", "print/", "ledger/", "assignments/", "students/{enrolment}/"])
def test_no_page_has_styles_or_scripts_of_its_own(room, page):
    html = room.get(page).text
    assert not re.search(r'\sstyle="|<style|\son\w+="|<script(?![^>]*src=)', html)


# The numbers are the same everywhere


def grid(response) -> list[dict]:
    """The values shown for each student: levels, days, minutes and assignments."""
    rows = []
    for row in re.findall(r"<tr>\s*<th scope=\"row\" class=\"who\">\s*<a.*?</tr>", response.text, re.DOTALL):
        numbers = [int(each) for each in re.findall(r'<td class="number">(\d+)', row)]
        rows.append(
            {
                "name": unescape(re.search(r"<a [^>]*>(.*?)</a>", row)[1]),
                "levels": [int(each) for each in re.findall(r'data-level="(\d)"', row)],
                "days": numbers[0],
                "minutes": numbers[1],
                "open": numbers[2],
                "seen": (re.search(r'<time datetime="([^"]*)"', row) or ["", ""])[1],
            }
        )
    return rows


def from_cells(cells) -> dict:
    skills = len(Skill)
    days, minutes, seen, to_do = cells[3 + skills : 7 + skills]
    return {
        "name": cells[0],
        "levels": [int(cell) for cell in cells[3 : 3 + skills]],
        "days": int(days),
        "minutes": int(minutes),
        "open": int(to_do),
        "seen": str(seen or "")[:10],
    }


def test_the_screen_the_csv_and_the_workbook_show_the_same(room):
    for number in range(3):
        answered(
            room.noah, ExerciseKind.IS_SET, a_set(number), {"yes": True}, at=time.time() - 40 * number, seconds=95.0
        )
    shown = grid(room.get(""))
    assert [row["name"] for row in shown] == ["Mia Okafor", "Noah Brandt"]
    assert all(len(row["levels"]) == len(Skill) for row in shown)
    lines = list(csv.reader(StringIO(room.get("report.csv").content.decode("utf-8-sig"), newline="")))
    assert [from_cells(cells) for cells in lines[1:]] == shown
    sheet = load_workbook(BytesIO(room.get("report.xlsx").content)).worksheets[0]
    rows = [[cell.value for cell in row] for row in sheet.iter_rows(min_row=2)]
    assert [from_cells(cells) for cells in rows] == shown


def test_the_print_view_shows_the_same_levels(room):
    shown = [row["levels"] for row in grid(room.get(""))]
    rows = re.findall(r"<tr>\s*<th scope=\"row\".*?</tr>", room.get("print/").text, re.DOTALL)
    assert [[int(each) for each in re.findall(r'class="mark">(\d)<', row)] for row in rows] == shown


@pytest.mark.parametrize(("page", "kind"), [("report.csv", "text/csv"), ("report.xlsx", "spreadsheetml")])
def test_a_file_is_for_saving_and_is_noted(room, page, kind):
    response = room.get(page)
    assert kind in response.headers["Content-Type"]
    assert response.headers["Content-Disposition"].startswith('attachment; filename="class-2b-')
    assert "no-store" in response.headers["Cache-Control"]
    entry = AuditEntry.objects.get(action=Action.EXPORTED)
    assert (entry.actor, entry.classroom, entry.amount) == (room.teacher.pk, room.classroom.pk, 2)


def test_a_refused_file_is_not_noted(room):
    signed_in(make_adult("Stone")).get(room.url("report.csv"))
    assert not AuditEntry.objects.filter(action=Action.EXPORTED).exists()


@pytest.mark.parametrize("page", ["", "ledger/", "assignments/", "report.csv", "print/"])
def test_forty_students_take_as_many_queries_as_three(room, page):
    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            room.get(page)
        return len(asked)

    def grow(names) -> None:
        for each in enrol(room.classroom, *names):
            answered(each, ExerciseKind.IS_SET, broken_by(Feature.COLOR), {"yes": True}, at=time.time() - 60)
            finish_step(player_of(each), UNIT.slug, UNIT.steps[0].slug, now=time.time())

    grow(["Adam Ash"])
    few = queries()
    grow([f"Student {number}" for number in range(37)])
    assert queries() == few


# The ledger


def test_the_ledger_counts_and_shows_cards_with_their_verdict(room):
    response = room.get("ledger/")
    text = main_text_of(response)
    assert "6 wrong triples in all." in text
    assert "Mia Okafor Comet 0 0 6 0 6" in text
    assert "Noah Brandt Noah 0 0 0 0 0" in text
    assert response.text.count('class="verdict is-no-set"') == 3


# The student's page


def test_a_students_page_shows_path_skills_weeks_and_every_try(room):
    response = room.get("students/{enrolment}/")
    text = main_text_of(response)
    assert f"{UNIT.title} 0 of {len(UNIT.steps)}" in text
    assert "Seeing shading" in text
    assert text.count("✗ wrong Is it a SET?") == 6
    assert "Answer: yes" in text
    assert "<svg" in response.text
    assert "As a table" in text


def test_every_kind_of_answer_can_be_shown(room):
    first, second, wrong = broken_by(Feature.SHAPE)
    now = time.time()
    cards = board(sets=1)
    picks = [card.index for card in cards[:3]]
    answered(room.noah, ExerciseKind.WHICH_BREAKS, (first, second, wrong), {"breaks": "color"}, at=now)
    answered(room.noah, ExerciseKind.EXPLAIN, (first, second, wrong), dict.fromkeys(Feature, "all-same"), at=now)
    answered(room.noah, ExerciseKind.THIRD_CARD, (first, second), {"card": wrong.index}, choices=(wrong,), at=now)
    answered(room.noah, ExerciseKind.FIND_ONE, cards, {"cards": picks}, at=now)
    answered(room.noah, ExerciseKind.FIND_ALL, cards, {"sets": [picks]}, at=now)
    answered(room.noah, ExerciseKind.FIND_ALL, cards, {"sets": []}, at=now)
    answered(room.noah, ExerciseKind.ANY_SET, cards, {"yes": False}, at=now)
    answered(room.noah, ExerciseKind.IS_SET, a_set(), {"yes": False, "breaks": "color"}, at=now)
    text = main_text_of(room.get(f"students/{room.noah.pk}/"))
    for part in (
        "Answer: color",
        "number: all the same;",
        "Picked:",
        "The board",
        "no, because of the color",
        "it is a SET",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("step", "form", "says"),
    [
        ("name-value", {}, "Answer:"),
        ("what-changed", {"feature": "color"}, "Answer: color"),
        ("pick-all", {}, "Picked:"),
    ],
)
def test_answers_to_the_course_can_be_shown(room, step, form, says):
    unit, found = next((unit, each) for unit in course() for each in unit.steps if each.question.name == step)
    question = found.question
    if step == "name-value":
        form = {"value": question.slugs[0]}
    if step == "pick-all":
        form = {"cards": [str(card.index) for card in question.cards[:2]]}
    assert signed_in(room.noah.student).post(f"/learn/{unit.slug}/{found.slug}/", form).status_code == 200
    text = main_text_of(room.get(f"students/{room.noah.pk}/"))
    assert f"{unit.title}: {found.title}" in text
    assert says in text


def test_many_tries_come_in_pages(room):
    for skip in range(18):
        answered(room.mia, ExerciseKind.IS_SET, a_set(skip), {"yes": True}, at=time.time())
    first = room.get("students/{enrolment}/")
    assert (first.text.count('class="try"'), "1 of 2" in main_text_of(first)) == (20, True)
    assert room.get("students/{enrolment}/?page=2").text.count('class="try"') == 4
    for odd in ("0", "99", "x", ""):
        room.get("students/{enrolment}/?page=" + odd)


def test_who_has_tried_nothing_is_told_so(room):
    assert "Nothing tried yet." in main_text_of(room.get(f"students/{room.noah.pk}/"))


# Assignments


def test_what_is_assigned_is_on_the_page_and_on_the_students(room):
    form = {"what": "color", "amount": "3", "whom": f"student-{room.noah.pk}", "due_on": "2030-01-31"}
    response = room.post("assignments/new/skill/", **form)
    assert (response.status_code, response.headers["Location"]) == (302, room.url("assignments/"))
    made = Assignment.objects.exclude(pk=room.assignment.pk).get()
    assert (made.task, made.what, made.amount) == ("skill", "color", 3)
    assert (made.enrolment, made.made_by) == (room.noah, room.teacher)
    text = main_text_of(room.get("assignments/"))
    assert "Assigned: Seeing color: until it is sure" in text
    assert "Seeing color: until it is sure Noah Brandt · due January 31" in text
    titles = [task.title for task in open_for(room.noah.student, now=time.time())]
    assert titles == ["Seeing color: until it is sure", "The daily puzzle"]
    assert len(open_for(room.mia.student, now=time.time())) == 1


def test_a_group_can_be_asked(room):
    assert room.post("assignments/new/boards/", amount="5", whom=f"group-{room.mia.group.pk}").status_code == 302
    assert Assignment.objects.filter(group=room.mia.group, task=Task.BOARDS, amount=5).exists()


@pytest.mark.parametrize(
    ("task", "data"),
    [
        ("unit", {"what": "nothing"}),
        ("skill", {"what": "color", "amount": "9"}),
        ("skill", {}),
        ("boards", {"amount": "0"}),
        ("boards", {"amount": "many"}),
        ("daily", {"amount": "1", "whom": "student-999999"}),
        ("daily", {"amount": "1", "due_on": "tomorrow"}),
    ],
)
def test_a_form_that_makes_no_sense_comes_back_and_nothing_is_assigned(room, task, data):
    response = room.post(f"assignments/new/{task}/", **data)
    assert response.status_code == 422
    assert "errorlist" in response.text
    assert all(f'value="{value}"' in response.text for value in data.values() if value in {"many", "tomorrow"})
    assert Assignment.objects.get() == room.assignment


def test_an_unknown_task_is_not_found(room):
    assert room.post("assignments/new/homework/").status_code == 404


def test_withdrawn_it_is_gone(room):
    response = room.post("assignments/{assignment}/withdraw/")
    assert (response.status_code, response.headers["Location"]) == (302, room.url("assignments/"))
    assert not Assignment.objects.exists()
    assert "Nothing yet." in main_text_of(room.get("assignments/"))
