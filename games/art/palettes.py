"""The palettes: the paint of each card color, for all kinds of eyes and for black-and-white print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from games.art.vision import Sight, seen
from games.rules.cards import Color


class UnknownPalette(ValueError):
    """No palette has this name."""


@dataclass(frozen=True, slots=True)
class Palette:
    """Paints for the cards, each "#rrggbb"; the eyes they're for; and whether a mark shows the color too."""

    name: str
    title: str
    colors: Mapping[Color, str]
    paper: str = "#ffffff"
    edge: str = "#d8cfc0"
    eyes: Sight = Sight.USUAL
    marks: bool = False

    def seen_with(self, sight: Sight) -> Palette:
        """The palette as other eyes see it."""
        colors = {color: seen(paint, sight) for color, paint in self.colors.items()}
        return replace(self, colors=colors, paper=seen(self.paper, sight), edge=seen(self.edge, sight))


def _paints(red: str, green: str, purple: str) -> Mapping[Color, str]:
    return MappingProxyType({Color.RED: red, Color.GREEN: green, Color.PURPLE: purple})


# The three for color-blind eyes take their hues from Okabe and Ito. Their eight colors are too close in lightness to
# tell apart as stripes on white, so vermillion (#d55e00) or bluish green (#009e73) keeps its exact value, and the other
# one, and blue or reddish purple, are darkened in steps.
_ALL = (
    Palette("standard", "Standard", _paints("#d4202d", "#16a34a", "#632aa0")),
    Palette("protanopia", "Protanopia", _paints("#b34700", "#009e73", "#3a1f80"), eyes=Sight.PROTANOPIA),
    Palette("deuteranopia", "Deuteranopia", _paints("#d55e00", "#006b4e", "#3d2287"), eyes=Sight.DEUTERANOPIA),
    Palette("tritanopia", "Tritanopia", _paints("#c23b00", "#009e73", "#5c1a55"), eyes=Sight.TRITANOPIA),
    Palette("high-contrast", "High contrast", _paints("#a60018", "#007d2c", "#25085a"), edge="#000000"),
    Palette("black-and-white", "Black and white", _paints(*["#000000"] * 3), edge="#000000", marks=True),
)

PALETTES: dict[str, Palette] = {palette.name: palette for palette in _ALL}
STANDARD = PALETTES["standard"]


def palette_named(name: str) -> Palette:
    """The palette of this name."""
    try:
        return PALETTES[name]
    except KeyError:
        raise UnknownPalette(f"no palette is called {name!r}; there are {', '.join(PALETTES)}") from None
