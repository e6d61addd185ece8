"""Palettes: the intended eyes can tell every color from the others and from the paper."""

from itertools import combinations

import pytest

from games.art.palettes import PALETTES, STANDARD, UnknownPalette, palette_named
from games.art.vision import Sight, contrast, difference, lab, seen
from games.rules.cards import Color

FOR_COLOR_BLIND_EYES = [palette for palette in PALETTES.values() if palette.eyes is not Sight.USUAL]
COLORED = [palette for palette in PALETTES.values() if palette.name != "black-and-white"]

by_name = pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES.keys())
for_color_blind_eyes = pytest.mark.parametrize("palette", FOR_COLOR_BLIND_EYES, ids=lambda palette: palette.name)
colored = pytest.mark.parametrize("palette", COLORED, ids=lambda palette: palette.name)


def least_difference(palette):
    return min(difference(a, b) for a, b in combinations(palette.colors.values(), 2))


def least_step_in_lightness(palette):
    return min(abs(lab(a)[0] - lab(b)[0]) for a, b in combinations(palette.colors.values(), 2))


def test_there_is_a_palette_for_every_kind_of_eyes():
    assert {palette.eyes for palette in PALETTES.values()} == set(Sight)
    assert next(iter(PALETTES)) == STANDARD.name == "standard"


def test_an_unknown_palette_is_refused_by_name():
    with pytest.raises(UnknownPalette, match="no palette is called 'sepia'; there are standard, "):
        palette_named("sepia")


@by_name
def test_every_palette_paints_every_color(palette):
    assert palette_named(palette.name) is palette
    assert set(palette.colors) == set(Color)


@by_name
def test_every_color_stands_out_from_the_paper(palette):
    assert min(contrast(paint, palette.paper) for paint in palette.colors.values()) >= 3


@pytest.mark.parametrize("name", ["high-contrast", "black-and-white"])
def test_the_strong_palettes_have_the_contrast_of_text(name):
    palette = PALETTES[name]
    assert min(contrast(paint, palette.paper) for paint in palette.colors.values()) >= 4.5
    assert contrast(palette.edge, palette.paper) >= 3


@by_name
def test_the_paper_is_light_in_every_palette(palette):
    assert lab(palette.paper)[0] > 95


@colored
def test_colors_differ_in_hue_and_in_lightness_for_usual_eyes(palette):
    assert least_difference(palette) >= 75
    assert least_step_in_lightness(palette) >= 10


@for_color_blind_eyes
def test_colors_differ_for_the_eyes_that_the_palette_is_for(palette):
    assert least_difference(palette.seen_with(palette.eyes)) >= 30


@for_color_blind_eyes
def test_lightness_alone_tells_the_colors_apart(palette):
    assert least_step_in_lightness(palette) >= 12
    assert least_step_in_lightness(palette.seen_with(palette.eyes)) >= 12


@pytest.mark.parametrize("sight", [Sight.PROTANOPIA, Sight.DEUTERANOPIA])
def test_the_palette_made_for_eyes_serves_them_better_than_the_standard(sight):
    assert least_difference(PALETTES[sight].seen_with(sight)) > least_difference(STANDARD.seen_with(sight))


def test_without_color_the_marks_are_always_there():
    assert [palette.name for palette in PALETTES.values() if palette.marks] == ["black-and-white"]


@pytest.mark.parametrize("sight", Sight)
@pytest.mark.parametrize("gray", ["#000000", "#777777", "#ffffff"])
def test_gray_looks_gray_to_everybody(sight, gray):
    assert difference(seen(gray, sight), gray) < 1


def test_red_and_green_of_equal_lightness_look_alike_with_deuteranopia():
    red, green = "#b0602c", "#6b7d22"
    assert difference(red, green) > 45
    assert difference(seen(red, Sight.DEUTERANOPIA), seen(green, Sight.DEUTERANOPIA)) < 15


def test_the_measures_agree_with_known_values():
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert lab("#ffffff") == pytest.approx((100, 0, 0), abs=0.02)
    assert lab("#ff0000") == pytest.approx((53.24, 80.09, 67.20), abs=0.05)
    assert seen("#d55e00", Sight.USUAL) == "#d55e00"
