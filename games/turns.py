"""Whose turn it is to write: SQLite lets waiting writers in unfairly, and in one process a lock mends that."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager, nullcontext

from django.db import connection

_sqlite_turn = threading.RLock()


def turn() -> AbstractContextManager[object]:
    """The first to arrive is the first to write. To be taken before the transaction; within itself it is free."""
    return _sqlite_turn if connection.vendor == "sqlite" else nullcontext()
