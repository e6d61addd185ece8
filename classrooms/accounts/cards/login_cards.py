"""Login cards to print: name, class code, QR code and pictures, ten on a sheet with cut marks."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from reportlab.lib.colors import HexColor, black
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from classrooms.accounts.cards import picture_art
from classrooms.accounts.cards.picture_art import Fill
from games.printing import lettering
from games.printing.paper import Grid, Paper
from games.printing.pdf import draw_code

WIDTH, HEIGHT = 90 * mm, 50 * mm
COLUMNS, ROWS = 2, 5
QR_SIZE = 34 * mm
_INK = HexColor("#25221d")
_SOFT = HexColor("#5d564b")
_LEFT, _RIGHT = 4 * mm, 86 * mm
_TEXT = 43 * mm
_PICTURE, _GAP = 13 * mm, 2 * mm


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginCard:
    name: str
    number: int
    """The place in the register: who reads the card, where the name cannot be printed."""
    address: str
    pictures: tuple[str, ...]


def has_printable_name(name: str) -> bool:
    """Whether our fonts have its letters; on other cards there is a line to write the name on."""
    return lettering.font_for(name) is not None


def cards_pdf(cards: Sequence[LoginCard], *, class_name: str, code: str, join: str, paper: Paper) -> bytes:
    """The cards on as many sheets as they need."""
    lettering.prepare()
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=paper.size, invariant=True)
    canvas.setTitle(_("Login cards: %(class)s") % {"class": class_name})
    grid = sheet_grid(paper)
    for sheet in _sheets(cards, len(grid)):
        for (x, y), card in zip(grid.places(), sheet, strict=False):
            canvas.saveState()
            canvas.translate(x, y)
            _draw_card(canvas, card, class_name, code, join)
            canvas.restoreState()
        _draw_cut_marks(canvas, grid)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def sheet_grid(paper: Paper) -> Grid:
    return Grid(sheet=paper.size, columns=COLUMNS, rows=ROWS, width=WIDTH, height=HEIGHT)


def _sheets(cards: Sequence[LoginCard], size: int) -> Iterator[Sequence[LoginCard]]:
    return (cards[start : start + size] for start in range(0, len(cards), size))


def _draw_cut_marks(canvas: Canvas, grid: Grid) -> None:
    canvas.setStrokeColor(black)
    canvas.setLineWidth(0.4)
    canvas.lines(list(grid.cut_marks()))


def _draw_card(canvas: Canvas, card: LoginCard, class_name: str, code: str, join: str) -> None:
    draw_code(canvas, card.address, _LEFT, HEIGHT - _LEFT - QR_SIZE, QR_SIZE)
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
    line = lettering.fitted(text, size, font=font, room=right - x)
    if line:
        canvas.setFont(line.font, line.size)
        canvas.drawString(x, y, line.letters)


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
