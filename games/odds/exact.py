"""Exact counts of the hands without a SET, by size, and the odds that the rule sheets print instead."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Final

from games.odds.decks import Deck, check_number

# Counted from the rule by tests/games/odds/counting.py: the 27-card deck by trying every hand, the full deck by
# symmetry. The tests recount what takes seconds; `python -m tests.games.odds.counting` recounts all of it.
_HANDS_WITHOUT_SET: Final[dict[Deck, tuple[int, ...]]] = {
    Deck.FULL: (
        1,
        81,
        3_240,
        84_240,
        1_579_500,
        22_441_536,
        247_615_056,
        2_144_076_480,
        14_587_567_020,
        77_541_824_880,
        318_294_370_368,
        991_227_481_920,
        2_284_535_476_080,
        3_764_369_026_080,
        4_217_827_554_720,
        2_970_003_246_912,
        1_141_342_138_404,
        176_310_866_160,
        6_482_268_000,
        13_646_880,
        682_344,
    ),
    Deck.EASY: (1, 27, 351, 2_808, 14_742, 50_544, 107_406, 126_360, 63_180, 2_106),
}

# By number of cards, the n of the printed "n to 1" odds of a SET; right neither for the first deal nor later in play.
QUOTED: Final[dict[int, int]] = {12: 33, 15: 2500}


def hands_without_set(deck: Deck | str, cards: int) -> int:
    """How many hands of this size hold no SET."""
    deck = Deck.named(deck)
    check_number("the size of a hand", cards, 0, deck.size)
    counts = _HANDS_WITHOUT_SET[deck]
    return counts[cards] if cards < len(counts) else 0


def exact_no_set(deck: Deck | str, cards: int) -> Fraction:
    """The chance that this many cards from a shuffled deck hold no SET."""
    deck = Deck.named(deck)
    return Fraction(hands_without_set(deck, cards), comb(deck.size, cards))
