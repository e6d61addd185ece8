"""SVG cards: the same geometry as the raster cards, and nothing that a strict CSP would block."""

import re
from xml.etree import ElementTree

import pytest
from django.conf import settings

from games.art import shapes
from games.art.icons import icon_svg
from games.art.palettes import PALETTES
from games.art.stylesheet import palette_css
from games.art.svg import card_svg, card_svg_file, path_text, sprite, symbol_markup
from games.rules.cards import FULL_DECK, Card, Color, Shading, Shape

SVG = "{http://www.w3.org/2000/svg}"


def parsed(markup):
    return ElementTree.fromstring(markup)  # noqa: S314 - our own markup


def numbers(text):
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", text)]


def test_every_card_has_its_own_markup():
    assert len({card_svg(card) for card in FULL_DECK}) == 81


def test_a_card_refers_only_to_what_the_sprite_has():
    page = parsed(sprite())
    ids = {symbol.get("id") for symbol in page.iter(f"{SVG}symbol")}
    wanted = {use.get("href")[1:] for card in FULL_DECK for use in parsed(card_svg(card)).iter("use")}
    wanted |= {use.get("href")[1:] for use in page.iter(f"{SVG}use")}
    assert wanted == ids
    assert len(ids) == 9 + 3 + 27


def test_a_card_shows_its_number_of_symbols_and_one_mark():
    faces = {symbol.get("id"): symbol for symbol in parsed(sprite()).iter(f"{SVG}symbol")}
    for card in FULL_DECK:
        face, mark = (use.get("href") for use in parsed(card_svg(card)).iter("use"))
        assert mark == f"#card-mark-{card.color}"
        symbols = [use.get("href") for use in faces[face[1:]].iter(f"{SVG}use")]
        assert symbols == [f"#card-{card.shape}-{card.shading}"] * card.number


def test_the_page_speaks_for_the_card_so_its_picture_is_silent():
    root = parsed(card_svg(FULL_DECK[0]))
    assert root.get("aria-hidden") == "true"
    assert root.get("class") == "card-art card-red"


@pytest.mark.parametrize("markup", [sprite(), *map(card_svg, FULL_DECK[::20])])
def test_inline_markup_holds_under_a_strict_content_policy(markup):
    for element in parsed(markup).iter():
        assert element.tag.removeprefix(SVG) in {"svg", "symbol", "path", "rect", "use"}
        assert "style" not in element.attrib
        assert not any(name.startswith("on") for name in element.attrib)


@pytest.mark.parametrize("shape", Shape)
def test_the_svg_and_the_raster_draw_the_same_outline(shape):
    path = shapes.SHAPES[shape]
    points = [*path.start, *(value for curve in path.curves for point in curve for value in point)]
    assert numbers(path_text(path)) == pytest.approx(points, abs=0.006)


@pytest.mark.parametrize("shape", Shape)
def test_the_svg_and_the_raster_draw_the_same_stripes(shape):
    stripes, outline = re.findall(r'd="([^"]+)"', symbol_markup(shape, Shading.STRIPED))
    lines = [(left, y, right) for y, left, right in shapes.stripe_lines(shape)]
    assert numbers(stripes) == pytest.approx([value for line in lines for value in line], abs=0.006)
    assert outline == path_text(shapes.SHAPES[shape])


def test_a_file_of_one_card_stands_alone():
    card = Card(3, "green", "striped", "squiggle")
    root = parsed(card_svg_file(card, "deuteranopia", width=600))
    assert (root.get("width"), root.get("height")) == ("600", "400")
    assert root.findtext(f"{SVG}title") == "three striped green squiggles"
    text = ElementTree.tostring(root, encoding="unicode")
    assert PALETTES["deuteranopia"].colors[Color.GREEN] in text
    assert "currentColor" not in text
    assert "href" not in text
    assert len(list(root.iter(f"{SVG}g"))) == 3


@pytest.mark.parametrize("name", PALETTES)
def test_a_file_has_marks_where_asked_for_or_needed(name):
    plain, marked = (card_svg_file(FULL_DECK[0], name, marks=marks) for marks in (False, True))
    assert plain != marked
    assert card_svg_file(FULL_DECK[0], name) == (marked if PALETTES[name].marks else plain)


def test_the_stylesheet_has_every_palette_and_class():
    css = palette_css()
    for palette in PALETTES.values():
        block = css.split(f'[data-palette="{palette.name}"] {{', 1)[1].split("}", 1)[0]
        declared = dict(re.findall(r"--card-([a-z]+): ([^;]+);", block))
        marks = "inline" if palette.marks else "none"
        assert declared == {**palette.colors, "paper": palette.paper, "edge": palette.edge, "marks": marks}
    used = set(re.findall(r'class="([^"]+)"', sprite() + "".join(map(card_svg, FULL_DECK))))
    assert {name for names in used for name in names.split()} <= set(re.findall(r"^\.([a-z-]+) \{", css, re.MULTILINE))


def test_the_stylesheet_in_static_is_the_one_that_we_write():
    written = settings.BASE_DIR / "static" / "css" / "cards.css"
    assert written.read_text(encoding="utf-8") == palette_css(), "run manage.py render_cards --css"


def test_the_icon_in_static_is_the_one_that_we_draw():
    written = settings.BASE_DIR / "static" / "icons" / "icon.svg"
    assert written.read_text(encoding="utf-8") == icon_svg(), "run manage.py render_cards --icons"
