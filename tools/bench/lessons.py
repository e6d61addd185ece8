"""How many exercises simulated learners need to master everything, and how soon their misconceptions are found.

Counts of exercises with fixed seeds, so they're the same on every machine. The learners follow a different model from
the site's, see `tools.bench.learners`. These seeds aren't the ones that were used to tune the order and probabilities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from statistics import mean, median, quantiles

from games.rules.cards import Feature
from lessons.progress.mastery import Level, statuses
from lessons.progress.misconceptions import Idea, Misconception, misconceptions
from tools.bench.figures import Figure, Goal
from tools.bench.learners import (
    ALL_ALIKE,
    BLIND_TO_SHADING,
    LEARNER_TYPES,
    ORDINARY,
    Learner,
    LearnerType,
    Order,
    Practice,
)
from tools.bench.learners import adaptive as adaptive_order
from tools.bench.learners import at_random as random_order

LEARNERS = 60
SHARE_LEARNERS = 200
"""Figures that measure a share need more learners: with sixty it varies by five percent."""
MOST_EXERCISES = 600
"""Learners who need more exercises count as done after this many."""
SOON = 20
WATCHED = 60
"""How many exercises to look for misconceptions; one not found by then counts as found at the end."""


def practices(learner_type: LearnerType, order: Order, learners: int) -> Iterator[Practice]:
    for number in range(learners):
        yield Practice(Learner(learner_type, f"bench 2/{number}"), order, f"bench 2/{number}")


def exercises_until(practice: Practice, is_done: Callable[[Practice], bool], limit: int = MOST_EXERCISES) -> int:
    """How many exercises it takes until `is_done`, at most `limit`."""
    for number, _try in enumerate(practice.run(limit), 1):
        if is_done(practice):
            return number
    return limit


def has_mastered_all(practice: Practice) -> bool:
    return practice.learner.has_mastered_all(practice.now)


def shows_mastery(practice: Practice) -> bool:
    return all(each.level is Level.MASTERED for each in statuses(practice.states, practice.now))


def shows_true_mastery(practice: Practice) -> bool:
    return has_mastered_all(practice) and shows_mastery(practice)


def _mastering(name: str, is_done: Callable[[Practice], bool], goal: Goal | None, note: str) -> Figure:
    def measure(order: Order) -> dict[str, float]:
        return {
            learner_type.name: mean(exercises_until(each, is_done) for each in practices(learner_type, order, LEARNERS))
            for learner_type in LEARNER_TYPES
        }

    adaptive, random = measure(adaptive_order), measure(random_order)
    value, baseline = mean(adaptive.values()), mean(random.values())
    each = "; ".join(f"{name} {adaptive[name]:.0f} against {random[name]:.0f}" for name in adaptive)
    return Figure(
        name,
        value,
        "exercises",
        "the same learners, with each exercise drawn at random from all those the adaptive order could choose",
        baseline,
        value / baseline,
        goal,
        f"mean over {LEARNERS} learners of each kind {note}: {each}",
    )


def exercises_to_mastery() -> Figure:
    return _mastering(
        "exercises_to_mastery", shows_mastery, Goal(at_most=0.7), "until the site shows every skill as mastered"
    )


def exercises_to_true_mastery() -> Figure:
    """What the site shows and what the learner can do differ; the adaptive order goes by what the site shows."""
    note = "until they have really mastered every skill"
    return _mastering("exercises_to_true_mastery", has_mastered_all, Goal(at_most=0.7), note)


def exercises_to_mastery_that_is_true() -> Figure:
    note = "until the site shows every skill as mastered and that's true"
    return _mastering("exercises_to_mastery_that_is_true", shows_true_mastery, None, note)


SHADING = Misconception(Idea.OVERLOOKS, Feature.SHADING)
ALIKE = Misconception(Idea.ALL_ALIKE)


@cache
def _exercises_to_find(learner_type: LearnerType, misconception: Misconception, order: Order) -> list[int]:
    def is_found(practice: Practice) -> bool:
        return misconception in misconceptions(practice.tries)

    return [exercises_until(each, is_found, WATCHED) for each in practices(learner_type, order, SHARE_LEARNERS)]


def _finding(name: str, learner_type: LearnerType, misconception: Misconception) -> Figure:
    adaptive, random = (
        _exercises_to_find(learner_type, misconception, order) for order in (adaptive_order, random_order)
    )
    value, baseline = (quantiles(each, n=10)[-1] for each in (adaptive, random))
    within = sum(number <= SOON for number in adaptive) / len(adaptive)
    return Figure(
        name,
        value,
        "exercises",
        "random order",
        baseline,
        value / baseline,
        Goal(at_most=SOON, of="value"),
        f"90th percentile of {SHARE_LEARNERS} learners, who give up the idea after six corrections; "
        f"median {median(adaptive):g}; {within:.0%} within {SOON}; "
        f"{adaptive.count(WATCHED)} never found, which count as {WATCHED}",
    )


def exercises_to_find_blind_to_shading() -> Figure:
    return _finding("exercises_to_find_blind_to_shading", BLIND_TO_SHADING, SHADING)


def exercises_to_find_all_alike() -> Figure:
    return _finding("exercises_to_find_all_alike", ALL_ALIKE, ALIKE)


def misconceptions_falsely_found() -> Figure:
    suspected = [_is_ever_suspected(each) for each in practices(ORDINARY, adaptive_order, SHARE_LEARNERS)]
    found = _exercises_to_find(BLIND_TO_SHADING, SHADING, adaptive_order) + _exercises_to_find(
        ALL_ALIKE, ALIKE, adaptive_order
    )
    value = 100 * mean(suspected)
    baseline = 100 * mean(number < WATCHED for number in found)
    return Figure(
        "misconceptions_falsely_found",
        value,
        "% of learners",
        "share of learners with one of the two misconceptions in whom it's found",
        baseline,
        value / baseline,
        None,
        f"ordinary learners for whom any of the five was reported in {WATCHED} exercises; {SHARE_LEARNERS} learners",
    )


def _is_ever_suspected(practice: Practice) -> bool:
    return any(misconceptions(practice.tries) for _try in practice.run(WATCHED))


FIGURES = [
    exercises_to_mastery,
    exercises_to_true_mastery,
    exercises_to_mastery_that_is_true,
    exercises_to_find_blind_to_shading,
    exercises_to_find_all_alike,
    misconceptions_falsely_found,
]
