"""Glyphs for answers and verdicts: a value of one feature, and how the three cards of a triple relate in it."""

from __future__ import annotations

from functools import cache

from games.art import shapes
from games.art.geometry import Point
from games.art.pieces import Drawing, Piece, box, curve, ellipse, line, moved, outline
from games.rules.cards import Color, Number, Shading, Shape, Value
from games.rules.triples import FeaturePattern

WIDTH, HEIGHT = 150.0, 100.0
"""A glyph has the proportions of a card."""
_MIDDLE: Point = (WIDTH / 2, HEIGHT / 2)
_DOT, _DOTS_APART = 15, 42
_DISC, _DISC_EDGE, _DISC_STRIPE = 31, 7, 3.6
_SYMBOL_SCALE = 0.6


@cache
def value_glyph(value: Value) -> Drawing:
    """What shows one value and nothing else: dots, a patch of color, a shaded disc, or an outline."""
    match value:
        case Number():
            return _dots(int(value))
        case Color():
            return _patch(value)
        case Shading():
            return _disc(value)
        case _:
            return _outline(Shape(value))


def _dots(count: int) -> Drawing:
    first = _MIDDLE[0] - (count - 1) * _DOTS_APART / 2
    return tuple(
        Piece(ellipse((first + place * _DOTS_APART, _MIDDLE[1]), _DOT), fill="card-ink") for place in range(count)
    )


def _patch(color: Color) -> Drawing:
    # The mark is on it in every palette, because a patch has no neighbor to compare its color with.
    mark = moved([Piece(outline(shapes.MARKS[color]), fill="card-paper")], _MIDDLE, 1.75)
    return (Piece(box(9, 9, WIDTH - 18, HEIGHT - 18, 12), fill=f"card-{color}"), *mark)


def _disc(shading: Shading) -> Drawing:
    edge = Piece(
        ellipse(_MIDDLE, _DISC),
        fill="card-ink" if shading is Shading.SOLID else None,
        stroke="card-ink",
        width=_DISC_EDGE,
    )
    if shading is not Shading.STRIPED:
        return (edge,)
    x, y = _MIDDLE
    stripes = ""
    for step in range(-3, 4):
        half = (_DISC**2 - (8 * step) ** 2) ** 0.5
        stripes += line((x - half, y + 8 * step), (x + half, y + 8 * step))
    return (Piece(stripes, stroke="card-ink", width=_DISC_STRIPE), edge)


def _outline(shape: Shape) -> Drawing:
    return moved([Piece(outline(shapes.SHAPES[shape]), stroke="card-ink", width=10)], _MIDDLE, _SYMBOL_SCALE)


RELATION_WIDTH, RELATION_HEIGHT = 164.0, 64.0
_TILE = (42, 28)


@cache
def relation_glyph(pattern: FeaturePattern) -> Drawing:
    """Three little cards: joined in a line, fanned on an arc, or two joined and one that has dropped out."""
    ink, paper = "ink", "glyph-paper"
    centers, joins = _RELATIONS[pattern]
    width, height = _TILE
    tiles = tuple(
        Piece(box(x - width / 2, y - height / 2, width, height, 5), fill=paper, stroke="line-strong", width=3)
        for x, y in centers
    )
    return (Piece(joins, stroke=ink, width=6), *tiles)


_RELATIONS: dict[FeaturePattern, tuple[tuple[Point, Point, Point], str]] = {
    FeaturePattern.ALL_SAME: (((27, 32), (82, 32), (137, 32)), line((27, 32), (137, 32))),
    FeaturePattern.ALL_DIFFERENT: (
        ((27, 42), (82, 22), (137, 42)),
        curve((27, 42), ((60, 22), (104, 22), (137, 42))),
    ),
    FeaturePattern.TWO_AND_ONE: (((27, 24), (82, 24), (137, 42)), line((27, 24), (82, 24))),
}
