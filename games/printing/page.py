"""What lies on a page and where: in points from the lower left corner, for any surface to draw."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

from games.art.palettes import Palette
from games.printing import lettering
from games.printing.paper import Segment, Size
from games.rules.cards import Card

INK, SOFT, BLACK = "#25221d", "#5d564b", "#000000"


class Anchor(Enum):
    """Which part of a line of text its place is."""

    START = "start"
    MIDDLE = "middle"
    END = "end"


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """A card; marks=None leaves them to the palette."""

    card: Card
    x: float
    y: float
    width: float
    palette: Palette
    marks: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """One line, made smaller until it fits into its room; letters that no font of ours has are left out whole."""

    text: str
    x: float
    y: float
    size: float
    bold: bool = False
    anchor: Anchor = Anchor.START
    ink: str = INK
    room: float = math.inf

    @property
    def line(self) -> lettering.TextLine | None:
        font = lettering.BOLD if self.bold else lettering.REGULAR
        return lettering.fitted(self.text, self.size, font=font, room=self.room)


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
    """A QR code; whoever lays it out leaves room around it."""

    text: str
    x: float
    y: float
    size: float


Item = Face | Text | Lines | Box | Code


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    size: Size
    items: tuple[Item, ...]
