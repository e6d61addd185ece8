"""Every kind of exercise by its name, and functions that make a wanted exercise. Pure."""

from __future__ import annotations

from typing import Final

from games.rules.cards import Card, Feature
from lessons.questions.any_set import AnySet
from lessons.questions.exercise import Exercise, cached_exercise, check_wanted
from lessons.questions.explain import Explain
from lessons.questions.find_all import FindAll
from lessons.questions.find_one import FindOne
from lessons.questions.is_set import IsSet
from lessons.questions.third_card import ThirdCard
from lessons.questions.which_breaks import WhichBreaks
from lessons.skills import ExerciseKind, Wanted

EXERCISES: Final[dict[ExerciseKind, type[Exercise]]] = {
    each.kind: each for each in (IsSet, WhichBreaks, Explain, ThirdCard, FindOne, AnySet, FindAll)
}
"""In the order in which they build on each other."""
BOARDS: Final = tuple(kind for kind in ExerciseKind if EXERCISES[kind].has_board)


def exercise_of(wanted: Wanted, seed: str, cards: tuple[Card, ...], choices: tuple[Card, ...] = ()) -> Exercise:
    """An exercise with the given cards, instead of drawn ones."""
    return EXERCISES[wanted.kind](wanted, seed, cards, choices)


def make_exercise(wanted: Wanted, seed: str) -> Exercise:
    """The exercise of this seed, which stays the same forever. Each kind's `draw` says what its difficulty means."""
    check_wanted(wanted)
    return cached_exercise(EXERCISES[wanted.kind], wanted, seed)


def fresh_exercise(wanted: Wanted, seed: str, avoid: Exercise | None, *, troubled: Feature | None = None) -> Exercise:
    """An exercise that wasn't just asked. If it's about the `troubled` feature, the first of a contrast pair."""
    check_wanted(wanted)
    return EXERCISES[wanted.kind].fresh(wanted, seed, avoid, troubled=troubled)
