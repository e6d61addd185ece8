"""Pages as a PDF: curves and letters only, so that every printer draws them at its full resolution."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

from reportlab.lib.colors import HexColor
from reportlab.pdfgen.canvas import Canvas

from core.printing import paths
from core.printing.page import BLACK, Box, Code, Figure, Item, Lines, Page, Text
from core.printing.qr import squares
from core.printing.shaping import EM

_ROUND = 1
_NON_ZERO = 1
"""The fill rule that SVG uses by default."""


def pages_pdf(pages: Sequence[Page], *, title: str, on_page: Callable[[int], None] | None = None) -> bytes:
    """Draw pages as a PDF. The same pages always give the same bytes. `on_page` is called with the number drawn."""
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
        case Figure():
            _draw_figure(canvas, item)
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
            _draw_code(canvas, item)


def _draw_figure(canvas: Canvas, item: Figure) -> None:
    canvas.translate(item.x, item.y + item.height)
    canvas.scale(item.scale, -item.scale)
    canvas.setLineJoin(_ROUND)
    for outline in item.outlines:
        canvas.setLineCap(_ROUND if outline.has_round_ends else 0)
        _draw_path(canvas, outline.path, fill=outline.fill, stroke=outline.stroke, width=outline.width)


def _draw_text(canvas: Canvas, item: Text) -> None:
    line = item.line
    if line is None:
        return
    if line.font:
        canvas.setFillColor(HexColor(item.ink))
        canvas.setFont(line.font, line.size)
        canvas.drawString(item.left(line), item.y, line.text, charSpace=line.spacing)
    else:
        canvas.translate(item.left(line), item.y)
        canvas.scale(line.size / EM, -line.size / EM)
        _draw_path(canvas, line.outline, fill=item.ink)


def _draw_code(canvas: Canvas, item: Code) -> None:
    """Draw a QR code, one run of dark squares at a time."""
    code = squares(item.text)
    side = item.size / code.side
    canvas.setFillColor(HexColor(BLACK))
    path = canvas.beginPath()
    for column, row, length in code.runs:
        path.rect(item.x + column * side, item.y + item.size - (row + 1) * side, length * side, side)
    canvas.drawPath(path, stroke=0, fill=1)


def _draw_path(
    canvas: Canvas, path: str, *, fill: str | None = None, stroke: str | None = None, width: float = 0
) -> None:
    if fill:
        canvas.setFillColor(HexColor(fill))
    if stroke:
        canvas.setStrokeColor(HexColor(stroke))
        canvas.setLineWidth(width)
    drawn = canvas.beginPath()
    here = (0.0, 0.0)
    for letter, points in paths.steps(path):
        match letter, points:
            case "M", (point,):
                drawn.moveTo(*point)
            case "L", (point,):
                drawn.lineTo(*point)
            case "C", (one, two, point):
                drawn.curveTo(*one, *two, *point)
            case "Q", (bend, point):
                # The same curve as a cubic, which has two control points.
                one, two = (_toward(bend, end) for end in (here, point))
                drawn.curveTo(*one, *two, *point)
            case _:
                drawn.close()
        here = points[-1] if points else here
    canvas.drawPath(drawn, stroke=int(stroke is not None), fill=int(fill is not None), fillMode=_NON_ZERO)


def _toward(bend: paths.Point, end: paths.Point) -> paths.Point:
    """Two thirds of the way from an end to the control point."""
    return end[0] + (bend[0] - end[0]) * 2 / 3, end[1] + (bend[1] - end[1]) * 2 / 3
