"""Changing a session: one writer at a time, and every screen is notified after the commit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ClassVar, Protocol

from django.db import connection, transaction

from classrooms.models import Session
from core.db.locks import LockLevel, lock_rows, note_lock

Listener = Callable[[str, bool, int], None]
SeatListener = Callable[[str, int], None]
_listeners: list[Listener] = []
_seat_listeners: list[SeatListener] = []


def on_change(listener: Listener) -> None:
    """Register a listener, called with the session's code, whether devices are affected, and the new number."""
    _listeners.append(listener)


def off_change(listener: Listener) -> None:
    _listeners.remove(listener)


def on_seat_closed(listener: SeatListener) -> None:
    """Register a listener, called with a session's code and the number of a seat whose streams must end."""
    _seat_listeners.append(listener)


def off_seat_closed(listener: SeatListener) -> None:
    _seat_listeners.remove(listener)


class AnsweredKind(Protocol):
    """What `count_answer` needs to know about a kind of activity."""

    changes_by_answers: ClassVar[bool]
    answers_reach_devices: ClassVar[bool]


@contextmanager
def locked(session: Session) -> Iterator[Session]:
    """Lock the session's row for a transaction, and yield the session as it is now."""
    with transaction.atomic():
        # Don't lock the class, too: opening a lesson locks the class first and then the session.
        yield lock_rows(Session.objects.select_related("classroom"), LockLevel.SESSION).get(pk=session.pk)


def changed(session: Session, *, devices: bool = True) -> None:
    """Tell all screens, or only the remote and the projector, that there's something new to show."""
    _increment(session, "version" if devices else "count")
    announce(session, devices=devices)


def count_answer(session: Session, kind: AnsweredKind | None) -> bool:
    """Lock the session and count an answer to an activity of this kind. No screen is notified yet.

    Returns whether what was read with the session is still current. One statement suffices, because everything that an
    answer depends on raises the version, except for answers that change the activity, and those raise the count.
    """
    note_lock(LockLevel.SESSION)
    reaches_devices = kind is not None and kind.answers_reach_devices
    version, count = session.version + reaches_devices, session.count + 1
    _increment(session, *(["version", "count"] if reaches_devices else ["count"]))
    return session.version == version and (kind is None or not kind.changes_by_answers or session.count == count)


def _increment(session: Session, *names: str) -> None:
    """Increment `version`, `count` or both, and read both."""
    quote = connection.ops.quote_name
    table, added = quote(Session._meta.db_table), ", ".join(f"{quote(name)} = {quote(name)} + 1" for name in names)
    with connection.cursor() as cursor:
        cursor.execute(
            f'UPDATE {table} SET {added} WHERE id = %s RETURNING version, "count"',  # noqa: S608
            [session.pk],
        )
        row = cursor.fetchone()
    if row is None:
        raise Session.DoesNotExist(session.pk)
    session.version, session.count = row


def announce(session: Session, *, devices: bool) -> None:
    """Notify the screens of the new number after the commit."""
    code, number = session.code, session.version if devices else session.count
    transaction.on_commit(lambda: tell(code, devices, number), robust=True)


def tell(code: str, devices: bool, number: int) -> None:
    for listener in _listeners:
        listener(code, devices, number)


def close_seat(session: Session, number: int) -> None:
    """End every stream of a seat, in all processes, after the commit."""
    code = session.code
    transaction.on_commit(lambda: _tell_closed(code, number), robust=True)


def _tell_closed(code: str, number: int) -> None:
    for listener in _seat_listeners:
        listener(code, number)
