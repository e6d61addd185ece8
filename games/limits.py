"""Limits that a person never meets and a script does."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import cast

from django.core.cache import cache, caches

from setsite.own_cache import OwnCache


class TooMany(Exception):
    """More often than a person can."""


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
WRONG_CODES_OF_ADDRESS = Limit("wrong-codes-of-address", most=300, seconds=60)
