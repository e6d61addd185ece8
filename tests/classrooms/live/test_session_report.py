"""The lesson report: its numbers match the answers, on screen and in files."""

from __future__ import annotations

import csv
import re
from datetime import timedelta
from io import BytesIO, StringIO

import pytest
from django.test import Client
from django.utils import timezone
from openpyxl import load_workbook

from classrooms.live.report import AnswerTally, latest_sessions, session_report, table
from classrooms.models import Action, Answer, Attendee, AuditEntry, Enrolment, Session
from games.rules import Feature
from lessons.models import LearningEvent
from tests.builders.pages import text_of
from tests.classrooms.live.lesson import Lesson, a_lesson
from tests.classrooms.people import enrol, make_adult, signed_in

pytestmark = pytest.mark.django_db


def answered(seat: Attendee, activity, number: int, *, is_right: bool, missed: tuple[str, ...] = ()) -> None:
    event = LearningEvent.objects.create(
        user=seat.user,
        guest=seat.guest,
        source="lesson",
        seed=f"{activity.number}-{number}",
        at=timezone.now(),
        answer={"yes": True},
        is_right=is_right,
        is_first=True,
        missed=list(missed),
    )
    Answer.objects.create(activity=activity, attendee=seat, round=number, event=event)


@pytest.fixture
def lesson() -> Lesson:
    """A lesson with three participants, one absent student and two activities."""
    lesson = a_lesson(3)
    enrol(lesson.session.classroom, "Absent Alba")
    mia, noah, lina = lesson.seats
    lesson.begin("triples")
    first = lesson.activity
    answered(mia, first, 1, is_right=True)
    answered(mia, first, 2, is_right=False, missed=("color", "shape"))
    answered(noah, first, 1, is_right=False, missed=("color",))
    lesson.begin("triples")
    answered(lina, lesson.activity, 1, is_right=True)
    return lesson


def page(lesson: Lesson, name: str = "report/"):
    return lesson.teacher.get(f"/teach/session/{lesson.code}/{name}")


def test_the_numbers_are_those_of_the_answers(lesson):
    report = session_report(lesson.session)
    lines = {line.real_name: line for line in report.students}
    assert list(lines) == ["Absent Alba", "Lina Haddad", "Mia Okafor", "Noah Brandt"]
    color, shape = list(Feature).index(Feature.COLOR), list(Feature).index(Feature.SHAPE)
    mia = lines["Mia Okafor"]
    assert (mia.total.answers, mia.total.rights, mia.total.wrongs) == (2, 1, 1)
    assert mia.total.missed_features == [(Feature.COLOR, 1), (Feature.SHAPE, 1)]
    assert mia.tallies == (mia.total, AnswerTally())
    assert [part.tally.answers for part in report.parts] == [3, 1]
    assert report.parts[0].tally.missed[color] == 2
    assert report.total.missed[shape] == 1
    assert (report.total.answers, report.total.rights) == (4, 2)


def test_it_says_who_was_there_and_who_was_not(lesson):
    Attendee.objects.filter(number=2).update(joined_at=lesson.session.opened_at + timedelta(minutes=7))
    lesson.seat(2, "remove")
    report = session_report(lesson.session)
    assert [line.real_name for line in report.missing] == ["Absent Alba"]
    lines = {line.real_name: line for line in report.there}
    assert lines["Noah Brandt"].came_after == 7
    assert lines["Mia Okafor"].came_after == 0
    assert lines["Lina Haddad"].was_sent_out
    assert report.missing[0].came_after is None


def test_a_seat_on_paper_was_there_if_an_answer_came(lesson):
    lesson.give_paper(lesson.session.classroom.enrolments.get(real_name="Absent Alba").student)
    assert [line.real_name for line in session_report(lesson.session).missing] == ["Absent Alba"]
    assert latest_sessions(lesson.session.classroom)[0].there == 3
    answered(lesson.seats[3], lesson.activity, 1, is_right=True)
    assert not session_report(lesson.session).missing
    assert latest_sessions(lesson.session.classroom)[0].there == 4


def test_a_seat_on_paper_that_was_taken_back_is_nobody_who_was_sent_out(lesson):
    lesson.give_paper(lesson.session.classroom.enrolments.get(real_name="Absent Alba").student)
    lesson.seat(3, "remove")
    report = session_report(lesson.session)
    assert [(line.real_name, line.was_sent_out) for line in report.missing] == [("Absent Alba", False)]


def test_guests_are_apart_and_under_their_made_up_names_only():
    lesson = a_lesson(1, guests=True)
    guest = Client()
    guest.post(f"/session/{lesson.code}/join/")
    seat = lesson.session.attendees.get(user=None)
    lesson.begin("triples")
    answered(seat, lesson.activity, 1, is_right=True)
    report = session_report(lesson.session)
    assert [line.name for line in report.guests] == [seat.name]
    assert len(report.students) == 1
    text = page(lesson).text
    assert seat.name in text
    assert seat.guest not in text
    assert seat.guest.encode() not in page(lesson, "report.csv").content


def test_who_is_deleted_is_in_no_report(lesson):
    seat = lesson.seats[0]
    seat.user.deleted_at = timezone.now()
    seat.user.save()
    report = session_report(lesson.session)
    assert "Mia Okafor" not in {line.real_name for line in report.students}
    assert report.total.answers == 2
    assert latest_sessions(lesson.session.classroom)[0].there == 2


def test_who_has_left_the_class_keeps_the_line_without_the_real_name(lesson):
    Enrolment.objects.filter(real_name="Mia Okafor").delete()
    (line,) = [each for each in session_report(lesson.session).there if not each.enrolment]
    assert (line.real_name, line.total.answers) == ("", 2)
    assert "Mia Okafor" not in text_of(page(lesson))


def test_the_page_shows_the_numbers_and_leads_to_the_files(lesson):
    response = page(lesson)
    text = text_of(response)
    for words in (
        "3 / 4 were there",
        "2 / 4 answers were right",
        "Was not there Absent Alba",
        "1 of 2 right",
        "color 1",
    ):
        assert words in text
    assert f'href="/teach/session/{lesson.code}/report.csv"' in response.text
    assert "still open" in text
    lesson.order("end")
    assert "still open" not in text_of(page(lesson))


def test_the_files_have_the_numbers_of_the_screen_and_are_noted(lesson):
    report = session_report(lesson.session)
    rows = list(csv.reader(StringIO(page(lesson, "report.csv").content.decode("utf-8-sig"))))
    wanted = [["" if cell is None else str(cell) for cell in line] for line in table(report)]
    assert rows == wanted
    assert rows[0][4:7] == ["Lesson: answers", "Lesson: right", "Lesson: wrong"]
    assert [row[:3] for row in rows[1:]] == [
        ["Absent Alba", rows[1][1], "no"],
        ["Lina Haddad", rows[2][1], "yes"],
        ["Mia Okafor", rows[3][1], "yes"],
        ["Noah Brandt", rows[4][1], "yes"],
        ["All", "", "3"],
    ]
    assert rows[3][4:11] == ["2", "1", "1", "0", "1", "0", "1"]
    response = page(lesson, "report.xlsx")
    assert re.fullmatch(
        r'attachment; filename="class-2b-lesson-\d{4}-\d\d-\d\d\.xlsx"', response["Content-Disposition"]
    )
    sheet = load_workbook(BytesIO(response.content)).worksheets[0]
    cells = [["" if cell is None else str(cell) for cell in line] for line in sheet.iter_rows(values_only=True)]
    assert cells == wanted
    noted = AuditEntry.objects.filter(action=Action.EXPORTED, classroom=lesson.session.classroom_id)
    assert [entry.amount for entry in noted] == [4, 4]


def test_a_name_that_looks_like_a_formula_is_a_text(lesson):
    Attendee.objects.filter(number=1).update(name="=1+1")
    assert b",'=1+1," in page(lesson, "report.csv").content


def test_forty_students_take_as_many_queries_as_four(lesson, django_assert_num_queries, django_assert_max_num_queries):
    with django_assert_max_num_queries(40) as few:
        page(lesson)
    for number, enrolment in enumerate(enrol(lesson.session.classroom, *(f"Name {n}" for n in range(36))), 10):
        seat = Attendee.objects.create(session=lesson.session, number=number, user=enrolment.student, name=f"N{number}")
        answered(seat, lesson.activity, 1, is_right=False, missed=("number",))
    with django_assert_num_queries(len(few)):
        page(lesson)


def test_the_page_of_the_class_leads_to_past_lessons(lesson):
    lesson.order("end")
    classroom = lesson.session.classroom
    response = lesson.teacher.get(f"/teach/{classroom.pk}/")
    assert f'href="/teach/session/{lesson.code}/report/"' in response.text
    assert "3 students were there" in text_of(response)


def test_the_page_of_the_class_takes_as_many_queries_for_ten_lessons(lesson, django_assert_max_num_queries):
    classroom = lesson.session.classroom
    with django_assert_max_num_queries(60) as few:
        lesson.teacher.get(f"/teach/{classroom.pk}/")
    for number in range(9):
        over = {"language": "en-us", "edition": "us", "ended_at": timezone.now()}
        Session.objects.create(classroom=classroom, code=f"CODE{number}", **over)
    with django_assert_max_num_queries(len(few)):
        lesson.teacher.get(f"/teach/{classroom.pk}/")


def test_the_report_is_for_the_teachers_of_the_class(lesson):
    for name in ("report/", "report.csv", "report.xlsx"):
        path = f"/teach/session/{lesson.code}/{name}"
        assert Client().get(path).status_code == 302
        assert lesson.devices[0].get(path).status_code == 404
        assert signed_in(make_adult("Stranger")).get(path).status_code == 404
        assert lesson.teacher.post(path).status_code == 405
