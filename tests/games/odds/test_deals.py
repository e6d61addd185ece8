"""Simulated first deals: fair, correct, repeatable, observable and stoppable."""

from itertools import count
from math import comb

import numpy as np
import pytest

from games.odds import BadOddsQuestion, Deck, FirstDeals, exact_no_set, simulate_first_deals
from games.odds.deals import _CHUNK, _deal, _next_card
from games.odds.vectors import code
from games.rules.triples import has_set


def _dealt(deck, cards, deals, seed):
    """Whole hands dealt by the simulation, as rows of codes."""
    rng = np.random.default_rng(seed)
    laid = np.empty((cards, deals), np.uint8)
    for place in range(cards):
        laid[place] = _next_card(rng, deck, laid[:place], deck.size - cards + place)
    return laid.T


@pytest.mark.parametrize(
    ("deck", "cards", "deals"),
    [
        ("full", 3, 500_000),
        ("full", 4, 500_000),
        ("full", 5, 500_000),
        ("full", 12, 2_000_000),
        ("full", 15, 2_000_000),
        ("easy", 9, 2_000_000),
        ("easy", 6, 500_000),
    ],
)
def test_the_exact_chance_lies_within_the_interval(deck, cards, deals):
    result = simulate_first_deals(deck, cards, deals, seed=20)
    assert result.deals == deals
    assert exact_no_set(deck, cards) in result.interval


@pytest.mark.parametrize(("deck", "cards"), [("full", 12), ("full", 7), ("easy", 8)])
def test_the_interval_is_right_for_nineteen_seeds_of_twenty(deck, cards):
    exact = exact_no_set(deck, cards)
    right = sum(exact in simulate_first_deals(deck, cards, 10_000, seed).interval for seed in range(200))
    assert 180 <= right <= 199


@pytest.mark.parametrize(("deck", "cards"), [("full", 1), ("full", 2), ("easy", 2)])
def test_two_cards_never_hold_a_set(deck, cards):
    assert simulate_first_deals(deck, cards, 1000, seed=1).estimate == 1


@pytest.mark.parametrize(("deck", "cards"), [("full", 21), ("full", 40), ("full", 81), ("easy", 10), ("easy", 27)])
def test_enough_cards_always_hold_a_set(deck, cards):
    assert simulate_first_deals(deck, cards, 20_000, seed=1).without_set == 0


def test_every_card_is_dealt_equally_often():
    hands = _dealt(Deck.FULL, 12, 200_000, seed=4)
    seen = np.bincount(hands.ravel(), minlength=256)
    seen = seen[[code(card) for card in Deck.FULL.cards]]
    assert seen.sum() == hands.size
    expected, share = hands.size / 81, 12 / 81
    # Cards are drawn without replacement, so counts vary less than with replacement.
    statistic = float(((seen - expected) ** 2).sum() / (200_000 * share * (1 - share)))
    assert abs(statistic - 80) < 5 * (2 * 80) ** 0.5


def test_every_hand_is_dealt_equally_often():
    hands = np.sort(_dealt(Deck.EASY, 3, 600_000, seed=5), axis=1).astype(np.int64)
    _, seen = np.unique(hands @ [65_536, 256, 1], return_counts=True)
    assert seen.size == comb(27, 3)
    expected = 600_000 / seen.size
    statistic = float(((seen - expected) ** 2 / expected).sum())
    assert abs(statistic - (seen.size - 1)) < 5 * (2 * seen.size) ** 0.5


def test_no_card_is_dealt_twice():
    hands = np.sort(_dealt(Deck.EASY, 20, 20_000, seed=6), axis=1)
    assert (np.diff(hands.astype(np.int16), axis=1) > 0).all()


@pytest.mark.parametrize("cards", [3, 6, 9, 12])
def test_a_deal_is_judged_as_the_rules_judge_it(cards):
    by_code = {code(card): card for card in Deck.FULL.cards}
    for seed in range(300):
        (hand,) = _dealt(Deck.FULL, cards, 1, seed)
        without_set = _deal(np.random.default_rng(seed), Deck.FULL, cards, 1)
        assert without_set == (not has_set(by_code[card] for card in hand.tolist()))


def test_a_seed_gives_one_result_however_often_it_is_reported():
    reports: list[FirstDeals] = []
    watched = simulate_first_deals("full", 12, 100_001, seed=9, on_progress=reports.append, report_every=1)
    assert watched == simulate_first_deals("full", 12, 100_001, seed=9)
    assert watched != simulate_first_deals("full", 12, 100_001, seed=10)
    assert len(reports) == -(-100_001 // _CHUNK)
    assert reports[-1] == watched


def test_the_estimate_can_be_watched_to_settle():
    reports: list[FirstDeals] = []
    simulate_first_deals("full", 12, 1_000_000, seed=9, on_progress=reports.append, report_every=200_000)
    deals = [report.deals for report in reports]
    widths = [report.interval.high - report.interval.low for report in reports]
    assert len(reports) == 5
    assert deals == sorted(deals)
    assert widths == sorted(widths, reverse=True)


def test_a_stopped_simulation_says_so_and_keeps_what_it_has():
    asked = count(1)
    stopped = simulate_first_deals(
        "full", 12, 1_000_000, seed=9, should_stop=lambda: next(asked) == 2, report_every=_CHUNK
    )
    assert stopped.cancelled
    assert stopped.deals == 2 * _CHUNK
    assert stopped.tally == simulate_first_deals("full", 12, 2 * _CHUNK, seed=9).tally


def test_a_simulation_that_came_to_its_end_was_not_cancelled():
    result = simulate_first_deals("full", 12, _CHUNK, seed=9, should_stop=lambda: True)
    assert not result.cancelled
    assert result.deals == _CHUNK


@pytest.mark.parametrize(
    "question",
    [
        {"deck": "tarot"},
        {"cards": 0},
        {"cards": 82},
        {"deck": "easy", "cards": 28},
        {"count": 0},
        {"count": -5},
        {"count": 1.5},
        {"seed": -1},
        {"report_every": 0},
    ],
)
def test_it_refuses_a_question_without_an_answer(question):
    with pytest.raises(BadOddsQuestion):
        simulate_first_deals(**{"deck": "full", "cards": 12, "count": 10, "seed": 1, **question})
