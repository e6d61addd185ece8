"""Cards as vectors on a page of a PDF: the same curves as on the screen, sharp at any size."""

from __future__ import annotations

from reportlab.lib.colors import HexColor
from reportlab.pdfgen.canvas import Canvas

from games.art import shapes
from games.art.geometry import Path
from games.art.palettes import STANDARD, Palette, palette_named
from games.rules.cards import Card, Shading, Shape

_ROUND_JOIN = 1


def card_height(width: float) -> float:
    return width * shapes.CARD_HEIGHT / shapes.CARD_WIDTH


def draw_card(
    canvas: Canvas,
    card: Card,
    x: float,
    y: float,
    width: float,
    *,
    palette: Palette | str = STANDARD,
    marks: bool | None = None,
) -> None:
    """The card with its lower left corner at (x, y), in points; marks=None leaves it to the palette."""
    palette = palette_named(palette) if isinstance(palette, str) else palette
    ink = HexColor(palette.colors[card.color])
    scale = width / shapes.CARD_WIDTH
    canvas.saveState()
    # From here on as in the drawings: units of a card 300 wide, y downwards.
    canvas.translate(x, y + card_height(width))
    canvas.scale(scale, -scale)
    canvas.setLineJoin(_ROUND_JOIN)
    _draw_paper(canvas, palette)
    canvas.setStrokeColor(ink)
    canvas.setFillColor(ink)
    for place in shapes.symbol_places(card.number):
        canvas.saveState()
        canvas.translate(*place)
        _draw_symbol(canvas, card.shape, card.shading)
        canvas.restoreState()
    if palette.marks if marks is None else marks:
        for path in shapes.mark_paths(card.color):
            _draw_path(canvas, path, stroke=0, fill=1)
    canvas.restoreState()


def _draw_paper(canvas: Canvas, palette: Palette) -> None:
    # The edge is drawn wholly inside the card, half of it on either side of this rectangle.
    inset = shapes.EDGE / 2
    width, height = shapes.CARD_WIDTH - shapes.EDGE, shapes.CARD_HEIGHT - shapes.EDGE
    canvas.setStrokeColor(HexColor(palette.edge))
    canvas.setFillColor(HexColor(palette.paper))
    canvas.setLineWidth(shapes.EDGE)
    canvas.roundRect(inset, inset, width, height, shapes.CORNER - inset, stroke=1, fill=1)


def _draw_symbol(canvas: Canvas, shape: Shape, shading: Shading) -> None:
    """One symbol about the origin."""
    if shading is Shading.STRIPED:
        canvas.setLineWidth(shapes.STRIPE)
        canvas.lines([(left, level, right, level) for level, left, right in shapes.stripe_lines(shape)])
    canvas.setLineWidth(shapes.STROKE)
    _draw_path(canvas, shapes.SHAPES[shape], stroke=1, fill=int(shading is Shading.SOLID))


def _draw_path(canvas: Canvas, path: Path, *, stroke: int, fill: int) -> None:
    drawn = canvas.beginPath()
    drawn.moveTo(*path.start)
    for one, two, end in path.curves:
        drawn.curveTo(*one, *two, *end)
    drawn.close()
    canvas.drawPath(drawn, stroke=stroke, fill=fill)
