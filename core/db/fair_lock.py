"""A lock that goes to whoever has waited longest, and that belongs to an owner object rather than a thread."""

from __future__ import annotations

import os
import threading
from collections import deque
from typing import Final

_registry: dict[str, FairLock] = {}
_registry_guard = threading.Lock()


class FairLock:
    """First come, first served. `threading.Lock` lets a newcomer overtake those already waiting; this one doesn't."""

    def __init__(self) -> None:
        # Reentrant, since the garbage collector may release a dead owner's lock in the middle of any method.
        self._guard: Final = threading.RLock()
        self._waiting: Final[deque[tuple[object, threading.Lock]]] = deque()
        self._owner: object | None = None

    @property
    def owner(self) -> object | None:
        return self._owner

    @property
    def waiting(self) -> int:
        """How many are in the queue."""
        return len(self._waiting)

    def acquire(self, owner: object, timeout: float) -> bool:
        """Become the owner, after everyone who came before. Returns whether that happened in time."""
        with self._guard:
            if self._owner is None:
                self._owner = owner
                return True
            if self._owner is owner:
                raise RuntimeError("the owner of a fair lock asked for it again")
            gate = threading.Lock()
            gate.acquire()
            entry = (owner, gate)
            self._waiting.append(entry)
            if self._owner is None:
                self._hand_over()
        if gate.acquire(timeout=timeout):
            return True
        with self._guard:
            if self._owner is owner:
                # The lock was handed over at the very moment the timeout expired.
                return True
            self._waiting.remove(entry)
            return False

    def release(self, owner: object) -> None:
        """Hand the lock to the next in the queue. Does nothing if someone else owns it."""
        with self._guard:
            if self._owner is owner:
                self._hand_over()

    def _hand_over(self) -> None:
        self._owner = None
        if self._waiting:
            self._owner, gate = self._waiting.popleft()
            gate.release()


def lock_of(file: str) -> FairLock:
    """The one lock of this process for a database file."""
    with _registry_guard:
        return _registry.setdefault(file, FairLock())


def _forget_all() -> None:
    """Start a forked child without locks: nobody in it would ever release those held by the parent's threads."""
    global _registry_guard  # noqa: PLW0603 (the guard itself may have been held while forking)
    _registry_guard = threading.Lock()
    _registry.clear()


os.register_at_fork(after_in_child=_forget_all)
