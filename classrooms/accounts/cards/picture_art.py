"""Drawings of the twelve pictures in a 100 by 100 box, for both screen and paper.

Paths are in the format that core.printing.paths reads.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

SIZE = 100
STROKE = 5
_ROUND = 0.5523

YELLOW, BLUE, ORANGE, SAND = "#f7cf5c", "#a9cfea", "#f2b27a", "#e2cfa6"


class Fill(Enum):
    """How an outline is filled."""

    NONE = "none"
    TINT = "tint"
    INK = "ink"


@dataclass(frozen=True, slots=True)
class PicturePart:
    path: str
    fill: Fill = Fill.NONE


@dataclass(frozen=True, slots=True)
class Art:
    tint: str
    parts: tuple[PicturePart, ...]


def _circle(x: float, y: float, r: float) -> str:
    k = r * _ROUND
    return (
        f"M {x + r:g} {y:g} C {x + r:g} {y + k:g} {x + k:g} {y + r:g} {x:g} {y + r:g} "
        f"C {x - k:g} {y + r:g} {x - r:g} {y + k:g} {x - r:g} {y:g} "
        f"C {x - r:g} {y - k:g} {x - k:g} {y - r:g} {x:g} {y - r:g} "
        f"C {x + k:g} {y - r:g} {x + r:g} {y - k:g} {x + r:g} {y:g} Z"
    )


def _on_circle(x: float, y: float, r: float, turn: float) -> str:
    """A point on a circle, at a fraction of a turn clockwise from the top."""
    return f"{x + r * math.sin(turn * math.tau):.1f} {y - r * math.cos(turn * math.tau):.1f}"


def _star() -> str:
    places = [_on_circle(50, 53, 18 if number % 2 else 44, number / 10) for number in range(10)]
    return f"M {' L '.join(places)} Z"


def _rays() -> str:
    return " ".join(f"M {_on_circle(50, 50, 31, ray / 8)} L {_on_circle(50, 50, 44, ray / 8)}" for ray in range(8))


ART = {
    "sun": Art(YELLOW, (PicturePart(_circle(50, 50, 21), Fill.TINT), PicturePart(_rays()))),
    "moon": Art(
        YELLOW,
        (
            PicturePart(
                "M 60 8 C 28 10 10 38 18 64 C 26 90 60 100 84 78 C 60 78 42 62 42 42 C 42 28 48 16 60 8 Z",
                Fill.TINT,
            ),
        ),
    ),
    "star": Art(YELLOW, (PicturePart(_star(), Fill.TINT),)),
    "tree": Art(
        SAND,
        (
            PicturePart("M 44 66 L 56 66 L 58 94 L 42 94 Z", Fill.INK),
            PicturePart(
                "M 30 68 C 8 68 6 44 24 40 C 18 18 40 6 50 16 C 60 6 82 18 76 40 C 94 44 92 68 70 68 Z",
                Fill.TINT,
            ),
        ),
    ),
    "fish": Art(
        BLUE,
        (
            PicturePart("M 66 50 L 92 28 Q 84 50 92 72 Z", Fill.TINT),
            PicturePart("M 6 50 C 22 20 56 20 72 50 C 56 80 22 80 6 50 Z", Fill.TINT),
            PicturePart("M 44 34 Q 54 50 44 66"),
            PicturePart(_circle(26, 45, 3), Fill.INK),
        ),
    ),
    "bird": Art(
        BLUE,
        (
            PicturePart("M 44 78 L 44 95 M 58 77 L 58 95"),
            PicturePart("M 16 36 L 3 43 L 16 48 Z", Fill.INK),
            PicturePart(
                "M 14 44 C 12 22 36 14 46 28 C 52 36 58 42 68 44 L 95 32 "
                "L 84 58 C 76 78 52 86 36 78 C 20 70 14 58 14 44 Z",
                Fill.TINT,
            ),
            PicturePart("M 42 50 C 46 66 62 68 72 56"),
            PicturePart(_circle(29, 36, 3), Fill.INK),
        ),
    ),
    "boat": Art(
        BLUE,
        (
            PicturePart("M 48 6 L 48 66"),
            PicturePart("M 57 14 L 57 56 L 88 56 Z", Fill.TINT),
            PicturePart("M 39 26 L 39 56 L 16 56 Z", Fill.TINT),
            PicturePart("M 6 66 L 94 66 L 78 90 L 22 90 Z", Fill.INK),
        ),
    ),
    "house": Art(
        ORANGE,
        (
            PicturePart("M 66 20 L 66 12 L 76 12 L 76 32", Fill.INK),
            PicturePart("M 20 48 L 20 92 L 80 92 L 80 48"),
            PicturePart("M 6 50 L 50 10 L 94 50 Z", Fill.TINT),
            PicturePart("M 34 92 L 34 66 L 50 66 L 50 92 Z", Fill.INK),
            PicturePart("M 60 64 L 71 64 L 71 75 L 60 75 Z"),
        ),
    ),
    "key": Art(
        ORANGE,
        (
            PicturePart(
                "M 46 44 L 95 44 L 95 66 L 84 66 L 84 56 L 75 56 L 75 70 L 64 70 L 64 56 L 46 56 Z",
                Fill.INK,
            ),
            PicturePart(_circle(28, 50, 23), Fill.TINT),
            PicturePart(_circle(22, 50, 6), Fill.INK),
        ),
    ),
    "bell": Art(
        YELLOW,
        (
            PicturePart(_circle(50, 86, 8), Fill.INK),
            PicturePart(_circle(50, 11, 5), Fill.INK),
            PicturePart(
                "M 50 15 C 72 15 74 36 75 52 C 76 64 82 70 90 76 L 10 76 C 18 70 24 64 25 52 C 26 36 28 15 50 15 Z",
                Fill.TINT,
            ),
        ),
    ),
    "apple": Art(
        ORANGE,
        (
            PicturePart(
                "M 50 36 C 38 22 10 24 12 54 C 14 82 34 98 50 90 C 66 98 86 82 88 54 C 90 24 62 22 50 36 Z",
                Fill.TINT,
            ),
            PicturePart("M 50 36 Q 48 20 54 8"),
            PicturePart("M 56 22 C 60 8 76 4 86 8 C 84 22 70 30 56 22 Z", Fill.INK),
        ),
    ),
    "kite": Art(
        BLUE,
        (
            PicturePart("M 62 5 L 92 32 L 34 66 L 36 16 Z", Fill.TINT),
            PicturePart("M 62 5 L 34 66 M 36 16 L 92 32"),
            PicturePart("M 34 66 C 20 70 40 80 26 84 C 14 88 24 96 10 96"),
        ),
    ),
}


def svg(slug: str) -> str:
    """The picture as SVG for a page. It's hidden from screen readers, because the text next to it names it."""
    art = ART[slug]
    fills = {Fill.NONE: "none", Fill.TINT: art.tint, Fill.INK: "currentColor"}
    paths = "".join(f'<path d="{part.path}" fill="{fills[part.fill]}"/>' for part in art.parts)
    return (
        f'<svg class="picture" viewBox="0 0 {SIZE} {SIZE}" aria-hidden="true" focusable="false" stroke="currentColor" '
        f'stroke-width="{STROKE}" stroke-linejoin="round" stroke-linecap="round">{paths}</svg>'
    )
