"""Cut the fonts in core/printing/fonts from Debian's Noto packages, keeping the letters that names need.

    apt-get download fonts-noto-core fonts-noto-cjk unicode-data   # then `dpkg-deb -x` each into one folder
    python -m tools.print_fonts FOLDER

Chinese characters: China's table of 2013 for general use, with the rarer ones of names (8,105), the international core
(IICore), everything in JIS X 0208, and the frequent half of Big5. Korean: the 2,350 syllables of KS X 1001.
"""

from __future__ import annotations

import bz2
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from fontTools import subset

OUT = Path(__file__).resolve().parents[1] / "core" / "printing" / "fonts"
NOTO, CJK = "usr/share/fonts/truetype/noto", "usr/share/fonts/opentype/noto/NotoSansCJK-Bold.ttc"
SIMPLIFIED = 2
"""Index of simplified Chinese in the font collection."""
SCRIPTS = [
    *("Hebrew", "Arabic", "Armenian", "Georgian", "Ethiopic", "Devanagari", "Bengali", "Gurmukhi", "Gujarati"),
    *("Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala", "Thai", "Lao", "Khmer", "Myanmar"),
]
EVERYTHING = range(0x20, 0x110000)
# Latin, Greek and Cyrillic with their diacritics, and the punctuation used in names.
EUROPE = [*range(0x20, 0x530), *range(0x1D00, 0x2070), 0x20AC, 0x2116, 0x2122, 0x2212]
# Kana, full-width letters, the marks between names, and characters used only in Japanese names.
MORE_EAST_ASIAN = [
    *(0xB7, 0x20B9F, 0x20BB7),
    *range(0x3000, 0x3008),
    *range(0x3041, 0x3100),
    *range(0xFA0E, 0xFA2A),
    *range(0xFF01, 0xFFA0),
]


def encoded(codec: str, rows: range) -> set[int]:
    """The characters in these rows of a national standard."""
    pairs = (bytes([row, cell]) for row in rows for cell in range(0x40, 0xFF))
    return {ord(text) for pair in pairs if (text := pair.decode(codec, "ignore")) >= "\u2e80"}


def east_asian(folder: Path) -> set[int]:
    wanted = {*MORE_EAST_ASIAN}
    for name, field in (("OtherMappings", "kTGH"), ("IRGSources", "kIICore")):
        text = bz2.decompress((folder / f"usr/share/unicode/Unihan_{name}.txt.bz2").read_bytes()).decode()
        wanted |= {int(number, 16) for number in re.findall(rf"^U\+(\w+)\t{field}\t", text, re.MULTILINE)}
    wanted |= encoded("euc_jp", range(0xB0, 0xF5)) | encoded("euc_kr", range(0xB0, 0xC9))
    return wanted | encoded("big5", range(0xA4, 0xC7))


def cut(source: Path, name: str, letters: Iterable[int], number: int = -1) -> None:
    options = subset.Options(font_number=number, hinting=False, notdef_outline=True, name_IDs=[*range(7), 13, 14])
    options.drop_tables += ["BASE", "VORG", "vhea", "vmtx"]  # only for vertical text
    font = subset.load_font(source, options)
    if number >= 0:
        # So many characters, spread so far apart, don't fit into the older table format.
        options.layout_features = []  # one glyph per character: other countries' variants would double the file
        font["cmap"].tables = [table for table in font["cmap"].tables if table.format == 12]  # noqa: PLR2004
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=letters)
    subsetter.subset(font)
    subset.save_font(font, OUT / name, options)


def main(folder: Path) -> None:
    cut(folder / NOTO / "NotoSans-Bold.ttf", "noto-sans-bold.ttf", EUROPE)
    for script in SCRIPTS:
        cut(folder / NOTO / f"NotoSans{script}-Bold.ttf", f"noto-sans-{script.lower()}-bold.ttf", EVERYTHING)
    cut(folder / CJK, "noto-sans-cjk-bold.otf", east_asian(folder), SIMPLIFIED)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
