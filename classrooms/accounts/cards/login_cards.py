"""Login cards to print: name, class code, QR code and pictures, ten on a sheet with cut marks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from reportlab.lib.units import mm

from classrooms.accounts.cards import picture_art
from classrooms.accounts.cards.picture_art import Fill
from core.printing.page import INK, SOFT, Anchor, Code, Figure, Item, Lines, Outline, Page, Text
from core.printing.paper import Grid, Paper
from core.printing.pdf import pages_pdf
from core.printing.text import is_printable

WIDTH, HEIGHT = 90 * mm, 50 * mm
COLUMNS, ROWS = 2, 5
QR_SIZE = 34 * mm
_LEFT, _RIGHT = 4 * mm, 86 * mm
_TEXT = 43 * mm
_PICTURE, _GAP = 13 * mm, 2 * mm


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginCard:
    name: str
    number: int
    """The student's place in the register, printed if no font has the letters of the name."""
    address: str
    pictures: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPicture(Figure):
    """One of a student's three pictures."""

    box = (picture_art.SIZE, picture_art.SIZE)
    slug: str

    @property
    def outlines(self) -> list[Outline]:
        art = picture_art.ART[self.slug]
        fills = {Fill.TINT: art.tint, Fill.INK: INK}
        return [
            Outline(
                path=part.path, fill=fills.get(part.fill), stroke=INK, width=picture_art.STROKE, has_round_ends=True
            )
            for part in art.parts
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginCards:
    """The cards of a class, with what's on all of them."""

    class_name: str
    code: str
    join: str
    """The address where students enter the code."""
    paper: Paper

    def pages(self, cards: Sequence[LoginCard]) -> list[Page]:
        """The sheets with these cards."""
        grid = sheet_grid(self.paper)
        marks = Lines(lines=tuple(grid.cut_marks()), width=0.4)
        pages = []
        for start in range(0, len(cards), len(grid)):
            places = zip(grid.places(), cards[start : start + len(grid)], strict=False)
            items = [item for (x, y), card in places for item in self._card(card, x, y)]
            pages.append(Page(size=grid.sheet, items=(*items, marks)))
        return pages

    def _card(self, card: LoginCard, x: float, y: float) -> Iterator[Item]:
        text, room = x + _TEXT, _RIGHT - _TEXT
        yield Code(text=card.address, x=x + _LEFT, y=y + HEIGHT - _LEFT - QR_SIZE, size=QR_SIZE)
        yield Text(text=self.class_name, x=text, y=y + 43.5 * mm, size=9, ink=SOFT, room=room)
        if is_printable(card.name):
            yield Text(text=card.name, x=text, y=y + 36 * mm, size=18, bold=True, room=room)
        else:
            yield Text(text=_("No. %(number)s") % {"number": card.number}, x=text, y=y + 36 * mm, size=9)
            yield Lines(lines=((text + 12 * mm, y + 36 * mm, x + _RIGHT, y + 36 * mm),), ink=INK)
        for place, slug in enumerate(card.pictures):
            left = text + place * (_PICTURE + _GAP)
            yield CardPicture(slug=slug, x=left, y=y + 18 * mm, width=_PICTURE)
            middle = left + _PICTURE / 2
            yield Text(text=str(place + 1), x=middle, y=y + 13.5 * mm, size=9, bold=True, anchor=Anchor.MIDDLE)
        address = self.join.partition("://")[2]
        yield Text(text=address, x=x + _LEFT, y=y + 5 * mm, size=9, ink=SOFT, room=_TEXT - 2 * mm - _LEFT)
        label = Text(text=_("Code"), x=text, y=y + 5 * mm, size=9, ink=SOFT)
        yield label
        yield Text(
            text=self.code,
            x=x + _RIGHT,
            y=y + 4.6 * mm,
            size=16,
            bold=True,
            anchor=Anchor.END,
            room=room - (label.line.width if label.line else 0) - _GAP,
            spacing=1.5,
        )


def cards_pdf(cards: Sequence[LoginCard], *, class_name: str, code: str, join: str, paper: Paper) -> bytes:
    pages = LoginCards(class_name=class_name, code=code, join=join, paper=paper).pages(cards)
    return pages_pdf(pages, title=_("Login cards: %(class)s") % {"class": class_name})


def sheet_grid(paper: Paper) -> Grid:
    return Grid(sheet=paper.size, columns=COLUMNS, rows=ROWS, width=WIDTH, height=HEIGHT)
