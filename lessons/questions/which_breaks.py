"""Three cards that aren't a SET: which feature breaks it?"""

from __future__ import annotations

from typing import Any, ClassVar

from games.rules.cards import Card, Feature
from games.rules.triples import FeaturePattern as Make
from games.rules.triples import Triple
from lessons.questions.base import Answer, Choice, DescribedAnswer, Form
from lessons.questions.draws import Draws
from lessons.questions.exercise import Findings, Solution, blamed, broken_in
from lessons.questions.help import ONE_AT_A_TIME, Help, HelpKind
from lessons.questions.reading import read_blame
from lessons.questions.triples import TripleExercise, draw_near_miss
from lessons.skills import ExerciseKind, Wanted


class WhichBreaks(TripleExercise):
    kind: ClassVar[ExerciseKind] = ExerciseKind.WHICH_BREAKS

    @classmethod
    def draw(cls, draws: Draws, wanted: Wanted) -> tuple[Triple, tuple[Card, ...]]:
        return draw_near_miss(draws, wanted), ()

    def read(self, form: Form) -> dict[str, Any]:
        return {"breaks": form.get("breaks")}

    def findings(self, answer: Answer) -> Findings:
        named = read_blame(answer)
        verdict = self.verdict
        return Findings(verdict[named].is_broken, verdict, blamed(verdict, named))

    def solve(self) -> Solution:
        return Solution(breaks=broken_in(self.verdict))

    def help_stages(self) -> tuple[Help, ...]:
        """Naming the feature would be the answer, so first name one that it isn't, then the card that's odd in it."""
        verdict = self.verdict
        broken = verdict.broken[0]
        ruled_out = [each for each in verdict.features if not each.is_broken]
        ruled_out.sort(key=lambda each: each.kind is Make.ALL_SAME)
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
