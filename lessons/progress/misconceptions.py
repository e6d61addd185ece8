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

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Final

from games.rules.cards import Feature
from lessons.progress.mastery import Try
from lessons.progress.tracing import DIFFERING_SKILLS, HELP
from lessons.questions.registry import EXERCISES
from lessons.skills import feature_skill


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
    exercise = EXERCISES[try_.kind] if try_.kind else None
    chances = exercise.learner.overlooking if exercise else None
    if exercise is None or chances is None or (try_.wanted and try_.wanted.easy):
        return 0.0
    if exercise.finds_sets and try_.is_right:
        return chances.weight(True) * _hint_weight(try_)
    said = [each.is_right for each in try_.evidence if each.skill is feature_skill(feature)]
    if not said:
        return 0.0
    if said[0]:
        return chances.weight(True) * _hint_weight(try_)
    focus = try_.wanted.focus if try_.wanted else None
    share = exercise.blame_share(feature, try_.missed, focus, is_of_set=bool(_sets_recognized(try_)))
    return chances.weight(False) * share


def _sets_recognized(try_: Try) -> dict[int, bool]:
    """Whether the SETs that the answer is about were recognized, by the number of features in which they differ."""
    places = {skill: number for number, skill in enumerate(DIFFERING_SKILLS, 1)}
    return {places[each.skill]: each.is_right for each in try_.evidence if each.skill in places}


def _all_alike_weight(try_: Try) -> float:
    if try_.kind is None:
        return 0.0
    return EXERCISES[try_.kind].all_alike_weight(try_.is_right, _sets_recognized(try_)) * _hint_weight(try_)


_WEIGHTS: Final[Mapping[Misconception, Callable[[Try], float]]] = {
    **{Misconception(Idea.OVERLOOKS, feature): partial(_overlooking_weight, feature) for feature in Feature},
    Misconception(Idea.ALL_ALIKE): _all_alike_weight,
}
