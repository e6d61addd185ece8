"""Printed text: the right glyphs in the right order in any script, and a clear answer if there are none."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from core.offload import Offload
from core.printing import shaping
from core.printing.page import Anchor, Page, Text
from core.printing.pdf import pages_pdf
from core.printing.preview import page_svg
from core.printing.shaping import BOLD, FALLBACKS, FOLDER, REGULAR, Glyph, shaped
from core.printing.text import fitted, is_printable
from tests.printed import sheets, texts

ROOT = Path(__file__).resolve().parents[2]
ZWNJ = "\u200c"
NAMES = {
    "arabic": ["محمد علي", "علی رضا", "فاطمة الزهراء", "پریسا", "شہزاد"],
    "hebrew": ["יוסף כהן", "נועה", "שָׁלוֹם"],
    "devanagari": ["अमित क्षत्रिय", "श्रीकृष्ण", "ऋतु"],
    "bengali": ["শ্রীময়ী", "রবীন্দ্রনাথ"],
    "tamil": ["தமிழ்ச்செல்வி"],
    "thai": ["สมชาย", "น้ำทิพย์", "ณัฐวุฒิ"],
    "khmer": ["កញ្ញា"],
    "ethiopic": ["ናርዶስ"],
    "simplified chinese": ["李小龙", "王玥", "张喆", "陈婳", "刘翀"],
    "traditional chinese": ["陳黃國臺", "龍鳳"],
    "japanese": ["さくら", "山﨑", "髙橋", "ケンジ", "佐々木", "山田\u3000花子", "葛\U000e0100城"],
    "korean": ["김민준", "이서연", "최현우"],
    "latin": ["Ọlá", "M̃ẹ́", "Nguyễn Thị", "Łukasz Żółć"],
}


def glyphs(text: str) -> tuple[Glyph, ...]:
    found = shaped(text, BOLD)
    assert found is not None
    return found.glyphs


def nominal(font: str, letters: str) -> list[int]:
    """The glyphs of letters on their own."""
    return [shaping._font(font).get_nominal_glyph(ord(letter)) for letter in letters]


def noto(script: str) -> str:
    return f"noto-sans-{script}-bold.ttf"


def numbers(text: str) -> list[int]:
    return [glyph.number for glyph in glyphs(text)]


@pytest.mark.parametrize("name", [name for names in NAMES.values() for name in names])
def test_names_from_all_over_the_world_have_glyphs(name):
    assert is_printable(name)
    found = shaped(name, REGULAR)
    assert found is not None
    assert all(glyph.number for glyph in found.glyphs)
    assert found.width > 0


@pytest.mark.parametrize("text", ["🙂", "ᏣᎳᎩ", "Ana 🙂", "\ue000", "\U0002a700"])
def test_text_that_no_font_has_is_no_line_and_never_a_box(text):
    assert fitted(text, 12) is None
    assert not is_printable(text)
    page = Page(size=(200, 50), items=(Text(text=text, x=10, y=10, size=20),))
    (picture,) = sheets(pages_pdf([page], title="x"))
    assert picture.getextrema() == ((255, 255),) * 3


def test_hebrew_is_drawn_from_the_right_and_its_numbers_from_the_left():
    hebrew = noto("hebrew")
    assert numbers("דן") == nominal(hebrew, "ןד")
    found = [(glyph.font, glyph.number) for glyph in glyphs("דן 25")]
    assert [number for font, number in found if font == hebrew][-2:] == nominal(hebrew, "ןד")
    assert [number for _font, number in found[:2]] == nominal(found[0][0], "25")
    assert [glyph.x for glyph in glyphs("דן 25")] == sorted(glyph.x for glyph in glyphs("דן 25"))


def test_hebrew_points_stay_with_their_letter():
    pointed, plain = shaped("שָׁ", BOLD), shaped("ש", BOLD)
    assert pointed.glyphs != plain.glyphs
    assert pointed.width == pytest.approx(plain.width)


def test_arabic_letters_join():
    alone = nominal(noto("arabic"), "سلام")
    drawn = numbers("سلام")
    # Lam with alef is one glyph; meem comes first visually and isn't joined after alef.
    assert len(drawn) == 3
    assert drawn[0] == alone[3]
    assert drawn[-1] != alone[0]
    # Dal never joins the next letter.
    assert numbers("دب") == nominal(noto("arabic"), "بد")


def test_a_joiner_of_no_width_keeps_letters_apart():
    apart = glyphs(f"علی{ZWNJ}رضا")
    yeh_at_the_end = numbers("علی")[0]
    assert yeh_at_the_end in [glyph.number for glyph in apart]
    assert yeh_at_the_end not in numbers("علیرضا")
    assert {glyph.font for glyph in apart} == {noto("arabic")}


def test_latin_within_arabic_keeps_its_order_and_its_parentheses_stay_around_it():
    arabic, latin = noto("arabic"), nominal(BOLD, "(Ali) ")
    found = [(glyph.font, glyph.number) for glyph in glyphs("محمد (Ali)")]
    # The text runs right to left, so the parentheses swap places and are mirrored.
    assert found[:6] == [(BOLD, number) for number in latin]
    assert {font for font, _number in found[6:]} == {arabic}
    assert [number for _font, number in found[6:]] == numbers("محمد")
    turned = [glyph.font for glyph in glyphs("Ali محمد")]
    assert turned == [BOLD] * 4 + [arabic] * 4


def test_devanagari_vowels_and_conjuncts_are_shaped():
    devanagari = noto("devanagari")
    (ka,) = nominal(devanagari, "क")
    drawn = numbers("कि")
    # The short i is typed after its consonant and drawn before it.
    assert drawn[-1] == ka
    assert drawn[0] != ka
    assert len(numbers("क्ष")) == 1


def test_thai_marks_stand_above_their_letter():
    base, *marks = glyphs("ที่")
    assert base.number == nominal(noto("thai"), "ท")[0]
    assert len(marks) == 2
    assert shaped("ที่", BOLD).width == pytest.approx(shaped("ท", BOLD).width)


@pytest.mark.parametrize("name", ["李小龙", "さくら", "김민준"])
def test_east_asian_characters_are_drawn_one_after_another(name):
    cjk = FALLBACKS[-1]
    assert numbers(name) == nominal(cjk, name)
    assert len({glyph.x for glyph in glyphs(name)}) == 3


def test_a_composed_and_a_decomposed_name_are_the_same_line():
    assert fitted("Zoe\u0308", 12) == fitted("Zo\u00eb", 12)
    assert fitted("\u1100\u1161", 12) == fitted("가", 12)


def test_a_name_of_several_scripts_takes_a_font_for_each():
    fonts = [glyph.font for glyph in glyphs("Ana 李 دان")]
    assert set(fonts) == {BOLD, FALLBACKS[-1], noto("arabic")}


@pytest.mark.parametrize("name", ["李小龙", "محمد علي", "अमित"])
def test_a_shaped_line_is_made_smaller_until_it_fits(name):
    line, whole = fitted(name, 40, room=30), fitted(name, 40)
    assert line.width == pytest.approx(30)
    assert line.size == pytest.approx(40 * 30 / whole.width)


@pytest.mark.parametrize("anchor", list(Anchor))
@pytest.mark.parametrize("name", ["李小龙", "محمد", "สมชาย น้ำทิพย์", "Mia", "BCDF23XYZ"])
def test_ink_is_where_the_layout_has_the_line(name, anchor):
    text = Text(text=name, x=150, y=30, size=24, bold=True, anchor=anchor, spacing=1.5 if name.isascii() else 0)
    (picture,) = sheets(pages_pdf([Page(size=(300, 80), items=(text,))], title="x"))
    columns = np.flatnonzero((np.asarray(picture.convert("L")) < 128).any(axis=0)) * 300 / picture.width
    left, line = text.left(text.line), text.line
    assert columns.min() == pytest.approx(left, abs=4)
    assert columns.max() == pytest.approx(left + line.width, abs=4)


def test_what_is_shown_before_printing_has_the_same_outlines():
    page = Page(size=(300, 80), items=(Text(text="李小龙", x=150, y=30, size=24),))
    assert fitted("李小龙", 24).outline in page_svg(page, "Page 1 of 1")


@pytest.mark.parametrize("name", ["Mia", "Мария", "Παπαδόπουλος", "Նարեկ", "ნინო", "คน"])
def test_plain_letters_are_text_that_can_be_searched(name):
    page = Page(size=(300, 80), items=(Text(text=name, x=10, y=30, size=24),))
    assert name in texts(pages_pdf([page], title="x"))[0]


def test_pages_are_the_same_bytes_whatever_was_printed_before():
    pages = [Page(size=(300, 80), items=(Text(text="محمد Nguyễn", x=10, y=30, size=24),))]
    once = pages_pdf(pages, title="x")
    pages_pdf([Page(size=(300, 80), items=(Text(text="علی अमित Żółć", x=10, y=30, size=24),))], title="y")
    assert pages_pdf(pages, title="x") == once


def test_every_font_is_used_and_has_its_license_beside_it():
    files = {path.name for path in FOLDER.iterdir()}
    assert files == {REGULAR, BOLD, *FALLBACKS, "LICENSE.txt"}
    assert "SIL OPEN FONT LICENSE" in (FOLDER / "LICENSE.txt").read_text(encoding="utf-8")


READ = """
from core.offload import Offload
from core.printing import shaping
from core.printing.text import fitted
from pathlib import Path

def opened():
    return {Path(line.split()[-1]).name for line in open("/proc/self/maps") if line.rstrip().endswith((".ttf", ".otf"))}

assert not opened(), opened()
fitted("Mia Okafor", 12)
assert shaping._font.cache_info().currsize == 1
fitted("李小龙", 12)
assert shaping._font.cache_info().currsize > 10
"""


def test_fonts_are_read_when_a_text_needs_them():
    subprocess.run([sys.executable, "-c", READ], cwd=ROOT, check=True, timeout=60)


def printed_names(names: list[str]) -> tuple[bytes, float]:
    """A page with all these names, and the megabytes needed to make it."""
    before = _megabytes()
    lines = tuple(Text(text=name, x=10, y=10 + 20 * place, size=12) for place, name in enumerate(names))
    return pages_pdf([Page(size=(300, 20 * len(names)), items=lines)], title="x"), _megabytes() - before


def _megabytes() -> float:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(re.search(r"VmPeak:\s+(\d+) kB", status)[1]) / 1000


def test_the_fonts_of_every_script_fit_into_the_memory_of_a_child():
    offload = Offload()
    offload.start(children=1)
    try:
        pdf, megabytes = offload(printed_names, [name for names in NAMES.values() for name in names])
    finally:
        offload.stop()
    assert pdf.startswith(b"%PDF")
    assert megabytes < 60
