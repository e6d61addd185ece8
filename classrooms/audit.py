"""The only writer of the audit log."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, cast

from django.core.cache import cache
from django.db.models import F
from django.utils import timezone

from classrooms import deletion_ledger as ledger
from classrooms.deletion_ledger import LedgerEvent
from classrooms.models import Action, AuditEntry, Classroom, User
from core.limits import CountingCache

_DAY = 86_400

_REMEMBERED = {
    Action.DELETED: LedgerEvent.DELETED,
    Action.UNDELETED: LedgerEvent.UNDELETED,
    Action.PURGED: LedgerEvent.PURGED,
    Action.RESET_STUDENT: LedgerEvent.CARD,
    Action.MOVED_STUDENT: LedgerEvent.CARD,
}
"""What the ledger hears of too, so that restoring an old backup doesn't undo it."""


def note(
    actor: Any, action: Action, *, person: User | None = None, classroom: Classroom | None = None, amount: int = 1
) -> None:
    """Write down what somebody did; `actor` is the user, or None where the site did it by itself."""
    AuditEntry.objects.create(
        actor=actor.pk if actor else None,
        action=action,
        person=person.pk if person else None,
        classroom=classroom.pk if classroom else None,
        amount=amount,
    )
    if action in _REMEMBERED:
        _remember(_REMEMBERED[action], person or classroom)


def _remember(what: LedgerEvent, thing: User | Classroom | None) -> None:
    if thing is None:
        return
    rows = User.objects if isinstance(thing, User) else Classroom.objects
    deleted_at = rows.values_list("deleted_at", flat=True).filter(pk=thing.pk).first()
    ledger.write_on_commit([ledger.about(what, thing, at=_moment(what, deleted_at, timezone.now()))])


def _moment(what: LedgerEvent, deleted_at: datetime | None, now: datetime) -> datetime:
    """When it was: a deletion has a moment of its own, and what went together comes back together by it."""
    return deleted_at if what is LedgerEvent.DELETED and deleted_at else now


def tally(action: Action, *, person: User | None = None) -> None:
    """Note what can come in floods: one entry per person and day, whose amount grows.

    It's written at the first, the second, the fourth, the eighth, ... so that a million tries are twenty writes.
    """
    today = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    pk = person.pk if person else None
    so_far = cast("CountingCache", cache).count(f"audit:{action}:{pk}:{today:%Y-%m-%d}", _DAY)
    if so_far & (so_far - 1):
        return
    mine = AuditEntry.objects.filter(action=action, actor=None, person=pk, classroom=None, at__gte=today)
    if not mine.update(amount=F("amount") + so_far - so_far // 2):
        AuditEntry.objects.create(action=action, person=pk, amount=so_far)


def note_each(actor: int | None, action: Action, people: Iterable[int], *, classroom: Classroom | None = None) -> None:
    """Write down what somebody did to each of these people, all by number."""
    where, numbers = classroom.pk if classroom else None, list(people)
    AuditEntry.objects.bulk_create(
        AuditEntry(actor=actor, action=action, person=person, classroom=where) for person in numbers
    )
    if action in _REMEMBERED:
        what, now = _REMEMBERED[action], timezone.now()
        known = User.objects.filter(pk__in=numbers).only("pk", "joined_at", "deleted_at", "card_number")
        ledger.write_on_commit(ledger.about(what, user, at=_moment(what, user.deleted_at, now)) for user in known)
