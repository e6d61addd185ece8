"""The 31,104 symmetries of the deck."""

import random

import pytest

from games.rules import FULL_DECK, find_sets
from games.rules.symmetries import BadSymmetry, Symmetry, all_symmetries


def test_there_are_31104_and_each_is_a_different_renaming():
    pictures = {tuple(s.card(FULL_DECK[i]).index for i in (0, 1, 2, 3, 6, 9, 18, 27, 54)) for s in all_symmetries()}
    assert len(pictures) == 31_104


def test_a_symmetry_keeps_every_set_in_its_places():
    rng = random.Random(7)
    places = {card: place for place, card in enumerate(FULL_DECK)}
    expected = {tuple(places[card] for card in triple) for triple in find_sets(FULL_DECK)}
    for _ in range(25):
        board = Symmetry.drawn(rng).board(FULL_DECK)
        assert sorted(board) == list(FULL_DECK)
        new_places = {card: place for place, card in enumerate(board)}
        assert {tuple(new_places[card] for card in triple) for triple in find_sets(board)} == expected


@pytest.mark.parametrize(
    ("features", "values"),
    [
        ((0, 1, 2, 2), ((0, 1, 2),) * 4),
        ((0, 1, 2), ((0, 1, 2),) * 3),
        ((0, 1, 2, 3), ((0, 1, 2),) * 3),
        ((0, 1, 2, 3), ((0, 0, 2),) * 4),
    ],
)
def test_what_is_no_renaming_is_refused(features, values):
    with pytest.raises(BadSymmetry):
        Symmetry(features, values)
