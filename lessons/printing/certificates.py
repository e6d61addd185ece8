"""Certificates of mastery: a name, the mastered skills, the date, and a SET drawn with the name as its seed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from reportlab.lib.units import mm

from core.printing.page import SOFT, Anchor, Box, Item, Lines, Page, Text
from core.printing.paper import Paper
from core.printing.text import is_printable
from games.art.palettes import Palette
from games.printing.cards import Face, card_height
from lessons.questions.draws import Draws
from lessons.questions.triples import draw_set
from lessons.skills import ExerciseKind, Skill, Wanted
from lessons.words import SKILLS

_FRAME, _INNER = 12 * mm, 15 * mm
_CARD, _GAP = 44 * mm, 6 * mm
_FRAME_INK = "#14527e"
_COLUMNS = 3
_LINE = 7 * mm


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    name: str
    skills: Sequence[Skill]
    on: date
    class_name: str = ""

    def page(self, paper: Paper, palette: Palette) -> Page:
        width, height = paper.across
        items = (*_frame(width, height), *self._cards(width, height, palette), *self._words(width, height))
        return Page(size=(width, height), items=items)

    def _cards(self, width: float, height: float, palette: Palette) -> Iterable[Item]:
        cards = draw_set(Draws(self.name), Wanted(ExerciseKind.FIND_ONE, 4))
        left = (width - 3 * _CARD - 2 * _GAP) / 2
        for place, card in enumerate(cards):
            x, y = left + place * (_CARD + _GAP), height - 25 * mm - card_height(_CARD)
            yield Face(card=card, x=x, y=y, width=_CARD, palette=palette)

    def _words(self, width: float, height: float) -> Iterable[Item]:
        middle, room = width / 2, width - 2 * _INNER - 20 * mm
        yield Text(
            text=_("Certificate"), x=middle, y=height - 72 * mm, size=34, bold=True, anchor=Anchor.MIDDLE, room=room
        )
        yield from _name_line(self.name, middle, height - 92 * mm, room)
        count = len(self.skills)
        mastered = ngettext(
            "has mastered this skill of the card game SET:",
            "has mastered these %(count)s skills of the card game SET:",
            count,
        ) % {"count": count}
        yield Text(text=mastered, x=middle, y=height - 103 * mm, size=13, anchor=Anchor.MIDDLE, room=room)
        column = room / _COLUMNS
        columns = min(_COLUMNS, count)
        left = middle - columns * column / 2
        for place, skill in enumerate(self.skills):
            x = left + (place % columns + 0.5) * column
            y = height - 115 * mm - place // columns * _LINE
            words = str(SKILLS[skill])
            yield Text(text=words, x=x, y=y, size=13, bold=True, anchor=Anchor.MIDDLE, room=column - 4 * mm)
        yield from self._foot(width)

    def _foot(self, width: float) -> Iterable[Item]:
        y, left, right = 28 * mm, _INNER + 20 * mm, width - _INNER - 20 * mm
        line = 70 * mm
        yield Text(
            text=date_format(self.on, "DATE_FORMAT"), x=left + line / 2, y=y + 2 * mm, size=13, anchor=Anchor.MIDDLE
        )
        yield Lines(lines=((left, y, left + line, y), (right - line, y, right, y)))
        yield Text(text=_("Date"), x=left + line / 2, y=y - 5 * mm, size=9, anchor=Anchor.MIDDLE, ink=SOFT)
        signed = self.class_name or _("Signature")
        yield Text(text=signed, x=right - line / 2, y=y - 5 * mm, size=9, anchor=Anchor.MIDDLE, ink=SOFT, room=line)


def _frame(width: float, height: float) -> Iterable[Item]:
    for gap, line in ((_FRAME, 3.0), (_INNER, 0.8)):
        yield Box(
            x=gap,
            y=gap,
            width=width - 2 * gap,
            height=height - 2 * gap,
            corner=20 * mm - gap,
            line=line,
            ink=_FRAME_INK,
        )


def _name_line(name: str, middle: float, y: float, room: float) -> Iterable[Item]:
    """The name, or a line to write it on if our fonts lack its letters."""
    if is_printable(name):
        yield Text(text=name, x=middle, y=y, size=30, bold=True, anchor=Anchor.MIDDLE, room=room)
    else:
        yield Lines(lines=((middle - 60 * mm, y, middle + 60 * mm, y),))
