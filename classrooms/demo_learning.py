"""What the demo's children have learned: answers by simple models of children, recorded by the real services."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from classrooms.models import User
from games.players import Player
from games.rules import Card, Feature, explain, find_sets
from games.rules.triples import FeaturePattern, Verdict
from lessons.answering import asked_of
from lessons.course.units import course
from lessons.progress.mastery import Try, next_wanted
from lessons.progress.origins import PRACTICE
from lessons.progress.recording import Answered, finish_step, record_event
from lessons.progress.records import try_of
from lessons.progress.snapshots import skill_states
from lessons.questions import Exercise, make_exercise
from lessons.skills import ExerciseKind

DAY: Final = 86_400.0
_MORNING: Final = 9.5 * 3600


@dataclass(frozen=True, slots=True)
class Child:
    """A model of how a child in the demo sees cards."""

    care: float
    """The probability that the child looks at a feature."""
    days: Sequence[int]
    """The days when the child practiced, counted back from today."""
    tries: int
    """How many exercises per day."""
    units: int
    """How many units of the course the child has done."""
    blind: Feature | None = None
    """The feature that the child hardly ever looks at."""
    refuses: float = 0.0
    """How likely the child is to reject a SET, per share of features that are all different."""

    def looks_at(self, feature: Feature, rng: random.Random) -> bool:
        return rng.random() < (0.12 if feature is self.blind else self.care)

    def broken(self, cards: Sequence[Card], rng: random.Random) -> list[Feature]:
        """The features that break the SET, as far as the child sees them."""
        return [each.feature for each in explain(*cards).broken if self.looks_at(each.feature, rng)]


def learn(student: User, child: Child, *, now: float) -> None:
    """Let a child work through the course, and practice on its days."""
    rng = random.Random(f"demo/{student.display_name}")
    player = Player(name=student.display_name, user=student)
    today = now - now % DAY
    first = today - max(child.days) * DAY + _MORNING
    for unit in course()[: child.units]:
        for number, step in enumerate(unit.steps):
            finish_step(player, unit.slug, step.slug, now=min(first + 40 * number, now))
    tries: list[Try] = []
    for back in sorted(child.days, reverse=True):
        moment = today - back * DAY + _MORNING + rng.uniform(0, 5400)
        for number in range(child.tries):
            moment += rng.uniform(8, 45)
            if moment < now:
                seed = f"demo-{student.display_name}-{back}-{number}"
                tries.append(_try_once(player, child, tries, seed=seed, moment=moment, rng=rng))


def _try_once(
    player: Player, child: Child, tries: Sequence[Try], *, seed: str, moment: float, rng: random.Random
) -> Try:
    wanted = next_wanted(tries, moment, rng, states=skill_states(player))
    exercise = make_exercise(wanted, seed)
    answer = _ANSWERS[exercise.kind](exercise, child, rng)
    graded = exercise.grade(answer)
    event = record_event(
        player,
        asked_of(exercise, origin=PRACTICE, seed=seed),
        Answered(
            answer=answer,
            is_right=graded.is_right,
            missed=graded.missed,
            evidence=graded.evidence,
            seconds=round(rng.uniform(2, 6) * len(exercise.cards), 1),
        ),
        now=moment,
    )
    return try_of(event)


def _is_it_a_set(exercise: Exercise, child: Child, rng: random.Random) -> dict[str, Any]:
    verdict = explain(*exercise.cards)
    if verdict.is_set:
        return {"yes": not _is_refused(verdict, child, rng)}
    return {"yes": not child.broken(exercise.cards, rng)}


def _is_refused(verdict: Verdict, child: Child, rng: random.Random) -> bool:
    different = sum(each.kind is FeaturePattern.ALL_DIFFERENT for each in verdict.features)
    return rng.random() < child.refuses * different / len(Feature)


def _which_breaks(exercise: Exercise, child: Child, rng: random.Random) -> dict[str, Any]:
    seen = child.broken(exercise.cards, rng)
    guesses = [feature for feature in Feature if feature is not child.blind]
    return {"breaks": rng.choice(seen or guesses).value}


def _explain(exercise: Exercise, child: Child, rng: random.Random) -> dict[str, Any]:
    def said(feature: Feature, make: FeaturePattern) -> FeaturePattern:
        return (
            make
            if child.looks_at(feature, rng)
            else rng.choice([FeaturePattern.ALL_SAME, FeaturePattern.ALL_DIFFERENT])
        )

    return {each.feature.value: said(each.feature, each.kind).value for each in explain(*exercise.cards).features}


def _third_card(exercise: Exercise, child: Child, rng: random.Random) -> dict[str, Any]:
    fitting = [card for card in exercise.choices if not child.broken([*exercise.cards, card], rng)]
    return {"card": rng.choice(fitting or exercise.choices).index}


def _find_one(exercise: Exercise, child: Child, rng: random.Random) -> dict[str, Any]:
    """The first three cards that look like a SET to the child."""
    triples = list(combinations(exercise.cards, 3))
    rng.shuffle(triples)
    # Children don't consider all triples alike: most that they think about are almost a SET.
    triples.sort(key=lambda triple: len(explain(*triple).broken) > 1)
    taken = next((triple for triple in triples if not child.broken(triple, rng)), triples[0])
    return {"cards": [card.index for card in taken]}


def _find_all(exercise: Exercise, child: Child, rng: random.Random) -> dict[str, Any]:
    found = [triple for triple in find_sets(exercise.cards) if rng.random() < child.care]
    return {"sets": [[card.index for card in triple] for triple in found]}


def _any_set(exercise: Exercise, child: Child, rng: random.Random) -> dict[str, Any]:
    return {"yes": bool(find_sets(exercise.cards)) is (rng.random() < child.care)}


_ANSWERS: Final = {
    ExerciseKind.IS_SET: _is_it_a_set,
    ExerciseKind.WHICH_BREAKS: _which_breaks,
    ExerciseKind.EXPLAIN: _explain,
    ExerciseKind.THIRD_CARD: _third_card,
    ExerciseKind.FIND_ONE: _find_one,
    ExerciseKind.FIND_ALL: _find_all,
    ExerciseKind.ANY_SET: _any_set,
}
