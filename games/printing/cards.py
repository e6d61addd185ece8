"""Cards on a printed page, with the same curves as on screen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from core.printing import paths
from core.printing.page import Figure, Outline
from games.art import shapes
from games.art.geometry import Point
from games.art.palettes import Palette
from games.art.svg import path_text
from games.rules.cards import Card, Shading

_ARC_HANDLE = 0.5523
"""Length of the Bezier handles of a quarter circle, in radii."""


def card_height(width: float) -> float:
    return width * shapes.CARD_HEIGHT / shapes.CARD_WIDTH


@dataclass(frozen=True, slots=True, kw_only=True)
class Face(Figure):
    """A card's face; marks=None leaves it to the palette."""

    box = (shapes.CARD_WIDTH, shapes.CARD_HEIGHT)
    card: Card
    palette: Palette
    marks: bool | None = None

    @property
    def outlines(self) -> tuple[Outline, ...]:
        ink = self.palette.colors[self.card.color]
        paper = Outline(path=_paper_path(), fill=self.palette.paper, stroke=self.palette.edge, width=shapes.EDGE)
        symbols = [part for place in shapes.symbol_places(self.card.number) for part in _symbol(self.card, place, ink)]
        if not (self.palette.marks if self.marks is None else self.marks):
            return paper, *symbols
        marks = [Outline(path=path_text(path), fill=ink) for path in shapes.mark_paths(self.card.color)]
        return paper, *symbols, *marks


def _symbol(card: Card, place: Point, ink: str) -> list[Outline]:
    x, y = place
    drawn = Outline(
        path=path_text(shapes.SHAPES[card.shape].moved(x, y)),
        fill=ink if card.shading is Shading.SOLID else None,
        stroke=ink,
        width=shapes.STROKE,
    )
    if card.shading is not Shading.STRIPED:
        return [drawn]
    stripes = "".join(
        f"M{x + left:.2f} {y + level:.2f}L{x + right:.2f} {y + level:.2f}"
        for level, left, right in shapes.stripe_lines(card.shape)
    )
    return [Outline(path=stripes, stroke=ink, width=shapes.STRIPE), drawn]


@cache
def _paper_path() -> str:
    # The edge is drawn wholly inside the card, half of it on either side of this path.
    near = shapes.EDGE / 2
    right, bottom = shapes.CARD_WIDTH - near, shapes.CARD_HEIGHT - near
    r = shapes.CORNER - near
    k = r * (1 - _ARC_HANDLE)
    steps: list[paths.Step] = [("M", ((near + r, near),))]
    for corner in (
        ((right - r, near), (right - k, near), (right, near + k), (right, near + r)),
        ((right, bottom - r), (right, bottom - k), (right - k, bottom), (right - r, bottom)),
        ((near + r, bottom), (near + k, bottom), (near, bottom - k), (near, bottom - r)),
        ((near, near + r), (near, near + k), (near + k, near), (near + r, near)),
    ):
        steps += [("L", corner[:1]), ("C", corner[1:])]
    return paths.text_of([*steps, ("Z", ())])
