"""Rate limits that people never reach but scripts do."""

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
    """Whether each web process counts in its own memory, without a round trip; n processes let n times as much pass."""

    def count(self, who: str) -> None:
        """Count one more; raises `TooMany` past the limit."""
        if self._counts.count(self._key(who), 2 * self.seconds) > self.most:
            raise self._too_many()

    def check(self, who: str) -> None:
        """Raise `TooMany` if the next one would be past the limit; counts nothing."""
        if self._counts.get(self._key(who), 0) >= self.most:
            raise self._too_many()

    def _too_many(self) -> TooMany:
        return TooMany(self.name, self.seconds - int(time.time()) % self.seconds)

    @property
    def _counts(self) -> OwnCache:
        # Django's own caches have no `count`; this site's do.
        return cast("OwnCache", caches["process"] if self.is_of_process else cache)

    def _key(self, who: str) -> str:
        return f"limit:{self.name}:{int(time.time()) // self.seconds}:{who}"


# Nobody can make six moves a second for ten seconds, and people open only a handful of tables.
MOVES = Limit("moves", most=60, seconds=10, is_of_process=True)
OPENINGS = Limit("openings", most=30, seconds=300)
# Per network address, which thirty children may share.
OPENINGS_OF_ADDRESS = Limit("openings-of-address", most=600, seconds=300)
# A guest who drops the cookie is a new guest with each answer, so guests are counted by address too. This allows sixty
# children who answer every six seconds, and many classes in a day.
GUEST_ANSWERS_OF_ADDRESS = RateLimit("guest-answers-of-address", (Window(6_000, 600), Window(60_000, 86_400)))
# The most eager learner gives a few hundred answers a day. A late answer has progress rebuilt from all answers, so both
# are limited: otherwise a script could keep triggering slower and slower rebuilds.
ANSWERS_OF_LEARNER = RateLimit("answers-of-learner", (Window(2_000, 86_400),))
LATE_ANSWERS_OF_LEARNER = RateLimit("late-answers-of-learner", (Window(60, 600), Window(300, 86_400)))


def count_answer(who: Player, address: str, *, is_late: bool = False) -> None:
    """Count an answer; raises `TooMany` past what one person, or a school full of guests, can give."""
    MOVES.count(who.word)
    ANSWERS_OF_LEARNER.take(who.word)
    if is_late:
        LATE_ANSWERS_OF_LEARNER.take(who.word)
    if who.guest:
        GUEST_ANSWERS_OF_ADDRESS.take(address)
