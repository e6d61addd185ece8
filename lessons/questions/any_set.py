"""A board: is there a SET at all?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from games.rules.cards import Card
from games.rules.hints import ranked_sets
from games.rules.triples import Triple, differing, explain
from lessons.questions.base import Answer, Choice, DescribedAnswer, Form
from lessons.questions.boards import Board, BoardExercise, board_size, no_set
from lessons.questions.draws import Draws
from lessons.questions.exercise import Findings, Solution, deck_of
from lessons.questions.help import Help, HelpKind
from lessons.questions.is_set import read_yes_in, yes_weight
from lessons.questions.learner_model import LearnerModel, Odds, Tells
from lessons.questions.reading import read_yes
from lessons.questions.triples import draw_near_miss, draw_set
from lessons.skills import ExerciseKind, Skill, Wanted

_TINY = 6
_FEWER_AND_FEWER = (5, 4)


class AnySet(BoardExercise):
    kind: ClassVar[ExerciseKind] = ExerciseKind.ANY_SET
    learner: ClassVar[LearnerModel] = LearnerModel(
        odds=Odds(1 / 2), tells=Tells(0.5, 0.0, 0.0), needs=(Skill.FIND_ONE,)
    )

    @classmethod
    def draw(cls, draws: Draws, wanted: Wanted) -> tuple[list[Card], tuple[Card, ...]]:
        """One SET of the difficulty, or just a near miss; otherwise, what SETs have in common would give it away."""
        plant = draw_set if draws.coin() else draw_near_miss
        size = _TINY if wanted.easy else board_size(wanted)
        while True:
            board = Board(plant(draws, wanted))
            if board.fill(draws.shuffled(deck_of(wanted)), size, no_set):
                return draws.shuffled(board.cards), ()

    def read(self, form: Form) -> dict[str, Any]:
        return read_yes_in(form)

    def findings(self, answer: Answer) -> Findings:
        yes = read_yes(answer)
        there = ranked_sets(self.cards)
        if not there:
            return Findings(not yes)
        _, easiest = there[0]
        return Findings(yes, explain(*easiest), recognized={differing(easiest): yes})

    @classmethod
    def all_alike_weight(cls, is_right: bool, recognized: Mapping[int, bool]) -> float:
        return yes_weight(is_right, recognized)

    def solve(self) -> Solution:
        solution = super().solve()
        return replace(solution, yes=bool(solution.sets))

    def help_stages(self) -> tuple[Help, ...]:
        """The number of SETs would be the answer, so leave fewer and fewer cards to look through, SET or not."""
        draws = Draws(f"help/{self.seed}")
        found = ranked_sets(self.cards)
        first: Triple | tuple[Card, ...] = found[0][1] if found else ()
        order = [*first, *(card for card in draws.shuffled(self.cards) if card not in first)]
        fewer = [order[:size] for size in _FEWER_AND_FEWER if size < len(order)]
        return (
            Help(HelpKind.TWO_MAKE_A_THIRD),
            *(Help(HelpKind.AMONG_THESE, cards=self._in_board_order(cards)) for cards in fewer),
            Help(HelpKind.THE_SET, cards=first, count=1) if found else Help(HelpKind.HOW_MANY, count=0),
        )

    def _in_board_order(self, cards: list[Card]) -> tuple[Card, ...]:
        return tuple(card for card in self.cards if card in cards)

    def choices_with_one_tap(self) -> tuple[Choice, ...]:
        return tuple(self._choice("yes", yes, yes) for yes in (True, False))

    @classmethod
    def describe(cls, answer: Answer) -> DescribedAnswer:
        return DescribedAnswer(yes=answer["yes"])
