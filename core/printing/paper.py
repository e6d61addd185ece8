"""Paper sizes, and how a sheet is divided into cards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from reportlab.lib.pagesizes import A4, LETTER
from reportlab.lib.units import mm

Size = tuple[float, float]
Point = tuple[float, float]
Segment = tuple[float, float, float, float]
"""A line from one point to another: x, y, x, y."""


class Paper(StrEnum):
    A4 = "a4"
    LETTER = "letter"

    @property
    def size(self) -> Size:
        """Portrait width and height, in points."""
        width, height = LETTER if self is Paper.LETTER else A4
        return width, height

    @property
    def across(self) -> Size:
        """Landscape width and height."""
        width, height = self.size
        return height, width


def usual_paper(language: str | None) -> Paper:
    """The usual paper size where a language is spoken."""
    return Paper.LETTER if language == "en-us" else Paper.A4


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Cards side by side, centered on a sheet, to be cut apart."""

    sheet: Size
    columns: int
    rows: int
    width: float
    height: float

    def __len__(self) -> int:
        return self.columns * self.rows

    @property
    def corner(self) -> Point:
        """The lower left corner of the whole grid."""
        width, height = self.sheet
        return (width - self.columns * self.width) / 2, (height - self.rows * self.height) / 2

    def places(self) -> list[Point]:
        """The lower left corner of each card, starting with the top left card."""
        left, bottom = self.corner
        return [
            (left + column * self.width, bottom + row * self.height)
            for row in reversed(range(self.rows))
            for column in range(self.columns)
        ]

    def cut_marks(self, *, arm: float = 2 * mm, reach: float = 6 * mm) -> Sequence[Segment]:
        """A small cross wherever cards meet, and lines in the margin to lay a ruler along."""
        left, bottom = self.corner
        right, top = left + self.columns * self.width, bottom + self.rows * self.height
        across = [left + column * self.width for column in range(self.columns + 1)]
        up = [bottom + row * self.height for row in range(self.rows + 1)]
        crosses = [mark for x in across for y in up for mark in ((x - arm, y, x + arm, y), (x, y - arm, x, y + arm))]
        beside = [mark for x in across for mark in ((x, bottom - reach, x, bottom), (x, top, x, top + reach))]
        above = [mark for y in up for mark in ((left - reach, y, left, y), (right, y, right + reach, y))]
        return [*crosses, *beside, *above]
