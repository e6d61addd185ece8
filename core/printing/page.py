"""The items on a page and where they are, in points from the lower left corner, for PDF and SVG alike."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

from core.printing.paper import Segment, Size
from core.printing.text import TextLine, fitted

INK, SOFT, BLACK = "#25221d", "#5d564b", "#000000"


class Anchor(Enum):
    """Which part of a line of text is at its (x, y)."""

    START = "start"
    MIDDLE = "middle"
    END = "end"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """A part of a figure, with round corners."""

    path: str
    """SVG path data, with absolute M, L, C, Q and Z only."""
    fill: str | None = None
    stroke: str | None = None
    width: float = 0
    has_round_ends: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure(ABC):
    """A drawing in its own units, with y down from its upper left corner. A higher layer decides what it shows."""

    box: ClassVar[Size]
    """Its width and height in its own units."""
    x: float
    y: float
    width: float

    @property
    def scale(self) -> float:
        return self.width / self.box[0]

    @property
    def height(self) -> float:
        return self.box[1] * self.scale

    @property
    @abstractmethod
    def outlines(self) -> Sequence[Outline]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A line of text, shrunk to fit its room. Left out altogether if none of our fonts has its letters."""

    text: str
    x: float
    y: float
    size: float
    bold: bool = False
    anchor: Anchor = Anchor.START
    ink: str = INK
    room: float = math.inf
    spacing: float = 0

    @property
    def line(self) -> TextLine | None:
        return fitted(self.text, self.size, is_bold=self.bold, room=self.room, spacing=self.spacing)

    def left(self, line: TextLine) -> float:
        """The x at which the line starts."""
        return self.x - {Anchor.START: 0.0, Anchor.MIDDLE: line.width / 2, Anchor.END: line.width}[self.anchor]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    lines: tuple[Segment, ...]
    width: float = 0.6
    ink: str = BLACK


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    x: float
    y: float
    width: float
    height: float
    corner: float = 0.0
    line: float = 0.6
    ink: str = BLACK
    dashes: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """A QR code, without its quiet zone; the layout must leave room around it."""

    text: str
    x: float
    y: float
    size: float


Item = Figure | Text | Lines | Box | Code


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    size: Size
    items: tuple[Item, ...]
