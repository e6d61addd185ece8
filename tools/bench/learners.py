"""Simulated learners, who answer real exercises from what they see on the cards and learn from the feedback.

They don't use the model of `lessons.progress.tracing` but a different one:
- each skill has a strength, a continuous number, and succeeds with its logistic probability;
- strength grows with the logarithm of practice (the power law of practice), at a separate rate for each learner and
  skill; a success counts more than a failure (performance factors analysis), and a feature named by the feedback counts
  in full;
- practice fades as a power of the time since (Wixted), so nights between sessions cost something;
- an answer is worked out from the cards: each feature is noticed or not, an unnoticed one passes as fine, features that
  all differ raise doubt, and boards are searched among true and tempting triples;
- a learner who can't do a kind of exercise guesses, and even experts slip at times;
- a belief (this feature doesn't exist, all must be alike) overrides what is seen until it has been corrected enough.
A skill is truly held when its probability is at least nine in ten and no belief is in its way.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from games.rules.cards import Card, Feature
from games.rules.triples import FeaturePattern, differing, explain, find_sets, third_card
from lessons.progress.mastery import States, Try, every_wanted, new_states, next_wanted, troubled_feature, update
from lessons.questions import Exercise, Grade, fresh_exercise, make_exercise
from lessons.skills import ExerciseKind, Skill, differing_skill, feature_skill, kind_skill

MASTERY_CHANCE: Final = 0.9
SLIP: Final = 0.03
FAILURE: Final = 0.3
"""How much a wrong answer teaches, relative to a right one."""
SECONDS_EACH: Final = 30.0
EXERCISES_A_DAY: Final = 30
DAY: Final = 86_400.0
FADING: Final = 0.03
FADING_UNIT: Final = 3_600.0
CANDIDATE_TRIPLES: Final = 12
"""How many random triples of a board a learner looks at, besides the SETs."""

STARTING_STRENGTHS: Final[Mapping[Skill, float]] = {
    Skill.NUMBER: 0.5,
    Skill.COLOR: 1.5,
    Skill.SHADING: 0.0,
    Skill.SHAPE: 1.5,
    Skill.IS_SET: 0.0,
    Skill.WHICH_BREAKS: -0.3,
    Skill.EXPLAIN: -0.3,
    Skill.THIRD_CARD: -0.6,
    Skill.FIND_ONE: -0.6,
    Skill.ANY_SET: -1.0,
    Skill.FIND_ALL: -1.5,
    Skill.DIFFERS_1: 0.5,
    Skill.DIFFERS_2: 0.0,
    Skill.DIFFERS_3: -0.5,
    Skill.DIFFERS_4: -1.0,
}
"""A newcomer's average strength; 0 is an even chance."""
RATE: Final = 1.6
SPREAD_OF_STARTS: Final = 0.4
SPREAD_OF_RATES: Final = 0.15


@dataclass(frozen=True, slots=True)
class LearnerType:
    """A kind of learner."""

    name: str
    blind_to: Feature | None = None
    wants_all_alike: bool = False
    corrections: int = 6
    """How often a belief must be proved wrong before it's given up."""


ORDINARY: Final = LearnerType("ordinary")
BLIND_TO_SHADING: Final = LearnerType("never notices shading", blind_to=Feature.SHADING)
ALL_ALIKE: Final = LearnerType("believes that all must be alike", wants_all_alike=True)
LEARNER_TYPES: Final = (ORDINARY, BLIND_TO_SHADING, ALL_ALIKE)


@dataclass(slots=True)
class _Strength:
    start: float
    rate: float
    practice: float = 0.0
    at: float = 0.0

    def at_time(self, now: float) -> float:
        return self.start + self.rate * math.log1p(self._practice_left(now))

    def _practice_left(self, now: float) -> float:
        share: float = (1 + max(0.0, now - self.at) / FADING_UNIT) ** -FADING
        return self.practice * share

    def take_practice(self, amount: float, now: float) -> None:
        self.practice, self.at = self._practice_left(now) + amount, now


class Learner:
    """One learner. The seed decides their talent and their choices."""

    def __init__(self, learner_type: LearnerType, seed: str) -> None:
        self.learner_type = learner_type
        self.rng = random.Random(f"{learner_type.name}/{seed}")
        self._can_solve = False
        self.corrections_left = learner_type.corrections if learner_type.blind_to or learner_type.wants_all_alike else 0
        self._strengths = {
            skill: _Strength(
                start + self.rng.gauss(0, SPREAD_OF_STARTS), RATE * math.exp(self.rng.gauss(0, SPREAD_OF_RATES))
            )
            for skill, start in STARTING_STRENGTHS.items()
        }

    def chance(self, skill: Skill, now: float) -> float:
        """The probability that the skill succeeds."""
        if self.is_blind and skill is feature_skill(self.learner_type.blind_to or Feature.SHADING):
            return 0.0
        return 1 / (1 + math.exp(-self._strengths[skill].at_time(now)))

    @property
    def is_blind(self) -> bool:
        return self.learner_type.blind_to is not None and self.corrections_left > 0

    @property
    def wants_all_alike(self) -> bool:
        return self.learner_type.wants_all_alike and self.corrections_left > 0

    def has_mastered(self, skill: Skill, now: float) -> bool:
        return self.chance(skill, now) >= MASTERY_CHANCE

    def has_mastered_all(self, now: float) -> bool:
        return not self.corrections_left and all(self.has_mastered(skill, now) for skill in Skill)

    # Working out an answer

    def answer(self, exercise: Exercise, now: float) -> dict[str, Any]:
        slips = self.rng.random() < SLIP
        self._can_solve = self._succeeds_at(kind_skill(exercise.kind), now) and not slips
        # A learner with a rule, even a wrong one, doesn't guess.
        follows_a_rule = self.wants_all_alike and exercise.kind is ExerciseKind.IS_SET and not slips
        return _ANSWERS[exercise.kind](self, exercise, now, self._can_solve or follows_a_rule)

    def _succeeds_at(self, skill: Skill, now: float) -> bool:
        return self.rng.random() < self.chance(skill, now)

    def _look(self, triple: Sequence[Card], now: float) -> dict[Feature, FeaturePattern]:
        """How each feature appears; an unnoticed one passes as all the same."""
        return {
            feature: pattern if self._succeeds_at(feature_skill(feature), now) else FeaturePattern.ALL_SAME
            for feature, pattern in _patterns(*triple).items()
        }

    def _takes_for_set(self, triple: Sequence[Card], now: float) -> bool:
        patterns = list(self._look(triple, now).values())
        number = patterns.count(FeaturePattern.ALL_DIFFERENT)
        if FeaturePattern.TWO_AND_ONE in patterns or (number and self.wants_all_alike):
            return False
        return not number or self._succeeds_at(differing_skill(number), now)

    def _is_set(self, exercise: Exercise, now: float, can_solve: bool) -> dict[str, Any]:
        return {"yes": self._takes_for_set(exercise.cards, now) if can_solve else self.rng.random() < 0.5}

    def _which_breaks(self, exercise: Exercise, now: float, can_solve: bool) -> dict[str, Any]:
        seen = self._look(exercise.cards, now)
        broken = [feature for feature, pattern in seen.items() if pattern is FeaturePattern.TWO_AND_ONE]
        if self.wants_all_alike:
            broken = [feature for feature, pattern in seen.items() if pattern is not FeaturePattern.ALL_SAME]
        return {"breaks": self.rng.choice(broken if can_solve and broken else list(Feature)).value}

    def _explain(self, exercise: Exercise, now: float, can_solve: bool) -> dict[str, Any]:
        seen = self._look(exercise.cards, now)
        if not can_solve:
            # Confuse one answer with another.
            seen[self.rng.choice(list(Feature))] = self.rng.choice(list(FeaturePattern))
        return {feature.value: pattern.value for feature, pattern in seen.items()}

    def _third_card(self, exercise: Exercise, now: float, can_solve: bool) -> dict[str, Any]:
        a, b = exercise.cards
        right = third_card(a, b)
        needed = {
            feature: right.value(feature) for feature in Feature if self._succeeds_at(feature_skill(feature), now)
        }
        different = [feature for feature in needed if a.value(feature) is not b.value(feature)]
        confused = [] if self._succeeds_at(differing_skill(exercise.wanted.difficulty), now) else different[:1]
        for feature in different if self.wants_all_alike else confused:
            needed[feature] = a.value(feature)
        fits = {card: sum(card.value(each) is value for each, value in needed.items()) for card in exercise.choices}
        best = [card for card, fit in fits.items() if fit == max(fits.values())]
        return {"card": self.rng.choice(best if can_solve else exercise.choices).index}

    def _search(self, exercise: Exercise, now: float) -> Iterator[Sequence[Card]]:
        """Triples on a board that are taken for SETs, in the order in which they're seen."""
        tempting = [self.rng.sample(exercise.cards, 3) for _ in range(CANDIDATE_TRIPLES)]
        candidates = list({frozenset(triple): triple for triple in [*tempting, *find_sets(exercise.cards)]}.values())
        self.rng.shuffle(candidates)
        for triple in candidates:
            if self._takes_for_set(triple, now):
                yield triple

    def _most_tempting(self, exercise: Exercise, now: float) -> Sequence[Card]:
        tempting = [self.rng.sample(exercise.cards, 3) for _ in range(CANDIDATE_TRIPLES)]
        return min(
            tempting, key=lambda triple: list(self._look(triple, now).values()).count(FeaturePattern.TWO_AND_ONE)
        )

    def _find_one(self, exercise: Exercise, now: float, can_solve: bool) -> dict[str, Any]:
        found = next(self._search(exercise, now), None) if can_solve else None
        return {"cards": [card.index for card in found or self._most_tempting(exercise, now)]}

    def _find_all(self, exercise: Exercise, now: float, can_solve: bool) -> dict[str, Any]:
        found = [[card.index for card in triple] for triple in self._search(exercise, now)]
        return {"sets": found if can_solve else found[:1]}

    def _any_set(self, exercise: Exercise, now: float, can_solve: bool) -> dict[str, Any]:
        return {"yes": any(True for _ in self._search(exercise, now)) if can_solve else self.rng.random() < 0.5}

    # Learning from feedback

    def learn(self, exercise: Exercise, grade: Grade, now: float) -> None:
        amount = 1.0 if grade.is_right and self._can_solve else FAILURE
        self._strengths[kind_skill(exercise.kind)].take_practice(amount, now)
        for number in _differing_counts(exercise):
            self._strengths[differing_skill(number)].take_practice(amount, now)
        self._correct_belief(exercise, grade)
        for feature in Feature:
            share = 1.0 if feature in grade.missed else amount * _attention(exercise, feature)
            if not (self.is_blind and feature is self.learner_type.blind_to):
                self._strengths[feature_skill(feature)].take_practice(share, now)

    def _correct_belief(self, exercise: Exercise, grade: Grade) -> None:
        if self.learner_type.wants_all_alike:
            different_is_shown = exercise.kind is ExerciseKind.WHICH_BREAKS or _differing_counts(exercise)
            self.corrections_left -= bool(self.corrections_left and different_is_shown and not grade.is_right)
        elif self.learner_type.blind_to in grade.missed:
            self.corrections_left -= bool(self.corrections_left)


_ANSWERS: Final[Mapping[ExerciseKind, Callable[[Learner, Exercise, float, bool], dict[str, Any]]]] = {
    ExerciseKind.IS_SET: Learner._is_set,
    ExerciseKind.WHICH_BREAKS: Learner._which_breaks,
    ExerciseKind.EXPLAIN: Learner._explain,
    ExerciseKind.THIRD_CARD: Learner._third_card,
    ExerciseKind.FIND_ONE: Learner._find_one,
    ExerciseKind.FIND_ALL: Learner._find_all,
    ExerciseKind.ANY_SET: Learner._any_set,
}


@cache
def _patterns(a: Card, b: Card, c: Card) -> Mapping[Feature, FeaturePattern]:
    return {each.feature: each.kind for each in explain(a, b, c).features}


def _differing_counts(exercise: Exercise) -> set[int]:
    """In how many features the exercise's SETs differ."""
    if exercise.kind is ExerciseKind.THIRD_CARD:
        return {exercise.wanted.difficulty}
    if exercise.kind in {ExerciseKind.WHICH_BREAKS, ExerciseKind.EXPLAIN}:
        return set()
    return {differing(triple) for triple in find_sets(exercise.cards)}


def _attention(exercise: Exercise, feature: Feature) -> float:
    """How much of the learner's attention a feature gets."""
    if exercise.kind in {ExerciseKind.EXPLAIN, ExerciseKind.THIRD_CARD}:
        return 0.5
    if (
        exercise.kind in {ExerciseKind.IS_SET, ExerciseKind.WHICH_BREAKS}
        and _patterns(*exercise.cards)[feature] is FeaturePattern.TWO_AND_ONE
    ):
        return 1.0
    return 0.25


# The order of practice

Order = Callable[[Sequence[Try], States, float, random.Random], Sequence[Exercise]]
"""Chooses the next exercise or two from the tries so far, the states and the current time."""


def adaptive(tries: Sequence[Try], states: States, now: float, rng: random.Random) -> Sequence[Exercise]:
    """The site's order: what `next_wanted` asks for, and a contrast pair after repeated errors on a feature."""
    wanted = next_wanted(tries, now, rng, states=states)
    first = fresh_exercise(wanted, str(rng.random()), None, troubled=troubled_feature(tries))
    second = first.follow_up()
    return [first, second] if second else [first]


def at_random(tries: Sequence[Try], states: States, now: float, rng: random.Random) -> Sequence[Exercise]:
    """Any exercise the adaptive order could ask for, with equal probability."""
    return [make_exercise(rng.choice(ALL_WANTED), str(rng.random()))]


ALL_WANTED: Final = tuple(every_wanted())


@dataclass(slots=True)
class Practice:
    """A learner practicing, one exercise after another."""

    learner: Learner
    order: Order
    seed: str
    tries: list[Try] = field(default_factory=list)
    states: States = field(default_factory=new_states)

    @property
    def now(self) -> float:
        """The simulated time: a fixed pace, and a fixed number of exercises a day."""
        day, turn = divmod(len(self.tries), EXERCISES_A_DAY)
        return day * DAY + turn * SECONDS_EACH

    def run(self, limit: int) -> Iterator[Try]:
        rng = random.Random(f"{self.order.__name__}/{self.seed}")
        while len(self.tries) < limit:
            for exercise in self.order(self.tries, self.states, self.now, rng):
                yield self._ask(exercise)

    def _ask(self, exercise: Exercise) -> Try:
        now = self.now
        grade = exercise.grade(self.learner.answer(exercise, now))
        self.learner.learn(exercise, grade, now)
        try_ = Try(
            at=now,
            kind=exercise.kind,
            is_right=grade.is_right,
            missed=grade.missed,
            evidence=grade.evidence,
            seconds=None,
            hints=0,
            wanted=exercise.wanted,
        )
        self.tries.append(try_)
        self.states = update(self.states, try_)
        return try_
