"""Outlines as SVG path data, with absolute M, L, C, Q and Z only, so that both PDF and SVG can draw them."""

from __future__ import annotations

import re
from functools import lru_cache

Point = tuple[float, float]
Step = tuple[str, tuple[Point, ...]]


@lru_cache(maxsize=512)
def steps(path: str) -> tuple[Step, ...]:
    """The path's commands, each a letter and its points."""
    return tuple((letter, _points(numbers)) for letter, numbers in re.findall(r"([MLCQZ])([^MLCQZ]*)", path))


def _points(numbers: str) -> tuple[Point, ...]:
    found = iter(map(float, numbers.split()))
    return tuple(zip(found, found, strict=True))


def text_of(steps: list[Step]) -> str:
    return "".join(letter + " ".join(f"{number(x)} {number(y)}" for x, y in points) for letter, points in steps)


def number(value: float) -> str:
    """Format a length: short enough for markup, yet finer than any printer."""
    return f"{round(value, 2):g}"
