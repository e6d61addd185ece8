"""The drawings: the three shapes, the three color marks, and their places on a card."""

from __future__ import annotations

from functools import cache

from games.art.geometry import Path, Point, Polygon, Segment, bounds, straight, stripes, widened
from games.rules.cards import Color, Shape

# All lengths are in units of a card 300 wide; a symbol is centered on the origin.
CARD_WIDTH, CARD_HEIGHT = 300, 200
CORNER = 17
EDGE = 1.5
SYMBOL_WIDTH, SYMBOL_HEIGHT = 86, 150
STROKE = 9
STRIPE, STRIPE_PITCH = 3.0, 7.6
MARK_CENTRE: Point = (CARD_WIDTH - 24, 24)


def _oval() -> Path:
    x, y, side = 28, 63, 35
    return Path(
        (0, -y),
        (
            ((16, -y), (x, -side - 16), (x, -side)),
            ((x, -side / 3), (x, side / 3), (x, side)),
            ((x, side + 16), (16, y), (0, y)),
            ((-16, y), (-x, side + 16), (-x, side)),
            ((-x, side / 3), (-x, -side / 3), (-x, -side)),
            ((-x, -side - 16), (-16, -y), (0, -y)),
        ),
    )


def _squiggle() -> Path:
    # Head, shoulder, waist, foot, and sole; the handles minimize the change of curvature between them.
    half = Path(
        (-12, -66),
        (
            ((7.3, -66), (30, -47.6), (30, -26)),
            ((30, -7.5), (11, 2.3), (11, 18)),
            ((11, 31.7), (32, 32.3), (32, 46)),
            ((32, 55.9), (23.9, 66), (12, 66)),
        ),
    )
    return Path(half.start, half.curves + half.turned().curves)


def _heart() -> Path:
    return Path(
        (0, 14.5),
        (
            ((-5.5, 9.5), (-15, 2.7), (-15, -5)),
            ((-15, -10.2), (-11.7, -13.5), (-7.7, -13.5)),
            ((-4.4, -13.5), (-1.6, -11.7), (0, -8.5)),
            ((1.6, -11.7), (4.4, -13.5), (7.7, -13.5)),
            ((11.7, -13.5), (15, -10.2), (15, -5)),
            ((15, 2.7), (5.5, 9.5), (0, 14.5)),
        ),
    )


def _leaf() -> Path:
    return Path(
        (15, -15),
        (
            ((16.5, -0.5), (9.5, 10.5), (-0.5, 10.5)),
            ((-3.2, 10.5), (-5.4, 9.7), (-7.2, 8.4)),
            ((-8.2, 9.6), (-9.1, 11), (-10, 12.6)),
            ((-11.4, 12.6), (-12.6, 11.9), (-13.4, 10.8)),
            ((-12.3, 8.6), (-11, 6.7), (-9.6, 5.1)),
            ((-12.5, -6.5), (0.5, -16), (15, -15)),
        ),
    )


def _moon() -> Path:
    return Path(
        (12, -12.8),
        (
            ((4, -11), (-1.4, -6.3), (-1.4, 0)),
            ((-1.4, 6.3), (4, 11), (12, 12.8)),
            ((9.4, 14.3), (6.4, 15), (3.2, 15)),
            ((-5.4, 15), (-12.4, 8.4), (-12.4, 0)),
            ((-12.4, -8.4), (-5.4, -15), (3.2, -15)),
            ((6.4, -15), (9.4, -14.3), (12, -12.8)),
        ),
    )


SHAPES: dict[Shape, Path] = {
    Shape.OVAL: _oval(),
    Shape.SQUIGGLE: _squiggle(),
    Shape.DIAMOND: straight((0, -69), (35, 0), (0, 69), (-35, 0)),
}

# Things that a child would call red, green, or night-purple: a mark needs neither language nor color.
MARKS: dict[Color, Path] = {Color.RED: _heart(), Color.GREEN: _leaf(), Color.PURPLE: _moon()}


@cache
def outer(shape: Shape) -> Polygon:
    """The outer edge of the outline, as straight pieces: what a solid symbol fills."""
    return widened(SHAPES[shape].polygon(), STROKE / 2)


@cache
def inner(shape: Shape) -> Polygon:
    """The inner edge of the outline, as straight pieces: what an outlined symbol leaves empty."""
    return widened(SHAPES[shape].polygon(), -STROKE / 2)


@cache
def stripe_lines(shape: Shape) -> tuple[Segment, ...]:
    """The stripes of a shape; they end under the outline, so that no gap shows."""
    _, top, _, bottom = bounds(inner(shape))
    return stripes(SHAPES[shape].polygon(), (top, bottom), STRIPE_PITCH, STRIPE)


def symbol_places(number: int) -> tuple[Point, ...]:
    """The center of each symbol on a card with this many."""
    first = CARD_WIDTH / 2 - (number - 1) * SYMBOL_WIDTH / 2
    return tuple((first + i * SYMBOL_WIDTH, CARD_HEIGHT / 2) for i in range(number))


def mark_paths(color: Color) -> tuple[Path, Path]:
    """The mark at the top right, and upside down at the bottom left: the corners that squiggles leave free."""
    mark = MARKS[color]
    x, y = MARK_CENTRE
    return mark.moved(x, y), mark.turned().moved(CARD_WIDTH - x, CARD_HEIGHT - y)
