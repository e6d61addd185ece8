"""The deck to print and cut: nine cards per sheet, with their backs on the other side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from reportlab.lib.units import mm

from core.printing.page import SOFT, Anchor, Box, Item, Lines, Page, Text
from core.printing.paper import Grid, Paper, Segment
from games.art.palettes import Palette, palette_named
from games.printing.cards import Face, card_height
from games.rules.cards import FULL_DECK, Card, Feature, easy_deck

WIDTH, HEIGHT = 87 * mm, 58 * mm
COLUMNS, ROWS = 3, 3
FACE = 82.5 * mm
"""The width of a face. It leaves a white border, so that a cut that's a little off doesn't show."""
_ARM, _REACH = 1.4 * mm, 4 * mm
_BACK_BORDER = 4 * mm
_BACK_CORNER = 3 * mm
# The lattice has a whole number of diamonds each way, so that it's the same upside down.
_LATTICE = 75 * mm, 45 * mm
_PITCH = 5 * mm
_BACK_INK = "#14527e"


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedDeck:
    """A deck with the options chosen for printing it."""

    cards: tuple[Card, ...]
    palette: Palette
    paper: Paper
    marks: bool = False
    backs: bool = True

    @classmethod
    def asked(cls, asked: Mapping[str, Any]) -> PrintedDeck:
        return cls(
            cards=FULL_DECK if asked["cards"] == "full" else easy_deck(Feature.SHADING),
            palette=palette_named(asked["palette"]),
            paper=Paper(asked["paper"]),
            marks=asked["marks"],
            backs=asked["backs"],
        )

    @property
    def grid(self) -> Grid:
        return Grid(sheet=self.paper.across, columns=COLUMNS, rows=ROWS, width=WIDTH, height=HEIGHT)

    def pages(self) -> list[Page]:
        """All sheets, each followed by its back."""
        step = COLUMNS * ROWS
        sheets = [self.cards[start : start + step] for start in range(0, len(self.cards), step)]
        pages = []
        for number, cards in enumerate(sheets, 1):
            pages.append(self._front(cards, _sheet_words(number, len(sheets))))
            if self.backs:
                pages.append(self._back(len(cards), _back_words(number)))
        return pages

    def _front(self, cards: tuple[Card, ...], words: str) -> Page:
        grid = self.grid
        marks = True if self.marks else None
        faces = [
            Face(card=card, x=x, y=y, width=FACE, palette=self.palette, marks=marks)
            for card, (x, y) in zip(cards, face_places(grid), strict=False)
        ]
        cuts = Lines(lines=tuple(grid.cut_marks(arm=_ARM, reach=_REACH)), width=0.4)
        return Page(size=grid.sheet, items=(*faces, cuts, self._foot(words)))

    def _back(self, count: int, words: str) -> Page:
        """A back behind each card. The sheet is flipped on its long edge, so the rows start at the bottom."""
        grid = self.grid
        ink = _BACK_INK if len(set(self.palette.colors.values())) > 1 else next(iter(self.palette.colors.values()))
        items = [item for place in back_places(grid)[:count] for item in _back_items(*place, ink)]
        return Page(size=grid.sheet, items=(*items, self._foot(words)))

    def _foot(self, words: str) -> Item:
        width, _height = self.paper.across
        return Text(text=f"Setsite · {words}", x=width / 2, y=7 * mm, size=8, anchor=Anchor.MIDDLE, ink=SOFT)


def face_places(grid: Grid) -> list[tuple[float, float]]:
    """The lower left corner of each face, centered on its card."""
    return [(x + (WIDTH - FACE) / 2, y + (HEIGHT - card_height(FACE)) / 2) for x, y in grid.places()]


def back_places(grid: Grid) -> list[tuple[float, float]]:
    """The lower left corner of each card's back on the flipped sheet, in card order."""
    _width, height = grid.sheet
    return [(x, height - y - HEIGHT) for x, y in grid.places()]


def _sheet_words(number: int, of: int) -> str:
    return _("sheet %(number)s of %(of)s") % {"number": number, "of": of}


def _back_words(number: int) -> str:
    return _("back of sheet %(number)s: print on both sides, flip on the long edge") % {"number": number}


def _back_items(x: float, y: float, ink: str) -> Iterable[Item]:
    """A framed lattice that's the same upside down, so that no card can be recognized by its back."""
    wide, high = _LATTICE
    left, bottom = x + (WIDTH - wide) / 2, y + (HEIGHT - high) / 2
    yield Box(
        x=x + _BACK_BORDER,
        y=y + _BACK_BORDER,
        width=WIDTH - 2 * _BACK_BORDER,
        height=HEIGHT - 2 * _BACK_BORDER,
        corner=_BACK_CORNER,
        line=2.2,
        ink=ink,
    )
    yield Box(x=left, y=bottom, width=wide, height=high, line=0.8, ink=ink)
    yield Lines(lines=tuple(_lattice(left, bottom, wide, high)), width=0.8, ink=ink)


def _lattice(left: float, bottom: float, wide: float, high: float) -> Iterable[Segment]:
    """Diagonal lines in both directions, from border to border."""
    right = left + wide
    for step in range(1 - round(high / _PITCH), round(wide / _PITCH)):
        start = step * _PITCH
        x0, y0 = max(start, 0.0), max(-start, 0.0)
        x1, y1 = min(wide, high + start), min(high, wide - start)
        yield left + x0, bottom + y0, left + x1, bottom + y1
        yield right - x0, bottom + y0, right - x1, bottom + y1
