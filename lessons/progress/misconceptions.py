"""What a learner seems to believe wrongly: that a feature does not matter, or that all features must be alike.

Pure. Each idea is weighed against an ordinary learner, who errs too but in no one direction: for every answer the
logarithm of how much likelier it is with the idea than without. The sum never falls below zero (Page's CUSUM, 1954),
so what was right long ago does not excuse what is wrong now. From `FOUND` on the learner seems to hold the idea, until
the sum is back at zero; it never grows beyond `MOST`, so that somebody who got over it is believed soon.

The chances come from the form of the questions, as in `lessons.progress.tracing`; those of an ordinary learner were
set with simulated learners, so that few of them are suspected. An idea is found after three to five errors of its sort
in a row, and forgotten after about as many answers that contradict it.
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
    """Does not look at a feature."""
    ALL_ALIKE = "all-alike"
    """Takes differences for a fault: in a SET all must be alike."""


@dataclass(frozen=True, slots=True)
class Misconception:
    idea: Idea
    feature: Feature | None = None
    """Which one is overlooked."""


FOUND: Final[Mapping[Idea, float]] = {Idea.OVERLOOKS: 4.2, Idea.ALL_ALIKE: 3.8}
"""A learner with the idea is then e^3.8, about forty-five times, as likely to have answered so as one without.

Any of four features may be overlooked, so there each must be surer.
"""
MOST: Final = 5.0


@dataclass(frozen=True, slots=True)
class Chances:
    """How likely an answer is right with the idea, and for an ordinary learner who is still learning."""

    with_it: float
    without: float = 0.8

    def weight(self, is_right: bool) -> float:
        """Positive where the answer speaks for the idea."""
        if is_right:
            return math.log(self.with_it / self.without)
        return math.log((1 - self.with_it) / (1 - self.without))


SEES_THE_FEATURE: Final[Mapping[ExerciseKind, Chances]] = {
    # Nothing looks broken to one who overlooks what is: by chance one of four is named.
    ExerciseKind.IS_SET: Chances(0.15),
    ExerciseKind.WHICH_BREAKS: Chances(0.25),
    # What is not looked at passes for all the same; where it is so, the answer is not counted.
    ExerciseKind.EXPLAIN: Chances(0.1),
    # The choices have two or three values of it.
    ExerciseKind.THIRD_CARD: Chances(0.4),
    # Many triples of a board are SETs but for one feature.
    ExerciseKind.FIND_ONE: Chances(0.35, 0.65),
    ExerciseKind.FIND_ALL: Chances(0.2, 0.45),
}
"""With a feature that is overlooked."""

ACCEPTS_A_SET: Final = (Chances(0.1, 0.65), Chances(0.1, 0.55), Chances(0.1, 0.5), Chances(0.1, 0.4))
"""By in how many features it differs, from one on: even an ordinary learner doubts the more the more it is."""
REFUSES_WHAT_IS_NONE: Final = Chances(0.95, 0.75)
NAMES_WHAT_BREAKS: Final = Chances(0.4, 0.5)
"""Any feature that is all different may be named as well."""
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


def _unaided(try_: Try) -> float:
    """Right after hints says less; wrong in spite of them says no less."""
    return HELP**try_.hints if try_.is_right else 1.0


def _overlooks(feature: Feature, try_: Try) -> float:
    chances = SEES_THE_FEATURE.get(try_.kind) if try_.kind else None
    if chances is None or _is_of_the_easy_deck(try_):
        return 0.0
    if try_.kind in {ExerciseKind.FIND_ONE, ExerciseKind.FIND_ALL} and try_.is_right:
        return chances.weight(True) * _unaided(try_)
    said = [each.is_right for each in try_.evidence if each.skill is feature_skill(feature)]
    if not said:
        return 0.0
    if said[0]:
        return chances.weight(True) * _unaided(try_)
    return chances.weight(False) * _share(feature, try_)


def _is_of_the_easy_deck(try_: Try) -> bool:
    return try_.wanted is not None and try_.wanted.easy


def _share(feature: Feature, try_: Try) -> float:
    """How far an error is one of overlooking this feature; several missed at once share it, but to explain."""
    if try_.kind is ExerciseKind.EXPLAIN:
        return 1.0
    if try_.kind is ExerciseKind.WHICH_BREAKS and try_.wanted and try_.wanted.focus:
        # The focus is what breaks; whoever names another feature has looked at that one, if wrongly.
        return float(feature is try_.wanted.focus)
    if try_.kind is ExerciseKind.IS_SET and _sets_recognised(try_):
        # A feature was blamed that is all right: not the one who overlooks it does that.
        return 0.0
    return 1 / max(1, len(try_.missed))


def _sets_recognised(try_: Try) -> dict[int, bool]:
    """For the SETs that the answer is about, by in how many features they differ, whether they were recognised."""
    places = {skill: number for number, skill in enumerate(DIFFERING_SKILLS, 1)}
    return {places[each.skill]: each.is_right for each in try_.evidence if each.skill in places}


def _wants_all_alike(try_: Try) -> float:
    return _alike_weight(try_) * _unaided(try_)


def _alike_weight(try_: Try) -> float:
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
    **{Misconception(Idea.OVERLOOKS, feature): partial(_overlooks, feature) for feature in Feature},
    Misconception(Idea.ALL_ALIKE): _wants_all_alike,
}
