"""Cleanup after restoring a backup: deleted people stay deleted, replaced cards stay invalid, nobody is signed in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.hashers import make_password
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Q

from classrooms.accounts.pictures import new_pictures
from classrooms.deletion_ledger import Entry, LedgerEvent
from classrooms.models import Action, AuditEntry, Classroom, GuardianCode, TeacherInvitation, User
from classrooms.privacy.deleting import undo_ends_before
from classrooms.privacy.purging import purge

_MANY = 500
_LEAP = 1_000
"""How far card numbers skip ahead if it's unknown which were issued since: more often than any card is renewed."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What was done after a restore."""

    deleted: int
    """People and classes that were deleted since the backup, and have been deleted again."""
    new_cards: int
    """Students who need a new card."""
    is_ledger_whole: bool
    """Whether everything since the backup was known; if not, every card was renewed."""


def settle(own: Sequence[Entry], beside: Sequence[Entry], *, now: datetime) -> Settled:
    """Bring the restored data in line with what has happened since the backup.

    Only the site's own ledger can know everything; the copy next to the backups ends with the last of them.
    """
    is_whole = _is_whole(own)
    entries = sorted([*beside, *own], key=lambda entry: entry.at)
    Session.objects.all().delete()
    GuardianCode.objects.filter(used_at=None, expires_at__gt=now).update(expires_at=now)
    TeacherInvitation.objects.filter(accepted_at=None, expires_at__gt=now).update(expires_at=now)
    deleted = _delete_again(entries, now)
    new_cards = _renew_known_cards(entries) if is_whole else _renew_all_cards()
    purge(now)
    return Settled(deleted, new_cards, is_whole)


def backed_up_at() -> datetime | None:
    """When the restored backup was made; None for very old ones, which don't say."""
    entry = AuditEntry.objects.filter(action=Action.BACKED_UP).order_by("-at").first()
    return entry.at if entry else None


def _is_whole(entries: Sequence[Entry]) -> bool:
    since = backed_up_at()
    begun = [datetime.fromisoformat(entry.at) for entry in entries if entry.what is LedgerEvent.BEGUN]
    return since is not None and any(moment <= since for moment in begun)


def _delete_again(entries: Sequence[Entry], now: datetime) -> int:
    last: dict[tuple[str, int, str], Entry] = {}
    for entry in entries:
        if entry.what in {LedgerEvent.DELETED, LedgerEvent.UNDELETED, LedgerEvent.PURGED}:
            last[entry.of, entry.pk, entry.made] = entry
    changed = 0
    for (of, pk, made), entry in last.items():
        if entry.what is LedgerEvent.UNDELETED:
            continue
        # What had been removed for good is removed at once; the rest can be undone for as long as before.
        moment = undo_ends_before(now) if entry.what is LedgerEvent.PURGED else datetime.fromisoformat(entry.at)
        alive = Q(pk=pk, deleted_at=None) if entry.what is LedgerEvent.DELETED else Q(pk=pk)
        if of == "user":
            users = User.objects.filter(alive, joined_at=datetime.fromisoformat(made))
            changed += users.update(deleted_at=moment, is_active=False)
        else:
            classes = Classroom.objects.filter(alive, made_at=datetime.fromisoformat(made))
            changed += classes.update(deleted_at=moment)
    return changed


def _renew_known_cards(entries: Sequence[Entry]) -> int:
    """New pictures for students who got a new card since; their newest card keeps working, older ones don't."""
    numbers: dict[tuple[int, str], int] = {}
    for entry in entries:
        if entry.what is LedgerEvent.CARD:
            key = entry.pk, entry.made
            numbers[key] = max(entry.number, numbers.get(key, 0))
    changed = []
    for (pk, made), number in numbers.items():
        user = User.objects.filter(pk=pk, joined_at=datetime.fromisoformat(made), card_number__lt=number).first()
        if user:
            user.card_number = number
            changed.append(user)
    return _with_new_pictures(changed)


def _renew_all_cards() -> int:
    students = list(User.objects.filter(kind="student"))
    for student in students:
        student.card_number += _LEAP
    return _with_new_pictures(students)


def _with_new_pictures(students: list[User]) -> int:
    for start in range(0, len(students), _MANY):
        some = students[start : start + _MANY]
        for student in some:
            student.pictures, student.password = new_pictures(), make_password(None)
        with transaction.atomic():
            User.objects.bulk_update(some, ["card_number", "pictures", "password"])
    return len(students)
