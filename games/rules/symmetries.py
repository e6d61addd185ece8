"""The 31,104 ways to rename features and values that keep every SET a SET."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import permutations, product

from games.rules.cards import Card, card_at, positions
from games.rules.errors import RulesError

_THREE_WAYS = tuple(permutations(range(3)))
_FOUR_WAYS = tuple(permutations(range(4)))


class BadSymmetry(RulesError):
    """Not a permutation of the four features with a permutation of three values for each."""


@dataclass(frozen=True, slots=True)
class Symmetry:
    """Feature i of the new card comes from feature `features[i]` of the old one, its values renamed by `values[i]`."""

    features: tuple[int, ...]
    values: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        if self.features not in _FOUR_WAYS or len(self.values) != len(self.features):
            raise BadSymmetry(f"{self.features!r} is no order of the four features")
        if any(order not in _THREE_WAYS for order in self.values):
            raise BadSymmetry(f"{self.values!r} are not four orders of three values")

    @classmethod
    def drawn(cls, rng: random.Random) -> Symmetry:
        return cls(rng.choice(_FOUR_WAYS), tuple(rng.choice(_THREE_WAYS) for _ in range(4)))

    def card(self, card: Card) -> Card:
        point = positions(card)
        return card_at(order[point[feature]] for feature, order in zip(self.features, self.values, strict=True))

    def board(self, cards: Iterable[Card]) -> tuple[Card, ...]:
        """The transformed board; its SETs are in the same places."""
        return tuple(self.card(card) for card in cards)


def all_symmetries() -> Iterator[Symmetry]:
    for features, *values in product(_FOUR_WAYS, *[_THREE_WAYS] * 4):
        yield Symmetry(features, tuple(values))
