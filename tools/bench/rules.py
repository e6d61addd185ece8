"""How fast the rules find SETs."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations

from games.rules.cards import FULL_DECK, Card
from games.rules.triples import Triple, find_sets, has_set
from tools.bench.figures import Figure, Goal, time_rates

_PLAIN = "the plain rule on all 220 triples"
_UNROLLED = "the plain rule unrolled by hand, one expression per feature"
_FEATURES = ("number", "color", "shading", "shape")

_Search = Callable[[list[Card]], object]


def _tables() -> list[list[Card]]:
    rng = random.Random(12)
    return [rng.sample(FULL_DECK, 12) for _ in range(25)]


def _is_set_plainly(triple: Triple) -> bool:
    """The rule as the printed rules state it: in no feature are two cards alike and one different."""
    return all(len({getattr(card, feature) for card in triple}) != 2 for feature in _FEATURES)


def _is_set_unrolled(a: Card, b: Card, c: Card) -> bool:
    return (
        len({a.number, b.number, c.number}) != 2
        and len({a.color, b.color, c.color}) != 2
        and len({a.shading, b.shading, c.shading}) != 2
        and len({a.shape, b.shape, c.shape}) != 2
    )


def _find_sets_plainly(table: list[Card]) -> list[Triple]:
    return [triple for triple in combinations(table, 3) if _is_set_plainly(triple)]


def _find_sets_unrolled(table: list[Card]) -> list[Triple]:
    return [triple for triple in combinations(table, 3) if _is_set_unrolled(*triple)]


def _has_set_unrolled(table: list[Card]) -> bool:
    return any(_is_set_unrolled(*triple) for triple in combinations(table, 3))


def _compare(figure: str, search: _Search, baseline: str, plain_search: _Search, goal: Goal | None) -> Figure:
    tables = _tables()

    def run_on_all(search: _Search) -> int:
        for table in tables:
            search(table)
        return len(tables)

    rates = time_rates(lambda: run_on_all(search), lambda: run_on_all(plain_search))
    return Figure(figure, rates.subject, "tables/s", baseline, rates.baseline, rates.ratio, goal)


def find_sets_12() -> Figure:
    assert all(set(find_sets(table)) == set(_find_sets_plainly(table)) for table in _tables())
    return _compare("find_sets_12", find_sets, _PLAIN, _find_sets_plainly, Goal(at_least=20))


def has_set_12() -> Figure:
    assert all(has_set(table) == bool(_find_sets_plainly(table)) for table in _tables())
    return _compare("has_set_12", has_set, _PLAIN, _find_sets_plainly, Goal(at_least=15))


# The ratio depends on how naive the plain rule is, so also compare with the fastest version without a lookup table.


def find_sets_12_unrolled() -> Figure:
    assert all(set(find_sets(table)) == set(_find_sets_unrolled(table)) for table in _tables())
    return _compare("find_sets_12_unrolled", find_sets, _UNROLLED, _find_sets_unrolled, None)


def has_set_12_unrolled() -> Figure:
    assert all(has_set(table) == _has_set_unrolled(table) for table in _tables())
    baseline = f"{_UNROLLED}, stopping at the first SET"
    return _compare("has_set_12_unrolled", has_set, baseline, _has_set_unrolled, None)


FIGURES = [find_sets_12, has_set_12, find_sets_12_unrolled, has_set_12_unrolled]
