"""Solitaire: the price of giving up in each edition, and how it's paid back."""

import pytest

from games.rules import EDITIONS, Options, find_sets, has_set
from games.rules import commands as ask
from games.rules.editions import Solitaire
from games.rules.errors import RefusalReason
from games.rules.state import Ending, Phase
from tests.games.rules.tables import Table, has_no_set, table_where

OWING = [slug for slug, edition in EDITIONS.items() if edition.solitaire is Solitaire.OWES_ONE]


def alone(edition: str, seed: int = 1, **changes) -> Table:
    return Table(Options.of(edition, alone=True, **changes), players=1, seed=seed)


def play_out(table: Table) -> None:
    """Take every SET on the table; give up only if there is none."""
    while table.match.phase is Phase.PLAYING:
        if find_sets(table.match.table):
            table.take(0)
        else:
            table.do(ask.AgreeNoSet(0))


def play_to_the_end_of_the_deck(table: Table) -> None:
    while table.match.deck:
        if find_sets(table.match.table):
            table.take(0)
        else:
            table.do(ask.AgreeNoSet(0))


@pytest.mark.parametrize("edition", OWING)
def test_giving_up_lays_three_more_and_costs_a_set_whether_or_not_one_was_there(edition):
    table = alone(edition)
    assert has_set(table.match.table)
    (gave_up,) = table.do(ask.AgreeNoSet(0))
    assert (len(table.match.table), gave_up.owes, table.match.seats[0].owed) == (15, 1, 1)
    assert table.points() == [-1]
    table.do(ask.AgreeNoSet(0))
    assert table.points() == [-2]


def test_in_the_1997_edition_giving_up_loses_at_once_even_where_there_is_no_set():
    options = Options.of("1997", alone=True)
    for table in (alone("1997"), table_where(has_no_set, options, players=1)):
        table.do(ask.AgreeNoSet(0))
        assert (table.match.outcome.why, table.match.outcome.winners) == (Ending.GAVE_UP, ())
        assert len(table.match.table) == 12


@pytest.mark.parametrize("edition", EDITIONS)
def test_solitaire_is_won_and_lost_in_every_edition(edition):
    results = set()
    for seed in range(400):
        table = alone(edition, seed)
        play_out(table)
        assert table.match.phase is Phase.OVER
        owed = table.match.seats[0].owed
        has_won = table.match.outcome.winners == (0,)
        assert has_won is (table.match.outcome.why is Ending.PLAYED_OUT and owed == 0)
        results.add(has_won)
        if len(results) == 2:
            return
    raise AssertionError(f"only {results} in 400 games")


def test_nothing_is_paid_back_before_the_deck_is_used_up():
    table = alone("us")
    table.do(ask.AgreeNoSet(0))
    while len(table.match.deck) > 0 and find_sets(table.match.table):
        table.take(0)
        assert table.match.seats[0].owed == 1


def end_of_deck_with(edition: str, *, cards: int) -> Table:
    """A table with this many cards and a SET, the deck used up, and at least two SETs owed."""
    for seed in range(3_000):
        table = alone(edition, seed)
        table.do(ask.AgreeNoSet(0))
        table.do(ask.AgreeNoSet(0))
        # Give up once more near the end, so that there are more than twelve cards when the deck runs out.
        while table.match.deck:
            give_up = cards > 12 and len(table.match.deck) <= 6 and len(table.match.table) < cards
            if find_sets(table.match.table) and not give_up:
                table.take(0)
            else:
                table.do(ask.AgreeNoSet(0))
        if table.match.phase is Phase.PLAYING and len(table.match.table) == cards:
            return table
    raise LookupError("no seed ends like that")


@pytest.mark.parametrize("edition", OWING)
def test_a_set_out_of_the_last_twelve_pays_one_back(edition):
    table = end_of_deck_with(edition, cards=12)
    owed = table.match.seats[0].owed
    table.take(0)
    assert table.match.seats[0].owed == owed - 1


def test_out_of_fifteen_cards_a_set_pays_back_by_the_1990s_sheet_only():
    for edition, paid in (("1990s", 1), ("1998", 0), ("us", 0)):
        table = end_of_deck_with(edition, cards=15)
        owed = table.match.seats[0].owed
        table.take(0)
        assert table.match.seats[0].owed == owed - paid


def test_giving_up_on_the_last_cards_loses():
    for seed in range(100):
        table = alone("us", seed)
        play_to_the_end_of_the_deck(table)
        if table.match.phase is Phase.PLAYING:
            table.do(ask.AgreeNoSet(0))
            assert (table.match.outcome.why, table.match.outcome.winners) == (Ending.GAVE_UP, ())
            return
    raise AssertionError("no game reached the last cards")


def test_where_there_must_be_a_set_no_more_cards_are_laid():
    table = alone("us")
    for _ in range(3):
        table.do(ask.AgreeNoSet(0))
    assert len(table.match.table) == 21
    table.refuses(ask.AgreeNoSet(0), RefusalReason.ALWAYS_A_SET)


def test_in_easy_start_twelve_cards_are_enough():
    table = Table(Options.of("us", easy=True, alone=True), players=1)
    table.refuses(ask.AgreeNoSet(0), RefusalReason.ALWAYS_A_SET)


def test_relaxed_practice_has_no_clock_and_no_penalty():
    table = Table(Options(relaxed=True, window=None, quick=True), players=1)
    table.do(ask.Pick(0, table.no_set()))
    table.do(ask.AgreeNoSet(0))
    assert (table.points(), len(table.match.table)) == ([0], 12)
    table.play_deal_out()
    assert table.match.outcome.winners == (0,)
