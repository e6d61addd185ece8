"""Simulate whole games, many in parallel: how often a table holds no SET, and how many cards are left at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from games.odds.decks import BadOddsQuestion, Deck, check_number
from games.odds.runs import ShouldStop, chunks
from games.odds.tallies import Interval, Tally, total, wilson
from games.odds.vectors import Bytes, codes, third_codes

# As for deals: enough games to make NumPy's overhead per call negligible, and blocks of tables that fit the CPU cache.
_CHUNK: Final = 8_192
_BLOCK: Final = 2_048
# More cards are never needed, and the triples among them would take too much memory.
_MOST_LAID: Final = 21

_NO_SET: Final = -1


@dataclass(frozen=True, slots=True)
class DeckStage:
    """The tables of one size that came up with a certain number of cards left in the deck."""

    left_in_deck: int
    table: int
    tally: Tally


@dataclass(frozen=True, slots=True)
class TableSize:
    """The tables of one size, at any point of the game."""

    table: int
    tally: Tally


@dataclass(frozen=True, slots=True)
class GameEnding:
    """The games that ended with a certain number of cards on the table."""

    cards_left: int
    games: int
    share: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class WholeGames:
    """Final or interim results of simulated games."""

    deck: Deck
    laid: int
    games: int
    stages: tuple[DeckStage, ...]
    """In playing order: the deck shrinks, and larger tables come before smaller ones."""
    endings: tuple[GameEnding, ...]
    """By cards left, ascending; only those that came up."""
    cancelled: bool = False

    @property
    def by_table(self) -> tuple[TableSize, ...]:
        """Every table size that came up, including the first deal."""
        sizes = sorted({stage.table for stage in self.stages})
        together = {size: total(stage.tally for stage in self.stages if stage.table == size) for size in sizes}
        return tuple(TableSize(size, tally) for size, tally in together.items() if tally is not None)

    def by_left_in_deck(self, table: int) -> tuple[DeckStage, ...]:
        """The tables of one size as the deck runs down."""
        return tuple(stage for stage in self.stages if stage.table == table)

    def in_play(self, table: int) -> Tally | None:
        """The tables of one size after the first deal; None if there were none."""
        first = self.deck.size - self.laid
        return total(stage.tally for stage in self.by_left_in_deck(table) if stage.left_in_deck < first)


def simulate_games(
    deck: Deck | str,
    laid: int,
    count: int,
    seed: int,
    *,
    on_progress: Callable[[WholeGames], None] | None = None,
    should_stop: ShouldStop | None = None,
    report_every: int = 10_000,
) -> WholeGames:
    """Play `count` games with `laid` cards on the table; the same seed plays the same games.

    Each SET on the table is equally likely to be taken. After every `report_every` games, `on_progress` gets the
    interim results, and `should_stop` may end the run.
    """
    deck = Deck.named(deck)
    check_number("the number of cards laid", laid, 3, _MOST_LAID)
    if laid % 3:
        raise BadOddsQuestion(f"cards are laid and taken by three, so {laid} cannot be laid")
    check_number("the number of games", count, 1)
    check_number("a seed", seed, 0)
    check_number("the games between two reports", report_every, 1)
    rng = np.random.default_rng(seed)
    found = _Totals()

    def report() -> None:
        if on_progress is not None:
            on_progress(found.partial_result(deck, laid))

    for chunk in chunks(count, _CHUNK, report_every, report, should_stop):
        _play(rng, deck, laid, chunk, found)
    result = found.partial_result(deck, laid)
    return replace(result, cancelled=result.games < count)


_Moment = tuple[int, int]
"""Cards left in the deck, cards on the table. Every move leads to a smaller pair, so the largest is played first."""


class _Totals:
    """The running totals of a simulation."""

    def __init__(self) -> None:
        self.seen: Counter[_Moment] = Counter()
        self.without_set: Counter[_Moment] = Counter()
        self.endings: Counter[int] = Counter()

    def add(self, moment: _Moment, games: int, stuck: int) -> None:
        left, table = moment
        if table:
            self.seen[moment] += games
            self.without_set[moment] += stuck
        if not left and stuck:
            self.endings[table] += stuck

    def partial_result(self, deck: Deck, laid: int) -> WholeGames:
        games = self.endings.total()
        stages = tuple(
            DeckStage(*moment, Tally(self.seen[moment], self.without_set[moment]))
            for moment in sorted(self.seen, reverse=True)
        )
        endings = tuple(
            GameEnding(cards, ended, ended / games, wilson(ended, games))
            for cards, ended in sorted(self.endings.items())
        )
        return WholeGames(deck, laid, games, stages, endings)


class _Group(NamedTuple):
    """Games at the same moment: their indices, and their tables as columns, with the cards in any order."""

    games: NDArray[np.intp]
    tables: Bytes

    def only(self, which: NDArray[np.intp]) -> _Group:
        return _Group(self.games[which], self.tables.take(which, axis=1))

    def without(self, triples: NDArray[np.int16]) -> _Group:
        rows = _other_places(len(self.tables))[triples].T
        return _Group(self.games, self.tables[rows, np.arange(self.games.size)])

    def with_more(self, cards: Bytes) -> _Group:
        return _Group(self.games, np.concatenate([self.tables, cards.take(self.games, axis=1)]))


def _play(rng: np.random.Generator, deck: Deck, laid: int, count: int, found: _Totals) -> None:
    sorted_decks = np.tile(np.frombuffer(codes(deck)[: deck.size], np.uint8), (count, 1))
    decks = np.ascontiguousarray(rng.permuted(sorted_decks, axis=1).T)
    waiting: dict[_Moment, list[_Group]] = {(deck.size - laid, laid): [_Group(np.arange(count), decks[:laid])]}

    def enqueue(moment: _Moment, group: _Group) -> None:
        if group.games.size:
            waiting.setdefault(moment, []).append(group)

    while waiting:
        moment = left, table = max(waiting)
        group = _merge_groups(waiting.pop(moment))
        chosen = _choose(rng, group.tables)
        stuck = group.only(np.flatnonzero(chosen == _NO_SET))
        found.add(moment, group.games.size, stuck.games.size)
        can_go_on = np.flatnonzero(chosen != _NO_SET)
        taken = group.only(can_go_on).without(chosen[can_go_on])
        dealt = deck.size - left
        next_cards = decks[dealt : dealt + 3]
        if left:
            enqueue((left - 3, table + 3), stuck.with_more(next_cards))
        if left and table <= laid:
            enqueue((left - 3, table), taken.with_more(next_cards))
        else:
            enqueue((left, table - 3), taken)


def _merge_groups(groups: list[_Group]) -> _Group:
    games, tables = zip(*groups, strict=True)
    return _Group(np.concatenate(games), np.concatenate(tables, axis=1))


def _choose(rng: np.random.Generator, tables: Bytes) -> NDArray[np.int16]:
    """For each table, a random one of its SETs as an index into `_triples`, or `_NO_SET`."""
    chosen = np.full(tables.shape[1], _NO_SET, np.int16)
    for start in range(0, chosen.size, _BLOCK):
        block = chosen[start : start + _BLOCK]
        found = np.flatnonzero(_are_sets(tables[:, start : start + _BLOCK]))
        # NumPy keeps the last of several values assigned to a place; after a shuffle, any SET is as likely to be last.
        rng.shuffle(found)
        triple = found // block.size
        block[found - triple * block.size] = triple
    return chosen


def _are_sets(tables: Bytes) -> NDArray[np.bool_]:
    """Whether each triple of each table is a SET: a row for each of `_triples`, a column for each table."""
    size, count = tables.shape
    are_sets = np.empty((len(_triples(size)), count), np.bool_)
    done = 0
    for middle in range(1, size - 1):
        thirds = third_codes(tables[:middle], tables[middle])
        shape = middle, size - 1 - middle, count
        rows = are_sets[done : done + shape[0] * shape[1]]
        np.equal(thirds[:, None], tables[None, middle + 1 :], out=rows.reshape(shape))
        done += len(rows)
    return are_sets


@cache
def _triples(size: int) -> tuple[tuple[int, int, int], ...]:
    """The triples of a table in the order in which `_are_sets` checks them: by the middle card."""
    first_middle_last = combinations(range(size), 3)
    return tuple(sorted(first_middle_last, key=lambda triple: (triple[1], triple[0], triple[2])))


@cache
def _other_places(size: int) -> NDArray[np.intp]:
    """For each triple of a table, the places of the other cards."""
    rest = [[place for place in range(size) if place not in triple] for triple in _triples(size)]
    return np.array(rest, np.intp).reshape(len(rest), max(0, size - 3))
