"""Count hands without a SET from the rule alone, slowly but surely, to check the tables of `games.odds`.

`python -m tests.games.odds.counting` counts the full deck for every hand size; it takes a minute or two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache, reduce
from itertools import permutations
from math import comb, factorial
from operator import or_

import numpy as np

from games.rules.cards import DECK_SIZE, FULL_DECK, Card, card_at, positions
from games.rules.triples import third_card

Hand = tuple[int, ...]

_THIRD = [[a.index if a is b else third_card(a, b).index for b in FULL_DECK] for a in FULL_DECK]
_BIT = [[1 << third for third in row] for row in _THIRD]
_DIFFERENCE = np.array(
    [
        [card_at((x - y) % 3 for x, y in zip(positions(a), positions(b), strict=True)).index for b in FULL_DECK]
        for a in FULL_DECK
    ],
    dtype=np.uint8,
)
_SUM = np.array([[_DIFFERENCE[a, _DIFFERENCE[0, b]] for b in range(DECK_SIZE)] for a in range(DECK_SIZE)], np.uint8)


def count_by_trying(deck: Sequence[Card], most: int) -> list[int]:
    """How many hands of 0, 1, ... `most` cards contain no SET, by trying every one."""
    return _larger_hands((), sum(1 << card.index for card in deck), most)


def count_by_symmetry(most: int, orbits_up_to: int) -> list[int]:
    """The same for the full deck, up to `most` cards, counting symmetric hands only once."""
    # For each class of hands, how often it's dealt if the order of cards matters.
    kinds: Counter[Hand] = Counter({(): 1})
    counts = []
    for size in range(orbits_up_to + 1):
        counts.append(sum(kinds.values()) // factorial(size))
        if size < orbits_up_to:
            kinds = _one_card_more(kinds)
    larger = [0] * (most + 1)
    for hand, dealt in kinds.items():
        for size, ways in enumerate(_larger_hands(hand, _allowed(hand), most)):
            larger[size] += dealt * ways
    for size in range(orbits_up_to + 1, most + 1):
        # Each larger hand was reached once from every smaller hand in it.
        count, rest = divmod(larger[size], factorial(orbits_up_to) * comb(size, orbits_up_to))
        assert rest == 0
        counts.append(count)
    return counts


def _one_card_more(kinds: Counter[Hand]) -> Counter[Hand]:
    larger: Counter[Hand] = Counter()
    for hand, dealt in kinds.items():
        allowed = _allowed(hand)
        for card in range(DECK_SIZE):
            if allowed >> card & 1:
                larger[_canonical((*hand, card))] += dealt
    return larger


def _allowed(hand: Hand) -> int:
    """The cards, as a bit set, that can join a hand without making a SET."""
    spent = reduce(or_, (_BIT[a][b] for a in hand for b in hand), 0)
    return (1 << DECK_SIZE) - 1 & ~spent


def _larger_hands(hand: Hand, allowed: int, most: int) -> list[int]:
    counts = [0] * (most + 1)
    counts[len(hand)] = 1

    def extend(rows: list[list[int]], allowed: int) -> None:
        size = len(rows) + 1
        if size > most:
            return
        counts[size] += allowed.bit_count()
        while allowed:
            bit = allowed & -allowed
            allowed ^= bit
            card = bit.bit_length() - 1
            left = allowed
            for row in rows:
                left &= ~row[card]
            if left:
                extend([*rows, _BIT[card]], left)

    extend([_BIT[card] for card in hand], allowed)
    return counts


@cache
def _frames(size: int, corners: int) -> np.ndarray:
    return np.array(list(permutations(range(size), corners)), dtype=np.intp)


def _canonical(hand: Iterable[int]) -> Hand:
    """A canonical representative of all hands that are equivalent under the deck's affine symmetries.

    Any points in general position can be mapped to any others: of all maps from points of the hand to the corners of
    the space, take the one that gives the smallest numbers.
    """
    cards = np.array(sorted(hand), dtype=np.uint8)
    for corners in range(min(len(cards), 5), 0, -1):
        frames = cards[_frames(len(cards), corners)]
        space = frames[:, :1]
        for corner in range(1, corners):
            step = _DIFFERENCE[frames[:, corner], frames[:, 0]][:, None]
            once = _SUM[space, step]
            space = np.concatenate([space, once, _SUM[once, step]], axis=1)
        place = np.full((len(frames), DECK_SIZE), 255, dtype=np.uint8)
        np.put_along_axis(place, space.astype(np.intp), np.arange(space.shape[1], dtype=np.uint8)[None], axis=1)
        general = np.count_nonzero(place < 255, axis=1) == space.shape[1]
        if general.any():
            moved = np.sort(place[general][:, cards], axis=1)
            return tuple(int(card) for card in min(map(bytes, moved)))
    return ()


if __name__ == "__main__":
    for size, count in enumerate(count_by_symmetry(most=21, orbits_up_to=9)):
        print(size, count)  # noqa: T201
