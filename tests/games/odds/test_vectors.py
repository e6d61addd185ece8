"""Cards as bytes, checked against the rules, and the random number generation."""

import numpy as np
import pytest

from games.odds import Deck
from games.odds.vectors import code, codes, draw, third_codes, to_codes
from games.rules.cards import FULL_DECK
from games.rules.triples import third_card


def test_every_card_has_a_code_of_its_own():
    assert len(set(map(code, FULL_DECK))) == 81


def test_the_third_code_of_every_pair_is_the_code_of_the_third_card():
    every = np.frombuffer(codes(Deck.FULL)[:81], np.uint8)
    thirds = third_codes(every[:, None], every[None])
    for a in FULL_DECK:
        for b in FULL_DECK:
            assert thirds[a.index, b.index] == code(a if a is b else third_card(a, b))


@pytest.mark.parametrize("deck", list(Deck))
def test_places_of_a_deck_become_the_codes_of_its_cards(deck):
    places = np.array([0, 5, deck.size - 1], np.uint8)
    assert to_codes(places, deck).tolist() == [code(deck.cards[place]) for place in places]


@pytest.mark.parametrize("bound", [1, 2, 61, 81, 256])
def test_every_number_below_the_bound_is_drawn_equally_often(bound):
    drawn = np.bincount(draw(np.random.default_rng(3), bound, 500_000), minlength=bound)
    assert len(drawn) == bound
    expected = 500_000 / bound
    # Mean and spread of the chi-square statistic for a uniform distribution; five sigma is far out.
    statistic = float(((drawn - expected) ** 2 / expected).sum())
    assert abs(statistic - (bound - 1)) <= 5 * (2 * (bound - 1)) ** 0.5


class _Raw:
    """A bit source that yields every 16-bit number once."""

    def random_raw(self, size):
        return np.arange(65_536, dtype=np.uint16).view(np.uint64)[:size]


class _EveryNumberOnce:
    def __init__(self):
        self.bit_generator = _Raw()
        self.drawn_again = 0

    def integers(self, low, high, size, dtype):
        self.drawn_again = size
        return np.full(size, 255, dtype)


@pytest.mark.parametrize("bound", [3, 69, 80, 81])
def test_no_number_is_favoured_by_the_bits_that_do_not_divide_evenly(bound):
    rng = _EveryNumberOnce()
    drawn = np.bincount(draw(rng, bound, 65_536), minlength=bound)[:bound]  # type: ignore[arg-type]
    assert set(drawn.tolist()) == {65_536 // bound}
    assert rng.drawn_again == 65_536 % bound
