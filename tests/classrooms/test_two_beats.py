"""Two beats running by mistake request everything twice at the same time; it's done once."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, time, timedelta

import pytest
from django.conf import settings
from django.db import connections
from django.utils import timezone

from classrooms import tasks
from classrooms.models import Action, AuditEntry, Classroom, Letter, User
from classrooms.privacy import purging
from classrooms.reports.letters import week_before
from core.models import OutgoingMail
from core.once import only_one
from lessons.skills import ExerciseKind
from tests.classrooms.concurrency import at_once
from tests.classrooms.people import enrol, make_adult, make_classroom
from tests.classrooms.tries import a_set, answered

pytestmark = pytest.mark.django_db(transaction=True)
BEATS = 3


def test_a_weekly_letter_goes_out_once(settings):
    settings.EMAIL_BACKEND = "core.mail.OutboxBackend"
    guardian = make_adult("Ada")
    (place,) = enrol(make_classroom(make_adult("Rivera")), "Mia Okafor")
    place.student.guardian_links.create(guardian=guardian)
    wednesday = datetime.combine(week_before(timezone.now()) + timedelta(days=2), time(12), UTC)
    answered(place, ExerciseKind.IS_SET, a_set(), {"yes": True}, at=wednesday.timestamp())
    told = at_once([tasks.send_weekly_letters] * BEATS)
    assert sorted(told) == [0] * (BEATS - 1) + [1]
    assert OutgoingMail.objects.count() == Letter.objects.count() == 1


def test_what_is_purged_is_purged_and_noted_once():
    long_ago = timezone.now() - timedelta(days=settings.UNDO_DAYS + 1)
    teacher = make_adult("Rivera")
    for number in range(3):
        enrol(make_classroom(teacher, f"Class {number}"), "Mia Okafor", "Noa Stern")
    Classroom.objects.update(deleted_at=long_ago)
    User.objects.filter(kind="student").update(deleted_at=long_ago, is_active=False)
    assert at_once([tasks.keep_privacy] * BEATS) == [None] * BEATS
    assert not Classroom.objects.exists()
    assert not User.objects.filter(kind="student").exists()
    assert AuditEntry.objects.filter(action=Action.PURGED).count() == 3 + 6


def test_while_one_purges_another_does_not_begin(monkeypatch):
    begun = []

    def purge(now: datetime) -> None:
        begun.append(now)
        # The second beat's message reaches another worker in the meantime.
        assert at_once([tasks.keep_privacy]) == [None]

    monkeypatch.setattr(purging, "purge", purge)
    tasks.keep_privacy()
    assert len(begun) == 1
    tasks.keep_privacy()
    assert len(begun) == 2


def test_work_that_fails_is_not_taken_for_under_way():
    with suppress(ZeroDivisionError), only_one("sums") as is_ours:
        assert is_ours
        raise ZeroDivisionError
    with only_one("sums") as is_ours, only_one("letters") as is_ours_too:
        assert (is_ours, is_ours_too) == (True, True)
    connections.close_all()
