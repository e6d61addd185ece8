"""The silent board on paper: sheets for a class with one device, and the answers on a sheet of their own.

A place of the board has a letter; what students write down, the teacher types in.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from django.utils.translation import gettext as _
from reportlab.lib.colors import black
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from classrooms.live.errors import LessonRefusal
from games.art.palettes import PALETTES
from games.art.pdf import card_height, draw_card
from games.printing import lettering
from games.printing.paper import Paper
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
    """One round: its board as it lies, place by place."""

    round: int
    cards: tuple[Card, ...]

    def letters(self, cards: Sequence[Card]) -> str:
        """ "A D K": where these cards lie."""
        return " ".join(ascii_uppercase[place] for place in sorted(map(self.cards.index, cards)))


def read_letters(text: str, cards: Sequence[Card]) -> list[Triple]:
    """What stands on a student's sheet, three letters for each SET: "A D K, B C F"."""
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
    """A page for each round, to be copied for everybody; the last page is the teacher's."""
    lettering.prepare()
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=paper.size, invariant=True)
    canvas.setTitle(_("Silent board %(code)s") % {"code": code})
    for sheet in sheets:
        _draw_sheet(canvas, sheet, class_name, code, paper)
        canvas.showPage()
    _draw_key(canvas, sheets, class_name, code, paper)
    canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def card_places(number: int, paper: Paper) -> list[tuple[float, float, float]]:
    """Where the cards of a board lie on a sheet: left, bottom and width, from the top left on."""
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


def _draw_sheet(canvas: Canvas, sheet: PaperBoard, class_name: str, code: str, paper: Paper) -> None:
    width, height = paper.size
    _draw_head(canvas, _("Find every SET you can"), class_name, code, paper)
    canvas.setFont(lettering.BOLD, 12)
    canvas.drawRightString(width - _MARGIN, height - _MARGIN - 13 * mm, _round(sheet.round))
    _write(canvas, _("Name"), _MARGIN, height - _MARGIN - 20 * mm, 12)
    _line(canvas, _MARGIN + 18 * mm, width - _MARGIN, height - _MARGIN - 20 * mm)
    bottom = height
    for letter, card, (x, y, card_width) in zip(
        ascii_uppercase, sheet.cards, card_places(len(sheet.cards), paper), strict=False
    ):
        draw_card(canvas, card, x, y, card_width, palette=_PALETTE)
        canvas.setFillColor(black)
        canvas.setFont(lettering.BOLD, 14)
        canvas.drawCentredString(x + card_width / 2, y - 5.5 * mm, letter)
        bottom = min(bottom, y - _LABEL)
    _write(canvas, _("The letters of each SET:"), _MARGIN, bottom - 6 * mm, 12)
    _draw_slots(canvas, bottom - 17 * mm, paper)


def _draw_slots(canvas: Canvas, top: float, paper: Paper) -> None:
    """Three short lines for each SET."""
    column = (paper.size[0] - 2 * _MARGIN) / _SLOT_COLUMNS
    for slot in range(_SLOTS):
        x = _MARGIN + slot % _SLOT_COLUMNS * column
        y = top - slot // _SLOT_COLUMNS * _SLOT_HEIGHT
        _write(canvas, f"{slot + 1}.", x, y, 10)
        for place in range(_THREE):
            start = x + 9 * mm + place * 15 * mm
            _line(canvas, start, start + 12 * mm, y)


def _draw_key(canvas: Canvas, sheets: Sequence[PaperBoard], class_name: str, code: str, paper: Paper) -> None:
    _draw_head(canvas, _("Answers, for the teacher"), class_name, code, paper)
    column = (paper.size[0] - 2 * _MARGIN) / len(sheets)
    for number, sheet in enumerate(sheets):
        x, y = _MARGIN + number * column, paper.size[1] - _MARGIN - 22 * mm
        _write(canvas, _round(sheet.round), x, y, 13, font=lettering.BOLD)
        for triple in sorted(find_sets(sheet.cards), key=sheet.letters):
            y -= _KEY_LINE
            _write(canvas, sheet.letters(triple), x, y, 12, font=lettering.BOLD)
            _write(canvas, _("differ in %(number)s") % {"number": differing(triple)}, x + 20 * mm, y, 9)


def _draw_head(canvas: Canvas, title: str, class_name: str, code: str, paper: Paper) -> None:
    width, height = paper.size
    canvas.setFillColor(black)
    _write(canvas, title, _MARGIN, height - _MARGIN - 5 * mm, 18, font=lettering.BOLD)
    _write(canvas, class_name, _MARGIN, height - _MARGIN - 12 * mm, 11)
    canvas.setFont(lettering.BOLD, 18)
    canvas.drawRightString(width - _MARGIN, height - _MARGIN - 5 * mm, code, charSpace=1.5)


def _round(number: int) -> str:
    return _("Round %(number)s") % {"number": number}


def _write(canvas: Canvas, text: str, x: float, y: float, size: float, *, font: str = lettering.REGULAR) -> None:
    """One line; letters that no font of ours has are left out whole."""
    found, letters = lettering.font_for(text, font), lettering.in_drawn_order(text)
    if found and letters:
        canvas.setFont(found, size)
        canvas.drawString(x, y, letters)


def _line(canvas: Canvas, start: float, end: float, y: float) -> None:
    canvas.setStrokeColor(black)
    canvas.setLineWidth(0.6)
    canvas.line(start, y, end, y)
