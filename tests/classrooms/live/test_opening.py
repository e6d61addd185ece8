"""Starting lessons: one at a time per class, and nobody's lesson ends without their being asked."""

from __future__ import annotations

import importlib
from datetime import timedelta

import pytest
from django.apps import apps
from django.db import IntegrityError, connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from classrooms.classes.service import archive
from classrooms.live import leading
from classrooms.live.wall import LONGEST
from classrooms.models import Classroom, Session, Stage
from classrooms.privacy import service as privacy
from tests.classrooms.live.lesson import Lesson, a_lesson
from tests.classrooms.people import enrol, make_adult, make_classroom, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def colleague(lesson) -> Client:
    stone = make_adult("Stone")
    lesson.session.classroom.teachers.add(stone)
    return signed_in(stone)


def start(client: Client, lesson: Lesson, **form: str):
    return client.post(f"/teach/session/open/{lesson.session.classroom_id}/", form)


def test_starting_again_leads_back_to_the_running_lesson(lesson):
    lesson.begin("triples")
    response = start(lesson.teacher, lesson)
    assert response.headers["Location"] == f"/teach/session/{lesson.code}/remote/"
    assert not lesson.session.is_over
    assert lesson.act(0, yes="1").status_code == 200
    assert Session.objects.count() == 1


def test_a_colleague_who_starts_a_lesson_is_led_to_the_running_one_and_told_whose_it_is(lesson, colleague):
    page = colleague.post(f"/teach/session/open/{lesson.session.classroom_id}/", follow=True)
    assert page.redirect_chain == [(f"/teach/session/{lesson.code}/remote/", 302)]
    assert "Rivera has already started a lesson with this class." in page.text
    assert not lesson.session.is_over


def test_every_door_leads_back_to_the_running_lesson(lesson, colleague):
    classroom = lesson.session.classroom_id
    for client in (lesson.teacher, colleague):
        pages = [reverse(f"teach:{name}", args=[classroom]) for name in ("class", "roster", "assignments", "settings")]
        for path in ("/teach/", *pages):
            page = client.get(path).text
            assert ("Go back to your lesson" in page) == (client is lesson.teacher)
            assert ("Go to the lesson" in page) == (client is colleague)
            assert f'href="/teach/session/{lesson.code}/remote/"' in page
            assert "3 people here" in page
            assert "Start a lesson" not in page
    assert "opened by Rivera" in colleague.get("/teach/").text
    assert "opened by" not in lesson.teacher.get("/teach/").text
    lesson.order("end")
    assert "Start a lesson" in lesson.teacher.get("/teach/").text


def test_another_lesson_is_confirmed_by_whoever_sees_for_whom_this_one_ends(lesson, colleague):
    path = f"/teach/session/open/{lesson.session.classroom_id}/"
    page = colleague.get(path).text
    assert "Rivera started a lesson with" in page
    assert "3 people are in it" in page
    for name in ("Mia", "Noah", "Lina"):
        assert name in page
    response = start(colleague, lesson, instead_of=lesson.code)
    assert lesson.session.is_over
    (running,) = Session.objects.filter(ended_at=None)
    assert response.headers["Location"] == f"/teach/session/{running.code}/remote/"
    assert running.made_by.display_name == "Stone"


def test_whoever_is_away_counts_as_nobody_here_and_is_named_as_away(lesson, colleague):
    lesson.session.attendees.filter(number__in=[1, 2]).update(is_connected=False)
    assert "1 person here" in lesson.teacher.get("/teach/").text
    page = colleague.get(f"/teach/session/open/{lesson.session.classroom_id}/").text
    assert "<strong>Mia</strong> (away)" in page
    assert "<strong>Lina</strong> (away)" not in page


def test_a_student_on_paper_counts_as_here(lesson):
    lesson.session.attendees.update(is_connected=False)
    lesson.give_paper(*[each.student for each in enrol(lesson.session.classroom, "Theo Martin")])
    assert "1 person here" in lesson.teacher.get("/teach/").text


def test_my_classes_shows_a_running_lesson_of_a_class_that_has_only_guests():
    teacher = make_adult("Rivera")
    classroom = make_classroom(teacher)
    client = signed_in(teacher)
    assert "A lesson is running" not in client.get("/teach/").text
    client.post(f"/teach/session/open/{classroom.pk}/", {"guests": "1"})
    page = client.get("/teach/").text
    assert "Go back to your lesson" in page
    assert "Add students" in page


# Ending


def test_without_scripts_the_end_of_a_lesson_is_confirmed_by_whoever_sees_for_whom(lesson):
    path = f"/teach/session/{lesson.code}/do/end/"
    page = lesson.teacher.post(path, follow=True)
    assert page.redirect_chain == [(f"/teach/session/{lesson.code}/end/", 302)]
    assert "End the lesson?" in page.text
    assert "3 people are in it:" in page.text
    assert "<strong>Mia</strong>" in page.text
    assert not lesson.session.is_over
    assert lesson.teacher.post(path, {"sure": "1"}).headers["Location"] == f"/teach/session/{lesson.code}/remote/"
    assert lesson.session.is_over
    again = lesson.teacher.get(f"/teach/session/{lesson.code}/end/")
    assert again.headers["Location"] == f"/teach/session/{lesson.code}/remote/"


def test_a_forgotten_lesson_ends_by_itself_and_one_of_today_does_not(lesson):
    lesson.begin("triples")
    fresh = a_lesson(1)
    now = timezone.now()
    Session.objects.filter(pk=lesson.session.pk).update(opened_at=now - LONGEST)
    Session.objects.filter(pk=fresh.session.pk).update(opened_at=now - LONGEST + timedelta(minutes=1))
    privacy.keep_promises(now)
    assert lesson.session.is_over
    assert lesson.activity.stage == Stage.DONE
    assert not fresh.session.is_over
    assert leading.end_forgotten(now) == 0


# Archiving


def test_a_class_with_a_running_lesson_is_archived_only_by_whoever_sees_for_whom_it_ends(lesson, colleague):
    path = f"/teach/{lesson.session.classroom_id}/settings/archive/"
    page = colleague.post(path, follow=True)
    assert page.redirect_chain == [(path, 302)]
    assert "Rivera started a lesson with" in page.text
    assert "3 people are in it:" in page.text
    assert "<strong>Mia</strong>" in page.text
    assert "Go to the lesson" in page.text
    assert not lesson.session.is_over
    assert not lesson.session.classroom.archived_at
    assert colleague.post(path, {"ending": lesson.code}).headers["Location"] == "/teach/"
    assert lesson.session.is_over
    assert lesson.session.classroom.archived_at
    assert start(colleague, lesson).status_code == 404


def test_agreeing_to_end_one_lesson_does_not_archive_a_class_that_is_having_another(lesson, colleague):
    start(lesson.teacher, lesson, instead_of=lesson.code)
    path = f"/teach/{lesson.session.classroom_id}/settings/archive/"
    response = colleague.post(path, {"ending": lesson.code})
    assert response.status_code == 422
    assert "Rivera started a lesson with" in response.text
    assert Session.objects.filter(ended_at=None).count() == 1
    assert not lesson.session.classroom.archived_at


def test_without_a_running_lesson_a_class_is_archived_at_once(lesson):
    lesson.order("end")
    path = f"/teach/{lesson.session.classroom_id}/settings/archive/"
    assert lesson.teacher.get(path).headers["Location"] == f"/teach/{lesson.session.classroom_id}/settings/"
    assert lesson.teacher.post(path).headers["Location"] == "/teach/"
    assert lesson.session.classroom.archived_at


def test_no_lesson_starts_in_a_class_that_was_archived_meanwhile(lesson, monkeypatch):
    classroom, teacher = lesson.session.classroom, lesson.session.made_by
    archive(classroom, by=teacher, ending=lesson.code)
    before = Classroom.objects.get(pk=classroom.pk)
    before.archived_at = None
    monkeypatch.setattr("classrooms.views.leading.taught_class", lambda request, pk: before)
    assert start(lesson.teacher, lesson).status_code == 404
    assert not Session.objects.filter(ended_at=None).exists()


def test_an_idle_class_that_the_site_archives_has_no_lesson_left(lesson):
    archive(lesson.session.classroom, by=None)
    assert lesson.session.is_over


def test_a_confirmation_for_a_lesson_that_is_not_the_running_one_ends_nothing(lesson, colleague):
    start(colleague, lesson, instead_of=lesson.code)
    (running,) = Session.objects.filter(ended_at=None)
    response = start(lesson.teacher, lesson, instead_of=lesson.code)
    assert response.status_code == 422
    assert "Stone started a lesson with" in response.text
    assert list(Session.objects.filter(ended_at=None)) == [running]


def test_without_a_running_lesson_there_is_nothing_to_confirm(lesson):
    lesson.order("end")
    response = lesson.teacher.get(f"/teach/session/open/{lesson.session.classroom_id}/")
    assert response.headers["Location"] == f"/teach/{lesson.session.classroom_id}/"


def test_the_database_takes_no_second_running_lesson(lesson):
    with pytest.raises(IntegrityError):
        Session.objects.create(classroom=lesson.session.classroom, code="SECOND", language="en-us", edition="us")


def test_the_migration_ends_all_running_lessons_of_a_class_but_the_newest(lesson):
    migration = importlib.import_module("classrooms.migrations.0007_end_double_lessons")
    lesson.begin("triples")
    elsewhere = make_classroom(make_adult("Stone"))
    with connection.cursor() as cursor:
        # Remove the constraint as in older databases; the test's transaction restores it.
        cursor.execute("DROP INDEX one_running_session_of_a_class")
    newest = Session.objects.create(classroom=lesson.session.classroom, code="NEWEST", language="en-us", edition="us")
    other = Session.objects.create(classroom=elsewhere, code="OTHER1", language="en-us", edition="us")
    before = timezone.now()
    migration.end_doubles(apps, None)
    assert set(Session.objects.filter(ended_at=None)) == {newest, other}
    assert lesson.session.ended_at >= before
    assert lesson.activity.stage == Stage.DONE
