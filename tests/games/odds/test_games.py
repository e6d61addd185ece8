"""Simulated whole games: played by the rules, repeatable, observable and stoppable."""

from collections import Counter

import numpy as np
import pytest

from games.odds import BadOddsQuestion, Deck, WholeGames, exact_no_set, simulate_games
from games.odds.games import _CHUNK, _NO_SET, _are_sets, _choose, _triples
from games.odds.vectors import code
from games.rules.cards import FULL_DECK
from games.rules.triples import find_sets


@pytest.fixture(scope="module")
def full() -> WholeGames:
    return simulate_games("full", 12, 40_000, seed=11)


@pytest.fixture(scope="module")
def easy() -> WholeGames:
    return simulate_games("easy", 9, 40_000, seed=12)


def _tables(size, count, seed):
    rng = np.random.default_rng(seed)
    return [[FULL_DECK[place] for place in rng.permutation(81)[:size]] for _ in range(count)]


def _columns(tables):
    return np.array([[code(card) for card in table] for table in tables], np.uint8).T.copy()


@pytest.mark.parametrize("size", [3, 6, 12, 15, 21])
def test_it_sees_the_sets_that_the_rules_see(size):
    tables = _tables(size, 60, seed=size)
    for table, column in zip(tables, _are_sets(_columns(tables)).T, strict=True):
        seen = {tuple(table[place] for place in _triples(size)[row]) for row in np.flatnonzero(column)}
        assert seen == set(find_sets(table))


def test_each_set_on_the_table_is_as_likely_to_be_taken():
    table = next(table for table in _tables(12, 500, seed=1) if len(find_sets(table)) == 5)
    chosen = Counter(_choose(np.random.default_rng(2), _columns([table] * 10_000)).tolist())
    assert len(chosen) == 5
    assert all(abs(times - 2_000) < 5 * (10_000 * 0.2 * 0.8) ** 0.5 for times in chosen.values())


def test_a_table_without_a_set_says_so():
    table = next(table for table in _tables(12, 500, seed=1) if not find_sets(table))
    assert set(_choose(np.random.default_rng(2), _columns([table] * 5)).tolist()) == {_NO_SET}


def test_every_game_ends_once(full, easy):
    for result in (full, easy):
        assert result.games == 40_000 == sum(ending.games for ending in result.endings)
        assert sum(ending.share for ending in result.endings) == pytest.approx(1)


def test_a_game_of_the_full_deck_never_ends_with_three_cards(full):
    assert {ending.cards_left for ending in full.endings} <= {0, 6, 9, 12, 15, 18}
    assert {0, 6, 9, 12} <= {ending.cards_left for ending in full.endings}


def test_a_game_of_the_small_deck_ends_with_at_most_nine_cards(easy):
    assert {ending.cards_left for ending in easy.endings} == {0, 6, 9}


def test_the_first_stage_is_a_first_deal(full, easy):
    for result, left in ((full, 69), (easy, 18)):
        first = result.stages[0]
        assert (first.left_in_deck, first.table, first.tally.seen) == (left, result.laid, 40_000)
        assert exact_no_set(result.deck, result.laid) in first.tally.interval


def test_games_move_from_stage_to_stage_without_loss(full):
    """A table without a SET gets three cards; otherwise it's refilled to twelve or shrinks by three."""
    stages = {(stage.left_in_deck, stage.table): stage.tally for stage in full.stages}
    arriving: Counter[tuple[int, int]] = Counter({(69, 12): 40_000})
    for (left, table), tally in stages.items():
        assert tally.seen == arriving[left, table]
        if left:
            arriving[left - 3, table + 3] += tally.without_set
        refilled = left and table <= 12
        arriving[(left - 3, table) if refilled else (left, table - 3)] += tally.seen - tally.without_set


def test_in_play_the_odds_at_twelve_cards_fall(full):
    in_play = full.in_play(12)
    assert 1 / 17 < in_play.chance < 1 / 14
    assert in_play.seen == sum(stage.tally.seen for stage in full.by_left_in_deck(12)[1:])


def test_tables_that_never_came_up_have_no_tally(full):
    assert full.in_play(24) is None
    assert full.by_left_in_deck(24) == ()


def test_sizes_of_table_add_up_their_stages(full):
    assert [row.table for row in full.by_table] == sorted({stage.table for stage in full.stages})
    assert sum(row.tally.seen for row in full.by_table) == sum(stage.tally.seen for stage in full.stages)
    eighteen = next(row for row in full.by_table if row.table == 18)
    assert eighteen.tally.chance < 0.02


def test_ten_cards_of_the_small_deck_always_hold_a_set(easy):
    assert all(row.tally.without_set == 0 for row in easy.by_table if row.table >= 10)


def test_it_plays_as_a_plain_game_by_the_rules_does(full):
    """Compare with games played one by one using `find_sets`; the two samples must agree within five sigma."""
    rng = np.random.default_rng(13)
    ends: Counter[int] = Counter()
    stuck = seen = 0
    for _ in range(1_500):
        deck = [FULL_DECK[place] for place in rng.permutation(81)]
        table, deck = deck[:12], deck[12:]
        while True:
            found = find_sets(table)
            if len(table) == 12:
                seen += 1
                stuck += not found
            if found:
                taken = found[rng.integers(len(found))]
                table = [card for card in table if card not in taken]
            elif not deck:
                break
            if not found or len(table) < 12:
                table, deck = table + deck[:3], deck[3:]
        ends[len(table)] += 1
    for ending in full.endings:
        spread = (ending.share * (1 - ending.share) / 1_500) ** 0.5
        assert abs(ends[ending.cards_left] / 1_500 - ending.share) < 5 * spread
    twelve = next(row.tally for row in full.by_table if row.table == 12)
    assert abs(stuck / seen - twelve.chance) < 5 * (twelve.chance / seen) ** 0.5


def test_a_seed_gives_one_result_however_often_it_is_reported():
    reports: list[WholeGames] = []
    games = _CHUNK + 10
    watched = simulate_games("easy", 9, games, seed=9, on_progress=reports.append, report_every=1)
    assert watched == simulate_games("easy", 9, games, seed=9)
    assert watched != simulate_games("easy", 9, games, seed=10)
    assert [report.games for report in reports] == [_CHUNK, games]
    assert reports[-1] == watched


def test_a_stopped_simulation_says_so_and_keeps_what_it_has():
    stopped = simulate_games("easy", 9, 10 * _CHUNK, seed=9, should_stop=lambda: True, report_every=1)
    assert stopped.cancelled
    assert stopped.games == _CHUNK
    assert stopped.endings == simulate_games("easy", 9, _CHUNK, seed=9).endings


@pytest.mark.parametrize("laid", [3, 6, 12, 21])
@pytest.mark.parametrize("deck", list(Deck))
def test_any_number_of_cards_can_be_laid_by_threes(deck, laid):
    result = simulate_games(deck, laid, 200, seed=1)
    assert result.stages[0].table == laid
    assert sum(ending.games for ending in result.endings) == 200


@pytest.mark.parametrize(
    "question",
    [{"deck": "tarot"}, {"laid": 0}, {"laid": 10}, {"laid": 24}, {"count": 0}, {"seed": -1}, {"report_every": 0}],
)
def test_it_refuses_a_question_without_an_answer(question):
    with pytest.raises(BadOddsQuestion):
        simulate_games(**{"deck": "full", "laid": 12, "count": 10, "seed": 1, **question})
