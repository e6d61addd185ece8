"""Boards that hold just the SETs that an exercise wants.

A board is grown around what was planted in it, card by card, and starts again when it is stuck. It has nine cards in
the easy deck and up to difficulty 2, else twelve. Where the question is whether there is a SET, it has six cards in the
easy deck: nine of that deck without a SET are so rare (2,106 boards) that counting colors tells them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from games.rules.cards import Card, positions
from games.rules.triples import Triple, third_card
from lessons.exercises.draws import Draws
from lessons.exercises.exercise import deck_of, features_in_play
from lessons.exercises.triples import changes, draw_near_miss, draw_set
from lessons.skills import Wanted

_TINY, _SMALL, _USUAL = 6, 9, 12
_SMALL_UP_TO = 2
_SETS_TO_FIND = (2, 3, 4)
_TRIES_TO_PLANT = 12
_TRIPLE = 3


class Board:
    """Cards, with what each further card would complete."""

    def __init__(self, planted: Iterable[Card] = ()) -> None:
        self.cards: list[Card] = []
        self.sets: list[int] = []
        """For each SET on the board, in how many features it differs."""
        self._completed_by: dict[Card, list[int]] = {}
        for card in planted:
            self.add(card)

    def completed_by(self, card: Card) -> Sequence[int]:
        """For each SET that this card would complete, in how many features it would differ."""
        return self._completed_by.get(card, ())

    def add(self, card: Card) -> None:
        self.sets += self.completed_by(card)
        for other in self.cards:
            self._completed_by.setdefault(third_card(card, other), []).append(_distance(card, other))
        self.cards.append(card)

    def fill(self, deck: Iterable[Card], size: int, allows: Callable[[Sequence[int]], bool]) -> bool:
        """Adds cards whose SETs are allowed until there are enough; says whether there are."""
        for card in deck:
            if len(self.cards) >= size:
                break
            if card not in self.cards and allows(self.completed_by(card)):
                self.add(card)
        return len(self.cards) == size


def _distance(a: Card, b: Card) -> int:
    return sum(x != y for x, y in zip(positions(a), positions(b), strict=True))


def _size(wanted: Wanted) -> int:
    return _SMALL if wanted.easy or wanted.difficulty <= _SMALL_UP_TO else _USUAL


def _no_set(completed: Sequence[int]) -> bool:
    return not completed


def draw_board_to_find_one(draws: Draws, wanted: Wanted) -> list[Card]:
    """At least one SET; the easiest differs in as many features as the difficulty says, in the focus among them."""

    def is_hard_enough(completed: Sequence[int]) -> bool:
        return all(differing >= wanted.difficulty for differing in completed)

    while True:
        board = Board(draw_set(draws, wanted))
        if board.fill(draws.shuffled(deck_of(wanted)), _size(wanted), is_hard_enough):
            return draws.shuffled(board.cards)


def draw_board_to_find_all(draws: Draws, wanted: Wanted) -> list[Card]:
    """Two to four SETs, each number as often; the hardest differs in as many features as the difficulty says."""
    count = draws.one_of(_SETS_TO_FIND)
    while True:
        board = Board(draw_set(draws, wanted))
        for _ in range(_TRIES_TO_PLANT):
            if len(board.sets) < count:
                board = _with_another_set(draws, wanted, board, count)
        if len(board.sets) == count and board.fill(draws.shuffled(deck_of(wanted)), _size(wanted), _no_set):
            return draws.shuffled(board.cards)


def _with_another_set(draws: Draws, wanted: Wanted, board: Board, count: int) -> Board:
    """The board with one more SET, if that makes neither too many nor too hard ones."""
    room_for_each = (_size(wanted) - len(board.cards)) / (count - len(board.sets))
    shares_a_card = draws.coin() or room_for_each < _TRIPLE
    first = draws.one_of(board.cards if shares_a_card else deck_of(wanted))
    more = [card for card in _draw_set_with(draws, wanted, first) if card not in board.cards]
    larger = Board([*board.cards, *more])
    fits = len(larger.cards) <= _size(wanted) and len(larger.sets) <= count and max(larger.sets) <= wanted.difficulty
    return larger if fits else board


def _draw_set_with(draws: Draws, wanted: Wanted, first: Card) -> Triple:
    second = first
    for feature in draws.shuffled(features_in_play(wanted))[: 1 + draws.below(wanted.difficulty)]:
        second = draws.one_of(changes(second, feature))
    return first, second, third_card(first, second)


def draw_board_with_or_without(draws: Draws, wanted: Wanted) -> list[Card]:
    """One SET of the difficulty, or none but a near miss of it: else what SETs have in common would tell them apart."""
    plant = draw_set if draws.coin() else draw_near_miss
    size = _TINY if wanted.easy else _size(wanted)
    while True:
        board = Board(plant(draws, wanted))
        if board.fill(draws.shuffled(deck_of(wanted)), size, _no_set):
            return draws.shuffled(board.cards)
