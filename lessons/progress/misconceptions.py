"""What a learner seems to believe wrongly: that a feature doesn't matter, or that all features must be alike.

Pure. Each idea is weighed against an ordinary learner, who errs, too, but in no particular direction: every answer adds
the logarithm of how much likelier it is with the idea than without. The sum never falls below zero (Page's CUSUM,
1954), so being right long ago doesn't excuse being wrong now. Once it reaches `FOUND`, the learner seems to hold the
idea until the sum is back at zero. It never exceeds `MOST`, so that a learner who got over the idea is cleared soon.

The chances come from the form of the questions, as in `lessons.progress.tracing`. Those of an ordinary learner were set
with simulated learners, so that few of them are suspected. An idea is found after three to five errors of its kind in a
row, and dropped after about as many answers that contradict it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Final

from games.rules.cards import Feature
from lessons.progress.mastery import Try
from lessons.progress.tracing import DIFFERING_SKILLS, HELP
from lessons.skills import ExerciseKind, feature_skill


class Idea(StrEnum):
    OVERLOOKS = "overlooks"
    """Doesn't look at a feature."""
    ALL_ALIKE = "all-alike"
    """Believes that everything in a SET must be alike, so that differences are faults."""


@dataclass(frozen=True, slots=True)
class Misconception:
    idea: Idea
    feature: Feature | None = None
    """The one that's overlooked."""


FOUND: Final[Mapping[Idea, float]] = {Idea.OVERLOOKS: 4.2, Idea.ALL_ALIKE: 3.8}
"""At 3.8, a learner with the idea is e^3.8, about forty-five times, as likely to give these answers as one without.

Overlooking takes more evidence, since there are four features and any of them may come up by chance.
"""
MOST: Final = 5.0


@dataclass(frozen=True, slots=True)
class Chances:
    """The probability of a right answer with the idea, and for an ordinary learner who's still learning."""

    with_it: float
    without: float = 0.8

    def weight(self, is_right: bool) -> float:
        """Positive if the answer is evidence for the idea."""
        if is_right:
            return math.log(self.with_it / self.without)
        return math.log((1 - self.with_it) / (1 - self.without))


SEES_THE_FEATURE: Final[Mapping[ExerciseKind, Chances]] = {
    # To a learner who overlooks what's broken, nothing is. Asked for it, they name one of four by chance.
    ExerciseKind.IS_SET: Chances(0.15),
    ExerciseKind.WHICH_BREAKS: Chances(0.25),
    # An overlooked feature passes for all the same; if it really is, the answer isn't counted.
    ExerciseKind.EXPLAIN: Chances(0.1),
    # The choices have two or three of its values.
    ExerciseKind.THIRD_CARD: Chances(0.4),
    # Many triples on a board are SETs except for one feature.
    ExerciseKind.FIND_ONE: Chances(0.35, 0.65),
    ExerciseKind.FIND_ALL: Chances(0.2, 0.45),
}
"""For a feature that's overlooked."""

ACCEPTS_A_SET: Final = (Chances(0.1, 0.65), Chances(0.1, 0.55), Chances(0.1, 0.5), Chances(0.1, 0.4))
"""By the number of features in which it differs, from one. The more there are, the more ordinary learners doubt it."""
REFUSES_WHAT_IS_NONE: Final = Chances(0.95, 0.75)
NAMES_WHAT_BREAKS: Final = Chances(0.4, 0.5)
"""With the idea, a feature that's all different may be named, too."""
COMPLETES_A_SET: Final = Chances(0.15, 0.35)


def misconceptions(tries: Iterable[Try]) -> list[Misconception]:
    """What the learner seems to believe after these tries."""
    in_order = sorted(tries, key=lambda try_: try_.at)
    return [each for each, weigh in _WEIGHTS.items() if _is_held(map(weigh, in_order), FOUND[each.idea])]


def _is_held(weights: Iterable[float], found: float) -> bool:
    total, is_held = 0.0, False
    for weight in weights:
        total = min(MOST, max(0.0, total + weight))
        is_held = total > 0 if is_held else total >= found
    return is_held


def _hint_weight(try_: Try) -> float:
    """How much an answer counts: less if it's right after hints, but no less if it's wrong in spite of them."""
    return HELP**try_.hints if try_.is_right else 1.0


def _overlooking_weight(feature: Feature, try_: Try) -> float:
    chances = SEES_THE_FEATURE.get(try_.kind) if try_.kind else None
    if chances is None or _is_of_the_easy_deck(try_):
        return 0.0
    if try_.kind in {ExerciseKind.FIND_ONE, ExerciseKind.FIND_ALL} and try_.is_right:
        return chances.weight(True) * _hint_weight(try_)
    said = [each.is_right for each in try_.evidence if each.skill is feature_skill(feature)]
    if not said:
        return 0.0
    if said[0]:
        return chances.weight(True) * _hint_weight(try_)
    return chances.weight(False) * _blame_share(feature, try_)


def _is_of_the_easy_deck(try_: Try) -> bool:
    return try_.wanted is not None and try_.wanted.easy


def _blame_share(feature: Feature, try_: Try) -> float:
    """How much of an error is due to overlooking this feature. Features missed together share it, except in EXPLAIN."""
    if try_.kind is ExerciseKind.EXPLAIN:
        return 1.0
    if try_.kind is ExerciseKind.WHICH_BREAKS and try_.wanted and try_.wanted.focus:
        # The focus is what breaks it. A learner who named another feature did look at that one, if wrongly.
        return float(feature is try_.wanted.focus)
    if try_.kind is ExerciseKind.IS_SET and _sets_recognised(try_):
        # A feature that's fine was blamed, which somebody who overlooks it wouldn't do.
        return 0.0
    return 1 / max(1, len(try_.missed))


def _sets_recognised(try_: Try) -> dict[int, bool]:
    """Whether the SETs that the answer is about were recognized, by the number of features in which they differ."""
    places = {skill: number for number, skill in enumerate(DIFFERING_SKILLS, 1)}
    return {places[each.skill]: each.is_right for each in try_.evidence if each.skill in places}


def _all_alike_weight(try_: Try) -> float:
    return _unaided_all_alike_weight(try_) * _hint_weight(try_)


def _unaided_all_alike_weight(try_: Try) -> float:
    recognised = _sets_recognised(try_)
    match try_.kind:
        case ExerciseKind.IS_SET | ExerciseKind.ANY_SET if not recognised:
            return REFUSES_WHAT_IS_NONE.weight(try_.is_right)
        case ExerciseKind.IS_SET | ExerciseKind.ANY_SET:
            return sum(ACCEPTS_A_SET[number - 1].weight(is_yes) for number, is_yes in recognised.items())
        case ExerciseKind.WHICH_BREAKS:
            return NAMES_WHAT_BREAKS.weight(try_.is_right)
        case ExerciseKind.THIRD_CARD | ExerciseKind.FIND_ONE:
            return COMPLETES_A_SET.weight(try_.is_right)
        case ExerciseKind.FIND_ALL:
            return COMPLETES_A_SET.weight(any(recognised.values()))
    return 0.0


_WEIGHTS: Final[Mapping[Misconception, Callable[[Try], float]]] = {
    **{Misconception(Idea.OVERLOOKS, feature): partial(_overlooking_weight, feature) for feature in Feature},
    Misconception(Idea.ALL_ALIKE): _all_alike_weight,
}
