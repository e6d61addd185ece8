"""Writing the audit log. Nothing else writes it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, cast

from django.core.cache import cache
from django.db import connection
from django.db.models import F
from django.utils import timezone

from classrooms import deletion_ledger as ledger
from classrooms.deletion_ledger import LedgerEvent
from classrooms.models import Action, AuditEntry, Classroom, User
from core.limits import CountingCache

_DAY = 86_400

_LEDGER_EVENTS = {
    Action.DELETED: LedgerEvent.DELETED,
    Action.UNDELETED: LedgerEvent.UNDELETED,
    Action.PURGED: LedgerEvent.PURGED,
    Action.RESET_STUDENT: LedgerEvent.CARD,
    Action.MOVED_STUDENT: LedgerEvent.CARD,
}
"""Actions that also go to the deletion ledger, so that restoring an old backup doesn't undo them."""


def note(
    actor: Any,
    action: Action,
    *,
    person: User | None = None,
    classroom: Classroom | None = None,
    amount: int = 1,
    what: str = "",
) -> None:
    """Write an audit entry. `actor` is the user, or None if the site did it by itself."""
    AuditEntry.objects.create(
        actor=actor.pk if actor else None,
        action=action,
        person=person.pk if person else None,
        classroom=classroom.pk if classroom else None,
        amount=amount,
        what=what,
    )
    if action in _LEDGER_EVENTS:
        _write_to_ledger(_LEDGER_EVENTS[action], person or classroom)


def note_backup() -> None:
    """Note a backup. The table may be of an earlier release, since a backup is made just before an upgrade, too."""
    options = AuditEntry._meta
    with connection.cursor() as cursor:
        columns = {each.name for each in connection.introspection.get_table_description(cursor, options.db_table)}
    fields = [each for each in options.concrete_fields if each.column in columns and not each.primary_key]
    rows = AuditEntry._base_manager.get_queryset()
    rows._insert([AuditEntry(action=Action.BACKED_UP)], fields=fields)  # type: ignore[attr-defined]


def _write_to_ledger(what: LedgerEvent, thing: User | Classroom | None) -> None:
    if thing is None:
        return
    rows = User.objects if isinstance(thing, User) else Classroom.objects
    deleted_at = rows.values_list("deleted_at", flat=True).filter(pk=thing.pk).first()
    ledger.write_on_commit([ledger.about(what, thing, at=_moment(what, deleted_at, timezone.now()))])


def _moment(what: LedgerEvent, deleted_at: datetime | None, now: datetime) -> datetime:
    """The time for the ledger. For a deletion it's `deleted_at`, by which everything deleted together is restored."""
    return deleted_at if what is LedgerEvent.DELETED and deleted_at else now


def tally(action: Action, *, person: User | None = None) -> None:
    """Log what can come in floods, as one entry per person and day with a growing amount.

    It's written at the first, second, fourth, eighth, ... time, so that a million tries take twenty writes.
    """
    today = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    pk = person.pk if person else None
    count_today = cast("CountingCache", cache).count(f"audit:{action}:{pk}:{today:%Y-%m-%d}", _DAY)
    if count_today & (count_today - 1):
        return
    mine = AuditEntry.objects.filter(action=action, actor=None, person=pk, classroom=None, at__gte=today)
    if not mine.update(amount=F("amount") + count_today - count_today // 2):
        AuditEntry.objects.create(action=action, person=pk, amount=count_today)


def note_each(actor: int | None, action: Action, people: Iterable[int], *, classroom: Classroom | None = None) -> None:
    """Write an audit entry for each of these people. All arguments are primary keys."""
    where, numbers = classroom.pk if classroom else None, list(people)
    AuditEntry.objects.bulk_create(
        AuditEntry(actor=actor, action=action, person=person, classroom=where) for person in numbers
    )
    if action in _LEDGER_EVENTS:
        what, now = _LEDGER_EVENTS[action], timezone.now()
        known = User.objects.filter(pk__in=numbers).only("pk", "joined_at", "deleted_at", "card_number")
        ledger.write_on_commit(ledger.about(what, user, at=_moment(what, user.deleted_at, now)) for user in known)
