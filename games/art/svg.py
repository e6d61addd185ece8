"""Cards as SVG: a sprite and small inline references to it for pages, and standalone files."""

from __future__ import annotations

from functools import cache

from games.art import shapes
from games.art.geometry import Path, Point, Segment
from games.art.palettes import STANDARD, Palette, palette_named
from games.rules.cards import FULL_DECK, Card, Color, Shading, Shape

_CARD_BOX = f"0 0 {shapes.CARD_WIDTH} {shapes.CARD_HEIGHT}"


@cache
def sprite() -> str:
    """The drawings that `card_svg` refers to; they're on a page once, before its cards."""
    width, height = shapes.SYMBOL_WIDTH, shapes.SYMBOL_HEIGHT
    box = f"{_text(-width / 2)} {_text(-height / 2)} {_text(width)} {_text(height)}"
    symbols = [
        f'<symbol id="{_symbol_id(shape, shading)}" viewBox="{box}">{symbol_markup(shape, shading)}</symbol>'
        for shape in Shape
        for shading in Shading
    ]
    symbols += [
        f'<symbol id="card-mark-{color}" viewBox="{_CARD_BOX}">{_mark_markup(color)}</symbol>' for color in Color
    ]
    # Whole faces, because a table is sent to many screens and should be short.
    faces = {_face_id(card): card for card in FULL_DECK}
    symbols += [f'<symbol id="{name}" viewBox="{_CARD_BOX}">{_face(card)}</symbol>' for name, card in faces.items()]
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" class="card-sprite" width="0" height="0"'
        f' aria-hidden="true" focusable="false">{"".join(symbols)}</svg>'
    )


def _face(card: Card) -> str:
    symbols = "".join(
        f'<use href="#{_symbol_id(card.shape, card.shading)}" x="{_text(x - shapes.SYMBOL_WIDTH / 2)}"'
        f' y="{_text(y - shapes.SYMBOL_HEIGHT / 2)}" width="{shapes.SYMBOL_WIDTH}" height="{shapes.SYMBOL_HEIGHT}"/>'
        for x, y in shapes.symbol_places(card.number)
    )
    return f'<rect class="card-paper" {_paper_place()}/>{symbols}'


@cache
def card_svg(card: Card) -> str:
    """The card for a page that has the sprite; the stylesheet colors it and decides whether its mark shows."""
    return (
        f'<svg class="card-art card-{card.color}" viewBox="{_CARD_BOX}" aria-hidden="true">'
        f'<use href="#{_face_id(card)}"/><use class="card-mark" href="#card-mark-{card.color}"/></svg>'
    )


def card_svg_file(
    card: Card, palette: Palette | str = STANDARD, *, marks: bool | None = None, width: int = shapes.CARD_WIDTH
) -> str:
    """The card as a standalone SVG file that needs no stylesheet; marks=None leaves it to the palette."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{_CARD_BOX}" width="{width}"'
        f' height="{_text(width * shapes.CARD_HEIGHT / shapes.CARD_WIDTH)}" role="img">'
        f"<title>{card}</title>{card_drawing(card, palette, marks=marks)}</svg>\n"
    )


def card_drawing(card: Card, palette: Palette | str = STANDARD, *, marks: bool | None = None) -> str:
    """The card's drawing with its paints, in units of a card 300 wide."""
    palette = palette_named(palette) if isinstance(palette, str) else palette
    ink = palette.colors[card.color]
    symbols = "".join(
        placed(symbol_markup(card.shape, card.shading, ink), place) for place in shapes.symbol_places(card.number)
    )
    mark = _mark_markup(card.color, ink) if (palette.marks if marks is None else marks) else ""
    paper = f'<rect {_paper_place()} fill="{palette.paper}" stroke="{palette.edge}" stroke-width="{shapes.EDGE}"/>'
    return f"{paper}{symbols}{mark}"


def symbol_markup(shape: Shape, shading: Shading, ink: str = "currentColor") -> str:
    """One symbol, centered on the origin."""
    fill = ink if shading is Shading.SOLID else "none"
    outline = (
        f'<path d="{path_text(shapes.SHAPES[shape])}" fill="{fill}" stroke="{ink}"'
        f' stroke-width="{shapes.STROKE}" stroke-linejoin="round"/>'
    )
    if shading is not Shading.STRIPED:
        return outline
    # Separate lines rather than a <pattern>: they inherit the card's color through <use> in every browser, and are the
    # same lines in print.
    lines = "".join(_line_text(line) for line in shapes.stripe_lines(shape))
    return f'<path d="{lines}" fill="none" stroke="{ink}" stroke-width="{shapes.STRIPE}"/>{outline}'


def path_text(path: Path) -> str:
    """A path as SVG path data."""
    curves = "".join(f"C{_pair(a)} {_pair(b)} {_pair(c)}" for a, b, c in path.curves)
    return f"M{_pair(path.start)}{curves}Z"


def placed(markup: str, at: Point, scale: float = 1) -> str:
    """A drawing that's centered on the origin, moved to its place."""
    size = "" if scale == 1 else f" scale({_text(scale)})"
    return f'<g transform="translate({_pair(at)}){size}">{markup}</g>'


def _mark_markup(color: Color, ink: str = "currentColor") -> str:
    return f'<path d="{"".join(path_text(path) for path in shapes.mark_paths(color))}" fill="{ink}"/>'


def _face_id(card: Card) -> str:
    return f"card-{card.number}{card.shading[:2]}{card.shape[:1]}"


def _symbol_id(shape: Shape, shading: Shading) -> str:
    return f"card-{shape}-{shading}"


def _paper_place() -> str:
    # The edge is drawn wholly inside the card, half of it on either side of this rectangle.
    inset = shapes.EDGE / 2
    width, height = shapes.CARD_WIDTH - shapes.EDGE, shapes.CARD_HEIGHT - shapes.EDGE
    return f'x="{inset}" y="{inset}" width="{width}" height="{height}" rx="{shapes.CORNER - inset}"'


def _line_text(line: Segment) -> str:
    y, left, right = line
    return f"M{_pair((left, y))}H{_text(right)}"


def _pair(point: Point) -> str:
    return f"{_text(point[0])} {_text(point[1])}"


def _text(value: float) -> str:
    return f"{round(value, 2):g}"
