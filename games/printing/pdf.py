"""Pages as a PDF: curves and letters only, so that any printer draws them as finely as it can."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

from reportlab.lib.colors import HexColor
from reportlab.pdfgen.canvas import Canvas

from games.art.pdf import draw_card
from games.printing.codes import squares
from games.printing.page import Anchor, Box, Code, Face, Item, Lines, Page, Text

_BLACK = HexColor("#000000")


def pages_pdf(pages: Sequence[Page], *, title: str, on_page: Callable[[int], None] | None = None) -> bytes:
    """The same pages are the same bytes, always. `on_page` hears how many are drawn."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, invariant=True)
    canvas.setTitle(title)
    for number, page in enumerate(pages, 1):
        canvas.setPageSize(page.size)
        for item in page.items:
            canvas.saveState()
            _draw(canvas, item)
            canvas.restoreState()
        canvas.showPage()
        if on_page:
            on_page(number)
    canvas.save()
    return buffer.getvalue()


def _draw(canvas: Canvas, item: Item) -> None:
    match item:
        case Face():
            draw_card(canvas, item.card, item.x, item.y, item.width, palette=item.palette, marks=item.marks)
        case Text():
            _draw_text(canvas, item)
        case Lines():
            canvas.setStrokeColor(HexColor(item.ink))
            canvas.setLineWidth(item.width)
            canvas.lines(list(item.lines))
        case Box():
            canvas.setStrokeColor(HexColor(item.ink))
            canvas.setLineWidth(item.line)
            if item.dashes:
                canvas.setDash(*item.dashes)
            canvas.roundRect(item.x, item.y, item.width, item.height, item.corner)
        case Code():
            draw_code(canvas, item.text, item.x, item.y, item.size)


def _draw_text(canvas: Canvas, item: Text) -> None:
    line = item.line
    if line is None:
        return
    canvas.setFillColor(HexColor(item.ink))
    canvas.setFont(line.font, line.size)
    left = {Anchor.START: 0.0, Anchor.MIDDLE: line.width / 2, Anchor.END: line.width}[item.anchor]
    canvas.drawString(item.x - left, item.y, line.letters)


def draw_code(canvas: Canvas, text: str, x: float, y: float, size: float) -> None:
    """A QR code with its lower left corner at (x, y), a run of dark squares at a time."""
    code = squares(text)
    side = size / code.side
    canvas.setFillColor(_BLACK)
    path = canvas.beginPath()
    for column, row, length in code.runs:
        path.rect(x + column * side, y + size - (row + 1) * side, length * side, side)
    canvas.drawPath(path, stroke=0, fill=1)
