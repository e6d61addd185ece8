"""Rate limits with one or more windows: a few tries at once, fewer per hour, fewer still per day.

Several windows together act like a growing delay: after the first few tries you wait a minute, then a quarter of an
hour, then until tomorrow. Windows slide: the remaining part of the previous window counts, so there's no double burst
at the boundary, as with fixed windows.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Protocol, cast

from django.core.cache import cache
from django.utils.translation import ngettext

_MOST_MINUTES = 90
"""Longer waits are given in hours."""


class TooMany(Exception):
    """A limit was reached; `retry_after` says in how many seconds another try may succeed."""

    def __init__(self, name: str, retry_after: int = 0) -> None:
        super().__init__(name)
        self.retry_after = retry_after


class CountingCache(Protocol):
    """A cache that can increment and expire a counter in one step. Django's caches can't; this site's can."""

    def count(self, key: str, seconds: int) -> int: ...


@dataclass(frozen=True, slots=True)
class Window:
    most: int
    seconds: int


@dataclass(frozen=True, slots=True)
class RateLimit:
    """A limit per window for each key: an account, a browser, or both joined with a colon.

    Call `take` before the limited action, not after it fails: a hundred parallel tries mustn't all pass before the
    first is counted. If only failures should count, call `forget` on success. What `take` refuses isn't counted, so
    impatience doesn't make the wait longer.

    Counts live in the cache: a restart of the embedded setup clears them. What must hold for days belongs in the
    database.
    """

    name: str
    windows: tuple[Window, ...]

    def take(self, who: str) -> None:
        """Count one try; raises `TooMany`, without counting, if it's past the limit."""
        self.check(who)
        now = time.time()
        counter = cast("CountingCache", cache)
        # Count in every window even if one is over: parallel tries mustn't slip through the others.
        over = [
            window
            for window in self.windows
            if counter.count(_key(self, window, who, now), 2 * window.seconds) > window.most
        ]
        if over:
            raise TooMany(self.name, max(window.seconds for window in over))

    def check(self, who: str) -> None:
        """Raise `TooMany` if the next try would be past the limit; counts nothing."""
        wait = self.wait(who)
        if wait:
            raise TooMany(self.name, wait)

    def wait(self, who: str) -> int:
        """Seconds until the next try is allowed; 0 if it's allowed now."""
        now = time.time()
        keys = [(_key(self, each, who, now), _key(self, each, who, now - each.seconds)) for each in self.windows]
        counts = cache.get_many([key for pair in keys for key in pair])
        return max(
            (
                _wait(window, counts.get(current, 0), counts.get(previous, 0), now)
                for window, (current, previous) in zip(self.windows, keys, strict=True)
            ),
            default=0,
        )

    def forget(self, who: str) -> None:
        """Reset a key's counts, for example after the right password."""
        now = time.time()
        cache.delete_many([_key(self, each, who, then) for each in self.windows for then in (now, now - each.seconds)])


def _key(limit: RateLimit, window: Window, who: str, now: float) -> str:
    return f"rate:{limit.name}:{window.seconds}:{int(now // window.seconds)}:{who}"


def _wait(window: Window, current: int, previous: int, now: float) -> int:
    """Seconds until one more try fits; the previous window counts by its remaining share."""
    room = window.most - 1
    if room < 0:
        return window.seconds
    elapsed = now % window.seconds
    if current <= room:
        # previous * (1 - elapsed/seconds) + current <= room, solved for elapsed
        opens = window.seconds * (1 - (room - current) / previous) if previous else 0.0
    else:
        opens = window.seconds * (2 - room / current)
    return max(0, math.ceil(round(opens - elapsed, 3)))


def wait_text(seconds: int) -> str:
    """Tell a visitor how long to wait, in their language and without false precision."""
    minutes = math.ceil(seconds / 60)
    if minutes <= _MOST_MINUTES:
        words = ngettext("Wait a minute, then try again.", "Wait %(count)s minutes, then try again.", minutes)
        return words % {"count": minutes}
    hours = math.ceil(minutes / 60)
    words = ngettext("Wait %(count)s hour, then try again.", "Wait %(count)s hours, then try again.", hours)
    return words % {"count": hours}
