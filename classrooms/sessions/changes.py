"""Changing a session: one writer at a time, and every screen hears of it once it is committed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import transaction
from django.db.models import F

from classrooms.models import Session
from games.turns import turn

Listener = Callable[[str, bool, int], None]
_listeners: list[Listener] = []


def on_change(listener: Listener) -> None:
    """Have a function called with a session's code, whether devices show something else now, and the new number."""
    _listeners.append(listener)


def off_change(listener: Listener) -> None:
    _listeners.remove(listener)


@contextmanager
def locked(session: Session) -> Iterator[Session]:
    """The session as it is now, with nobody else writing it until we are done."""
    with turn(), transaction.atomic():
        yield Session.objects.select_for_update().select_related("classroom").get(pk=session.pk)


def changed(session: Session, *, devices: bool = True) -> None:
    """Tell all screens, or only the remote and the projector, that there is something new to show."""
    name = "version" if devices else "count"
    Session.objects.filter(pk=session.pk).update(**{name: F(name) + 1})
    session.refresh_from_db(fields=[name])
    code, number = session.code, getattr(session, name)
    transaction.on_commit(lambda: tell(code, devices, number), robust=True)


def tell(code: str, devices: bool, number: int) -> None:
    for listener in _listeners:
        listener(code, devices, number)
