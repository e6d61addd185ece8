"""Rate limits with one or more windows: a few tries at once, fewer per hour, fewer still per day.

Several windows together act like a growing delay: after the first few tries somebody waits a minute, then a quarter
of an hour, then until tomorrow. Windows slide: what is left of the previous window counts, so nobody gets a double
burst at the edge of two windows, as with fixed ones.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Protocol, cast

from django.core.cache import cache
from django.utils.translation import ngettext

_MOST_MINUTES = 90
"""Longer waits are told in hours."""


class TooMany(Exception):
    """A limit was reached; `retry_after` says in how many seconds another try has a chance."""

    def __init__(self, name: str, retry_after: int = 0) -> None:
        super().__init__(name)
        self.retry_after = retry_after


class CountingCache(Protocol):
    """Django's caches can't count and expire in one step; those of this site can."""

    def count(self, key: str, seconds: int) -> int: ...


@dataclass(frozen=True, slots=True)
class Window:
    most: int
    seconds: int


@dataclass(frozen=True, slots=True)
class RateLimit:
    """At most so many in each window, for each key: an account, a browser, or both joined with a colon.

    Call `take` before the thing that is limited, not after it fails: a hundred parallel tries must not all be judged
    before the first is counted. Call `forget` when it turned out fine, if only failures should count. What `take`
    refuses isn't counted, so impatience doesn't make the wait longer.

    Counts live in the cache: a restart of the embedded setup clears them. What must hold for days belongs in the
    database.
    """

    name: str
    windows: tuple[Window, ...]

    def take(self, who: str) -> None:
        """Count one try; raises `TooMany` without counting where it's past the limit."""
        self.check(who)
        now = time.time()
        counter = cast("CountingCache", cache)
        # Everything is counted even if one window is over: several at once must not slip through the others.
        over = [
            window
            for window in self.windows
            if counter.count(_key(self, window, who, now), 2 * window.seconds) > window.most
        ]
        if over:
            raise TooMany(self.name, max(window.seconds for window in over))

    def check(self, who: str) -> None:
        """Raises `TooMany` where the next try would be past the limit; counts nothing."""
        wait = self.wait(who)
        if wait:
            raise TooMany(self.name, wait)

    def wait(self, who: str) -> int:
        """In how many seconds the next try is allowed; 0 for now."""
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
        """Start over for somebody, for example after the right password."""
        now = time.time()
        cache.delete_many([_key(self, each, who, then) for each in self.windows for then in (now, now - each.seconds)])


def _key(limit: RateLimit, window: Window, who: str, now: float) -> str:
    return f"rate:{limit.name}:{window.seconds}:{int(now // window.seconds)}:{who}"


def _wait(window: Window, current: int, previous: int, now: float) -> int:
    """Seconds until one more fits, with the previous window counted by the part of it that still matters."""
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
    """What to do about a limit, in the reader's language and without false precision."""
    minutes = math.ceil(seconds / 60)
    if minutes <= _MOST_MINUTES:
        words = ngettext("Wait a minute, then try again.", "Wait %(count)s minutes, then try again.", minutes)
        return words % {"count": minutes}
    hours = math.ceil(minutes / 60)
    words = ngettext("Wait %(count)s hour, then try again.", "Wait %(count)s hours, then try again.", hours)
    return words % {"count": hours}
