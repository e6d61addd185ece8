"""Text shaping: which font has a text's letters, which glyphs they become, and where each is drawn.

HarfBuzz joins and stacks the letters of a run; the Unicode bidirectional algorithm orders the runs. The fonts cover
names from all over the world (`fonts/`, subset by `tools/print_fonts.py`). None is opened before a text needs it.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path

import uharfbuzz
from bidi import algorithm as bidi

from core.printing import paths

FOLDER = Path(__file__).parent / "fonts"
REGULAR, BOLD = "atkinson-hyperlegible-next-regular.ttf", "atkinson-hyperlegible-next-bold.ttf"
_SCRIPTS = (
    *("armenian", "georgian", "hebrew", "arabic", "devanagari", "bengali", "gurmukhi", "gujarati", "tamil", "telugu"),
    *("kannada", "malayalam", "sinhala", "thai", "lao", "khmer", "myanmar", "ethiopic"),
)
FALLBACKS = (
    "noto-sans-bold.ttf",
    *(f"noto-sans-{script}-bold.ttf" for script in _SCRIPTS),
    "noto-sans-cjk-bold.otf",
)
EM = 1000
"""Units per em in which glyphs are placed and outlined."""
MARKS_AND_JOINERS = {"Mn", "Mc", "Me", "Cf"}
"""Unicode categories of characters that belong to the letter before them."""


@dataclass(frozen=True, slots=True)
class Glyph:
    font: str
    number: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class ShapedText:
    glyphs: tuple[Glyph, ...]
    """From left to right."""
    width: float

    @property
    def outline(self) -> str:
        """All glyphs as one path that starts at (0, 0) on the baseline; y points downwards."""
        return paths.text_of(
            [
                (letter, tuple((glyph.x + x, -glyph.y - y) for x, y in points))
                for glyph in self.glyphs
                for letter, points in _outline(glyph.font, glyph.number)
            ]
        )


@dataclass(frozen=True, slots=True)
class _Run:
    """Letters of one font and one direction."""

    text: str
    font: str
    level: int
    """Embedding level of the bidirectional algorithm; odd is right to left."""


def has_letters(font: str, text: str) -> bool:
    return all(_font(font).get_nominal_glyph(ord(letter)) for letter in text)


def shaped(text: str, first: str) -> ShapedText | None:
    """Shape a text in this font, with others for letters it lacks; None if none of our fonts has them."""
    fonts = _fonts_of(text, first)
    if fonts is None:
        return None
    glyphs: list[Glyph] = []
    left = 0.0
    for run in _in_drawn_order(_runs(text, fonts)):
        left = _shape(run, left, glyphs)
    return ShapedText(tuple(glyphs), left) if all(glyph.number for glyph in glyphs) else None


def _fonts_of(text: str, first: str) -> list[str] | None:
    """A font for each letter: the first that has it together with its marks."""
    fonts: list[str] = []
    for cluster in _clusters(text):
        drawn = "".join(letter for letter in cluster if not _is_unseen(letter))
        found = next((font for font in (first, *FALLBACKS) if has_letters(font, drawn)), None)
        if found is None:
            return None
        fonts += [found] * len(cluster)
    return fonts


def _is_unseen(letter: str) -> bool:
    """Whether it's a joiner, a direction mark or a variation selector; a font needn't have a glyph for these."""
    return unicodedata.category(letter) == "Cf" or "VARIATION SELECTOR" in unicodedata.name(letter, "")


def _clusters(text: str) -> list[str]:
    """Split a text into letters, each with its marks and joiners."""
    clusters: list[str] = []
    for letter in text:
        if clusters and unicodedata.category(letter) in MARKS_AND_JOINERS:
            clusters[-1] += letter
        else:
            clusters.append(letter)
    return clusters


def _runs(text: str, fonts: list[str]) -> list[_Run]:
    letters = zip(text, fonts, _levels(text), strict=True)
    return [
        _Run("".join(letter for letter, _font, _level in group), font, level)
        for (font, level), group in groupby(letters, key=lambda each: each[1:])
    ]


def _levels(text: str) -> list[int]:
    """The bidirectional embedding level of each letter."""
    storage = bidi.get_empty_storage()
    storage["base_level"] = bidi.get_base_level(text)
    storage["base_dir"] = "LR"[storage["base_level"]]
    bidi.get_embedding_levels(text, storage)
    letters = list(storage["chars"])
    bidi.explicit_embed_and_overrides(storage)
    bidi.resolve_weak_types(storage, debug=False)
    bidi.resolve_neutral_types(storage, debug=False)
    bidi.resolve_implicit_levels(storage, debug=False)
    levels: list[int] = []
    for letter in letters:
        # Joiners have no level of their own and mustn't separate their letters.
        is_joiner = letter["orig"] == "BN" and levels
        levels.append(levels[-1] if is_joiner else letter["level"])
    return levels


def _in_drawn_order(runs: list[_Run]) -> list[_Run]:
    """Rule L2 of the bidirectional algorithm: reverse runs at each level or deeper, starting with the deepest."""
    for level in range(max((run.level for run in runs), default=0), 0, -1):
        turned: list[_Run] = []
        for is_deep, group in groupby(runs, key=lambda run: run.level >= level):
            part = list(group)
            turned += part[::-1] if is_deep else part
        runs = turned
    return runs


def _shape(run: _Run, left: float, glyphs: list[Glyph]) -> float:
    """Append the glyphs of a run that starts at `left`, and return where it ends."""
    font = _font(run.font)
    buffer = uharfbuzz.Buffer()
    buffer.add_str(run.text)
    buffer.direction = "rtl" if run.level % 2 else "ltr"
    # Independent of the machine's locale.
    buffer.language = "en"
    buffer.guess_segment_properties()
    uharfbuzz.shape(font, buffer)
    scale = EM / font.face.upem
    for info, place in zip(buffer.glyph_infos, buffer.glyph_positions, strict=True):
        glyphs.append(Glyph(run.font, info.codepoint, left + place.x_offset * scale, place.y_offset * scale))
        left += place.x_advance * scale
    return left


@lru_cache(maxsize=512)
def _outline(font: str, glyph: int) -> list[paths.Step]:
    scale = EM / _font(font).face.upem
    found: list[paths.Step] = []

    def note(letter: str, *numbers: float) -> None:
        xs, ys = numbers[::2], numbers[1::2]
        found.append((letter, tuple((x * scale, y * scale) for x, y in zip(xs, ys, strict=True))))

    pen = uharfbuzz.DrawFuncs()
    pen.set_move_to_func(lambda x, y, _data: note("M", x, y))
    pen.set_line_to_func(lambda x, y, _data: note("L", x, y))
    pen.set_quadratic_to_func(lambda a, b, x, y, _data: note("Q", a, b, x, y))
    pen.set_cubic_to_func(lambda a, b, c, d, x, y, _data: note("C", a, b, c, d, x, y))
    pen.set_close_path_func(lambda _data: note("Z"))
    _font(font).draw_glyph(glyph, pen)
    return found


@cache
def _font(name: str) -> uharfbuzz.Font:
    return uharfbuzz.Font(uharfbuzz.Face(uharfbuzz.Blob.from_file_path(str(FOLDER / name))))
