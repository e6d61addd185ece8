"""The order in which one transaction may lock things, so that two transactions never wait for each other.

A transaction locks from the top of `LockLevel` downwards, and people in the order of their keys. On SQLite every
transaction is alone anyway; the order is checked there all the same, so that a test on either engine finds a mistake.
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
    """What is locked before what."""

    CLASSROOM = 1
    SESSION = 2
    """A live lesson."""
    MATCH = 3
    PERSON = 4
    """A user or a guest: their account and what they've learned. Several are locked in the order of their keys."""


class WrongOrder(AssertionError):
    """A transaction locked something that another transaction locks earlier: one day both will wait forever."""


def lock_rows(rows: QuerySet[_Row], level: LockLevel, word: str = "") -> QuerySet[_Row]:
    """The rows, locked until the transaction ends. Rows that merely refer to them can still be added meanwhile."""
    note_lock(level, word)
    return rows.select_for_update(of=("self",), no_key=True).order_by("pk")


def lock_word(level: LockLevel, word: str) -> None:
    """Lock something that has no row of its own, by a word that names it."""
    note_lock(level, word)
    if connection.vendor == "postgresql":
        number = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), signed=True)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [number])


@contextmanager
def in_any_order() -> Iterator[None]:
    """For work that nobody else runs beside, such as filling a new database: locks may be taken in any order."""
    _unordered.depth = getattr(_unordered, "depth", 0) + 1
    try:
        yield
    finally:
        _unordered.depth -= 1


def note_lock(level: LockLevel, word: str = "") -> None:
    """Check that this transaction may lock something of this level now."""
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
    """The block that is the present transaction; the one that a test wraps around everything isn't."""
    blocks: list[Any] = connection.atomic_blocks
    return next((block for block in blocks if not block._from_testcase), None)
