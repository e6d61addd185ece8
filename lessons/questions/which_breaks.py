"""Three cards that aren't a SET: which feature breaks it?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from games.rules.cards import Card, Feature
from games.rules.triples import FeaturePattern, Triple
from lessons.questions.base import Answer, Choice, DescribedAnswer, Form
from lessons.questions.draws import Draws
from lessons.questions.exercise import Findings, Solution, blamed, broken_in
from lessons.questions.help import ONE_AT_A_TIME, Help, HelpKind
from lessons.questions.learner_model import Chances, LearnerModel, Odds, Tells
from lessons.questions.reading import read_blame
from lessons.questions.triples import TripleExercise, draw_near_miss
from lessons.skills import ExerciseKind, Skill, Wanted

_NAMES_WHAT_BREAKS: Final = Chances(0.4, 0.5)
"""Learners who believe that everything in a SET must be alike may name a feature that's all different, too."""


class WhichBreaks(TripleExercise):
    kind: ClassVar[ExerciseKind] = ExerciseKind.WHICH_BREAKS
    learner: ClassVar[LearnerModel] = LearnerModel(
        odds=Odds(1 / 4),
        tells=Tells(0.0, 1.0, 0.1),
        needs=(Skill.IS_SET, Skill.DIFFERS_1),
        features_needed=0,
        # Asked for a feature that they overlook, they name one of four by chance.
        overlooking=Chances(0.25),
    )

    @classmethod
    def draw(cls, draws: Draws, wanted: Wanted) -> tuple[Triple, tuple[Card, ...]]:
        return draw_near_miss(draws, wanted), ()

    def read(self, form: Form) -> dict[str, Any]:
        return {"breaks": form.get("breaks")}

    def findings(self, answer: Answer) -> Findings:
        named = read_blame(answer)
        verdict = self.verdict
        return Findings(verdict[named].is_broken, verdict, blamed(verdict, named))

    @classmethod
    def blame_share(
        cls, feature: Feature, missed: Sequence[Feature], focus: Feature | None, *, is_of_set: bool
    ) -> float:
        # The focus is what breaks it. A learner who named another feature did look at that one, if wrongly.
        return float(feature is focus) if focus else super().blame_share(feature, missed, focus, is_of_set=is_of_set)

    @classmethod
    def all_alike_weight(cls, is_right: bool, recognized: Mapping[int, bool]) -> float:
        return _NAMES_WHAT_BREAKS.weight(is_right)

    def solve(self) -> Solution:
        return Solution(breaks=broken_in(self.verdict))

    def help_stages(self) -> tuple[Help, ...]:
        """Naming the feature would be the answer, so first name one that it isn't, then the card that's odd in it."""
        verdict = self.verdict
        broken = verdict.broken[0]
        ruled_out = [each for each in verdict.features if not each.is_broken]
        ruled_out.sort(key=lambda each: each.kind is FeaturePattern.ALL_SAME)
        return (
            ONE_AT_A_TIME,
            *(Help(HelpKind.NOT_THIS_ONE, each.feature, verdicts=(each,)) for each in ruled_out[:1]),
            Help(HelpKind.ODD_CARD, cards=(broken.odd_card,) if broken.odd_card else ()),
            Help(HelpKind.EVERY_FEATURE, verdicts=verdict.features),
        )

    def choices_with_one_tap(self) -> tuple[Choice, ...]:
        return tuple(self._choice("breaks", feature.value, feature) for feature in Feature)

    @classmethod
    def describe(cls, answer: Answer) -> DescribedAnswer:
        return DescribedAnswer(feature=Feature(answer["breaks"]))
