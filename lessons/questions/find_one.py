"""A board: find a SET."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from core.numbers import whole_number
from games.rules.cards import Card
from games.rules.hints import HintStage, hint
from games.rules.triples import differing, explain
from lessons.questions.base import Answer, Cards, DescribedAnswer, Form, Mistake
from lessons.questions.boards import Board, BoardExercise, board_size
from lessons.questions.draws import Draws
from lessons.questions.exercise import Findings, broken_features, cards_of, deck_of, overlooked
from lessons.questions.help import OF_HINT, Help
from lessons.questions.learner_model import COMPLETES_A_SET, Chances, LearnerModel, Odds, Tells
from lessons.questions.reading import read_triple
from lessons.questions.triples import draw_set
from lessons.skills import ExerciseKind, Skill, Wanted


class FindOne(BoardExercise):
    kind: ClassVar[ExerciseKind] = ExerciseKind.FIND_ONE
    claims_a_set: ClassVar[bool] = True
    finds_sets: ClassVar[bool] = True
    # Hardly any triple of a board is a SET, but many are one except for one feature.
    learner: ClassVar[LearnerModel] = LearnerModel(
        odds=Odds(1 / 20), tells=Tells(0.8, 0.1, 0.1), needs=(Skill.THIRD_CARD,), overlooking=Chances(0.35, 0.65)
    )

    @classmethod
    def draw(cls, draws: Draws, wanted: Wanted) -> tuple[list[Card], tuple[Card, ...]]:
        """At least one SET; the easiest differs in as many features as the difficulty says, including the focus."""

        def is_hard_enough(completed: Sequence[int]) -> bool:
            return all(differing >= wanted.difficulty for differing in completed)

        while True:
            board = Board(draw_set(draws, wanted))
            if board.fill(draws.shuffled(deck_of(wanted)), board_size(wanted), is_hard_enough):
                return draws.shuffled(board.cards), ()

    def read(self, form: Form) -> dict[str, Any]:
        return {"cards": [whole_number(text) for text in form.getlist("cards")]}

    def findings(self, answer: Answer) -> Findings:
        picked = read_triple(answer, self.cards)
        verdict = explain(*picked)
        recognized = {differing(picked): True} if verdict.is_set else {}
        return Findings(verdict.is_set, verdict, overlooked(verdict), recognized)

    @classmethod
    def all_alike_weight(cls, is_right: bool, recognized: Mapping[int, bool]) -> float:
        return COMPLETES_A_SET.weight(is_right)

    def help_stages(self) -> tuple[Help, ...]:
        hints = (hint(self.cards, stage) for stage in HintStage)
        return tuple(Help(OF_HINT[each.stage], cards=each.cards, count=each.count) for each in hints)

    def cards_in(self, answer: Answer) -> Cards:
        return cards_of(answer["cards"])

    @classmethod
    def describe(cls, answer: Answer) -> DescribedAnswer:
        return DescribedAnswer(picked=(cards_of(answer["cards"]),))

    @classmethod
    def mistakes(cls, cards: Sequence[int], answer: Answer, missed: Sequence[str]) -> Iterable[Mistake]:
        yield tuple(answer["cards"]), broken_features(answer["cards"])
