"""Lines of text on paper: their width, the size that fits, and whether our fonts have their letters."""

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
    """A line ready to draw: as text if one font has a glyph for each letter, otherwise as outlines."""

    text: str
    size: float
    width: float
    font: str = ""
    outline: str = ""
    """In thousandths of the size, from (0, 0) on the baseline; y points downwards."""
    spacing: float = 0
    """Between the letters of plain text."""


def fitted(
    text: str, size: float, *, is_bold: bool = False, room: float = math.inf, spacing: float = 0
) -> TextLine | None:
    """Lay out a line at this size, or smaller if it doesn't fit; None if none of our fonts has its letters."""
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
    """The font with which a PDF viewer can draw the text itself, one glyph per letter from left to right."""
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
