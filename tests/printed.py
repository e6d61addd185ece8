"""Read printed pages back, like a scanner and a human reader would."""

from __future__ import annotations

from functools import cache

import numpy as np
import pypdfium2
import pypdfium2.raw
import zxingcpp
from PIL import Image

from core.printing.page import Page
from games.art.palettes import Palette
from games.art.raster import card_image
from games.printing.cards import Face
from games.rules.cards import FULL_DECK, Card

SCALE = 2.5
_WIDTH, _HEIGHT = 60, 40
_FAR = 30.0
"""The largest average pixel difference at which a card still counts as recognized."""


def sheets(pdf: bytes) -> list[Image.Image]:
    with pypdfium2.PdfDocument(pdf) as document:
        return [document[number].render(scale=SCALE).to_pil().convert("RGB") for number in range(len(document))]


def first_sheet(pdf: bytes, dots_per_inch: int) -> Image.Image:
    with pypdfium2.PdfDocument(pdf) as document:
        return document[0].render(scale=dots_per_inch / 72).to_pil().convert("L")


def sizes(pdf: bytes) -> list[tuple[int, int]]:
    with pypdfium2.PdfDocument(pdf) as document:
        return [tuple(map(round, document[number].get_size())) for number in range(len(document))]


def texts(pdf: bytes) -> list[str]:
    with pypdfium2.PdfDocument(pdf) as document:
        return [document[number].get_textpage().get_text_bounded() for number in range(len(document))]


def pictures_in(pdf: bytes) -> int:
    """Count the raster images in a PDF; vector shapes and text don't count."""
    kind = pypdfium2.raw.FPDF_PAGEOBJ_IMAGE
    with pypdfium2.PdfDocument(pdf) as document:
        return sum(len(list(document[number].get_objects(filter=[kind]))) for number in range(len(document)))


def scanned(picture: Image.Image) -> list[str]:
    return [code.text for code in zxingcpp.read_barcodes(picture, formats=zxingcpp.BarcodeFormat.QRCode)]


def cut_out(picture: Image.Image, x: float, y: float, width: float, height: float) -> Image.Image:
    """Crop an area of the page, given in points from the lower left."""
    scale, top = SCALE, picture.height
    return picture.crop(
        (round(x * scale), round(top - (y + height) * scale), round((x + width) * scale), round(top - y * scale))
    )


def read_card(picture: Image.Image, x: float, y: float, width: float, palette: Palette) -> Card | None:
    """The card at a place, or None."""
    seen = _pixels(cut_out(picture, x, y, width, width * 2 / 3))
    if seen.min() > 225:
        return None
    far = np.abs(_drawings(palette.name, palette.marks) - seen).mean(axis=(1, 2, 3))
    assert far.min() < _FAR
    return FULL_DECK[int(far.argmin())]


def cards_on(page: Page, picture: Image.Image) -> list[Card | None]:
    """The cards printed where the layout has cards."""
    faces = [item for item in page.items if isinstance(item, Face)]
    return [read_card(picture, face.x, face.y, face.width, face.palette) for face in faces]


@cache
def _drawings(palette: str, marks: bool) -> np.ndarray:
    return np.stack([_pixels(_on_white(card_image(card, 240, palette, marks=marks))) for card in FULL_DECK])


def _on_white(picture: Image.Image) -> Image.Image:
    ground = Image.new("RGBA", picture.size, "white")
    return Image.alpha_composite(ground, picture).convert("RGB")


def _pixels(picture: Image.Image) -> np.ndarray:
    return np.asarray(picture.resize((_WIDTH, _HEIGHT), Image.Resampling.BOX), dtype=np.float32)
