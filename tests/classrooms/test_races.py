"""Simultaneous actions of teachers and students; on PostgreSQL, these find missing locks."""

from __future__ import annotations

from functools import partial

import pytest
from django.utils import timezone

from classrooms.classes.service import (
    LastTeacher,
    NoLongerTeaching,
    NotTeaching,
    TaughtLonger,
    archive,
    remove_teacher,
    teachers_by_seniority,
)
from classrooms.live import joining, leading, seats
from classrooms.live.errors import LessonRefusal, LessonRunning
from classrooms.models import Attendee, Classroom, Session
from classrooms.privacy.deleting import StillTeaching, delete_adult
from games.players import Player
from tests.classrooms.concurrency import at_once
from tests.classrooms.people import enrol, make_adult, make_classroom

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 10


def test_of_two_teachers_who_leave_or_remove_each_other_at_once_one_stays():
    for _round in range(ROUNDS):
        founder, colleague = make_adult("Rivera"), make_adult("Stone")
        classroom = make_classroom(founder)
        classroom.teachers.add(colleague)
        told = at_once(
            [
                partial(remove_teacher, classroom, colleague, by=founder),
                partial(remove_teacher, classroom, founder, by=founder),
                partial(remove_teacher, classroom, founder, by=colleague),
                partial(remove_teacher, classroom, colleague, by=colleague),
            ]
        )
        assert len(teachers_by_seniority(classroom)) == 1
        refusals = LastTeacher | TaughtLonger | NoLongerTeaching | NotTeaching
        assert all(each is None or isinstance(each, refusals) for each in told), told


def test_of_two_teachers_who_delete_their_accounts_at_once_one_still_teaches():
    for _round in range(ROUNDS):
        teachers = [make_adult("Rivera"), make_adult("Stone")]
        classroom = make_classroom(teachers[0])
        classroom.teachers.add(teachers[1])
        told = at_once([partial(delete_adult, each, now=timezone.now()) for each in teachers])
        assert len(teachers_by_seniority(classroom)) == 1
        assert sorted(type(each) for each in told if each) == [StillTeaching]


def test_of_many_who_start_a_lesson_at_once_one_does_and_the_others_are_shown_it():
    for _round in range(ROUNDS):
        teachers = [make_adult("Rivera"), make_adult("Stone")]
        classroom = make_classroom(teachers[0])
        classroom.teachers.add(teachers[1])
        told = at_once([partial(leading.open_session, classroom, by=each) for each in teachers * 2])
        (running,) = Session.objects.filter(classroom=classroom)
        assert sorted(type(each).__name__ for each in told) == ["LessonRunning"] * 3 + ["Session"]
        assert all(each.session == running for each in told if isinstance(each, LessonRunning))


def test_a_lesson_that_is_replaced_while_everybody_is_busy_in_it_ends_and_no_request_fails():
    for _round in range(ROUNDS):
        teacher = make_adult("Rivera")
        classroom = make_classroom(teacher)
        students = [each.student for each in enrol(classroom, "Mia Okafor", "Noah Brandt", "Lina Haddad")]
        session = leading.open_session(classroom, by=teacher)
        told = at_once(
            [
                partial(leading.open_session, classroom, by=teacher, instead_of=session.code),
                partial(leading.begin, session, "triples", {}),
                *(partial(joining.attend, session, Player(name="Mia", user=each)) for each in students),
            ]
        )
        assert not [each for each in told if isinstance(each, Exception) and not isinstance(each, LessonRefusal)], told
        assert Session.objects.filter(classroom=classroom, ended_at=None).count() == 1


def test_a_class_that_is_archived_while_a_lesson_starts_has_no_lesson_then():
    for _round in range(ROUNDS):
        teacher = make_adult("Rivera")
        classroom = make_classroom(teacher)
        told = at_once(
            [partial(leading.open_session, classroom, by=teacher), partial(archive, classroom, by=teacher, ending="")]
        )
        assert isinstance(told[0], Session | Classroom.DoesNotExist), told
        assert told[1] is None or isinstance(told[1], LessonRunning), told
        archived, running = Classroom.objects.get(pk=classroom.pk).archived_at, leading.running_session(classroom)
        assert bool(archived) != bool(running)


def test_a_lesson_never_has_more_people_than_fit_and_guests_never_take_the_places_of_the_class(monkeypatch):
    monkeypatch.setattr(seats, "MOST_ATTENDEES", 4)
    teacher = make_adult("Rivera")
    classroom = make_classroom(teacher)
    students = [each.student for each in enrol(classroom, "Mia Okafor", "Noah Brandt")]
    for _round in range(3):
        running = leading.running_session(classroom)
        before = running.code if running else ""
        session = leading.open_session(classroom, by=teacher, allows_guests=True, instead_of=before)
        guests = [Player(name="Guest", guest=f"{number:032}") for number in range(6)]
        at_once([partial(joining.attend, session, each) for each in guests])
        assert session.attendees.count() == 2
        told = at_once([partial(joining.attend, session, Player(name="Student", user=each)) for each in students])
        assert all(isinstance(each, Attendee) for each in told), told
        assert session.attendees.count() == 4
