"""The tokens of the stylesheet: what is read on what has enough contrast in all three themes."""

from __future__ import annotations

import re

import pytest
from django.conf import settings

THEMES = ("light", "dark", "contrast")
TEXT, LARGE = 4.5, 3.0
"""The least contrast of text, and of large text, icons and edges (WCAG 2.2 AA)."""

READ_ON = [
    *((ink, paper, TEXT) for ink in ("ink", "ink-soft", "accent") for paper in ("paper", "paper-2", "panel", "ground")),
    ("accent", "accent-soft", TEXT),
    ("accent-ink", "accent", TEXT),
    *((ink, felt, TEXT) for ink in ("on-felt", "on-felt-soft", "accent-bright", "joy") for felt in ("felt", "felt-2")),
    ("on-bright", "accent-bright", TEXT),
    ("on-joy", "joy", TEXT),
    ("joy-ink", "joy-soft", TEXT),
    ("ink", "joy-soft", TEXT),
    ("on-retry", "retry", TEXT),
    ("retry-ink", "retry-soft", TEXT),
    *(("line-strong", paper, LARGE) for paper in ("paper", "panel")),
    *(("felt-line", felt, LARGE) for felt in ("felt", "felt-2")),
    ("retry-strong", "retry-soft", LARGE),
    ("retry", "felt", LARGE),
    ("focus", "paper", LARGE),
]


def tokens(theme: str) -> dict[str, str]:
    """The colors of a theme, by name."""
    text = (settings.BASE_DIR / "static" / "css" / "tokens.css").read_text(encoding="utf-8")
    found = {}
    for name, value in re.findall(r"--([\w-]+):([^;{}]+);", text):
        themed = re.search(rf"var\(--{theme}, (#[0-9a-f]{{6}})\)", value)
        plain = re.fullmatch(r"\s*(#[0-9a-f]{6})", value)
        if themed or plain:
            found[name] = (themed or plain)[1]
    return found


def luminance(color: str) -> float:
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_what_is_read_on_what_has_contrast(theme):
    colors = tokens(theme)
    too_faint = {
        f"--{ink} on --{paper}: {found:.2f}"
        for ink, paper, least in READ_ON
        if (found := contrast(colors[ink], colors[paper])) < least
    }
    assert not too_faint


def test_every_color_has_a_value_in_every_theme():
    names = [set(tokens(theme)) for theme in THEMES]
    assert names[0] == names[1] == names[2]


def test_the_measure_is_that_of_the_guidelines():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
