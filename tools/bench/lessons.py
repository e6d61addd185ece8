"""How soon simulated learners master everything, and how soon their misconceptions are found.

Counts of exercises with fixed seeds, so they're the same on every machine. The learners follow a different model from
the site's, see `tools.bench.learners`. The seeds aren't those with which the order and the probabilities were tuned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from statistics import mean, median, quantiles

from games.rules.cards import Feature
from lessons.progress.mastery import Level, statuses
from lessons.progress.misconceptions import Idea, Misconception, misconceptions
from tools.bench.figures import Figure, Goal
from tools.bench.learners import ALL_ALIKE, BLIND_TO_SHADING, NATURES, ORDINARY, Learner, Nature, Order, Practice
from tools.bench.learners import adaptive as adaptive_order
from tools.bench.learners import at_random as random_order

LEARNERS = 60
FINDERS = 200
"""More learners where a share is measured: with sixty it varies by five percent."""
MOST = 600
"""Learners who aren't done by then count as done then."""
SOON = 20
WATCHED = 60
"""How many exercises to look for misconceptions; one not found by then counts as found then."""


def practices(nature: Nature, order: Order, learners: int) -> Iterator[Practice]:
    for number in range(learners):
        yield Practice(Learner(nature, f"bench 2/{number}"), order, f"bench 2/{number}")


def exercises_until(practice: Practice, is_done: Callable[[Practice], bool], most: int = MOST) -> int:
    """How many exercises it takes until `is_done`."""
    for number, _try in enumerate(practice.run(most), 1):
        if is_done(practice):
            return number
    return most


def truly(practice: Practice) -> bool:
    return practice.learner.holds_all(practice.now)


def on_screen(practice: Practice) -> bool:
    return all(each.level is Level.MASTERED for each in statuses(practice.states, practice.now))


def both(practice: Practice) -> bool:
    return truly(practice) and on_screen(practice)


def _mastering(name: str, is_done: Callable[[Practice], bool], goal: Goal | None, note: str) -> Figure:
    def take(order: Order) -> dict[str, float]:
        return {
            nature.name: mean(exercises_until(each, is_done) for each in practices(nature, order, LEARNERS))
            for nature in NATURES
        }

    ours, theirs = take(adaptive_order), take(random_order)
    value, baseline = mean(ours.values()), mean(theirs.values())
    each = "; ".join(f"{name} {ours[name]:.0f} against {theirs[name]:.0f}" for name in ours)
    return Figure(
        name,
        value,
        "exercises",
        "the same learners, each exercise drawn from all that the adaptive order could ask for",
        baseline,
        value / baseline,
        goal,
        f"mean over {LEARNERS} learners of each kind {note}: {each}",
    )


def exercises_to_mastery() -> Figure:
    return _mastering(
        "exercises_to_mastery", on_screen, Goal(at_most=0.7), "until the site's status of every skill is mastered"
    )


def exercises_to_true_mastery() -> Figure:
    """What the site shows and what the learner can do differ; the order goes by the first."""
    return _mastering("exercises_to_true_mastery", truly, Goal(at_most=0.7), "until they truly hold every skill")


def exercises_to_mastery_that_is_true() -> Figure:
    note = "until the site says so of every skill while it is true"
    return _mastering("exercises_to_mastery_that_is_true", both, None, note)


SHADING = Misconception(Idea.OVERLOOKS, Feature.SHADING)
ALIKE = Misconception(Idea.ALL_ALIKE)


@cache
def _to_find(nature: Nature, misconception: Misconception, order: Order) -> list[int]:
    def is_found(practice: Practice) -> bool:
        return misconception in misconceptions(practice.tries)

    return [exercises_until(each, is_found, WATCHED) for each in practices(nature, order, FINDERS)]


def _finding(name: str, nature: Nature, misconception: Misconception) -> Figure:
    ours, theirs = (_to_find(nature, misconception, order) for order in (adaptive_order, random_order))
    value, baseline = (quantiles(each, n=10)[-1] for each in (ours, theirs))
    within = sum(number <= SOON for number in ours) / len(ours)
    return Figure(
        name,
        value,
        "exercises",
        "random order",
        baseline,
        value / baseline,
        Goal(at_most=SOON, of="value"),
        f"90th percentile of {FINDERS} learners, who give the idea up after six corrections; median "
        f"{median(ours):g}; {within:.0%} within {SOON}; {ours.count(WATCHED)} never found, counted as {WATCHED}",
    )


def exercises_to_find_blind_to_shading() -> Figure:
    return _finding("exercises_to_find_blind_to_shading", BLIND_TO_SHADING, SHADING)


def exercises_to_find_all_alike() -> Figure:
    return _finding("exercises_to_find_all_alike", ALL_ALIKE, ALIKE)


def misconceptions_falsely_found() -> Figure:
    suspected = [_is_ever_suspected(each) for each in practices(ORDINARY, adaptive_order, FINDERS)]
    held = _to_find(BLIND_TO_SHADING, SHADING, adaptive_order) + _to_find(ALL_ALIKE, ALIKE, adaptive_order)
    value = 100 * mean(suspected)
    baseline = 100 * mean(number < WATCHED for number in held)
    return Figure(
        "misconceptions_falsely_found",
        value,
        "% of learners",
        "of those who hold one of the two, in how many it is found",
        baseline,
        value / baseline,
        None,
        f"ordinary learners of whom any of the five was ever said in {WATCHED} exercises, {FINDERS} learners",
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
