"""Charts of a simulation as plain numbers, for a template to draw as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log10
from typing import Any, Final

WIDTH: Final = 640
HEIGHT: Final = 260
LEFT, RIGHT, TOP, BOTTOM = 64, 12, 12, 34


@dataclass(frozen=True, slots=True)
class Mark:
    """A labeled tick on an axis."""

    at: float
    value: float


@dataclass(frozen=True, slots=True)
class Settling:
    """How an estimate settles: a line within its confidence band, along with the known values."""

    line: str
    band: str
    exact: float | None
    quoted: float | None
    across: tuple[Mark, ...]
    up: tuple[Mark, ...]


def settling(path: Sequence[Sequence[float]], exact: float | None, quoted: float | None) -> Settling | None:
    """Chart a path of (trials, estimate, low, high) points, with the trials on a logarithmic axis."""
    if not path:
        return None
    known = [value for value in (exact, quoted) if value is not None]
    later = path[len(path) // 10 :]
    highest = max([high for _, _, _, high in later] + known)
    lowest = min([low for _, _, low, _ in later] + known)
    room = 0.08 * (highest - lowest) or highest or 1.0
    highest, lowest = highest + room, max(0.0, lowest - room)
    first, last = log10(path[0][0]), log10(path[-1][0])
    wide = (last - first) or 1.0

    def x(trials: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * (log10(trials) - first) / wide, 1)

    def y(chance: float) -> float:
        share = (chance - lowest) / (highest - lowest)
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (1 - min(1.0, max(0.0, share))), 1)

    line = " ".join(f"{x(trials)},{y(chance)}" for trials, chance, _, _ in path)
    above = [f"{x(trials)},{y(high)}" for trials, _, _, high in path]
    below = [f"{x(trials)},{y(low)}" for trials, _, low, _ in reversed(path)]
    steps = [lowest + (highest - lowest) * part / 4 for part in range(5)]
    powers = range(int(first), int(last) + 1)
    return Settling(
        line=line,
        band=" ".join(above + below),
        exact=None if exact is None else y(exact),
        quoted=None if quoted is None else y(quoted),
        across=tuple(Mark(x(10**power), 10**power) for power in powers if 10**power >= path[0][0]),
        up=tuple(Mark(y(each), each) for each in steps),
    )


@dataclass(frozen=True, slots=True)
class Column:
    x: float
    y: float
    width: float
    height: float
    words: str
    value: str


def columns(rows: Sequence[Mapping[str, Any]], name: str, value: str) -> tuple[Column, ...]:
    """A column for each row, with heights relative to the greatest value."""
    if not rows:
        return ()
    most = max(row[value] for row in rows) or 1
    step = (WIDTH - LEFT - RIGHT) / len(rows)
    tall = HEIGHT - TOP - BOTTOM
    return tuple(
        Column(
            x=round(LEFT + place * step + step * 0.15, 1),
            y=round(TOP + tall * (1 - row[value] / most), 1),
            width=round(step * 0.7, 1),
            height=round(tall * row[value] / most, 1),
            words=str(row[name]),
            value=f"{row[value]:.3g}",
        )
        for place, row in enumerate(rows)
    )
