"""What the site removes by itself when its time is up. Everything here may run twice, or break off and run again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import QuerySet

from classrooms.audit import note
from classrooms.classes import archive
from classrooms.models import Action, Attendee, Classroom, GuardianCode, TeacherInvitation, User
from classrooms.privacy.deleting import undo_ends_before
from classrooms.rosters.proposals import forget_imports
from games.matches import GONE, forget_abandoned, forget_players
from games.models import PuzzleResult, Seat
from lessons.models import Attempt, Progress, StepDone
from setsite.jobs import desk
from setsite.models import Job

_MANY = 500


def keep_promises(now: datetime) -> None:
    """Everything that the privacy page says happens by itself."""
    purge(now)
    purge_guests(now)
    forget_codes(now)
    archive_idle_classes(now)
    forget_imports(now - timedelta(hours=settings.IMPORT_HOURS))
    forget_abandoned(now - timedelta(days=settings.MATCH_DAYS))


def purge(now: datetime) -> int:
    """Remove for good what was deleted so long ago that it cannot be undone; how many people and classes."""
    before = undo_ends_before(now)
    classes = list(Classroom.objects.filter(deleted_at__lte=before))
    for classroom in classes:
        with transaction.atomic():
            note(None, Action.PURGED, classroom=classroom)
            classroom.delete()
    users = list(User.objects.filter(deleted_at__lte=before))
    if users:
        _end_sessions({str(user.pk) for user in users})
    for user in users:
        with transaction.atomic():
            forget_players(Seat.objects.filter(user=user))
            desk.remove(Job.objects.filter(user=user))
            if user.email:
                TeacherInvitation.objects.filter(email=user.email).delete()
            note(None, Action.PURGED, person=user)
            user.delete()
    return len(classes) + len(users)


def _end_sessions(keys: Collection[str]) -> None:
    """A session says who is signed in, so those of removed people go too."""
    for session in Session.objects.iterator():
        if session.get_decoded().get(SESSION_KEY) in keys:
            session.delete()


def purge_guests(now: datetime) -> int:
    """Remove what guests left who have not been here for long, and sessions that are over; how many guests."""
    before = now - timedelta(days=settings.GUEST_DAYS)
    fresh: set[str] = set()
    known: set[str] = set()
    for rows, moment in _traces():
        known.update(rows.values_list("guest", flat=True).distinct())
        if moment:
            fresh.update(rows.filter(**{f"{moment}__gte": before}).values_list("guest", flat=True).distinct())
    idle = sorted(known - fresh)
    for start in range(0, len(idle), _MANY):
        guests = idle[start : start + _MANY]
        with transaction.atomic():
            for model in (Attempt, StepDone, Progress, PuzzleResult, Attendee):
                model._default_manager.filter(guest__in=guests).delete()
            forget_players(Seat.objects.filter(guest__in=guests))
            desk.remove(Job.objects.filter(guest__in=guests))
    Session.objects.filter(expire_date__lt=now).delete()
    return len(idle)


def _traces() -> Iterator[tuple[QuerySet[Any], str]]:
    """What guests leave, with the name of its moment; progress has none, it follows from attempts."""
    moments: Iterable[tuple[Any, str]] = (
        (Attempt, "at"),
        (StepDone, "at"),
        (Progress, ""),
        (PuzzleResult, "started_at"),
        (Job, "made_at"),
        (Seat, "match__touched_at"),
        (Attendee, "joined_at"),
    )
    for model, moment in moments:
        yield model.objects.exclude(guest="").exclude(guest__startswith=GONE).order_by(), moment


def forget_codes(now: datetime) -> None:
    """Codes and invitations that have been over for long are of no use to anybody."""
    before = undo_ends_before(now)
    GuardianCode.objects.filter(expires_at__lt=before).delete()
    TeacherInvitation.objects.filter(expires_at__lt=before).delete()


def archive_idle_classes(now: datetime) -> int:
    """Put away the classes that nobody has used for long; how many."""
    before = now - timedelta(days=settings.IDLE_CLASS_DAYS)
    idle = list(Classroom.objects.kept().filter(archived_at=None, used_at__lt=before))
    for classroom in idle:
        archive(classroom, by=None)
    return len(idle)
