"""The deck: 81 distinct cards, named by index and by values."""

import copy
import pickle

import pytest

from games.rules import FULL_DECK, Card, Feature, easy_deck
from games.rules.cards import card_at, positions
from games.rules.errors import BadCard


def test_the_deck_has_every_combination_once():
    assert len(FULL_DECK) == len(set(FULL_DECK)) == 81
    assert len({(card.number, card.color, card.shading, card.shape) for card in FULL_DECK}) == 81
    assert [card.index for card in FULL_DECK] == list(range(81))


def test_a_card_is_found_by_its_index_and_by_its_values():
    for card in FULL_DECK:
        assert Card.from_index(card.index) is card
        assert Card(card.number, card.color, card.shading, card.shape) is card
        assert card_at(positions(card)) is card


def test_plain_words_name_a_card():
    card = Card(2, "red", "striped", "oval")
    assert (card.number, card.color, card.shading, card.shape) == (2, "red", "striped", "oval")
    assert str(card) == "two striped red ovals"
    assert str(Card(1, "purple", "outlined", "diamond")) == "one outlined purple diamond"


def test_repr_round_trips():
    for card in FULL_DECK:
        assert eval(repr(card), {"Card": Card}) is card  # noqa: S307


def test_copies_and_pickles_are_the_card_itself():
    for card in FULL_DECK:
        assert copy.copy(card) is copy.deepcopy(card) is pickle.loads(pickle.dumps(card)) is card  # noqa: S301


def test_a_card_never_changes():
    card = FULL_DECK[0]
    with pytest.raises(AttributeError):
        card.color = "green"
    with pytest.raises(AttributeError):
        del card.color
    with pytest.raises(AttributeError):
        card.owner = "me"


@pytest.mark.parametrize("index", [81, -1, 1.0, "3", None, True, 10**30])
def test_an_index_outside_the_deck_is_refused(index):
    with pytest.raises(BadCard, match="0 to 80"):
        Card.from_index(index)


@pytest.mark.parametrize(
    "values", [(0, "red", "solid", "oval"), (4, "red", "solid", "oval"), (1, "blue", "solid", "oval"), (1, [], 2, 3)]
)
def test_values_that_no_card_has_are_refused(values):
    with pytest.raises(BadCard):
        Card(*values)


@pytest.mark.parametrize("feature", Feature)
def test_a_small_deck_has_27_cards_alike_in_its_feature(feature):
    deck = easy_deck(feature)
    assert len(set(deck)) == 27
    assert len({card.value(feature) for card in deck}) == 1
    assert all(len({card.value(other) for card in deck}) == 3 for other in Feature if other is not feature)


def test_the_printed_small_decks_are_solid_and_red():
    assert {card.shading for card in easy_deck("shading")} == {"solid"}
    assert {card.color for card in easy_deck(Feature.COLOR)} == {"red"}


def test_an_unknown_feature_has_no_small_deck():
    with pytest.raises(BadCard, match="texture"):
        easy_deck("texture")
