"""The silent board on paper: sheets for a class with one device, and a separate sheet with the answers.

Each place on the board has a letter. Students write letters down, and the teacher types them in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from django.utils.translation import gettext as _
from reportlab.lib.units import mm

from classrooms.live.errors import LessonRefusal
from core.printing.page import BLACK, Anchor, Item, Lines, Page, Text
from core.printing.paper import Paper
from core.printing.pdf import pages_pdf
from games.art.palettes import PALETTES
from games.printing.cards import Face, card_height
from games.rules import Card, find_sets
from games.rules.triples import Triple, differing

_PALETTE = PALETTES["black-and-white"]
_MARGIN = 15 * mm
_GAP, _LABEL = 5 * mm, 7 * mm
_COLUMNS = {9: 3}
_USUAL_COLUMNS = 4
_SLOTS, _SLOT_COLUMNS, _SLOT_HEIGHT = 18, 3, 10 * mm
_KEY_LINE = 6.5 * mm
_THREE = 3


@dataclass(frozen=True, slots=True)
class PaperBoard:
    """One round's board, its cards in the order of their places."""

    round: int
    cards: tuple[Card, ...]

    def letters(self, cards: Sequence[Card]) -> str:
        """The letters of these cards' places, such as "A D K"."""
        return " ".join(ascii_uppercase[place] for place in sorted(map(self.cards.index, cards)))


def read_letters(text: str, cards: Sequence[Card]) -> list[Triple]:
    """Parse a student's sheet, three letters for each SET, such as "A D K, B C F"."""
    letters = [letter for letter in text.upper() if not letter.isspace() and letter not in ",;.-/"]
    there = dict(zip(ascii_uppercase, cards, strict=False))
    if not letters or not set(letters) <= set(there):
        raise LessonRefusal(_("Type the letters of the cards, from A to %(last)s.") % {"last": list(there)[-1]})
    if len(letters) % _THREE:
        raise LessonRefusal(_("Type three letters for each SET."))
    found = [letters[start : start + _THREE] for start in range(0, len(letters), _THREE)]
    if any(len(set(three)) < _THREE for three in found):
        raise LessonRefusal(_("A SET has three different cards."))
    return [(there[one], there[two], there[three]) for one, two, three in found]


def boards_pdf(sheets: Sequence[PaperBoard], *, class_name: str, code: str, paper: Paper) -> bytes:
    """A page for each round, to be copied for everybody, and a last one with the answers for the teacher."""
    boards = _PaperBoards(class_name=class_name, code=code, paper=paper)
    pages = [Page(size=paper.size, items=tuple(boards.sheet(sheet))) for sheet in sheets]
    key = Page(size=paper.size, items=tuple(boards.key(sheets)))
    return pages_pdf([*pages, key], title=_("Silent board %(code)s") % {"code": code})


def card_places(number: int, paper: Paper) -> list[tuple[float, float, float]]:
    """Left, bottom and width of each card on a sheet, starting at the top left."""
    width, height = paper.size
    columns = _COLUMNS.get(number, _USUAL_COLUMNS)
    card = (width - 2 * _MARGIN - (_USUAL_COLUMNS - 1) * _GAP) / _USUAL_COLUMNS
    left = (width - columns * card - (columns - 1) * _GAP) / 2
    top = height - _MARGIN - 26 * mm
    down = card_height(card) + _LABEL + 2 * mm
    return [
        (left + place % columns * (card + _GAP), top - place // columns * down - card_height(card), card)
        for place in range(number)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _PaperBoards:
    """The pages of a lesson, with what's on all of them."""

    class_name: str
    code: str
    paper: Paper

    def sheet(self, sheet: PaperBoard) -> Iterator[Item]:
        width, height = self.paper.size
        right, top = width - _MARGIN, height - _MARGIN
        yield from self._header(_("Find every SET you can"))
        yield Text(
            text=_round_title(sheet.round), x=right, y=top - 13 * mm, size=12, bold=True, anchor=Anchor.END, ink=BLACK
        )
        yield Text(text=_("Name"), x=_MARGIN, y=top - 20 * mm, size=12, ink=BLACK)
        yield Lines(lines=((_MARGIN + 18 * mm, top - 20 * mm, right, top - 20 * mm),))
        bottom = height
        places = card_places(len(sheet.cards), self.paper)
        for letter, card, (x, y, card_width) in zip(ascii_uppercase, sheet.cards, places, strict=False):
            yield Face(card=card, x=x, y=y, width=card_width, palette=_PALETTE)
            middle = x + card_width / 2
            yield Text(text=letter, x=middle, y=y - 5.5 * mm, size=14, bold=True, anchor=Anchor.MIDDLE, ink=BLACK)
            bottom = min(bottom, y - _LABEL)
        yield Text(text=_("The letters of each SET:"), x=_MARGIN, y=bottom - 6 * mm, size=12, ink=BLACK)
        yield from self._slots(bottom - 17 * mm)

    def _slots(self, top: float) -> Iterator[Item]:
        """Three short lines for each SET."""
        column = (self.paper.size[0] - 2 * _MARGIN) / _SLOT_COLUMNS
        for slot in range(_SLOTS):
            x = _MARGIN + slot % _SLOT_COLUMNS * column
            y = top - slot // _SLOT_COLUMNS * _SLOT_HEIGHT
            yield Text(text=f"{slot + 1}.", x=x, y=y, size=10, ink=BLACK)
            starts = [x + 9 * mm + place * 15 * mm for place in range(_THREE)]
            yield Lines(lines=tuple((start, y, start + 12 * mm, y) for start in starts))

    def key(self, sheets: Sequence[PaperBoard]) -> Iterator[Item]:
        yield from self._header(_("Answers, for the teacher"))
        width, height = self.paper.size
        column = (width - 2 * _MARGIN) / len(sheets)
        for number, sheet in enumerate(sheets):
            x, y = _MARGIN + number * column, height - _MARGIN - 22 * mm
            yield Text(text=_round_title(sheet.round), x=x, y=y, size=13, bold=True, ink=BLACK)
            for triple in sorted(find_sets(sheet.cards), key=sheet.letters):
                y -= _KEY_LINE
                yield Text(text=sheet.letters(triple), x=x, y=y, size=12, bold=True, ink=BLACK)
                words = _("differ in %(number)s") % {"number": differing(triple)}
                yield Text(text=words, x=x + 20 * mm, y=y, size=9, ink=BLACK)

    def _header(self, title: str) -> Iterator[Item]:
        width, height = self.paper.size
        right, top = width - _MARGIN, height - _MARGIN
        code = Text(
            text=self.code, x=right, y=top - 5 * mm, size=18, bold=True, anchor=Anchor.END, ink=BLACK, spacing=1.5
        )
        yield code
        room = width - 2 * _MARGIN - (code.line.width if code.line else 0) - 5 * mm
        yield Text(text=title, x=_MARGIN, y=top - 5 * mm, size=18, bold=True, ink=BLACK, room=room)
        yield Text(text=self.class_name, x=_MARGIN, y=top - 12 * mm, size=11, ink=BLACK, room=room)


def _round_title(number: int) -> str:
    return _("Round %(number)s") % {"number": number}
