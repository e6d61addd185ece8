"""SQLite backend in which the writers of a process queue up before BEGIN, first come, first served.

SQLite admits waiting writers unfairly: when forty call at once, the seventh may win and another may wait for seconds.
The lock is taken when a transaction begins and released when it ends, so no code can take it in the wrong order,
hold it while waiting for SQLite's own lock, or forget it. Other processes still wait by SQLite's busy timeout.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from itertools import islice
from typing import Any

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

from core.db.fair_lock import FairLock, lock_of

LONGEST_WAIT = 30.0
"""Seconds in the queue. Nobody holds the lock that long unless something is broken."""
_WRITES = frozenset({"INSERT", "UPDATE", "DELETE", "REPLAC", "CREATE", "ALTER ", "DROP T", "DROP I"})
_WORD = 6


class _Turn:
    """A connection's claim to its database's lock. It owns the lock, since it can outlive the connection."""

    def __init__(self, lock: FairLock) -> None:
        self.lock = lock

    @property
    def is_held(self) -> bool:
        return self.lock.owner is self

    def take(self) -> None:
        if not self.lock.acquire(self, LONGEST_WAIT):
            raise OperationalError(f"database is locked: waited {LONGEST_WAIT:.0f} s for the other writers")

    def give_back(self) -> None:
        self.lock.release(self)


class Cursor(base.SQLiteCursorWrapper):
    """Queues a write outside any transaction too, since it's a transaction of its own."""

    turn: _Turn
    _returned: Iterator[Any] | None = None
    """Rows returned by such a write. SQLite commits when the last row is read, so all are read under the lock."""

    def execute(self, query: str, params: Any = None) -> Any:
        self._returned = None
        if not self._queues(query):
            return super().execute(query, params)
        self.turn.take()
        try:
            done = super().execute(query, params)
            if self.description:
                self._returned = iter(super().fetchall())
            return done
        finally:
            self.turn.give_back()

    def executemany(self, query: str, param_list: Any) -> Any:
        self._returned = None
        if not self._queues(query):
            return super().executemany(query, param_list)
        self.turn.take()
        try:
            return super().executemany(query, param_list)
        finally:
            self.turn.give_back()

    def fetchone(self) -> Any:
        return super().fetchone() if self._returned is None else next(self._returned, None)

    def fetchmany(self, size: int | None = None) -> list[Any]:
        size = self.arraysize if size is None else size
        return super().fetchmany(size) if self._returned is None else list(islice(self._returned, size))

    def fetchall(self) -> list[Any]:
        return super().fetchall() if self._returned is None else list(self._returned)

    def __next__(self) -> Any:
        return super().__next__() if self._returned is None else next(self._returned)

    def _queues(self, query: str) -> bool:
        if self.connection.in_transaction or self.turn.is_held:
            return False
        return query.lstrip()[:_WORD].upper() in _WRITES


class DatabaseWrapper(base.DatabaseWrapper):
    transaction_mode: str | None
    _turn: _Turn | None = None
    _finalizer: weakref.finalize[Any, Any] | None = None

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        # A connection that was lost along with its transaction gives up its claim.
        self._give_back()
        turn = _Turn(lock_of(os.path.realpath(conn_params["database"])))
        self._turn = turn
        if self._finalizer is not None:
            self._finalizer.detach()
        # A thread that ends within a transaction takes its connection with it; the lock must be released then.
        self._finalizer = weakref.finalize(self, turn.give_back)
        self._finalizer.atexit = False
        return super().get_new_connection(conn_params)

    def create_cursor(self, name: str | None = None) -> Cursor:
        cursor: Cursor = self.connection.cursor(factory=Cursor)
        if self._turn is not None:
            cursor.turn = self._turn
        return cursor

    def _start_transaction_under_autocommit(self) -> None:
        self.ensure_connection()
        if self._turn is None or self.transaction_mode is None:
            # Without a mode we don't know yet whether this transaction will write.
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
            return
        self._turn.take()
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._turn.give_back()
            raise

    def _commit(self) -> None:
        try:
            super()._commit()  # type: ignore[misc]
        finally:
            self._give_back_when_over()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._give_back_when_over()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self._give_back()

    def _give_back_when_over(self) -> None:
        """Release the lock unless a failed commit (disk full) left the transaction open: then the rollback ends it."""
        if self._turn and self._turn.is_held and not (self.connection and self.connection.in_transaction):
            self._turn.give_back()

    def _give_back(self) -> None:
        if self._turn is not None:
            self._turn.give_back()
