"""Friends and strips on a printed page, with the same curves as on screen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.printing.page import Figure, Outline
from games.art import friends
from games.art.friends import Mood
from games.art.palettes import STANDARD, Palette
from games.art.pieces import Drawing, moved
from games.art.strip import ROW_HEIGHT, ROW_WIDTH, strip_drawing
from games.rules.cards import Shape
from games.rules.triples import Verdict

_INK, _PAPER = "#25221d", "#ffffff"


def paints(palette: Palette = STANDARD) -> Mapping[str, str]:
    """The paint of each role on paper, where a strip has black and gray for what color says on a screen."""
    colors = {f"card-{color}": paint for color, paint in palette.colors.items()}
    page = {"ink": _INK, "paper": _PAPER, "glyph-paper": _PAPER, "line-strong": "#8f8471", "accent": _INK}
    again = {"accent-ink": _PAPER, "retry": _INK, "retry-soft": "#eeeeee", "retry-strong": _INK, "on-retry": _PAPER}
    return {
        **friends.PAINTS,
        **colors,
        **page,
        **again,
        "card-ink": _INK,
        "card-paper": palette.paper,
        "card-edge": palette.edge,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Friend(Figure):
    """One of the three friends."""

    box = friends.BOX[2:]
    shape: Shape
    mood: Mood = Mood.HAPPY

    @property
    def outlines(self) -> tuple[Outline, ...]:
        left, top = friends.BOX[:2]
        return _outlines(moved(friends.friend(self.shape, self.mood), (-left, -top)), paints())


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip(Figure):
    """A verdict in pictures."""

    box = (ROW_WIDTH, 4 * ROW_HEIGHT)
    verdict: Verdict
    palette: Palette = STANDARD

    @property
    def outlines(self) -> tuple[Outline, ...]:
        return _outlines(strip_drawing(self.verdict), paints(self.palette))


def _outlines(drawing: Drawing, paint: Mapping[str, str]) -> tuple[Outline, ...]:
    return tuple(
        Outline(
            path=piece.path,
            fill=paint[piece.fill] if piece.fill else None,
            stroke=paint[piece.stroke] if piece.stroke else None,
            width=piece.width,
            has_round_ends=bool(piece.stroke),
        )
        for piece in drawing
    )
