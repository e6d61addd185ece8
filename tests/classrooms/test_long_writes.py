"""Deleting, undoing and purging a large class: short transactions, and complete in the end even if interrupted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.base import ContentFile
from django.db import connection
from django.utils import timezone

from classrooms.accounts import devices, picture_guard
from classrooms.classes.rosters import proposals
from classrooms.classes.rosters.row_form import Row
from classrooms.classes.students import renew_cards
from classrooms.models import (
    Activity,
    Answer,
    Attendee,
    AuditEntry,
    Classroom,
    DeviceStanding,
    Enrolment,
    GuardianCode,
    PictureTry,
    RosterImport,
    Session,
    StudentDevice,
    User,
)
from classrooms.privacy import deleting, purging
from core.db.chunks import ROWS
from core.db.locks import LockLevel
from core.jobs import queue
from core.models import Job
from games.matches import service as matches
from games.models import Match, Way
from games.players import Player
from games.rules import Options
from lessons.models import HelpGiven, LearningEvent, StepDone
from tests.classrooms.people import make_adult, make_classroom

STUDENTS = 6 * ROWS
"""More rows than one transaction may touch."""
PER_STUDENT = 4
LIMIT = 5 * ROWS
"""Rows that one transaction may touch: a chunk of people plus the log entries about each."""


@pytest.fixture
def now():
    return timezone.now()


@pytest.fixture
def classroom(transactional_db, now) -> Classroom:
    """A large class that had a lesson in which everybody answered, and whose students have practiced."""
    found = make_classroom(make_adult())
    users = User.objects.bulk_create(
        User(display_name=f"Student {number}", kind="student", pictures="") for number in range(STUDENTS)
    )
    Enrolment.objects.bulk_create(Enrolment(classroom=found, student=user, real_name="A name") for user in users)
    session = Session.objects.create(classroom=found, code="LESSON", language="en-us", edition="us", ended_at=now)
    activity = Activity.objects.create(session=session, number=1, kind="unit", started_at=now, round_at=now)
    seats = Attendee.objects.bulk_create(
        Attendee(session=session, number=number, user=user, name="Student") for number, user in enumerate(users)
    )
    events = LearningEvent.objects.bulk_create(
        LearningEvent(user=seat.user, at=now, source="lesson", seed="LESSON-1-0", is_right=True, is_first=True)
        for seat in seats
    )
    Answer.objects.bulk_create(
        Answer(event=event, activity=activity, attendee=seat, round=0)
        for event, seat in zip(events, seats, strict=True)
    )
    LearningEvent.objects.bulk_create(
        LearningEvent(user=user, at=now, source="practice", seed=f"s{number}", is_right=True, is_first=True)
        for user in users
        for number in range(PER_STUDENT)
    )
    return found


@contextmanager
def rows_per_transaction() -> Iterator[list[int]]:
    """Record the number of rows each transaction touches; a write outside of any counts as its own."""
    counts: dict[int, int] = {}
    kept: list[Any] = []

    def count(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        result = execute(sql, params, many, context)
        if sql.lstrip().split(" ", 1)[0] in {"INSERT", "UPDATE", "DELETE"}:
            block = connection.atomic_blocks[0] if connection.atomic_blocks else object()
            kept.append(block)
            # SQLite doesn't report the row count of an INSERT that returns keys.
            rows = max(context["cursor"].rowcount, sql.partition("VALUES")[2].count("("), 1)
            counts[id(block)] = counts.get(id(block), 0) + rows
        return result

    found: list[int] = []
    with connection.execute_wrapper(count):
        yield found
    found.extend(counts.values())


def test_deleting_a_large_class_never_writes_many_rows_at_once(classroom, now):
    with rows_per_transaction() as counts:
        assert deleting.delete_class(classroom, by=classroom.teachers.get(), now=now) == STUDENTS
    assert sum(counts) > 2 * STUDENTS
    assert max(counts) <= LIMIT
    assert not User.objects.filter(kind="student", is_active=True).exists()
    assert set(User.objects.filter(kind="student").values_list("deleted_at", flat=True)) == {now}
    assert AuditEntry.objects.filter(action="deleted", person__isnull=False).count() == STUDENTS


def test_undoing_it_never_writes_many_rows_at_once_and_brings_everybody_back(classroom, now):
    teacher = classroom.teachers.get()
    deleting.delete_class(classroom, by=teacher, now=now)
    classroom.refresh_from_db()
    with rows_per_transaction() as counts:
        deleting.undo_class(classroom, by=teacher, now=now)
    assert max(counts) <= LIMIT
    assert User.objects.filter(kind="student", is_active=True, deleted_at=None).count() == STUDENTS
    assert Classroom.objects.not_deleted().filter(pk=classroom.pk).exists()


def test_purging_it_never_writes_many_rows_at_once_and_leaves_nothing(classroom, now):
    long_ago = now - timedelta(days=365)
    deleting.delete_class(classroom, by=classroom.teachers.get(), now=long_ago)
    with rows_per_transaction() as counts:
        assert purging.purge(now) == STUDENTS + 1
    assert max(counts) <= LIMIT
    for model in (Session, Activity, Attendee, Answer, Enrolment, LearningEvent):
        assert not model.objects.exists(), model
    assert not User.objects.filter(kind="student").exists()


def test_marking_what_is_purged_never_touches_more_than_a_chunk(classroom, now):
    """This counts the rows of one statement, whatever else its transaction does."""
    deleting.delete_class(classroom, by=classroom.teachers.get(), now=now - timedelta(days=365))
    with rows_per_transaction() as counts:
        purging._mark_purged(User.objects.all(), LockLevel.PERSON, now)
    assert sum(counts) == STUDENTS
    assert max(counts) <= ROWS


def test_one_who_is_brought_back_while_others_are_marked_stays(classroom, now, monkeypatch):
    teacher = classroom.teachers.get()
    deleting.delete_class(classroom, by=teacher, now=now - timedelta(days=365))
    saved = User.objects.filter(kind="student").order_by("-pk").first()
    real = purging.lock_rows

    def lock_rows(rows: Any, *args: Any) -> Any:
        User.objects.filter(pk=saved.pk).update(deleted_at=None, is_active=True)
        return real(rows, *args)

    monkeypatch.setattr(purging, "lock_rows", lock_rows)
    purging._mark_purged(User.objects.all(), LockLevel.PERSON, now)
    assert User.objects.get(pk=saved.pk).deleted_at is None
    assert User.objects.filter(kind="student", deleted_at__year=1970).count() == STUDENTS - 1


def test_a_guest_who_has_practiced_for_weeks_is_forgotten_in_chunks(transactional_db, now):
    long_ago = now - timedelta(days=365)
    guest = f"{1:032}"
    LearningEvent.objects.bulk_create(
        LearningEvent(guest=guest, at=long_ago, source="practice", seed=f"s{number}", is_right=True, is_first=True)
        for number in range(6 * ROWS)
    )
    with rows_per_transaction() as counts:
        assert purging.purge_guests(now) == 1
    assert max(counts) <= LIMIT
    assert not LearningEvent.objects.exists()


def test_a_guest_who_comes_back_while_they_are_purged_keeps_what_is_left(transactional_db, now, monkeypatch):
    guest = f"{1:032}"
    answer = {"guest": guest, "source": "practice", "is_right": True, "is_first": True}
    long_ago = now - timedelta(days=365)
    old = (LearningEvent(at=long_ago, seed=f"s{number}", **answer) for number in range(3 * ROWS))
    LearningEvent.objects.bulk_create(old)
    locked = []

    def lock(*words) -> None:
        locked.append(words)
        if len(locked) == 3:
            LearningEvent.objects.create(at=now, seed="back", **answer)

    monkeypatch.setattr(purging, "lock_word", lock)
    assert purging.purge_guests(now) == 0
    assert LearningEvent.objects.filter(at=long_ago).count() == 2 * ROWS


def test_old_jobs_go_in_chunks_and_no_file_is_deleted_within_a_transaction(transactional_db, now, monkeypatch):
    guest = f"{1:032}"
    Job.objects.bulk_create(
        Job(kind="k", guest=guest, state="done", ended_at=now, file=f"jobs/{number}") for number in range(6 * ROWS)
    )
    deleted = []

    def delete(name: str) -> None:
        assert not connection.in_atomic_block
        deleted.append(name)

    monkeypatch.setattr(queue.default_storage, "delete", delete, raising=False)
    with rows_per_transaction() as counts:
        assert queue.delete_old(now + timedelta(days=1)) == 6 * ROWS
    assert max(counts) <= ROWS
    assert {f"jobs/{number}" for number in range(6 * ROWS)} <= set(deleted)


def test_a_file_whose_job_is_gone_is_found(transactional_db, now, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    job = Job.objects.create(kind="k", guest=f"{1:032}")
    for name in (f"{job.pk}-1", f"{uuid4()}-1", "no-key-at-all"):
        queue.default_storage.save(f"jobs/{name}", ContentFile(b"a list"))
    queue.delete_old(now - timedelta(days=1))
    assert queue.default_storage.listdir("jobs")[1] == [f"{job.pk}-1"]


def test_what_is_forgotten_each_night_goes_in_chunks(classroom, now):
    """Devices, wrong picture tries, guardian codes and unused lists."""
    long_ago, teacher = now - timedelta(days=800), classroom.teachers.get()
    users = list(User.objects.filter(kind="student"))
    StudentDevice.objects.bulk_create(
        StudentDevice(student=user, browser=f"{user.pk:064}", used_at=long_ago) for user in users
    )
    PictureTry.objects.bulk_create(
        PictureTry(student=user, classroom=classroom, browser="", standing=DeviceStanding.NEW, at=long_ago)
        for user in users
    )
    GuardianCode.objects.bulk_create(
        GuardianCode(child=user, made_by=teacher, fingerprint=f"{user.pk:064}", expires_at=long_ago) for user in users
    )
    RosterImport.objects.bulk_create(RosterImport(classroom=classroom, made_by=teacher, rows=[]) for _each in users)
    with rows_per_transaction() as counts:
        devices.forget_old(now)
        picture_guard.forget_old(now)
        purging.forget_codes(now)
        proposals.forget_imports(now + timedelta(days=1))
    assert sum(counts) == 4 * STUDENTS
    assert max(counts) <= ROWS
    for model in (StudentDevice, PictureTry, GuardianCode, RosterImport):
        assert not model.objects.exists(), model


def test_a_list_is_written_a_few_students_at_a_time(transactional_db):
    """Each needs an account and an enrolment, which take time: fewer rows than for deletions."""
    teacher = make_adult()
    classroom = make_classroom(teacher)
    rows = [Row(line=number, real_name=f"Pupil {number}", source_id=f"n{number}") for number in range(4 * ROWS)]
    with rows_per_transaction() as counts:
        proposals.write_all(proposals.propose(classroom, rows, by=teacher), by=teacher)
    assert max(counts) <= ROWS
    assert classroom.enrolments.count() == 4 * ROWS


def test_new_cards_for_a_large_class_are_made_a_few_at_a_time(classroom):
    with rows_per_transaction() as counts:
        assert renew_cards(classroom, by=classroom.teachers.get()) == STUDENTS
    assert max(counts) <= ROWS


def test_purging_guests_and_abandoned_tables_never_writes_many_rows_at_once(transactional_db, now):
    long_ago = now - timedelta(days=365)
    guests = [f"{number:032}" for number in range(2 * ROWS)]
    for model in (LearningEvent, HelpGiven, StepDone):
        extra = {
            LearningEvent: {"source": "practice", "is_right": True, "is_first": True},
            HelpGiven: {"source": "practice", "hints": 1},
            StepDone: {"unit": "u", "step": "s"},
        }[model]
        model.objects.bulk_create(model(guest=guest, at=long_ago, **extra) for guest in guests)
    for guest in guests[:25]:
        player = Player(name="Badger", guest=guest)
        matches.open_match(way=Way.ALONE, options=Options(), player=player, now=long_ago.timestamp())
    with rows_per_transaction() as counts:
        purging.purge_guests(now)
        matches.forget_abandoned(now - timedelta(days=1))
    assert max(counts) <= LIMIT
    for model in (LearningEvent, HelpGiven, StepDone, Match):
        assert not model.objects.exists(), model


# Interruptions


class PowerCut(BaseException):
    pass


@pytest.fixture
def cut(monkeypatch):
    """Simulates a crash after a number of chunks."""

    def after(chunks: int) -> None:
        real, left = deleting._set_deleted, [chunks]

        def set_deleted(*args: Any) -> None:
            if left[0] == 0:
                monkeypatch.undo()
                raise PowerCut
            left[0] -= 1
            real(*args)

        monkeypatch.setattr(deleting, "_set_deleted", set_deleted)

    return after


def test_a_deletion_that_breaks_off_is_finished_by_the_daily_job(classroom, now, cut):
    cut(1)
    with pytest.raises(PowerCut):
        deleting.delete_class(classroom, by=classroom.teachers.get(), now=now)
    assert not Classroom.objects.not_deleted().exists(), "the class itself is gone at once"
    assert User.objects.filter(kind="student", is_active=True).count() == STUDENTS - ROWS
    assert deleting.finish_deletions() == STUDENTS - ROWS
    assert set(User.objects.filter(kind="student").values_list("deleted_at", flat=True)) == {now}
    assert deleting.finish_deletions() == 0


def test_a_deletion_that_broke_off_can_be_undone_whole(classroom, now, cut):
    cut(2)
    with pytest.raises(PowerCut):
        deleting.delete_class(classroom, by=classroom.teachers.get(), now=now)
    classroom.refresh_from_db()
    deleting.undo_class(classroom, by=classroom.teachers.get(), now=now)
    assert deleting.finish_deletions() == 0
    assert User.objects.filter(kind="student", is_active=True, deleted_at=None).count() == STUDENTS


def test_undoing_that_breaks_off_leaves_the_class_deleted_and_can_be_done_again(classroom, now, cut):
    teacher = classroom.teachers.get()
    deleting.delete_class(classroom, by=teacher, now=now)
    classroom.refresh_from_db()
    cut(1)
    with pytest.raises(PowerCut):
        deleting.undo_class(classroom, by=teacher, now=now)
    assert not Classroom.objects.not_deleted().exists()
    deleting.undo_class(classroom, by=teacher, now=now)
    assert Classroom.objects.not_deleted().exists()
    assert User.objects.filter(kind="student", is_active=True, deleted_at=None).count() == STUDENTS


def test_a_student_who_was_brought_back_alone_is_not_deleted_again(classroom, now):
    teacher = classroom.teachers.get()
    deleting.delete_class(classroom, by=teacher, now=now)
    child = User.objects.filter(kind="student").first()
    deleting.undo_child(child, by=teacher, now=now)
    assert deleting.finish_deletions() == 0
    assert User.objects.get(pk=child.pk).is_active
