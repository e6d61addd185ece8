"""Raster cards: each is distinct, clear when small, and clean when striped."""

from itertools import combinations

import numpy as np
import pytest

from games.art import shapes
from games.art.icons import app_icon
from games.art.palettes import PALETTES, UnknownPalette
from games.art.raster import card_image
from games.art.sheets import contact_sheet, simulated_sheet, table_picture
from games.rules.cards import FULL_DECK, Card, Color, Number, Shading, Shape


def ink_of(card, width, palette="high-contrast"):
    """The amount of ink in each pixel inside the border, from 0 to 1."""
    gray = np.asarray(card_image(card, width, palette, marks=False).convert("L"), dtype=float)
    border = max(2, width // 50)
    return (255 - gray[border:-border, border:-border]) / 255


@pytest.mark.parametrize("name", PALETTES)
def test_every_card_has_its_own_picture(name):
    assert len({card_image(card, 64, name).tobytes() for card in FULL_DECK}) == 81


@pytest.mark.parametrize("shading", Shading)
@pytest.mark.parametrize("number", Number)
@pytest.mark.parametrize("width", [32, 64])
def test_shapes_are_told_apart_on_a_tiny_card(width, number, shading):
    inks = [ink_of(Card(number, "purple", shading, shape), width) for shape in Shape]
    for one, other in combinations(inks, 2):
        assert np.abs(one - other).sum() > 0.2 * max(one.sum(), other.sum())


@pytest.mark.parametrize("shape", Shape)
@pytest.mark.parametrize("width", [32, 64, 120, 400])
def test_a_striped_symbol_is_about_halfway_between_solid_and_outlined(width, shape):
    solid, striped, outlined = (ink_of(Card(1, "purple", shading, shape), width).sum() for shading in Shading)
    assert 0.3 < (striped - outlined) / (solid - outlined) < 0.5


@pytest.mark.parametrize("shape", Shape)
def test_the_stripes_are_as_many_as_in_the_drawing(shape):
    for width in (200, 300, 1000):
        ink = ink_of(Card(1, "purple", "striped", shape), width)
        column = ink[:, ink.shape[1] // 2]
        middle = (column.max() + column.min()) / 2
        starts = np.count_nonzero((column[1:] > middle) & (column[:-1] <= middle))
        assert starts == len(shapes.stripe_lines(shape)) + 2


@pytest.mark.parametrize("width", [32, 48, 64])
def test_stripes_too_fine_for_the_pixels_become_an_even_tone(width):
    ink = ink_of(Card(1, "purple", "striped", "oval"), width)
    middle = ink.shape[0] // 2, ink.shape[1] // 2
    inside = ink[middle[0] - width // 8 : middle[0] + width // 8, middle[1]]
    assert np.ptp(inside) < 0.01


@pytest.mark.parametrize("card", FULL_DECK[::7], ids=str)
@pytest.mark.parametrize("width", [33, 120, 301])
def test_a_card_looks_the_same_upside_down(card, width):
    pixels = np.asarray(card_image(card, width, "black-and-white"), dtype=int)
    assert np.abs(pixels - pixels[::-1, ::-1]).max() <= 12


def test_a_card_is_three_by_two_with_clear_corners():
    image = card_image(FULL_DECK[0], 1050)
    assert image.mode == "RGBA"
    assert image.size == (1050, 700)
    assert image.getpixel((0, 0))[3] == 0
    assert image.getpixel((525, 350)) == (0xD4, 0x20, 0x2D, 255)
    assert image.getpixel((60, 350)) == (255, 255, 255, 255)


@pytest.mark.parametrize("name", PALETTES)
def test_marks_can_be_had_with_any_palette(name):
    plain, marked = (card_image(FULL_DECK[0], 90, name, marks=marks).tobytes() for marks in (False, True))
    assert plain != marked
    assert card_image(FULL_DECK[0], 90, name).tobytes() == (marked if PALETTES[name].marks else plain)


def test_marks_alone_tell_the_colors_apart():
    inks = [np.asarray(card_image(Card(3, color, "solid", "oval"), 64, "black-and-white"), float) for color in Color]
    for one, other in combinations(inks, 2):
        assert np.abs(one - other).max() > 100


def test_a_card_without_width_or_of_an_unknown_palette_is_refused():
    with pytest.raises(ValueError, match="at least one pixel wide"):
        card_image(FULL_DECK[0], 0)
    with pytest.raises(UnknownPalette):
        card_image(FULL_DECK[0], 64, "sepia")


def test_the_smallest_card_is_still_a_picture():
    assert card_image(FULL_DECK[0], 1).size == (1, 1)


@pytest.mark.parametrize("size", [16, 32, 192])
def test_the_icon_shows_three_colors_on_clear_corners(size):
    icon = app_icon(size)
    assert icon.size == (size, size)
    assert icon.getpixel((0, 0))[3] < 32
    row = [icon.getpixel((size * place // 24, size // 2))[:3] for place in (5, 12, 18)]
    assert [max(range(3), key=pixel.__getitem__) for pixel in row] == [0, 1, 2]


def test_sheets_come_in_the_width_asked_for():
    assert contact_sheet("tritanopia", 600).width == 600
    assert table_picture(300).size == (300, 160)
    assert simulated_sheet().mode == "RGB"
