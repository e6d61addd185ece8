"""Login cards to print: name, class code, QR code and pictures, ten on a sheet with cut marks."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import qrcode
from django.utils.translation import gettext as _
from qrcode.constants import ERROR_CORRECT_M
from reportlab.lib.colors import HexColor, black
from reportlab.lib.pagesizes import A4, LETTER
from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from classrooms.cards import lettering, picture_art
from classrooms.cards.picture_art import Fill

WIDTH, HEIGHT = 90 * mm, 50 * mm
COLUMNS, ROWS = 2, 5
QR_SIZE = 34 * mm
_INK = HexColor("#25221d")
_SOFT = HexColor("#5d564b")
_LEFT, _RIGHT = 4 * mm, 86 * mm
_TEXT = 43 * mm
_PICTURE, _GAP = 13 * mm, 2 * mm


class Paper(StrEnum):
    A4 = "a4"
    LETTER = "letter"

    @property
    def size(self) -> tuple[float, float]:
        width, height = LETTER if self is Paper.LETTER else A4
        return width, height


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    name: str
    number: int
    """The place in the register: who reads the card, where the name cannot be printed."""
    address: str
    pictures: tuple[str, ...]


def has_printable_name(name: str) -> bool:
    """Whether our fonts have its letters; on other cards there is a line to write the name on."""
    return lettering.font_for(name) is not None


def cards_pdf(cards: Sequence[Card], *, class_name: str, code: str, join: str, paper: Paper) -> bytes:
    """The cards on as many sheets as they need."""
    lettering.prepare()
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=paper.size, invariant=True)
    canvas.setTitle(_("Login cards: %(class)s") % {"class": class_name})
    for sheet in _sheets(cards):
        for (x, y), card in zip(_places(paper), sheet, strict=False):
            canvas.saveState()
            canvas.translate(x, y)
            _draw_card(canvas, card, class_name, code, join)
            canvas.restoreState()
        _draw_cut_marks(canvas, paper)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def _sheets(cards: Sequence[Card]) -> Iterator[Sequence[Card]]:
    step = COLUMNS * ROWS
    return (cards[start : start + step] for start in range(0, len(cards), step))


def corner(paper: Paper) -> tuple[float, float]:
    """Where the cards of a sheet begin, from the lower left."""
    width, height = paper.size
    return (width - COLUMNS * WIDTH) / 2, (height - ROWS * HEIGHT) / 2


def _places(paper: Paper) -> Iterator[tuple[float, float]]:
    left, bottom = corner(paper)
    for row in reversed(range(ROWS)):
        for column in range(COLUMNS):
            yield left + column * WIDTH, bottom + row * HEIGHT


def _draw_cut_marks(canvas: Canvas, paper: Paper) -> None:
    """A small cross wherever four cards meet, and lines in the margin to lay a ruler on."""
    left, bottom = corner(paper)
    canvas.setStrokeColor(black)
    canvas.setLineWidth(0.4)
    arm = 2 * mm
    for column in range(COLUMNS + 1):
        for row in range(ROWS + 1):
            x, y = left + column * WIDTH, bottom + row * HEIGHT
            canvas.line(x - arm, y, x + arm, y)
            canvas.line(x, y - arm, x, y + arm)
    reach = 6 * mm
    top, right = bottom + ROWS * HEIGHT, left + COLUMNS * WIDTH
    for column in range(COLUMNS + 1):
        x = left + column * WIDTH
        canvas.line(x, bottom - reach, x, bottom)
        canvas.line(x, top, x, top + reach)
    for row in range(ROWS + 1):
        y = bottom + row * HEIGHT
        canvas.line(left - reach, y, left, y)
        canvas.line(right, y, right + reach, y)


def _draw_card(canvas: Canvas, card: Card, class_name: str, code: str, join: str) -> None:
    _draw_qr(canvas, card.address, _LEFT, HEIGHT - _LEFT - QR_SIZE)
    canvas.setFillColor(_SOFT)
    _draw_text(canvas, class_name, _TEXT, 43.5 * mm, size=9, font=lettering.REGULAR)
    canvas.setFillColor(_INK)
    if has_printable_name(card.name):
        _draw_text(canvas, card.name, _TEXT, 36 * mm, size=18, font=lettering.BOLD)
    else:
        _draw_name_line(canvas, card.number)
    for place, slug in enumerate(card.pictures):
        x = _TEXT + place * (_PICTURE + _GAP)
        _draw_picture(canvas, slug, x, 18 * mm, _PICTURE)
        canvas.setFillColor(_INK)
        canvas.setFont(lettering.BOLD, 9)
        canvas.drawCentredString(x + _PICTURE / 2, 13.5 * mm, str(place + 1))
    canvas.setFillColor(_SOFT)
    address = join.partition("://")[2]
    _draw_text(canvas, address, _LEFT, 5 * mm, size=9, font=lettering.REGULAR, right=_TEXT - 2 * mm)
    _draw_text(canvas, _("Code"), _TEXT, 5 * mm, size=9, font=lettering.REGULAR)
    canvas.setFillColor(_INK)
    canvas.setFont(lettering.BOLD, 16)
    canvas.drawRightString(_RIGHT, 4.6 * mm, code, charSpace=1.5)


def _draw_name_line(canvas: Canvas, number: int) -> None:
    """Room to write a name whose letters no font of ours has."""
    canvas.setFont(lettering.REGULAR, 9)
    canvas.drawString(_TEXT, 36 * mm, _("No. %(number)s") % {"number": number})
    canvas.setStrokeColor(_INK)
    canvas.setLineWidth(0.6)
    canvas.line(_TEXT + 12 * mm, 36 * mm, _RIGHT, 36 * mm)


def _draw_text(canvas: Canvas, text: str, x: float, y: float, *, size: float, font: str, right: float = _RIGHT) -> None:
    """One line, made smaller until it fits; letters that no font of ours has are not drawn half."""
    found = lettering.font_for(text, font)
    letters = lettering.in_drawn_order(text)
    if found is None or letters is None:
        return
    width = stringWidth(letters, found, size)
    canvas.setFont(found, min(size, size * (right - x) / width) if width else size)
    canvas.drawString(x, y, letters)


def _draw_qr(canvas: Canvas, address: str, x: float, y: float) -> None:
    """The code as rectangles, a run of dark squares at a time, so that it stays sharp at any size."""
    code = qrcode.QRCode(error_correction=ERROR_CORRECT_M, border=0)
    code.add_data(address)
    code.make(fit=True)
    matrix = code.get_matrix()
    side = QR_SIZE / len(matrix)
    canvas.setFillColor(black)
    squares = canvas.beginPath()
    for number, row in enumerate(matrix):
        start = None
        for column, is_dark in enumerate([*row, False]):
            if is_dark and start is None:
                start = column
            elif not is_dark and start is not None:
                squares.rect(x + start * side, y + QR_SIZE - (number + 1) * side, (column - start) * side, side)
                start = None
    canvas.drawPath(squares, stroke=0, fill=1)


def _draw_picture(canvas: Canvas, slug: str, x: float, y: float, size: float) -> None:
    art = picture_art.ART[slug]
    canvas.saveState()
    canvas.translate(x, y + size)
    canvas.scale(size / picture_art.SIZE, -size / picture_art.SIZE)
    canvas.setStrokeColor(_INK)
    canvas.setLineWidth(picture_art.STROKE)
    canvas.setLineCap(1)
    canvas.setLineJoin(1)
    fills = {Fill.TINT: HexColor(art.tint), Fill.INK: _INK}
    for part in art.parts:
        canvas.setFillColor(fills.get(part.fill, _INK))
        path = canvas.beginPath()
        here = (0.0, 0.0)
        for letter, points in picture_art.strokes(part.path):
            match letter, points:
                case "M", [point]:
                    path.moveTo(*point)
                case "L", [point]:
                    path.lineTo(*point)
                case "C", [one, two, point]:
                    path.curveTo(*one, *two, *point)
                case "Q", [bend, point]:
                    # The same curve with two bends.
                    one = (here[0] + (bend[0] - here[0]) * 2 / 3, here[1] + (bend[1] - here[1]) * 2 / 3)
                    two = (point[0] + (bend[0] - point[0]) * 2 / 3, point[1] + (bend[1] - point[1]) * 2 / 3)
                    path.curveTo(*one, *two, *point)
                case _:
                    path.close()
            here = points[-1] if points else here
        canvas.drawPath(path, stroke=1, fill=int(part.fill is not Fill.NONE))
    canvas.restoreState()
