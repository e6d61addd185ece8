"""Limits that a person never meets and a script does."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass

from django.core.cache import cache


class TooMany(Exception):
    """More often than a person can."""


@dataclass(frozen=True, slots=True)
class Limit:
    name: str
    most: int
    seconds: int

    def count(self, who: str) -> None:
        """Count one more for somebody; raises `TooMany` past the limit."""
        if self._counted(self._key(who)) > self.most:
            raise TooMany(self.name)

    def _counted(self, key: str) -> int:
        for _try in range(2):
            with suppress(ValueError):
                return cache.incr(key)
            # The first of a new count, unless somebody else begins it at this moment.
            if cache.add(key, 1, timeout=2 * self.seconds):
                break
        return 1

    def check(self, who: str) -> None:
        """Raises `TooMany` where the next would be past the limit; counts nothing."""
        if cache.get(self._key(who), 0) >= self.most:
            raise TooMany(self.name)

    def _key(self, who: str) -> str:
        return f"limit:{self.name}:{int(time.time()) // self.seconds}:{who}"


# Six moves a second for ten seconds is beyond any hand; tables and codes are opened by the handful.
MOVES = Limit("moves", most=60, seconds=10)
OPENINGS = Limit("openings", most=30, seconds=300)
# Of a network address that thirty children may share.
OPENINGS_OF_ADDRESS = Limit("openings-of-address", most=600, seconds=300)
WRONG_CODES_OF_ADDRESS = Limit("wrong-codes-of-address", most=300, seconds=60)
