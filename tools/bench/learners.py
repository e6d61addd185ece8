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
from games.rules.triples import FeaturePattern as Make
from games.rules.triples import differing, explain, find_sets, third_card
from lessons.progress.mastery import States, Try, every_wanted, new_states, next_wanted, troubled_feature, update
from lessons.questions import Exercise, Grade, fresh_exercise, make_exercise
from lessons.skills import ExerciseKind, Skill, differing_skill, feature_skill, kind_skill

HELD: Final = 0.9
SLIP: Final = 0.03
FAILURE: Final = 0.3
"""How much a wrong answer teaches, relative to a right one."""
SECONDS_EACH: Final = 30.0
EXERCISES_A_DAY: Final = 30
DAY: Final = 86_400.0
FADING: Final = 0.03
FADING_UNIT: Final = 3_600.0
TEMPTATIONS: Final = 12
"""How many random triples of a board a learner looks at, besides the SETs."""

STARTS: Final[Mapping[Skill, float]] = {
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
class Nature:
    """A kind of learner."""

    name: str
    blind_to: Feature | None = None
    wants_all_alike: bool = False
    corrections: int = 6
    """How often a belief must be proved wrong before it's given up."""


ORDINARY: Final = Nature("ordinary")
BLIND_TO_SHADING: Final = Nature("never notices shading", blind_to=Feature.SHADING)
ALL_ALIKE: Final = Nature("believes that all must be alike", wants_all_alike=True)
NATURES: Final = (ORDINARY, BLIND_TO_SHADING, ALL_ALIKE)


@dataclass(slots=True)
class _Strength:
    start: float
    rate: float
    practice: float = 0.0
    at: float = 0.0

    def at_moment(self, now: float) -> float:
        return self.start + self.rate * math.log1p(self._left(now))

    def _left(self, now: float) -> float:
        kept: float = (1 + max(0.0, now - self.at) / FADING_UNIT) ** -FADING
        return self.practice * kept

    def practise(self, amount: float, now: float) -> None:
        self.practice, self.at = self._left(now) + amount, now


class Learner:
    """One learner. The seed decides their talent and their choices."""

    def __init__(self, nature: Nature, seed: str) -> None:
        self.nature = nature
        self.rng = random.Random(f"{nature.name}/{seed}")
        self._manages = False
        self.corrections_left = nature.corrections if nature.blind_to or nature.wants_all_alike else 0
        self._strengths = {
            skill: _Strength(
                start + self.rng.gauss(0, SPREAD_OF_STARTS), RATE * math.exp(self.rng.gauss(0, SPREAD_OF_RATES))
            )
            for skill, start in STARTS.items()
        }

    def chance(self, skill: Skill, now: float) -> float:
        """The probability that the skill succeeds."""
        if self.is_blind and skill is feature_skill(self.nature.blind_to or Feature.SHADING):
            return 0.0
        return 1 / (1 + math.exp(-self._strengths[skill].at_moment(now)))

    @property
    def is_blind(self) -> bool:
        return self.nature.blind_to is not None and self.corrections_left > 0

    @property
    def wants_all_alike(self) -> bool:
        return self.nature.wants_all_alike and self.corrections_left > 0

    def holds(self, skill: Skill, now: float) -> bool:
        return self.chance(skill, now) >= HELD

    def holds_all(self, now: float) -> bool:
        return not self.corrections_left and all(self.holds(skill, now) for skill in Skill)

    # Working out an answer

    def answer(self, exercise: Exercise, now: float) -> dict[str, Any]:
        slips = self.rng.random() < SLIP
        self._manages = self._does(kind_skill(exercise.kind), now) and not slips
        # A learner with a rule, even a wrong one, doesn't guess.
        has_a_rule = self.wants_all_alike and exercise.kind is ExerciseKind.IS_SET and not slips
        return _ANSWERS[exercise.kind](self, exercise, now, self._manages or has_a_rule)

    def _does(self, skill: Skill, now: float) -> bool:
        return self.rng.random() < self.chance(skill, now)

    def _look(self, triple: Sequence[Card], now: float) -> dict[Feature, Make]:
        """How each feature appears; an unnoticed one passes as all the same."""
        return {
            feature: make if self._does(feature_skill(feature), now) else Make.ALL_SAME
            for feature, make in _makes(*triple).items()
        }

    def _takes_for_set(self, triple: Sequence[Card], now: float) -> bool:
        makes = list(self._look(triple, now).values())
        number = makes.count(Make.ALL_DIFFERENT)
        if Make.TWO_AND_ONE in makes or (number and self.wants_all_alike):
            return False
        return not number or self._does(differing_skill(number), now)

    def _is_set(self, exercise: Exercise, now: float, manages: bool) -> dict[str, Any]:
        return {"yes": self._takes_for_set(exercise.cards, now) if manages else self.rng.random() < 0.5}

    def _which_breaks(self, exercise: Exercise, now: float, manages: bool) -> dict[str, Any]:
        looks = self._look(exercise.cards, now)
        broken = [feature for feature, make in looks.items() if make is Make.TWO_AND_ONE]
        if self.wants_all_alike:
            broken = [feature for feature, make in looks.items() if make is not Make.ALL_SAME]
        return {"breaks": self.rng.choice(broken if manages and broken else list(Feature)).value}

    def _explain(self, exercise: Exercise, now: float, manages: bool) -> dict[str, Any]:
        looks = self._look(exercise.cards, now)
        if not manages:
            # Confuse one answer with another.
            looks[self.rng.choice(list(Feature))] = self.rng.choice(list(Make))
        return {feature.value: make.value for feature, make in looks.items()}

    def _third_card(self, exercise: Exercise, now: float, manages: bool) -> dict[str, Any]:
        a, b = exercise.cards
        right = third_card(a, b)
        needed = {feature: right.value(feature) for feature in Feature if self._does(feature_skill(feature), now)}
        different = [feature for feature in needed if a.value(feature) is not b.value(feature)]
        confused = [] if self._does(differing_skill(exercise.wanted.difficulty), now) else different[:1]
        for feature in different if self.wants_all_alike else confused:
            needed[feature] = a.value(feature)
        fits = {card: sum(card.value(each) is value for each, value in needed.items()) for card in exercise.choices}
        best = [card for card, fit in fits.items() if fit == max(fits.values())]
        return {"card": self.rng.choice(best if manages else exercise.choices).index}

    def _search(self, exercise: Exercise, now: float) -> Iterator[Sequence[Card]]:
        """Triples on a board that are taken for SETs, in the order in which they're seen."""
        tempting = [self.rng.sample(exercise.cards, 3) for _ in range(TEMPTATIONS)]
        there = list({frozenset(triple): triple for triple in [*tempting, *find_sets(exercise.cards)]}.values())
        self.rng.shuffle(there)
        for triple in there:
            if self._takes_for_set(triple, now):
                yield triple

    def _most_tempting(self, exercise: Exercise, now: float) -> Sequence[Card]:
        tempting = [self.rng.sample(exercise.cards, 3) for _ in range(TEMPTATIONS)]
        return min(tempting, key=lambda triple: list(self._look(triple, now).values()).count(Make.TWO_AND_ONE))

    def _find_one(self, exercise: Exercise, now: float, manages: bool) -> dict[str, Any]:
        found = next(self._search(exercise, now), None) if manages else None
        return {"cards": [card.index for card in found or self._most_tempting(exercise, now)]}

    def _find_all(self, exercise: Exercise, now: float, manages: bool) -> dict[str, Any]:
        found = [[card.index for card in triple] for triple in self._search(exercise, now)]
        return {"sets": found if manages else found[:1]}

    def _any_set(self, exercise: Exercise, now: float, manages: bool) -> dict[str, Any]:
        return {"yes": any(True for _ in self._search(exercise, now)) if manages else self.rng.random() < 0.5}

    # Learning from feedback

    def learn(self, exercise: Exercise, graded: Grade, now: float) -> None:
        amount = 1.0 if graded.is_right and self._manages else FAILURE
        self._strengths[kind_skill(exercise.kind)].practise(amount, now)
        for number in _differing_in(exercise):
            self._strengths[differing_skill(number)].practise(amount, now)
        self._be_corrected(exercise, graded)
        for feature in Feature:
            share = 1.0 if feature in graded.missed else amount * _attention(exercise, feature)
            if not (self.is_blind and feature is self.nature.blind_to):
                self._strengths[feature_skill(feature)].practise(share, now)

    def _be_corrected(self, exercise: Exercise, graded: Grade) -> None:
        if self.nature.wants_all_alike:
            different_is_shown = exercise.kind is ExerciseKind.WHICH_BREAKS or _differing_in(exercise)
            self.corrections_left -= bool(self.corrections_left and different_is_shown and not graded.is_right)
        elif self.nature.blind_to in graded.missed:
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
def _makes(a: Card, b: Card, c: Card) -> Mapping[Feature, Make]:
    return {each.feature: each.kind for each in explain(a, b, c).features}


def _differing_in(exercise: Exercise) -> set[int]:
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
        and _makes(*exercise.cards)[feature] is Make.TWO_AND_ONE
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
    return [make_exercise(rng.choice(EVERYTHING), str(rng.random()))]


EVERYTHING: Final = tuple(every_wanted())


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

    def run(self, most: int) -> Iterator[Try]:
        rng = random.Random(f"{self.order.__name__}/{self.seed}")
        while len(self.tries) < most:
            for exercise in self.order(self.tries, self.states, self.now, rng):
                yield self._ask(exercise)

    def _ask(self, exercise: Exercise) -> Try:
        now = self.now
        graded = exercise.grade(self.learner.answer(exercise, now))
        self.learner.learn(exercise, graded, now)
        try_ = Try(
            at=now,
            kind=exercise.kind,
            is_right=graded.is_right,
            missed=graded.missed,
            evidence=graded.evidence,
            seconds=None,
            hints=0,
            wanted=exercise.wanted,
        )
        self.tries.append(try_)
        self.states = update(self.states, try_)
        return try_
