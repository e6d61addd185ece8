"""The 81 cards, with four features of three values each, and the 27-card decks for an easy start."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum, StrEnum

from games.rules.errors import BadCard


class Feature(StrEnum):
    NUMBER = "number"
    COLOR = "color"
    SHADING = "shading"
    SHAPE = "shape"


class Number(IntEnum):
    ONE = 1
    TWO = 2
    THREE = 3


class Color(StrEnum):
    RED = "red"
    GREEN = "green"
    PURPLE = "purple"


class Shading(StrEnum):
    SOLID = "solid"
    STRIPED = "striped"
    OUTLINED = "outlined"


class Shape(StrEnum):
    OVAL = "oval"
    SQUIGGLE = "squiggle"
    DIAMOND = "diamond"


Value = Number | Color | Shading | Shape

# An easy start keeps the first value of a feature: "solid only" and "red only" on the printed sheets.
VALUES: dict[Feature, tuple[Value, ...]] = {
    Feature.NUMBER: tuple(Number),
    Feature.COLOR: tuple(Color),
    Feature.SHADING: tuple(Shading),
    Feature.SHAPE: tuple(Shape),
}

_WEIGHT = {Feature.NUMBER: 27, Feature.COLOR: 9, Feature.SHADING: 3, Feature.SHAPE: 1}
DECK_SIZE = 81


class Card:
    """One card. Each of the 81 is a singleton, so cards compare and hash by identity."""

    __slots__ = ("color", "index", "number", "shading", "shape")

    number: Number
    color: Color
    shading: Shading
    shape: Shape
    index: int

    def __new__(cls, number: int, color: str, shading: str, shape: str) -> Card:
        try:
            return _BY_VALUES[number, color, shading, shape]
        except (KeyError, TypeError):
            raise BadCard(f"no card has the values {(number, color, shading, shape)!r}") from None

    @classmethod
    def from_index(cls, index: int) -> Card:
        if type(index) is not int or not 0 <= index < DECK_SIZE:
            raise BadCard(f"a card's index is a whole number from 0 to {DECK_SIZE - 1}, not {index!r}")
        return FULL_DECK[index]

    def value(self, feature: Feature) -> Value:
        value: Value = getattr(self, feature.value)
        return value

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a card never changes, so {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a card never changes, so {name} cannot be deleted")

    def __reduce__(self) -> tuple[object, tuple[int, str, str, str]]:
        return Card, (int(self.number), str(self.color), str(self.shading), str(self.shape))

    def __copy__(self) -> Card:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Card:
        return self

    def __lt__(self, other: Card) -> bool:
        if not isinstance(other, Card):
            return NotImplemented
        return self.index < other.index

    def __repr__(self) -> str:
        return f"Card({int(self.number)}, {str(self.color)!r}, {str(self.shading)!r}, {str(self.shape)!r})"

    def __str__(self) -> str:
        plural = "s" if self.number > 1 else ""
        return f"{self.number.name.lower()} {self.shading} {self.color} {self.shape}{plural}"


def _make_deck() -> tuple[Card, ...]:
    deck: list[Card] = []
    for number in Number:
        for color in Color:
            for shading in Shading:
                for shape in Shape:
                    card = object.__new__(Card)
                    values = {"number": number, "color": color, "shading": shading, "shape": shape}
                    for name, value in {**values, "index": len(deck)}.items():
                        object.__setattr__(card, name, value)
                    deck.append(card)
    return tuple(deck)


FULL_DECK: tuple[Card, ...] = _make_deck()
# Enum members equal their plain values, so either works as a key.
_BY_VALUES: dict[tuple[int, str, str, str], Card] = {(c.number, c.color, c.shading, c.shape): c for c in FULL_DECK}


def position(feature: Feature, value: Value) -> int:
    """The index of a value within its feature: 0, 1, or 2."""
    return VALUES[feature].index(value)


def positions(card: Card) -> tuple[int, int, int, int]:
    """The card as a point in four-dimensional space, with coordinates from 0 to 2."""
    index = card.index
    return index // 27, index // 9 % 3, index // 3 % 3, index % 3


def card_at(point: Iterable[int]) -> Card:
    """The card at a point: the inverse of `positions`."""
    return Card.from_index(sum(place * weight for place, weight in zip(point, _WEIGHT.values(), strict=True)))


def easy_deck(feature: Feature | str) -> tuple[Card, ...]:
    """The 27 cards with a feature's first value; the printed sheets use shading (solid) or color (red)."""
    try:
        feature = Feature(feature)
    except ValueError:
        raise BadCard(f"no feature of a card is called {feature!r}") from None
    kept = VALUES[feature][0]
    return tuple(card for card in FULL_DECK if card.value(feature) is kept)
