"""Pictures of many cards: the contact sheet, the palettes as color-blind eyes see them, and the README's table."""

from __future__ import annotations

from collections.abc import Iterable

from PIL import Image, ImageDraw, ImageFilter, ImageFont

from games.art.palettes import PALETTES, STANDARD, Palette, palette_named
from games.art.raster import card_image
from games.art.shapes import CARD_HEIGHT, CARD_WIDTH
from games.art.vision import Sight
from games.rules.cards import FULL_DECK, Card, Color, Number, Shading, Shape

GROUND, INK, QUIET_INK = "#f7f1e6", "#2b2620", "#6f665a"
_BESIDE, _GAP, _GROUP_GAP = 0.6, 0.08, 0.26  # in card widths

# Four of each number, color, shading, and shape, with neighbors as different as possible, and two SETs to find.
_TABLE = (40, 26, 57, 37, 74, 33, 19, 62, 12, 73, 32, 15)
_TILTS = (-1.2, 0.7, -0.5, 1.1, 0.9, -0.8, 0.6, -1.0, -0.6, 1.2, -0.9, 0.5)


def contact_sheet(palette: Palette | str = STANDARD, width: int = 1600, *, marks: bool | None = None) -> Image.Image:
    """All 81 cards: a column for each shading and shape, a row for each color and number."""
    palette = palette_named(palette) if isinstance(palette, str) else palette
    card = int(width / (2 * _BESIDE + 9 + 6 * _GAP + 2 * _GROUP_GAP))
    high = round(card * CARD_HEIGHT / CARD_WIDTH)
    left, top = round(_BESIDE * card), round(1.05 * card)
    image = Image.new("RGB", (width, top + 9 * high + _offset(8, card) + round(0.5 * card)), GROUND)
    draw = ImageDraw.Draw(image)
    draw.text((left, 0.42 * card), f"{palette.title}: all 81 cards", INK, label_font(0.26 * card), "lm")
    for i, shading in enumerate(Shading):
        middle = left + (3 * i + 1) * card + _offset(3 * i + 1, card) + card / 2
        draw.text((middle, top - 0.17 * card), shading.value, QUIET_INK, label_font(0.15 * card), "mm")
    for i, color in enumerate(Color):
        middle = top + (3 * i + 1) * high + _offset(3 * i + 1, card) + high / 2
        draw.text((left / 2, middle), color.value, QUIET_INK, label_font(0.15 * card), "mm")
    for one in FULL_DECK:
        column = 3 * list(Shading).index(one.shading) + list(Shape).index(one.shape)
        row = 3 * list(Color).index(one.color) + one.number - 1
        place = left + column * card + _offset(column, card), top + row * high + _offset(row, card)
        _paste(image, card_image(one, card, palette, marks=marks), place)
    return image


def _offset(steps: int, card: int) -> int:
    """The total width of the gaps before a column or row."""
    return round(card * (steps * _GAP + steps // 3 * (_GROUP_GAP - _GAP)))


def simulated_sheet() -> Image.Image:
    """Each palette at three sizes, as each kind of eyes sees it."""
    cell, left, top = (368, 212), 40, 96
    image = Image.new("RGB", (left + 4 * cell[0], top + len(PALETTES) * cell[1]), GROUND)
    draw = ImageDraw.Draw(image)
    for column, sight in enumerate(Sight):
        title = "usual sight" if sight is Sight.USUAL else f"{sight}, simulated"
        draw.text((left + column * cell[0], 46), title, INK, label_font(22), "lm")
        for row, palette in enumerate(PALETTES.values()):
            x, y = left + column * cell[0], top + row * cell[1]
            draw.text((x, y), palette.title, QUIET_INK, label_font(17), "lm")
            for dx, dy, picture in _samples(palette.seen_with(sight)):
                _paste(image, picture, (x + dx, y + 18 + dy))
    return image


def _samples(palette: Palette) -> Iterable[tuple[int, int, Image.Image]]:
    for i, color in enumerate(Color):
        yield i * 108, 0, card_image(Card(Number.TWO, color, Shading.STRIPED, Shape.SQUIGGLE), 100, palette)
        yield i * 70, 76, card_image(Card(Number.THREE, color, Shading.OUTLINED, Shape.DIAMOND), 64, palette)
        yield 212 + i * 36, 76, card_image(Card(Number.ONE, color, Shading.SOLID, Shape.OVAL), 32, palette)
        yield i * 70, 128, card_image(Card(Number.ONE, color, Shading.STRIPED, Shape.OVAL), 64, palette)
        yield 212 + i * 36, 128, card_image(Card(Number.THREE, color, Shading.STRIPED, Shape.DIAMOND), 32, palette)


def table_picture(width: int = 1200, palette: Palette | str = STANDARD) -> Image.Image:
    """Twelve cards in four columns and three rows, tilted as if dealt by hand."""
    height = round(width * 8 / 15)
    card = round(width * 0.2)
    across, down = round(card * 1.135), round(card * 0.8)
    left, top = (width - 3 * across) / 2, (height - 2 * down) / 2
    image = Image.new("RGB", (width, height), GROUND)
    for i, index in enumerate(_TABLE):
        picture = _tilted(card_image(Card.from_index(index), 3 * card, palette), _TILTS[i], card)
        middle = left + i % 4 * across, top + i // 4 * down
        corner = round(middle[0] - picture.width / 2), round(middle[1] - picture.height / 2)
        for drop, blur, depth in ((0.045, 0.045, 0.2), (0.012, 0.01, 0.22)):
            _shade(image, picture, (corner[0], corner[1] + round(drop * card)), blur * card, depth)
        _paste(image, picture, corner)
    return image


def _tilted(picture: Image.Image, degrees: float, width: int) -> Image.Image:
    """The picture rotated by a few degrees, with room for its shadow, and shrunk to `width`."""
    margin = picture.width // 6
    roomy = Image.new("RGBA", (picture.width + 2 * margin, picture.height + 2 * margin), (255, 255, 255, 0))
    roomy.paste(picture, (margin, margin))
    turned = roomy.rotate(degrees, Image.Resampling.BICUBIC)
    scale = width / picture.width
    return turned.resize((round(turned.width * scale), round(turned.height * scale)), Image.Resampling.LANCZOS)


def _shade(image: Image.Image, picture: Image.Image, at: tuple[int, int], blur: float, depth: float) -> None:
    shadow = picture.getchannel("A").filter(ImageFilter.GaussianBlur(blur)).point(lambda alpha: alpha * depth)
    image.paste("#4a3418", (*at, at[0] + picture.width, at[1] + picture.height), shadow)


def _paste(image: Image.Image, picture: Image.Image, at: tuple[int, int]) -> None:
    image.paste(picture, at, picture)


def label_font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(round(size))
