"""What all board exercises have in common, and boards that hold exactly the SETs an exercise wants. Pure.

A board is grown card by card around the planted cards, and started again when it's stuck. It has nine cards with the
easy deck and up to difficulty 2, else twelve. If the question is whether there's a SET, it has six cards with the easy
deck: nine cards of that deck without a SET are so rare (2,106 boards) that counting colors would give them away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from games.rules.cards import Card, positions
from games.rules.hints import ranked_sets
from games.rules.triples import third_card
from lessons.questions.base import ShownSolution
from lessons.questions.exercise import Exercise, Solution
from lessons.skills import Wanted

_SMALL, _USUAL = 9, 12
_SMALL_UP_TO = 2


class Board:
    """Cards, plus the SETs that each further card would complete."""

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
        """Add cards whose SETs are allowed until there are enough; return whether there are."""
        for card in deck:
            if len(self.cards) >= size:
                break
            if card not in self.cards and allows(self.completed_by(card)):
                self.add(card)
        return len(self.cards) == size


def _distance(a: Card, b: Card) -> int:
    return sum(x != y for x, y in zip(positions(a), positions(b), strict=True))


def board_size(wanted: Wanted) -> int:
    return _SMALL if wanted.easy or wanted.difficulty <= _SMALL_UP_TO else _USUAL


def no_set(completed: Sequence[int]) -> bool:
    return not completed


class BoardExercise(Exercise):
    """A board, and a question about the SETs on it."""

    has_board: ClassVar[bool] = True

    def solve(self) -> Solution:
        return Solution(sets=tuple(triple for _, triple in ranked_sets(self.cards)))

    def shown_solution(self, seed: str = "") -> ShownSolution:
        return ShownSolution(triples=self.solve().sets)
