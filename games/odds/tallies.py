"""Counts of tables seen, and the chances estimated from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Final, NamedTuple

from games.odds.decks import BadOddsQuestion

_Z_95: Final = 1.959963984540054


class Interval(NamedTuple):
    """The 95% confidence interval of a chance."""

    low: float
    high: float

    def __contains__(self, chance: object) -> bool:
        return isinstance(chance, int | float | Fraction) and self.low <= chance <= self.high


def wilson(hits: int, trials: int) -> Interval:
    """The Wilson interval: unlike the normal approximation, it holds near 0, as for 15 or more cards."""
    share = hits / trials
    z2 = _Z_95 * _Z_95
    middle = share + z2 / (2 * trials)
    reach = _Z_95 * sqrt(share * (1 - share) / trials + z2 / (4 * trials * trials))
    scale = 1 + z2 / trials
    low = 0.0 if hits == 0 else (middle - reach) / scale
    high = 1.0 if hits == trials else (middle + reach) / scale
    return Interval(low, high)


@dataclass(frozen=True, slots=True)
class Tally:
    """How many tables were seen, and how many of them held no SET."""

    seen: int
    without_set: int

    def __post_init__(self) -> None:
        if not 0 <= self.without_set <= self.seen or self.seen == 0:
            raise BadOddsQuestion(f"{self.without_set} of {self.seen} tables tell nothing")

    @property
    def chance(self) -> float:
        """The estimated chance of no SET."""
        return self.without_set / self.seen

    @property
    def interval(self) -> Interval:
        return wilson(self.without_set, self.seen)

    @property
    def odds(self) -> str:
        """The odds that there is a SET, as "30:1"."""
        return odds_against(Fraction(self.without_set, self.seen))


def total(tallies: Iterable[Tally]) -> Tally | None:
    """The sum of the tallies; None without any."""
    pairs = [(tally.seen, tally.without_set) for tally in tallies]
    return Tally(*map(sum, zip(*pairs, strict=True))) if pairs else None


def odds_against(chance: Fraction | float) -> str:
    """Format a chance as the odds against it: 1/31 is "30:1", 3/4 is "1:3", and 0 is "∞:1"."""
    if not 0 <= chance <= 1:
        raise BadOddsQuestion(f"a chance is from 0 to 1, not {chance!r}")
    if chance == 0:
        return "∞:1"
    if chance == 1:
        return "1:∞"
    odds = (1 - chance) / chance
    return f"{_rounded(odds)}:1" if odds >= 1 else f"1:{_rounded(1 / odds)}"


def _rounded(odds: Fraction | float) -> str:
    """Round to a whole number from ten up, and to one decimal below."""
    ten = 10
    return str(round(odds)) if odds >= ten else f"{float(odds):.1f}".removesuffix(".0")
