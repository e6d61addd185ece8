"""Tries for tests: exercises created, answered and recorded the way the site does it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, count, product
from typing import Any

from classrooms.models import Enrolment, User
from games.players import Player
from games.rules import FULL_DECK, Card, Feature, explain, find_sets
from lessons.models import LearningEvent
from lessons.progress.origins import Origin
from lessons.progress.recording import Answered, Asked, record_event
from lessons.questions import exercise_of
from lessons.skills import ExerciseKind, Wanted

NOW = 1_800_000_000.0
DAY = 86_400.0
_seeds = count(1)


def player_of(who: Enrolment | User) -> Player:
    user = who.student if isinstance(who, Enrolment) else who
    return Player(name=user.display_name, user=user)


def answered(
    who: Enrolment | User,
    kind: ExerciseKind,
    cards: Sequence[Card],
    answer: dict[str, Any],
    *,
    at: float = NOW - DAY,
    choices: Sequence[Card] = (),
    seed: str = "",
    seconds: float | None = 10.0,
    place: str = "practice",
) -> LearningEvent:
    """Grade and record one answer to an exercise with these cards."""
    seed = seed or f"test-{next(_seeds)}"
    exercise = exercise_of(Wanted(kind), seed, tuple(cards), tuple(choices))
    graded = exercise.grade(answer)
    return record_event(
        player_of(who),
        Asked(
            origin=Origin.of_place(place),
            kind=kind,
            wanted=exercise.wanted,
            seed=seed,
            cards=[card.index for card in cards],
        ),
        Answered(
            answer=answer,
            is_right=graded.is_right,
            missed=graded.missed,
            evidence=graded.evidence,
            seconds=seconds,
        ),
        now=at,
    )


def broken_by(*features: Feature, skip: int = 0) -> tuple[Card, Card, Card]:
    """Three cards broken by exactly these features; `skip` selects a later example."""
    found = (triple for triple in combinations(FULL_DECK, 3) if _breaks(triple) == set(features))
    return next(triple for number, triple in enumerate(found) if number == skip)


def a_set(skip: int = 0) -> tuple[Card, Card, Card]:
    return find_sets(FULL_DECK)[skip]


def board(*, sets: int) -> tuple[Card, ...]:
    """Nine cards containing this many SETs."""
    for start, step in product(range(81), range(1, 12)):
        cards = tuple(dict.fromkeys(FULL_DECK[(start + step * place * place) % 81] for place in range(9)))
        if len(cards) == 9 and len(find_sets(cards)) == sets:
            return cards
    raise AssertionError("no such board")


def _breaks(triple: Sequence[Card]) -> set[Feature]:
    return {each.feature for each in explain(*triple).broken}
