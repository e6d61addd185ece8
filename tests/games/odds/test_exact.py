"""Exact counts, checked against the rule itself and published numbers."""

from fractions import Fraction
from math import comb

import pytest

from games.odds import QUOTED, BadOddsQuestion, Deck, exact_no_set, hands_without_set, odds_against
from games.rules.cards import FULL_DECK, Feature, easy_deck
from games.rules.errors import RulesError
from tests.games.odds.counting import count_by_symmetry, count_by_trying


@pytest.mark.parametrize(
    ("cards", "hands"),
    [
        (3, 84_240),
        (4, 1_579_500),
        (5, 22_441_536),
        (6, 247_615_056),
        (12, 2_284_535_476_080),
        (15, 2_970_003_246_912),
        (20, 682_344),
        (21, 0),
        (81, 0),
    ],
)
def test_it_has_the_known_numbers_of_the_full_deck(cards, hands):
    assert hands_without_set("full", cards) == hands


def test_it_has_the_known_numbers_of_the_small_deck():
    assert (hands_without_set("easy", 9), comb(27, 9)) == (2_106, 4_686_825)
    assert hands_without_set("easy", 10) == 0


def test_laying_out_small_hands_of_the_full_deck_gives_the_same_counts():
    assert count_by_trying(FULL_DECK, 4) == [hands_without_set("full", cards) for cards in range(5)]


def test_counting_by_symmetry_gives_the_same_counts():
    assert count_by_symmetry(most=9, orbits_up_to=6) == [hands_without_set("full", cards) for cards in range(10)]


@pytest.mark.parametrize("feature", list(Feature))
def test_laying_out_every_hand_of_any_small_deck_gives_the_same_counts(feature):
    assert count_by_trying(easy_deck(feature), 10) == [hands_without_set("easy", cards) for cards in range(11)]


@pytest.mark.parametrize("deck", list(Deck))
def test_a_deck_knows_from_how_many_cards_on_there_is_always_a_set(deck):
    assert hands_without_set(deck, deck.always_a_set - 1) > 0
    assert hands_without_set(deck, deck.always_a_set) == 0
    assert deck.size == len(deck.cards)


def test_a_chance_is_an_exact_fraction():
    assert exact_no_set("full", 3) == Fraction(78, 79)
    assert exact_no_set("easy", 9) == Fraction(2_106, 4_686_825)
    assert exact_no_set("full", 0) == 1


def test_a_first_deal_is_not_what_the_sheets_say():
    assert {cards: odds_against(exact_no_set("full", cards)) for cards in QUOTED} == {12: "30:1", 15: "2741:1"}
    assert QUOTED == {12: 33, 15: 2500}


@pytest.mark.parametrize(("deck", "cards"), [("tarot", 3), ("full", -1), ("full", 82), ("easy", 28), ("full", 3.0)])
def test_it_refuses_a_hand_that_no_deck_can_give(deck, cards):
    with pytest.raises(BadOddsQuestion):
        exact_no_set(deck, cards)
    assert issubclass(BadOddsQuestion, RulesError)
