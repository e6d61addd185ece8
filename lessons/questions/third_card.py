"""Two cards and some to choose from: which one makes it a SET?

If every wrong choice were a near miss of the right one, the right one would be the card most like the others, and
nobody would need to look at the two cards. So the choices are a grid: some values of one feature by some of another.
Every card in it has equally many near misses beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from core.numbers import whole_number
from games.rules.cards import Card, Feature
from games.rules.triples import FeaturePattern, Triple, differing, explain, third_card
from lessons.questions.base import Answer, Cards, Choice, DescribedAnswer, Form, Mistake, ShownSolution
from lessons.questions.draws import Draws
from lessons.questions.exercise import (
    Exercise,
    Findings,
    Solution,
    broken_features,
    cards_of,
    features_in_play,
    overlooked,
)
from lessons.questions.help import ONE_AT_A_TIME, Help, HelpKind
from lessons.questions.learner_model import COMPLETES_A_SET, Chances, LearnerModel, Odds, Tells
from lessons.questions.reading import read_card
from lessons.questions.triples import changes, draw_set
from lessons.skills import ExerciseKind, Skill, Wanted


class ThirdCard(Exercise):
    kind: ClassVar[ExerciseKind] = ExerciseKind.THIRD_CARD
    claims_a_set: ClassVar[bool] = True
    on_sheets: ClassVar[bool] = True
    learner: ClassVar[LearnerModel] = LearnerModel(
        odds=Odds(1 / 6),
        tells=Tells(1.0, 1.0, 0.4),
        needs=(Skill.WHICH_BREAKS, Skill.EXPLAIN),
        # The choices have two or three of its values.
        overlooking=Chances(0.4),
    )

    @classmethod
    def draw(cls, draws: Draws, wanted: Wanted) -> tuple[tuple[Card, Card], list[Card]]:
        """The two cards, and six choices (four at difficulty 1). The focus is the feature with the most near misses."""
        # Two cards that differ in one feature are themselves the near misses in it, so the focus must be another.
        a, b, right = draw_set(draws, wanted, FeaturePattern.ALL_SAME if wanted.difficulty == 1 else None)
        while True:
            choices = _draw_grid(draws, wanted, (a, b, right))
            if a not in choices and b not in choices:
                return (a, b), draws.shuffled(choices)

    @property
    def explains_pick(self) -> bool:
        return True

    @property
    def right(self) -> Card:
        return third_card(*self.cards)

    def read(self, form: Form) -> dict[str, Any]:
        return {"card": whole_number(form.get("card") or "")}

    def findings(self, answer: Answer) -> Findings:
        chosen = read_card(answer, self.choices)
        a, b = self.cards
        verdict = explain(a, b, chosen)
        at_stake = [feature for feature in Feature if len({card.value(feature) for card in self.choices}) > 1]
        seen = dict.fromkeys(at_stake, True) if verdict.is_set else overlooked(verdict)
        return Findings(verdict.is_set, verdict, seen, {differing((a, b, self.right)): verdict.is_set})

    @classmethod
    def all_alike_weight(cls, is_right: bool, recognized: Mapping[int, bool]) -> float:
        return COMPLETES_A_SET.weight(is_right)

    def solve(self) -> Solution:
        return Solution(card=self.right)

    def shown_solution(self, seed: str = "") -> ShownSolution:
        first, second = self.cards
        return ShownSolution(verdict=explain(first, second, self.right))

    def help_stages(self) -> tuple[Help, ...]:
        """The feature in which the choices differ most (the focus, if there's one), its value, and the card."""
        feature = max(Feature, key=lambda each: len({card.value(each) for card in self.choices}))
        if self.wanted.focus is not None:
            feature = self.wanted.focus
        return (
            ONE_AT_A_TIME,
            Help(HelpKind.LOOK_AT, feature),
            Help(HelpKind.VALUE_NEEDED, feature, self.right.value(feature)),
            Help(HelpKind.THE_CARD, cards=(self.right,)),
        )

    def choices_with_one_tap(self) -> tuple[Choice, ...]:
        return tuple(self._choice("card", card.index, card) for card in self.choices)

    def cards_in(self, answer: Answer) -> Cards:
        return *self.cards, Card.from_index(answer["card"])

    @classmethod
    def describe(cls, answer: Answer) -> DescribedAnswer:
        return DescribedAnswer(picked=(cards_of([answer["card"]]),))

    @classmethod
    def mistakes(cls, cards: Sequence[int], answer: Answer, missed: Sequence[str]) -> Iterable[Mistake]:
        completed = (*cards, answer["card"])
        yield completed, broken_features(completed)


def _draw_grid(draws: Draws, wanted: Wanted, triple: Triple) -> list[Card]:
    right = triple[-1]
    wide, narrow = draws.shuffled(features_in_play(wanted))[:2]
    if wanted.focus is not None and wanted.focus is not wide:
        wide, narrow = wanted.focus, wide
    row = [right, *changes(right, wide)]
    if wanted.difficulty == 1:
        row = [right, draws.one_of(row[1:])]
    which = draws.below(2)
    return [*row, *(changes(card, narrow)[which] for card in row)]
