"""A lock for work that mustn't run twice at once, for example because a second beat was started by mistake."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from zlib import crc32

from django.db import connection

_NAMESPACE = 1_612
"""Keeps our advisory locks apart from others in the same database."""
_locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)


@contextmanager
def only_one(name: str) -> Iterator[bool]:
    """Try to take the named lock across all processes; yields whether we got it.

    On SQLite the site is one process, so an in-memory lock is enough.
    """
    if connection.vendor != "postgresql":
        is_ours = _locks[name].acquire(blocking=False)
        try:
            yield is_ours
        finally:
            if is_ours:
                _locks[name].release()
        return
    key = [_NAMESPACE, crc32(name.encode()) & 0x7FFFFFFF]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", key)
        is_ours = bool(cursor.fetchone()[0])
        try:
            yield is_ours
        finally:
            if is_ours:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", key)
