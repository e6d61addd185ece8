"""The course as data: one module per unit, in the order of `lessons.course.units.ORDER`; here are their helpers."""

from __future__ import annotations

from collections.abc import Iterable

from games.rules import Card, Feature, explain
from games.rules.triples import FeaturePattern, Verdict
from lessons.questions import exercise_of
from lessons.questions.course import Ask, Drill
from lessons.skills import ExerciseKind, Wanted


def card(text: str) -> Card:
    """The card for a text like "2 red striped oval"."""
    number, color, shading, shape = text.split()
    return Card(int(number), color, shading, shape)


def hand(*texts: str) -> tuple[Card, ...]:
    return tuple(map(card, texts))


def verdict(*texts: str) -> Verdict:
    first, second, third = hand(*texts)
    return explain(first, second, third)


def ask(kind: ExerciseKind, *texts: str) -> Ask:
    """An exercise about these three cards. Its difficulty is the number of features that are all different."""
    makes = [each.kind for each in verdict(*texts).features]
    return Ask(
        exercise_of(Wanted(kind, max(1, makes.count(FeaturePattern.ALL_DIFFERENT))), seed="", cards=hand(*texts))
    )


def ask_third(first: str, second: str, choices: Iterable[str]) -> Ask:
    """Which of the choices makes the two a SET? The difficulty is the number of features in which they differ."""
    one, two = hand(first, second)
    difficulty = sum(one.value(feature) is not two.value(feature) for feature in Feature)
    return Ask(
        exercise_of(Wanted(ExerciseKind.THIRD_CARD, difficulty), seed="", cards=(one, two), choices=hand(*choices))
    )


def drill(kind: ExerciseKind, *difficulties: int, right: int = 3, easy: bool = False) -> Drill:
    return Drill(tuple(Wanted(kind, difficulty, easy=easy) for difficulty in difficulties), right)


def drill_features(kind: ExerciseKind, *features: Feature, difficulty: int = 1) -> Drill:
    """One right answer about each of these features, in any order."""
    return Drill(tuple(Wanted(kind, difficulty, focus=feature) for feature in features), len(features))
