"""Words on paper: which of our fonts has their letters, the order in which they are drawn, and how large."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

REGULAR, BOLD, WIDE = "Atkinson", "Atkinson Bold", "DejaVu Bold"
_FILES = {
    REGULAR: "atkinson-hyperlegible-next-regular.ttf",
    BOLD: "atkinson-hyperlegible-next-bold.ttf",
    # Greek, Cyrillic, Hebrew, Arabic, and more of Latin.
    WIDE: "dejavu-sans-bold.ttf",
}
_FONTS = Path(__file__).resolve().parents[2] / "static" / "fonts"
_JOINING_FORMS = (*range(0xFB50, 0xFC00), *range(0xFE80, 0xFEFD))


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of text as it is drawn."""

    letters: str
    font: str
    size: float
    width: float


def fitted(text: str, size: float, *, font: str = REGULAR, room: float = math.inf) -> TextLine | None:
    """The line at this size, or smaller where it has no room; None where no font of ours has its letters."""
    found, letters = font_for(text, font), in_drawn_order(text)
    if found is None or letters is None:
        return None
    width = pdfmetrics.stringWidth(letters, found, size)
    scale = min(1.0, room / width) if width else 1.0
    return TextLine(letters, found, size * scale, width * scale)


def font_for(text: str, first: str = BOLD) -> str | None:
    """The font that has every letter of a text, preferably this one; None where no font of ours has."""
    letters = in_drawn_order(text)
    if letters is None:
        return None
    return next((name for name in (first, WIDE) if all(ord(letter) in _letters(name) for letter in letters)), None)


def in_drawn_order(text: str) -> str | None:
    """From left to right as it is drawn; None for marks on letters that we cannot place."""
    text = unicodedata.normalize("NFC", text)
    if any(unicodedata.category(letter) in {"Mn", "Mc", "Me"} for letter in text):
        return None
    if not any(_is_from_right(letter) for letter in text):
        return text
    # Words go from the right; what is written from the left, such as a number, keeps its own order.
    words = [_joined(word)[::-1] if any(map(_is_from_right, word)) else word for word in text.split(" ")]
    return " ".join(reversed(words))


def _is_from_right(letter: str) -> bool:
    return unicodedata.bidirectional(letter) in {"R", "AL"}


def _joined(word: str) -> str:
    """Arabic letters in the forms that they have next to each other."""
    forms = _forms()
    letters: list[str] = []
    for letter in word:
        if letters and letters[-1] + letter in forms:
            letters[-1] += letter
        else:
            letters.append(letter)
    joins = [
        "<initial>" in forms.get(one, {}) and "<final>" in forms.get(other, {}) for one, other in pairwise(letters)
    ]
    drawn = []
    for letter, before, after in zip(letters, [False, *joins], [*joins, False], strict=True):
        form = {(True, True): "<medial>", (True, False): "<final>", (False, True): "<initial>"}.get(
            (before, after), "<isolated>"
        )
        drawn.append(forms.get(letter, {}).get(form, letter))
    return "".join(drawn)


@cache
def _forms() -> dict[str, dict[str, str]]:
    """What Unicode knows: the forms of each Arabic letter, and of lam with alef, which are drawn as one."""
    found: dict[str, dict[str, str]] = {}
    for number in _JOINING_FORMS:
        form, *parts = unicodedata.decomposition(chr(number)).split() or [""]
        if form in {"<initial>", "<medial>", "<final>", "<isolated>"}:
            found.setdefault("".join(chr(int(part, 16)) for part in parts), {})[form] = chr(number)
    return found


@cache
def _letters(name: str) -> frozenset[int]:
    return frozenset(_font(name).face.charToGlyph)


@cache
def _font(name: str) -> TTFont:
    font = TTFont(name, str(_FONTS / _FILES[name]))
    pdfmetrics.registerFont(font)
    return font


def prepare() -> None:
    """Make the fonts known to what draws."""
    for name in _FILES:
        _font(name)
