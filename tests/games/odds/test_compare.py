"""The odds printed on the rule sheets, compared with the true ones."""

import pytest

from games.odds import BadOddsQuestion, compare, simulate_first_deals, simulate_games


def test_sheet_exact_and_simulated_stand_side_by_side():
    deals = [simulate_first_deals("full", cards, 200_000, seed=1) for cards in (12, 15)]
    games = simulate_games("full", 12, 5_000, seed=1)
    twelve, fifteen = compare(deals, games)
    assert (twelve.cards, twelve.quoted_odds, twelve.exact_odds) == (12, "33:1", "30:1")
    assert (fifteen.cards, fifteen.quoted_odds, fifteen.exact_odds) == (15, "2500:1", "2741:1")
    assert (twelve.simulated, fifteen.simulated) == tuple(result.tally for result in deals)
    assert (twelve.in_play, fifteen.in_play) == (games.in_play(12), games.in_play(15))


def test_what_was_not_simulated_stays_empty():
    twelve, fifteen = compare()
    assert twelve.simulated is None
    assert fifteen.in_play is None


def test_the_sheets_say_nothing_of_the_small_deck():
    with pytest.raises(BadOddsQuestion):
        compare([simulate_first_deals("easy", 9, 10, seed=1)])
    with pytest.raises(BadOddsQuestion):
        compare(games=simulate_games("easy", 9, 10, seed=1))
