"""A line of text on paper: how wide it is, how large it can be, and whether our fonts have its letters."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass
from functools import cache

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

from core.printing.shaping import BOLD, EM, FALLBACKS, FOLDER, MARKS_AND_JOINERS, REGULAR, has_letters, shaped

_FROM_RIGHT = {"R", "AL", "AN"}


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line as it's drawn: as text where each letter is a glyph of one font, as outlines where it takes more."""

    text: str
    size: float
    width: float
    font: str = ""
    outline: str = ""
    """In thousandths of the size, on the base line from (0, 0) on; y grows downwards."""
    spacing: float = 0
    """Between the letters of plain text."""


def fitted(
    text: str, size: float, *, is_bold: bool = False, room: float = math.inf, spacing: float = 0
) -> TextLine | None:
    """The line at this size, or smaller where it has no room; None where no font of ours has its letters."""
    text = unicodedata.normalize("NFC", text)
    first = BOLD if is_bold else REGULAR
    font, outline = _plain_font(text, first) or "", ""
    if font:
        width = pdfmetrics.stringWidth(text, _registered(font), size) + spacing * max(0, len(text) - 1)
    else:
        found = shaped(text, first)
        if found is None:
            return None
        width, outline = found.width * size / EM, found.outline
    scale = min(1.0, room / width) if width else 1.0
    return TextLine(text, size * scale, width * scale, font, outline, spacing * scale)


def is_printable(text: str) -> bool:
    """Whether our fonts have all of its letters."""
    text = unicodedata.normalize("NFC", text)
    return _plain_font(text, REGULAR) is not None or shaped(text, REGULAR) is not None


def _plain_font(text: str, first: str) -> str | None:
    """The font that a reader of PDFs can draw the text with by itself, a glyph for each letter from left to right."""
    if any(_needs_shaping(letter) for letter in text):
        return None
    # Reportlab embeds TrueType only.
    fonts = (font for font in (first, *FALLBACKS) if font.endswith(".ttf"))
    return next((font for font in fonts if has_letters(font, text)), None)


def _needs_shaping(letter: str) -> bool:
    return unicodedata.category(letter) in MARKS_AND_JOINERS or unicodedata.bidirectional(letter) in _FROM_RIGHT


@cache
def _registered(font: str) -> str:
    pdfmetrics.registerFont(TTFont(font, str(FOLDER / font), shapable=False))
    return font
