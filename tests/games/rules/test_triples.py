"""Triples, checked by counting all of them."""

from collections import Counter
from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.rules import FULL_DECK, Card, Feature, easy_deck, explain, find_sets, has_set, is_set, third_card
from games.rules.errors import BadCard, RulesError, SameCardTwice
from games.rules.triples import FeaturePattern, differing


def is_set_by_the_plain_rule(*cards):
    return all(len({card.value(feature) for card in cards}) != 2 for feature in Feature)


def test_1080_of_the_85320_triples_are_sets_and_by_the_plain_rule_the_same_ones():
    triples = list(combinations(FULL_DECK, 3))
    assert len(triples) == 85_320
    sets = [triple for triple in triples if is_set(*triple)]
    assert len(sets) == 1_080
    assert sets == [triple for triple in triples if is_set_by_the_plain_rule(*triple)]
    assert sorted(find_sets(FULL_DECK)) == sets


def test_the_split_by_differing_features():
    assert Counter(map(differing, find_sets(FULL_DECK))) == {1: 108, 2: 324, 3: 432, 4: 216}


@pytest.mark.parametrize("feature", Feature)
def test_every_small_deck_has_117_sets(feature):
    assert len(find_sets(easy_deck(feature))) == 117


def test_every_pair_has_exactly_one_third_card():
    pairs = list(combinations(FULL_DECK, 2))
    assert len(pairs) == 3_240
    for a, b in pairs:
        third = third_card(a, b)
        assert third is third_card(b, a)
        assert [card for card in FULL_DECK if card not in (a, b) and is_set(a, b, card)] == [third]


def hands_without_a_set(deck, size):
    """Count by adding cards: a card may be added if no two cards of the hand make a SET with it."""

    def grow(hand, forbidden, start, left):
        if not left:
            return 1
        total = 0
        for place in range(start, len(deck)):
            card = deck[place]
            if card not in forbidden:
                more = forbidden | {third_card(card, other) for other in hand}
                total += grow((*hand, card), more, place + 1, left - 1)
        return total

    return grow((), frozenset(), 0, size)


@pytest.mark.parametrize(("size", "count"), [(3, 84_240), (4, 1_579_500)])
def test_hands_without_a_set_in_the_full_deck(size, count):
    assert hands_without_a_set(FULL_DECK, size) == count


def test_hands_of_five_without_a_set():
    # All cards are equivalent, so hands with the first card are 5/81 of all hands, counted five times each.
    first = FULL_DECK[0]
    others = FULL_DECK[1:]
    forbidden_with = {card: third_card(first, card) for card in others}
    total = 0
    for a, b, c in combinations(range(80), 3):
        x, y, z = others[a], others[b], others[c]
        if forbidden_with[x] in (y, z) or forbidden_with[y] is z or third_card(x, y) is z:
            continue
        dead = {forbidden_with[x], forbidden_with[y], forbidden_with[z]}
        dead |= {third_card(x, y), third_card(x, z), third_card(y, z)}
        total += 79 - c - sum(card.index - 1 > c for card in dead)
    assert total * 81 // 5 == 22_441_536


def test_hands_without_a_set_in_the_small_deck():
    deck = easy_deck(Feature.SHADING)
    assert hands_without_a_set(deck, 9) == 2_106
    assert hands_without_a_set(deck, 10) == 0
    assert comb(27, 9) == 4_686_825


ALL_SAME, ALL_DIFFERENT, TWO_AND_ONE = FeaturePattern.ALL_SAME, FeaturePattern.ALL_DIFFERENT, FeaturePattern.TWO_AND_ONE
EXAMPLES = [
    (
        [(2, "red", "solid", "oval"), (2, "red", "striped", "oval"), (2, "red", "outlined", "oval")],
        {"number": ALL_SAME, "color": ALL_SAME, "shading": ALL_DIFFERENT, "shape": ALL_SAME},
    ),
    (
        [(1, "red", "striped", "oval"), (2, "green", "striped", "squiggle"), (3, "purple", "striped", "diamond")],
        {"number": ALL_DIFFERENT, "color": ALL_DIFFERENT, "shading": ALL_SAME, "shape": ALL_DIFFERENT},
    ),
    (
        [(1, "red", "solid", "diamond"), (2, "green", "striped", "oval"), (3, "purple", "outlined", "squiggle")],
        {"number": ALL_DIFFERENT, "color": ALL_DIFFERENT, "shading": ALL_DIFFERENT, "shape": ALL_DIFFERENT},
    ),
    (
        [(1, "red", "outlined", "diamond"), (1, "green", "outlined", "diamond"), (1, "purple", "solid", "diamond")],
        {"number": ALL_SAME, "color": ALL_DIFFERENT, "shading": TWO_AND_ONE, "shape": ALL_SAME},
    ),
    (
        [(2, "red", "solid", "squiggle"), (2, "green", "striped", "squiggle"), (2, "red", "outlined", "squiggle")],
        {"number": ALL_SAME, "color": TWO_AND_ONE, "shading": ALL_DIFFERENT, "shape": ALL_SAME},
    ),
]


@pytest.mark.parametrize(("values", "kinds"), EXAMPLES)
def test_the_five_examples_of_the_sheets(values, kinds):
    cards = [Card(*value) for value in values]
    verdict = explain(*cards)
    assert {str(part.feature): part.kind for part in verdict.features} == kinds
    assert verdict.is_set is is_set(*cards) is (TWO_AND_ONE not in kinds.values())


def test_a_broken_feature_names_the_two_and_the_one():
    cards = [Card(*value) for value in EXAMPLES[4][0]]
    (broken,) = explain(*cards).broken
    assert (broken.feature, broken.shared, broken.odd_value, broken.odd_card) == ("color", "red", "green", cards[1])
    cards = [Card(*value) for value in EXAMPLES[3][0]]
    (broken,) = explain(*cards).broken
    assert (broken.shared, broken.odd_value, broken.odd_card) == ("outlined", "solid", cards[2])


def test_the_verdict_of_every_triple_agrees_with_the_rule():
    for cards in combinations(FULL_DECK, 3):
        if cards[0].index % 4 == 0:
            assert explain(*cards).is_set is is_set(*cards)


def test_a_verdict_is_read_by_feature():
    verdict = explain(*(Card(*value) for value in EXAMPLES[0][0]))
    assert verdict["color"].shared == "red"
    assert verdict[Feature.SHADING].shared is None


hands = st.lists(st.sampled_from(FULL_DECK), max_size=21, unique=True)


@given(hands)
def test_find_sets_finds_each_set_once_in_the_order_of_the_table(cards):
    found = find_sets(cards)
    assert sorted(map(sorted, found)) == sorted(sorted(t) for t in combinations(cards, 3) if is_set(*t))
    assert all([cards.index(card) for card in triple] == sorted(map(cards.index, triple)) for triple in found)
    assert has_set(cards) is bool(found)


@given(st.permutations(FULL_DECK).map(lambda deck: deck[:21]))
def test_21_cards_always_hold_a_set(cards):
    assert has_set(cards)


@pytest.mark.parametrize("search", [find_sets, has_set])
def test_a_search_takes_any_iterable_and_refuses_what_is_no_table(search):
    assert search(iter(FULL_DECK))
    assert not search([])
    with pytest.raises(SameCardTwice, match="Card"):
        search([FULL_DECK[1], FULL_DECK[2], FULL_DECK[1]])
    with pytest.raises(BadCard):
        search([1, 2, 3])


@pytest.mark.parametrize("question", [is_set, explain])
def test_three_different_cards_are_needed(question):
    a, b = FULL_DECK[:2]
    for cards in [(a, a, b), (a, b, a), (b, a, a), (a, a, a)]:
        with pytest.raises(SameCardTwice):
            question(*cards)
    with pytest.raises(BadCard):
        question(a, b, 5)


def test_a_third_card_needs_two_different_cards():
    with pytest.raises(SameCardTwice):
        third_card(FULL_DECK[0], FULL_DECK[0])
    with pytest.raises(BadCard):
        third_card(FULL_DECK[0], "two red ovals")


def test_every_error_of_the_core_is_a_value_error():
    assert issubclass(RulesError, ValueError)
    assert issubclass(BadCard, RulesError)
    assert issubclass(SameCardTwice, RulesError)
