"""How hard a SET is to see, and hints in stages."""

import itertools
import random
from statistics import fmean

import pytest

from games.rules import FULL_DECK, Card, find_sets, is_set
from games.rules.errors import RulesError
from games.rules.hints import BadStage, HintStage, effort, hint, ranked_sets
from games.rules.triples import differing


def tables(count: int = 300) -> list:
    rng = random.Random(11)
    return [rng.sample(FULL_DECK, 12) for _ in range(count)]


def test_each_stage_tells_one_thing_more():
    table = next(table for table in tables() if len(find_sets(table)) > 1)
    hints = [hint(table, stage) for stage in HintStage]
    assert [len(each.cards) for each in hints] == [0, 1, 2, 3]
    assert {each.count for each in hints} == {len(find_sets(table))}
    assert is_set(*hints[-1].cards)
    assert all(small.cards == large.cards[: len(small.cards)] for small, large in itertools.pairwise(hints))


def test_the_easiest_set_is_the_one_that_is_hinted_at():
    for table in tables(50):
        ranked = ranked_sets(table)
        if ranked:
            assert hint(table, HintStage.THE_SET).cards == ranked[0][1]
            assert ranked[0][0] == min(effort(triple, table) for triple in find_sets(table))


def test_a_table_without_a_set_has_only_one_hint():
    table = next(table for table in tables() if not find_sets(table))
    assert all((each.count, each.cards) == (0, ()) for each in (hint(table, stage) for stage in HintStage))


@pytest.mark.parametrize("stage", [0, 5, "two"])
def test_there_is_no_other_stage(stage):
    with pytest.raises(BadStage):
        hint(FULL_DECK[:12], stage)


def test_effort_rises_with_the_number_of_features_that_differ():
    by_differing: dict[int, list[float]] = {1: [], 2: [], 3: [], 4: []}
    for table in tables():
        for triple in find_sets(table):
            by_differing[differing(triple)].append(effort(triple, table))
    means = [fmean(by_differing[number]) for number in (1, 2, 3, 4)]
    assert means == sorted(means)
    assert means[3] - means[0] > 2


REDS = [Card(1, "red", "solid", "oval"), Card(2, "red", "striped", "squiggle"), Card(3, "red", "outlined", "diamond")]


def test_a_shared_value_that_is_common_makes_a_set_easier():
    many_reds = [*REDS, Card(1, "red", "striped", "oval"), Card(1, "red", "outlined", "oval")]
    few_reds = [*REDS, Card(1, "green", "striped", "oval"), Card(1, "green", "outlined", "oval")]
    assert len(find_sets(many_reds)) == len(find_sets(few_reds)) + 1
    many_reds[3] = Card(1, "red", "striped", "squiggle")
    assert len(find_sets(many_reds)) == len(find_sets(few_reds)) == 1
    assert effort(tuple(REDS), many_reds) < effort(tuple(REDS), few_reds)


def test_more_sets_on_the_table_make_each_easier():
    one = [*REDS, Card(1, "green", "solid", "oval"), Card(1, "green", "striped", "oval")]
    two = [*REDS, Card(1, "green", "solid", "oval"), Card(1, "purple", "solid", "oval")]
    assert (len(find_sets(one)), len(find_sets(two))) == (1, 2)
    assert effort(tuple(REDS), two) < effort(tuple(REDS), one)


def test_only_a_set_of_the_table_has_an_effort():
    with pytest.raises(RulesError, match="not on this table"):
        effort(tuple(REDS), FULL_DECK[:3])
    with pytest.raises(RulesError, match="no SET"):
        effort((FULL_DECK[0], FULL_DECK[1], FULL_DECK[3]), FULL_DECK[:12])
