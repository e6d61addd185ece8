"""Three cards: a SET or not?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, Self

from games.rules.cards import Card, Feature
from games.rules.triples import FeaturePattern, Triple, differing
from lessons.questions.base import Answer, Choice, DescribedAnswer, Form
from lessons.questions.draws import Draws
from lessons.questions.exercise import (
    Exercise,
    Findings,
    Solution,
    blamed,
    broken_in,
    cached_exercise,
    check_wanted,
    draws_for,
    features_in_play,
    overlooked,
    seeds,
)
from lessons.questions.learner_model import Chances, LearnerModel, Odds, Tells
from lessons.questions.reading import read_yes_and_blame
from lessons.questions.triples import TripleExercise, changes, draw_amounts, draw_near_miss, draw_set, draw_triple
from lessons.skills import ExerciseKind, Wanted

_CLEARLY_BROKEN = (2, 3)
# Like every exercise, each half of a pair is made again from its seed, so the seed says which half it is.
_FIRST_HALF, _SECOND_HALF = _HALVES = ("contrast-1/", "contrast-2/")
# In a pair, few other features differ, so that the one in question stands out.
_CALM = (1, 2)


class IsSet(TripleExercise):
    kind: ClassVar[ExerciseKind] = ExerciseKind.IS_SET
    claims_a_set: ClassVar[bool] = True
    on_sheets: ClassVar[bool] = True
    is_correction: ClassVar[bool] = True
    learner: ClassVar[LearnerModel] = LearnerModel(
        odds=Odds(1 / 2),
        tells=Tells(0.5, 0.3, 0.1),
        needs=(),
        features_needed=0,
        # To a learner who overlooks what's broken, nothing is.
        overlooking=Chances(0.15),
    )

    @classmethod
    def draw(cls, draws: Draws, wanted: Wanted) -> tuple[Triple, tuple[Card, ...]]:
        """A SET half of the time, else a near miss or a clear miss, equally often.

        A clear miss is broken in any features, not always in the focus, so that the focus alone doesn't decide.
        """
        if draws.coin():
            return draw_set(draws, wanted), ()
        if draws.coin():
            return draw_near_miss(draws, wanted), ()
        return draw_triple(draws, wanted, draw_amounts(draws, wanted, draws.one_of(_CLEARLY_BROKEN))), ()

    @classmethod
    def make(cls, wanted: Wanted, seed: str) -> Self:
        if wanted.focus is None or not seed.startswith(_HALVES):
            return super().make(wanted, seed)
        half, _, pair = seed.partition("/")
        first, second = _draw_contrast(draws_for(wanted, f"contrast/{pair}"), wanted, wanted.focus)
        return cls(wanted, seed, first if half in _FIRST_HALF else second)

    @classmethod
    def fresh(cls, wanted: Wanted, seed: str, avoid: Exercise | None, *, troubled: Feature | None) -> Exercise:
        """If the focus is what the learner keeps getting wrong, the first of two triples that differ only in it."""
        if troubled is None or wanted.focus is not troubled:
            return super().fresh(wanted, seed, avoid, troubled=troubled)
        first, _second = cls.contrast_pair(troubled, seed, easy=wanted.easy, avoid=avoid)
        return first

    @classmethod
    def contrast_pair(
        cls, feature: Feature, seed: str, easy: bool = False, avoid: Exercise | None = None
    ) -> tuple[Exercise, Exercise]:
        """Two triples that differ in one value of this feature: a SET and one that's broken in it, in either order."""
        check_wanted(Wanted(cls.kind, focus=feature, easy=easy))
        pairs = (cls._contrast_pair(feature, each, easy) for each in seeds(seed))
        return next(pair for pair in pairs if pair[0].is_other_than(avoid))

    @classmethod
    def _contrast_pair(cls, feature: Feature, seed: str, easy: bool) -> tuple[Exercise, Exercise]:
        difficulty = draws_for(Wanted(cls.kind, focus=feature, easy=easy), f"calm/{seed}").one_of(_CALM)
        wanted = Wanted(cls.kind, difficulty, feature, easy)
        return cached_exercise(cls, wanted, _FIRST_HALF + seed), cached_exercise(cls, wanted, _SECOND_HALF + seed)

    def follow_up(self) -> Exercise | None:
        """The second of a pair, if this is the first."""
        if not self.seed.startswith(_FIRST_HALF):
            return None
        return cached_exercise(IsSet, self.wanted, _SECOND_HALF + self.seed.removeprefix(_FIRST_HALF))

    def read(self, form: Form) -> dict[str, Any]:
        return read_yes_in(form)

    def findings(self, answer: Answer) -> Findings:
        yes, named = read_yes_and_blame(answer)
        verdict = self.verdict
        blame = {} if named is None else blamed(verdict, named)
        if verdict.is_set:
            return Findings(yes, verdict, blame, {differing(verdict.cards): yes})
        if yes:
            return Findings(False, verdict, overlooked(verdict))
        if named is None:
            # If several features are broken, there's no telling which one was seen.
            return Findings(True, verdict, dict.fromkeys(broken_in(verdict), True) if len(verdict.broken) == 1 else {})
        # A right "no" for a wrong reason is not right.
        return Findings(verdict[named].is_broken, verdict, blame)

    @classmethod
    def blame_share(
        cls, feature: Feature, missed: Sequence[Feature], focus: Feature | None, *, is_of_set: bool
    ) -> float:
        # On a SET, a feature that's fine was blamed, which somebody who overlooks it wouldn't do.
        return 0.0 if is_of_set else super().blame_share(feature, missed, focus, is_of_set=is_of_set)

    @classmethod
    def all_alike_weight(cls, is_right: bool, recognized: Mapping[int, bool]) -> float:
        return yes_weight(is_right, recognized)

    def solve(self) -> Solution:
        verdict = self.verdict
        return Solution(yes=verdict.is_set, breaks=broken_in(verdict))

    def choices_with_one_tap(self) -> tuple[Choice, ...]:
        return tuple(self._choice("yes", yes, yes) for yes in (True, False))

    @classmethod
    def describe(cls, answer: Answer) -> DescribedAnswer:
        named = answer.get("breaks")
        return DescribedAnswer(yes=answer["yes"], feature=Feature(named) if named else None)


_ACCEPTS_A_SET: Final = (Chances(0.1, 0.65), Chances(0.1, 0.55), Chances(0.1, 0.5), Chances(0.1, 0.4))
"""By the number of features in which it differs, from one. The more there are, the more ordinary learners doubt it."""
_REFUSES_WHAT_IS_NONE: Final = Chances(0.95, 0.75)


def yes_weight(is_right: bool, recognized: Mapping[int, bool]) -> float:
    """`Exercise.all_alike_weight` where the answer is yes or no."""
    if not recognized:
        return _REFUSES_WHAT_IS_NONE.weight(is_right)
    return sum(_ACCEPTS_A_SET[number - 1].weight(is_yes) for number, is_yes in recognized.items())


def read_yes_in(form: Form) -> dict[str, Any]:
    """Yes or no, and what breaks it if that was answered, too."""
    answer = {"yes": {"1": True, "0": False}.get(form.get("yes") or "")}
    return answer | ({"breaks": form.get("breaks")} if form.get("breaks") else {})


def _draw_contrast(draws: Draws, wanted: Wanted, focus: Feature) -> tuple[Triple, Triple]:
    """A SET and a near miss that differ in one value of the focus on one card, in either order."""
    makes = [FeaturePattern.ALL_SAME] if wanted.difficulty < len(features_in_play(wanted)) else []
    makes += [FeaturePattern.ALL_DIFFERENT] if wanted.difficulty > 1 else []
    triple = draw_set(draws, wanted, draws.one_of(makes))
    changed = list(triple)
    place = draws.below(3)
    changed[place] = draws.one_of(changes(changed[place], focus))
    a, b, c = changed
    return ((a, b, c), triple) if draws.coin() else (triple, (a, b, c))
