"""The site's icon: the three shapes in the three colors, which make a SET."""

from __future__ import annotations

from PIL import Image

from games.art.palettes import STANDARD
from games.art.raster import Canvas, draw_symbol
from games.art.svg import placed, symbol_markup
from games.rules.cards import Color, Shading, Shape

_SIDE = 264
_CORNER = 46
_EDGE = 4
# A device may cut the icon to any shape that keeps a circle of four fifths its width.
_SIDE_TO_CUT = 336
_SYMBOLS = (
    (Shape.OVAL, Color.RED, -79),
    (Shape.SQUIGGLE, Color.GREEN, -4),
    (Shape.DIAMOND, Color.PURPLE, 72),
)


def app_icon(size: int) -> Image.Image:
    """The icon as a square RGBA image."""
    image = Image.new("RGBA", (size, size), STANDARD.edge)
    image.paste(STANDARD.paper, mask=_tile_mask(size, _EDGE))
    _draw_symbols(image, _SIDE)
    image.putalpha(_tile_mask(size, 0))
    return image


def maskable_icon(size: int) -> Image.Image:
    """The icon for devices that cut it to their own shape: paper up to the edge, and the symbols well inside."""
    image = Image.new("RGB", (size, size), STANDARD.paper)
    _draw_symbols(image, _SIDE_TO_CUT)
    return image


def _draw_symbols(image: Image.Image, units: int) -> None:
    for shape, color, x in _SYMBOLS:
        canvas = Canvas(image.size, units, (0, 0))
        draw_symbol(canvas, shape, Shading.SOLID, (x, 0))
        image.paste(STANDARD.colors[color], mask=canvas.shrunk())


def icon_svg() -> str:
    """The icon as a standalone SVG file."""
    half, inset = _SIDE / 2, _EDGE / 2
    symbols = "".join(
        placed(symbol_markup(shape, Shading.SOLID, STANDARD.colors[color]), (x, 0)) for shape, color, x in _SYMBOLS
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-half:g} {-half:g} {_SIDE} {_SIDE}">'
        f'<rect x="{inset - half:g}" y="{inset - half:g}" width="{_SIDE - _EDGE}" height="{_SIDE - _EDGE}"'
        f' rx="{_CORNER - inset:g}" fill="{STANDARD.paper}" stroke="{STANDARD.edge}" stroke-width="{_EDGE}"/>'
        f"{symbols}</svg>\n"
    )


def _tile_mask(size: int, inset: float) -> Image.Image:
    canvas = Canvas((size, size), _SIDE)
    canvas.fill_tile(_CORNER, inset)
    return canvas.shrunk()
