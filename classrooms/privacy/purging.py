"""Removes data automatically when its time is up. Everything here may run twice, or be interrupted and run again."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Q, QuerySet

from classrooms import deletion_ledger as ledger
from classrooms.accounts import devices, picture_guard
from classrooms.audit import note
from classrooms.classes.rosters.proposals import forget_imports
from classrooms.classes.service import archive
from classrooms.classes.students import OFFERED_FOR
from classrooms.live.leading import end_forgotten
from classrooms.models import (
    Action,
    Answer,
    Classroom,
    GuardianCode,
    HandOver,
    TeacherInvitation,
    User,
)
from classrooms.privacy.archives import end_archived_classes
from classrooms.privacy.deleting import finish_deletions, undo_ends_before
from classrooms.privacy.renewing import renew_encryption
from core.actors import Actor, Ownership, ownerships
from core.db.chunks import cascading, chunks, delete_in_chunks
from core.db.locks import LockLevel, lock_rows, lock_word
from core.jobs import queue
from core.models import Job, OutgoingMail
from games.matches.service import GONE, forget_abandoned
from lessons.models import LearningEvent
from lessons.progress.recording import forget_help

_MANY = 500
_PURGED = datetime(1970, 1, 1, tzinfo=UTC)
"""`deleted_at` of what's being removed for good: so long ago that nobody can undo it."""
HELP_DAYS = 30
"""How long it's stored that somebody had help with a question, in case they still answer it."""


class GuestIsBack(Exception):
    """A guest who seemed to stay away is here again."""


def keep_promises(now: datetime) -> None:
    """Do everything that happens automatically according to the privacy page."""
    finish_deletions()
    end_forgotten(now)
    purge(now)
    purge_guests(now)
    forget_help(now - timedelta(days=HELP_DAYS))
    renew_encryption()
    ledger.catch_up(now)
    forget_codes(now)
    devices.forget_old(now)
    picture_guard.forget_old(now)
    archive_idle_classes(now)
    end_archived_classes(now)
    forget_imports(now - timedelta(hours=settings.IMPORT_HOURS))
    forget_abandoned(now - timedelta(days=settings.MATCH_DAYS))


def purge(now: datetime) -> int:
    """Remove for good what was deleted too long ago to undo; return how many people and classes.

    Nobody sees any of it anymore, so related rows go first and in chunks, which don't hold up any table.
    """
    before = undo_ends_before(now)
    _mark_purged(Classroom.objects.all(), LockLevel.CLASSROOM, before)
    _mark_purged(User.objects.all(), LockLevel.PERSON, before)
    count = 0
    # Only keys are read up front, and each object when it's its turn, since a whole school may have left.
    for pk in list(Classroom.objects.filter(deleted_at=_PURGED).values_list("pk", flat=True)):
        if classroom := Classroom.objects.filter(pk=pk).first():
            _purge_class(classroom)
            count += 1
    users = list(User.objects.filter(deleted_at=_PURGED).values_list("pk", flat=True))
    if users:
        _end_sessions({str(pk) for pk in users})
    for pk in users:
        if user := User.objects.filter(pk=pk).first():
            _purge_user(user)
            count += 1
    return count


def _mark_purged(everything: QuerySet[Any], level: LockLevel, before: datetime) -> None:
    """Make deletions final, even against an undo that has just begun. In chunks, since it may be a whole school."""
    rows = everything.filter(deleted_at__lte=before).exclude(deleted_at=_PURGED).order_by("pk")
    for keys in chunks(list(rows.values_list("pk", flat=True))):
        with transaction.atomic():
            # Those restored in the meantime aren't among them anymore.
            found = [each.pk for each in lock_rows(rows.filter(pk__in=keys), level)]
            everything.filter(pk__in=found).update(deleted_at=_PURGED)


def _purge_class(classroom: Classroom) -> None:
    answers = Answer.objects.filter(activity__session__classroom=classroom)
    # Events of guests, and those that say nothing about skills, are of no use outside of the class. Deleting an event
    # deletes the answer that points at it.
    of_class_only = ~Q(guest="") | Q(kind="", evidence=[])
    delete_in_chunks(LearningEvent.objects.filter(of_class_only, pk__in=answers.values("event")))
    for rows in cascading(classroom):
        delete_in_chunks(rows)
    with transaction.atomic():
        note(None, Action.PURGED, classroom=classroom)
        classroom.delete()


def _purge_user(user: User) -> None:
    def lock() -> None:
        list(lock_rows(User.objects.filter(pk=user.pk), LockLevel.PERSON))

    delete_in_chunks(Answer.objects.filter(attendee__user=user))
    for each in ownerships():
        rows = each.of(Actor(name="", user=user))
        if each.level == LockLevel.PERSON:
            # A request that's recording an answer of theirs locks the person first.
            each.purge(rows, lock=lock)
        else:
            each.purge(rows)
    with transaction.atomic():
        # A request that's recording an answer of theirs either comes before us or finds no user.
        lock()
        # Jobs that they've started in the meantime.
        queue.remove(Job.objects.filter(user=user))
        if user.email:
            TeacherInvitation.objects.filter(email=user.email).delete()
            OutgoingMail.objects.filter(email=user.email).delete()
        note(None, Action.PURGED, person=user)
        user.delete()


def _end_sessions(keys: Collection[str]) -> None:
    """End the sessions of removed users, since a session says who is signed in."""
    for session in Session.objects.iterator():
        if session.get_decoded().get(SESSION_KEY) in keys:
            session.delete()


def purge_guests(now: datetime) -> int:
    """Remove what's stored of guests who've been away for long, and expired sessions; return how many guests."""
    before = now - timedelta(days=settings.GUEST_DAYS)
    fresh: set[str] = set()
    known: set[str] = set()
    for each in ownerships():
        rows = each.of_guests.exclude(guest__startswith=GONE)
        known.update(rows.values_list("guest", flat=True).distinct())
        if each.last_seen:
            fresh.update(_seen_since(each, before).values_list("guest", flat=True).distinct())
    idle = [guest for guest in sorted(known - fresh) if _forget_learning(guest, before)]
    for guests in chunks(idle, _MANY):
        for each in ownerships():
            if each.level != LockLevel.PERSON:
                each.purge(each.of_guests.filter(guest__in=guests))
    delete_in_chunks(Session.objects.filter(expire_date__lt=now), _MANY)
    return len(idle)


def _forget_learning(guest: str, before: datetime) -> bool:
    """Remove rows that are guarded by the guest's lock, unless the guest is back; return whether all were removed.

    In chunks, with a check for the guest in each. One who comes back meanwhile keeps what's left.
    """
    who = Actor(name="", guest=guest)

    def lock() -> None:
        # A guest who's answering right now either comes before us and is seen, or starts afresh.
        lock_word(LockLevel.PERSON, who.lock_key)
        if any(each.last_seen and _seen_since(each, before).filter(guest=guest).exists() for each in ownerships()):
            raise GuestIsBack

    try:
        with transaction.atomic():
            lock()
        for each in ownerships():
            if each.level == LockLevel.PERSON:
                each.purge(each.of(who), lock=lock)
    except GuestIsBack:
        return False
    return True


def _seen_since(owned: Ownership, moment: datetime) -> QuerySet[Any]:
    """The rows that show that a guest was here since a moment."""
    return owned.of_guests.filter(**{f"{owned.last_seen}__gte": moment})


def forget_codes(now: datetime) -> None:
    """Delete codes and invitations that expired long ago, and offers to hand over students that are over."""
    before = undo_ends_before(now)
    delete_in_chunks(GuardianCode.objects.filter(expires_at__lt=before))
    delete_in_chunks(TeacherInvitation.objects.filter(expires_at__lt=before))
    delete_in_chunks(HandOver.objects.filter(made_at__lt=now - OFFERED_FOR))


def archive_idle_classes(now: datetime) -> int:
    """Archive the classes that nobody has used for long; return how many."""
    before = now - timedelta(days=settings.IDLE_CLASS_DAYS)
    idle = Classroom.objects.not_deleted().filter(archived_at=None, used_at__lt=before)
    count = 0
    for pk in list(idle.values_list("pk", flat=True)):
        with transaction.atomic():
            # Query it again under the lock: somebody may be using it right now.
            classroom = lock_rows(idle.filter(pk=pk), LockLevel.CLASSROOM).first()
            if classroom:
                archive(classroom, by=None)
                count += 1
    return count
