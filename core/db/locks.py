"""The order in which a transaction takes its locks, so that two transactions never deadlock.

A transaction locks from the top of `LockLevel` downwards, and people in the order of their keys. On SQLite write
transactions never overlap anyway, but the order is checked there too, so tests on either engine catch a mistake.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import TYPE_CHECKING, Any, TypeVar

from django.conf import settings
from django.db import connection
from django.db.models import Model, QuerySet

if TYPE_CHECKING:
    from django.db.transaction import Atomic

_Row = TypeVar("_Row", bound=Model)
_unordered = threading.local()


class LockLevel(IntEnum):
    """Lock levels, in the order in which they're locked."""

    CLASSROOM = 1
    SESSION = 2
    """A live lesson."""
    MATCH = 3
    PERSON = 4
    """A user or a guest: their account and their learning. Several are locked in the order of their keys."""


class WrongOrder(AssertionError):
    """A transaction took locks in the wrong order, so one day it would deadlock with another."""


def lock_rows(rows: QuerySet[_Row], level: LockLevel, word: str = "") -> QuerySet[_Row]:
    """Lock the rows until the transaction ends. Rows that merely refer to them can still be added."""
    note_lock(level, word)
    return rows.select_for_update(of=("self",), no_key=True).order_by("pk")


def lock_word(level: LockLevel, word: str) -> None:
    """Lock something that has no row of its own, by a string that names it (an advisory lock on PostgreSQL)."""
    note_lock(level, word)
    if connection.vendor == "postgresql":
        number = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), signed=True)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [number])


@contextmanager
def in_any_order() -> Iterator[None]:
    """Allow locks in any order, for work that nothing else runs alongside, such as filling a new database."""
    _unordered.depth = getattr(_unordered, "depth", 0) + 1
    try:
        yield
    finally:
        _unordered.depth -= 1


def note_lock(level: LockLevel, word: str = "") -> None:
    """Check that this transaction may take a lock of this level now."""
    if not settings.CHECKS_LOCK_ORDER or getattr(_unordered, "depth", 0) > 0:
        return
    outermost = _outermost()
    if outermost is None:
        return
    was: tuple[LockLevel, str] = getattr(outermost, "_last_lock", (LockLevel.CLASSROOM, ""))
    now = (level, word if level is LockLevel.PERSON else "")
    if now < was:
        raise WrongOrder(f"{level.name} {word} is locked after {was[0].name} {was[1]}")
    outermost._last_lock = now  # type: ignore[attr-defined]


def _outermost() -> Atomic | None:
    """The outermost atomic block of the current transaction, ignoring the one a test case wraps around everything."""
    blocks: list[Any] = connection.atomic_blocks
    return next((block for block in blocks if not block._from_testcase), None)
