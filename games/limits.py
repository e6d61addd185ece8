"""Limits that a person never meets and a script does."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import cast

from django.core.cache import cache, caches

from core.cache.process import OwnCache
from core.limits import RateLimit, TooMany, Window
from games.players import Player

__all__ = ["Limit", "TooMany"]


@dataclass(frozen=True, slots=True)
class Limit:
    name: str
    most: int
    seconds: int
    is_of_process: bool = False
    """Each web process counts what comes to it, without a trip: with several, so many times as much may pass."""

    def count(self, who: str) -> None:
        """Count one more for somebody; raises `TooMany` past the limit."""
        if self._counts.count(self._key(who), 2 * self.seconds) > self.most:
            raise TooMany(self.name)

    def check(self, who: str) -> None:
        """Raises `TooMany` where the next would be past the limit; counts nothing."""
        if self._counts.get(self._key(who), 0) >= self.most:
            raise TooMany(self.name)

    @property
    def _counts(self) -> OwnCache:
        # Of Django's caches only those of this site can count.
        return cast("OwnCache", caches["process"] if self.is_of_process else cache)

    def _key(self, who: str) -> str:
        return f"limit:{self.name}:{int(time.time()) // self.seconds}:{who}"


# Six moves a second for ten seconds is beyond any hand; tables and codes are opened by the handful.
MOVES = Limit("moves", most=60, seconds=10, is_of_process=True)
OPENINGS = Limit("openings", most=30, seconds=300)
# Of a network address that thirty children may share.
OPENINGS_OF_ADDRESS = Limit("openings-of-address", most=600, seconds=300)
# A guest who drops the cookie is another one with each answer, so guests are counted by address too: sixty children
# who answer every six seconds, and a whole day of many classes.
GUEST_ANSWERS_OF_ADDRESS = RateLimit("guest-answers-of-address", (Window(6_000, 600), Window(60_000, 86_400)))
# The most eager learner gives some hundreds a day. What somebody has learned is made anew from all their answers where
# one comes late, so both are bounded: otherwise a script makes that slower and slower, again and again.
ANSWERS_OF_LEARNER = RateLimit("answers-of-learner", (Window(2_000, 86_400),))
LATE_ANSWERS_OF_LEARNER = RateLimit("late-answers-of-learner", (Window(60, 600), Window(300, 86_400)))


def count_answer(who: Player, address: str, *, is_late: bool = False) -> None:
    """Count an answer to a question; raises `TooMany` past what a hand, or a school full of guests, can give."""
    MOVES.count(who.word)
    ANSWERS_OF_LEARNER.take(who.word)
    if is_late:
        LATE_ANSWERS_OF_LEARNER.take(who.word)
    if who.guest:
        GUEST_ANSWERS_OF_ADDRESS.take(address)
