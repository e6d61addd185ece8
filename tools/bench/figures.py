"""The figures of the benchmark report, and timing of two ways to do the same work against each other."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Literal, NamedTuple

Work = Callable[[], int]
"""Does a few milliseconds of work and returns how many units it did."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A lower or upper bound for the ratio of subject to baseline.

    Bytes are the same on every machine, so a goal for them may bound the value itself.
    """

    at_least: float | None = None
    at_most: float | None = None
    of: Literal["ratio", "value"] = "ratio"

    def is_met(self, figure: Figure) -> bool:
        reached = figure.ratio if self.of == "ratio" else figure.value
        enough = self.at_least is None or reached >= self.at_least
        return enough and (self.at_most is None or reached <= self.at_most)

    def __str__(self) -> str:
        bounds = ((">=", self.at_least), ("<=", self.at_most))
        text = " and ".join(f"{sign} {bound:g}" for sign, bound in bounds if bound is not None)
        return text if self.of == "ratio" else f"{self.of} {text}"


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the report."""

    figure: str
    value: float
    unit: str
    baseline: str
    baseline_value: float
    ratio: float
    goal: Goal | None
    """None if the figure is only context for another that has a goal."""
    note: str = ""
    """What the reader must know to understand it."""

    def as_json(self) -> str:
        line: dict[str, object] = {
            "figure": self.figure,
            "value": _short(self.value),
            "unit": self.unit,
            "baseline": self.baseline,
            "baseline_value": _short(self.baseline_value),
            "ratio": _short(self.ratio),
            "goal": self.goal and str(self.goal),
            "met": self.goal and self.goal.is_met(self),
        }
        if self.note:
            line["note"] = self.note
        return json.dumps(line)


def _short(number: float) -> float:
    """Round to four digits; the rest is noise."""
    return float(f"{number:.4g}")


class Rates(NamedTuple):
    subject: float
    baseline: float
    ratio: float


def time_rates(subject: Work, baseline: Work, *, rounds: int = 11, seconds: float = 0.15) -> Rates:
    """Units per second of both, and their ratio.

    They take turns in short rounds, and each figure is the median over the rounds, so that a neighbor's burst on a
    shared machine hits both or is left out. This measures CPU time, for work on one core that waits for nothing.
    """
    # Warm up: filling tables and caches isn't what's measured.
    subject()
    baseline()
    pairs = [(_rate(subject, seconds), _rate(baseline, seconds)) for _ in range(rounds)]
    return Rates(
        median(subject_rate for subject_rate, _ in pairs),
        median(baseline_rate for _, baseline_rate in pairs),
        median(subject_rate / baseline_rate for subject_rate, baseline_rate in pairs),
    )


def _rate(work: Work, seconds: float) -> float:
    units = 0
    start = now = time.process_time()
    while now - start < seconds:
        units += work()
        now = time.process_time()
    return units / (now - start)
