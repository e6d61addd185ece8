"""Find SETs, and explain feature by feature whether three cards are one.

Finding is table-driven. Each row of `_THIRD` is a translation table: `bytes.translate` turns a run of cards into the
cards that would complete them in one call into C, so a table of twelve takes eleven calls and no inner loop.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from typing import Final

from games.rules.cards import DECK_SIZE, FULL_DECK, Card, Feature, Value, card_at, positions
from games.rules.errors import BadCard, SameCardTwice

Triple = tuple[Card, Card, Card]


def _third_rows() -> tuple[bytes, ...]:
    rows = []
    for a in FULL_DECK:
        thirds = [
            card_at(-(x + y) % 3 for x, y in zip(positions(a), positions(b), strict=True)).index for b in FULL_DECK
        ]
        rows.append(bytes(thirds) + bytes(256 - DECK_SIZE))
    return tuple(rows)


_THIRD: Final = _third_rows()
_index_of = attrgetter("index")


def _indices(cards: Iterable[Card]) -> bytes:
    try:
        return bytes(map(_index_of, cards))
    except (AttributeError, TypeError) as error:
        raise BadCard(f"these are not all cards: {cards!r}") from error


def _distinct(indices: bytes) -> set[int]:
    present = set(indices)
    if len(present) != len(indices):
        twice = next(index for index in indices if indices.count(index) > 1)
        raise SameCardTwice(f"{FULL_DECK[twice]!r} is there more than once")
    return present


def is_set(a: Card, b: Card, c: Card) -> bool:
    """Whether every feature is the same on all three cards, or different on all three."""
    try:
        if a is b or a is c or b is c:
            raise SameCardTwice(f"three different cards are needed, not {a!r}, {b!r} and {c!r}")
        return _THIRD[a.index][b.index] == c.index
    except (AttributeError, TypeError) as error:
        raise BadCard(f"these are not all cards: {(a, b, c)!r}") from error


def third_card(a: Card, b: Card) -> Card:
    """The one card that makes a SET with these two."""
    try:
        if a is b:
            raise SameCardTwice(f"two different cards are needed, not {a!r} twice")
        return FULL_DECK[_THIRD[a.index][b.index]]
    except (AttributeError, TypeError) as error:
        raise BadCard(f"these are not both cards: {(a, b)!r}") from error


def find_sets(cards: Iterable[Card]) -> list[Triple]:
    """Every SET among the cards, each once, with its cards in the given order."""
    indices = _indices(cards)
    later = _distinct(indices)
    found = []
    # Each SET has one middle card: from there, look for earlier cards whose third card comes later.
    for middle, index in enumerate(indices):
        later.discard(index)
        row = _THIRD[index]
        thirds = indices[:middle].translate(row)
        if not later.isdisjoint(thirds):
            found += [(FULL_DECK[row[c]], FULL_DECK[index], FULL_DECK[c]) for c in later.intersection(thirds)]
    return found


def has_set(cards: Iterable[Card]) -> bool:
    """Whether there is at least one SET among the cards."""
    indices = _indices(cards)
    present = _distinct(indices)
    for place, index in enumerate(indices):  # noqa: SIM110 (a generator doubles the time)
        # A card completes a pair with itself, so only check the cards before it.
        if not present.isdisjoint(indices[:place].translate(_THIRD[index])):
            return True
    return False


class FeaturePattern(StrEnum):
    ALL_SAME = "all-same"
    ALL_DIFFERENT = "all-different"
    TWO_AND_ONE = "two-and-one"


@dataclass(frozen=True, slots=True)
class FeatureVerdict:
    """How the values of one feature compare across three cards."""

    feature: Feature
    kind: FeaturePattern
    values: tuple[Value, Value, Value]
    shared: Value | None = None
    """The value that all three cards have, or two of them."""
    odd_value: Value | None = None
    odd_card: Card | None = None
    """The card that's unlike the other two."""

    @property
    def is_broken(self) -> bool:
        return self.kind is FeaturePattern.TWO_AND_ONE


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why three cards are or aren't a SET."""

    cards: Triple
    features: tuple[FeatureVerdict, FeatureVerdict, FeatureVerdict, FeatureVerdict]

    @property
    def is_set(self) -> bool:
        return not self.broken

    @property
    def broken(self) -> tuple[FeatureVerdict, ...]:
        """The features that break the Magic Rule, because two cards are alike and one isn't."""
        return tuple(verdict for verdict in self.features if verdict.is_broken)

    def __getitem__(self, feature: Feature) -> FeatureVerdict:
        return next(verdict for verdict in self.features if verdict.feature is Feature(feature))


def explain(a: Card, b: Card, c: Card) -> Verdict:
    """The verdict on three cards, feature by feature."""
    cards = (a, b, c)
    _distinct(_indices(cards))
    number, color, shading, shape = (_judge(feature, cards) for feature in Feature)
    return Verdict(cards, (number, color, shading, shape))


def _judge(feature: Feature, cards: Triple) -> FeatureVerdict:
    x, y, z = values = tuple(card.value(feature) for card in cards)
    match len(set(values)):
        case 1:
            return FeatureVerdict(feature, FeaturePattern.ALL_SAME, (x, y, z), shared=x)
        case 3:
            return FeatureVerdict(feature, FeaturePattern.ALL_DIFFERENT, (x, y, z))
    odd = next(place for place, value in enumerate(values) if values.count(value) == 1)
    shared = values[odd - 1]
    return FeatureVerdict(feature, FeaturePattern.TWO_AND_ONE, (x, y, z), shared, values[odd], cards[odd])


def differing(triple: Triple) -> int:
    """In how many features the cards of a SET differ: one to four."""
    return sum(verdict.kind is FeaturePattern.ALL_DIFFERENT for verdict in explain(*triple).features)
