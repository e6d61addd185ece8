"""Three cards: for each feature, all the same, all different, or two and one?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from games.rules.cards import Card, Feature
from games.rules.triples import FeaturePattern, Triple
from lessons.questions.base import Answer, DescribedAnswer, Form, Mistake
from lessons.questions.draws import Draws
from lessons.questions.exercise import Findings, Solution
from lessons.questions.learner_model import Chances, LearnerModel, Odds, Tells
from lessons.questions.reading import read_makes
from lessons.questions.triples import TripleExercise, draw_amounts, draw_triple
from lessons.skills import ExerciseKind, Skill, Wanted


class Explain(TripleExercise):
    kind: ClassVar[ExerciseKind] = ExerciseKind.EXPLAIN
    on_sheets: ClassVar[bool] = True
    learner: ClassVar[LearnerModel] = LearnerModel(
        odds=Odds(1 / 20),
        # All the same, all different, or two and one?
        odds_of_feature=Odds(1 / 3),
        tells=Tells(0.0, 0.8, 0.7),
        needs=(Skill.IS_SET, Skill.DIFFERS_1),
        features_needed=0,
        # An overlooked feature passes for all the same; if it really is, the answer isn't counted.
        overlooking=Chances(0.1),
    )

    @classmethod
    def draw(cls, draws: Draws, wanted: Wanted) -> tuple[Triple, tuple[Card, ...]]:
        """Break zero, one or two features, equally often; the feature in focus is broken as often as that allows."""
        amounts = draw_amounts(draws, wanted, draws.below(3))
        if amounts.broken and draws.coin():
            make = FeaturePattern.TWO_AND_ONE
        elif amounts.different and amounts.same:
            make = draws.one_of((FeaturePattern.ALL_DIFFERENT, FeaturePattern.ALL_SAME))
        else:
            make = FeaturePattern.ALL_DIFFERENT if amounts.different else FeaturePattern.ALL_SAME
        return draw_triple(draws, wanted, amounts, make), ()

    def read(self, form: Form) -> dict[str, Any]:
        return {feature.value: form.get(feature.value) for feature in Feature}

    def findings(self, answer: Answer) -> Findings:
        makes = read_makes(answer)
        verdict = self.verdict
        seen = {each.feature: each.kind is makes[each.feature] for each in verdict.features}
        # Learners who don't look at a feature call it all the same, too, so being right about that proves nothing.
        telling = {
            each: is_right
            for each, is_right in seen.items()
            if not is_right or makes[each] is not FeaturePattern.ALL_SAME
        }
        return Findings(all(seen.values()), verdict, telling)

    @classmethod
    def blame_share(
        cls, feature: Feature, missed: Sequence[Feature], focus: Feature | None, *, is_of_set: bool
    ) -> float:
        return 1.0

    def solve(self) -> Solution:
        return Solution(makes={each.feature: each.kind for each in self.verdict.features})

    @classmethod
    def describe(cls, answer: Answer) -> DescribedAnswer:
        return DescribedAnswer(patterns={feature: FeaturePattern(answer[feature.value]) for feature in Feature})

    @classmethod
    def mistakes(cls, cards: Sequence[int], answer: Answer, missed: Sequence[str]) -> Iterable[Mistake]:
        """Each feature is asked about, so some can be misjudged even on a SET."""
        yield tuple(cards), tuple(map(Feature, missed))
