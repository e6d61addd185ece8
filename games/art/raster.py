"""Cards as Pillow images, smooth at any size, for files and for sharing."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise
from operator import itemgetter

from PIL import Image, ImageDraw

from games.art import shapes
from games.art.geometry import Point, Polygon
from games.art.palettes import STANDARD, Palette, palette_named
from games.rules.cards import Card, Color, Shading, Shape

_FINE_WIDTH = 2400  # pixels across a card before downsampling, with at least four for each final one
_CARD_MIDDLE = shapes.CARD_WIDTH / 2, shapes.CARD_HEIGHT / 2
_TONE_BELOW, _STRIPES_FROM = 1.9, 2.7  # pixels between stripes


def card_image(card: Card, width: int, palette: Palette | str = STANDARD, *, marks: bool | None = None) -> Image.Image:
    """The card as RGBA with transparent corners, two thirds as high as wide; marks=None leaves it to the palette."""
    if width < 1:
        raise ValueError(f"a card is at least one pixel wide, not {width}")
    palette = palette_named(palette) if isinstance(palette, str) else palette
    size = width, round(width * shapes.CARD_HEIGHT / shapes.CARD_WIDTH)
    image = Image.new("RGBA", size, palette.edge)
    image.paste(palette.paper, mask=_paper_mask(size, shapes.EDGE))
    ink = palette.colors[card.color]
    image.paste(ink, mask=_symbol_mask(size, card.number, card.shape, card.shading))
    if palette.marks if marks is None else marks:
        image.paste(ink, mask=_mark_mask(size, card.color))
    image.putalpha(_paper_mask(size, 0))
    return image


class Canvas:
    """A grayscale image with its own units and center point, drawn large and downsampled at the end."""

    def __init__(self, size: tuple[int, int], units: float = shapes.CARD_WIDTH, middle: Point = _CARD_MIDDLE) -> None:
        self.fine = max(4, math.ceil(_FINE_WIDTH / size[0]))
        self.scale = size[0] * self.fine / units
        self.image = Image.new("L", (size[0] * self.fine, size[1] * self.fine))
        self.draw = ImageDraw.Draw(self.image)
        self.shift = self.image.width / 2 - middle[0] * self.scale, self.image.height / 2 - middle[1] * self.scale

    def fill(self, polygon: Polygon, tone: float = 1.0, at: Point = (0, 0)) -> None:
        # Not ImageDraw.polygon: it truncates coordinates to whole pixels and includes every edge, which makes a shape
        # larger and lopsided by a pixel.
        dx, dy = self.shift[0] + at[0] * self.scale, self.shift[1] + at[1] * self.scale
        ink = round(255 * tone)
        for y, xs in _rows([(x * self.scale + dx, y * self.scale + dy) for x, y in polygon]).items():
            for left, right in zip(xs[::2], xs[1::2], strict=True):
                if left < right:
                    self.draw.line((left, y, right - 1, y), ink)

    def fill_tile(self, corner: float, inset: float) -> None:
        """Fill everything but the round corners and an even border."""
        gap = inset * self.scale
        box = gap, gap, self.image.width - 1 - gap, self.image.height - 1 - gap
        self.draw.rounded_rectangle(box, radius=(corner - inset) * self.scale, fill=255)

    def shrunk(self) -> Image.Image:
        return self.image.reduce(self.fine)


def _rows(polygon: list[Point]) -> dict[int, list[int]]:
    """For each row of pixels, the pixel edges where its middle enters and leaves the polygon."""
    rows: dict[int, list[int]] = {}
    for one, other in pairwise([*polygon, polygon[0]]):
        (x0, y0), (x1, y1) = sorted((one, other), key=itemgetter(1))
        for row in range(math.ceil(y0 - 0.5), math.ceil(y1 - 0.5)):
            x = x0 + (x1 - x0) * (row + 0.5 - y0) / (y1 - y0)
            rows.setdefault(row, []).append(math.floor(x + 0.5))
    for xs in rows.values():
        xs.sort()
    return rows


@lru_cache(maxsize=8)
def _paper_mask(size: tuple[int, int], inset: float) -> Image.Image:
    canvas = Canvas(size)
    canvas.fill_tile(shapes.CORNER, inset)
    return canvas.shrunk()


@lru_cache(maxsize=64)
def _symbol_mask(size: tuple[int, int], number: int, shape: Shape, shading: Shading) -> Image.Image:
    canvas = Canvas(size)
    for place in shapes.symbol_places(number):
        draw_symbol(canvas, shape, shading, place)
    return canvas.shrunk()


@lru_cache(maxsize=8)
def _mark_mask(size: tuple[int, int], color: Color) -> Image.Image:
    canvas = Canvas(size)
    for path in shapes.mark_paths(color):
        canvas.fill(path.polygon())
    return canvas.shrunk()


def draw_symbol(canvas: Canvas, shape: Shape, shading: Shading, at: Point) -> None:
    """Draw one symbol, centered on a point."""
    canvas.fill(shapes.outer(shape), at=at)
    if shading is Shading.SOLID:
        return
    tone, stripe = _stripe_tones(canvas) if shading is Shading.STRIPED else (0.0, 0.0)
    canvas.fill(shapes.inner(shape), tone, at)
    if stripe > tone:
        for y, left, right in shapes.stripe_lines(shape):
            top, bottom = y - shapes.STRIPE / 2, y + shapes.STRIPE / 2
            canvas.fill(((left, top), (right, top), (right, bottom), (left, bottom)), stripe, at)


def _stripe_tones(canvas: Canvas) -> tuple[float, float]:
    """The tones of background and stripes; where pixels can't resolve the stripes, both blend into their mean."""
    pitch = shapes.STRIPE_PITCH * canvas.scale / canvas.fine
    clear = min(1.0, max(0.0, (pitch - _TONE_BELOW) / (_STRIPES_FROM - _TONE_BELOW)))
    ground = shapes.STRIPE / shapes.STRIPE_PITCH * (1 - clear)
    return ground, ground + clear
