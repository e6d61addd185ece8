"""Three cards of a table, right or wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from games.rules import Card, find_sets, is_set

Triple = tuple[Card, Card, Card]


def a_set(cards: Sequence[Card]) -> Triple:
    """The first SET among these cards."""
    return find_sets(cards)[0]


def no_set(cards: Iterable[Card], *, with_cards: Iterable[Card] = ()) -> Triple:
    """The first three of these cards that aren't a SET, and have these among them."""
    wanted = set(with_cards)
    return next(each for each in combinations(cards, 3) if wanted <= set(each) and not is_set(*each))


def indices(cards: Iterable[Card]) -> list[int]:
    """The cards as a form sends them."""
    return [card.index for card in cards]
