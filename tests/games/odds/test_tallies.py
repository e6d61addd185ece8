"""Tallies: intervals, sums, and probabilities as odds."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.odds import BadOddsQuestion, Tally, odds_against
from games.odds.tallies import total, wilson


@pytest.mark.parametrize(
    ("chance", "odds"),
    [
        (Fraction(1, 31), "30:1"),
        (Fraction(1, 2), "1:1"),
        (Fraction(3, 4), "1:3"),
        (0.4, "1.5:1"),
        (Fraction(78, 79), "1:78"),
        (0, "∞:1"),
        (1, "1:∞"),
    ],
)
def test_a_chance_becomes_the_odds_against_it(chance, odds):
    assert odds_against(chance) == odds


@pytest.mark.parametrize("chance", [-0.1, 1.1, float("nan")])
def test_what_is_no_chance_has_no_odds(chance):
    with pytest.raises(BadOddsQuestion):
        odds_against(chance)


def test_the_interval_is_the_one_of_the_textbooks():
    assert wilson(10, 100) == pytest.approx((0.0552291, 0.1743657), abs=1e-6)


@given(st.integers(1, 10**9), st.floats(0, 1))
def test_the_interval_is_around_the_estimate_and_within_what_is_possible(seen, share):
    tally = Tally(seen, round(seen * share))
    assert tally.chance in tally.interval
    assert 0 <= tally.interval.low <= tally.interval.high <= 1


def test_more_tables_make_the_interval_narrower():
    few, many = wilson(3, 100), wilson(300, 10_000)
    assert many.high - many.low < few.high - few.low


def test_even_with_no_hit_the_interval_says_how_likely_one_may_be():
    assert Tally(1000, 0).interval.low == 0
    assert 0.003 < Tally(1000, 0).interval.high < 0.004


def test_tallies_add_up():
    assert total([Tally(10, 1), Tally(20, 3)]) == Tally(30, 4)
    assert total([]) is None


@pytest.mark.parametrize(("seen", "without_set"), [(0, 0), (3, 4), (3, -1)])
def test_a_tally_of_nothing_is_refused(seen, without_set):
    with pytest.raises(BadOddsQuestion):
        Tally(seen, without_set)
