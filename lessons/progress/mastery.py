"""What a learner has mastered, in five levels, and what to practice next.

Pure: `now` and `rng` are passed in. How a single skill grows and fades is in `lessons.progress.tracing`.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import cache, reduce
from itertools import product
from typing import Final

from games.rules.cards import Feature
from lessons.progress.tracing import DIFFERING_SKILLS, FEATURE_SKILLS, PATH, PRIOR, SkillState, probability_at, weigh
from lessons.questions.registry import BOARDS, EXERCISES
from lessons.skills import Evidence, ExerciseKind, Skill, Wanted, differing_skill, feature_skill, kind_skill


@dataclass(frozen=True, slots=True)
class Try:
    """One answer to one exercise."""

    at: float
    kind: ExerciseKind | None
    """None for a course-only question."""
    is_right: bool
    missed: tuple[Feature, ...]
    evidence: tuple[Evidence, ...]
    seconds: float | None
    hints: int
    wanted: Wanted | None


States = Mapping[Skill, SkillState]


def new_states() -> dict[Skill, SkillState]:
    """The states that every learner starts with."""
    return {skill: SkillState(skill, PRIOR[skill]) for skill in Skill}


def mastery(tries: Iterable[Try], now: float) -> dict[Skill, SkillState]:
    """The state of every skill after the tries up to `now`, which may be in the past."""
    return reduce(update, sorted((t for t in tries if t.at <= now), key=lambda t: t.at), new_states())


def update(states: States, try_: Try) -> dict[Skill, SkillState]:
    """The state of every skill after one more try."""
    after = dict(states)
    for evidence in try_.evidence:
        state, blame = after[evidence.skill], _blame(try_, evidence)
        after[evidence.skill] = weigh(
            state, evidence.is_right, kind=try_.kind, at=try_.at, hints=try_.hints, blame=blame
        )
    return after


def _blame(try_: Try, evidence: Evidence) -> float:
    """Features missed together share the blame, since a wild guess misses several, unless each was asked about."""
    asks_each = try_.kind and EXERCISES[try_.kind].learner.odds_of_feature
    if asks_each or evidence.skill not in FEATURE_SKILLS:
        return 1.0
    return 1 / max(1, sum(each.skill in FEATURE_SKILLS and not each.is_right for each in try_.evidence))


class Level(IntEnum):
    """How far a skill has come, by the probability that it's held now. It can fall, too."""

    NEW = 0
    """Never tried."""
    STARTED = 1
    GROWING = 2
    """Likely enough for other skills to build on it."""
    SURE = 3
    """Nearly always right; from here on, it comes up for review."""
    MASTERED = 4


THRESHOLDS: Final[Mapping[Level, float]] = {Level.GROWING: 0.4, Level.SURE: 0.75, Level.MASTERED: 0.88}
"""The lowest probability of each level.

Knowledge tracing usually demands 0.95 at the moment of the answer. Ours fades and is read at any moment: a skill that
was left at the ceiling stays mastered until its review is due, when nine tenths remain.
"""


class Trend(StrEnum):
    RISING = "rising"
    STEADY = "steady"
    FALLING = "falling"


TREND_MARGIN: Final = 0.1


@dataclass(frozen=True, slots=True)
class Status:
    """The status of a skill at a moment, for every screen, alert and export."""

    skill: Skill
    level: Level
    probability: float
    tries: int
    rights: int
    last_seen: float | None
    due_at: float | None
    """When a review is or was due; None for a skill that's still being learned."""
    is_due: bool
    trend: Trend


def status(state: SkillState, now: float) -> Status:
    probability = probability_at(state, now)
    due_at = _due_at(state)
    return Status(
        skill=state.skill,
        level=_level(state, probability),
        probability=probability,
        tries=state.tries,
        rights=state.rights,
        last_seen=state.seen_at,
        due_at=due_at,
        is_due=due_at is not None and due_at <= now,
        trend=_trend(state, probability),
    )


def _level(state: SkillState, probability: float) -> Level:
    if state.seen_at is None:
        return Level.NEW
    reached = (level for level, least in THRESHOLDS.items() if probability >= least)
    return max(reached, default=Level.STARTED)


def _due_at(state: SkillState) -> float | None:
    if state.seen_at is None or state.probability < THRESHOLDS[Level.SURE]:
        return None
    return state.seen_at + state.stability


def _trend(state: SkillState, probability: float) -> Trend:
    if not state.path:
        return Trend.STEADY
    change = probability - (PRIOR[state.skill] if state.tries < PATH else state.path[0])
    if abs(change) < TREND_MARGIN:
        return Trend.STEADY
    return Trend.RISING if change > 0 else Trend.FALLING


def statuses(states: States, now: float) -> list[Status]:
    return [status(state, now) for state in states.values()]


def mastered_skills(states: States, now: float) -> list[Skill]:
    return [each.skill for each in statuses(states, now) if each.level is Level.MASTERED]


def due_skills(states: States, now: float) -> list[Skill]:
    """The skills to review, the most overdue relative to their interval first."""

    def overdue(state: SkillState) -> float:
        due_at = _due_at(state)
        return -1.0 if due_at is None else (now - due_at) / state.stability

    return [state.skill for state in sorted(states.values(), key=overdue, reverse=True) if overdue(state) >= 0]


def most_missed(tries: Iterable[Try]) -> list[tuple[Feature, int, int]]:
    """The features that were missed, most often first, each with its misses and the tries that showed it."""
    missed: Counter[Feature] = Counter()
    of: Counter[Feature] = Counter()
    for try_ in tries:
        missed.update(dict.fromkeys(try_.missed, 1))
        shown = {feature for feature in Feature if any(e.skill is feature_skill(feature) for e in try_.evidence)}
        of.update(shown.union(try_.missed))
    return [(feature, count, of[feature]) for feature, count in missed.most_common()]


READY: Final = 0.4
"""The lowest probability of a skill for the next ones to build on it."""

HARDEST: Final = 4
HARDEST_OF_EASY: Final = 3


# An exercise practices one kind and one difficulty, but nearly every exercise practices some feature.
WORTH_OF_KIND: Final = 2.0
WORTH_OF_DIFFERING: Final = 1.0
WORTH_OF_FEATURE: Final = 0.5
_PLACE = {kind: place for place, kind in enumerate(EXERCISES, 1)}

REVIEW_SHARE: Final = 0.2
"""How often a review goes before skills that are still being learned."""
LATELY: Final = 12
JUST_NOW: Final = 5
ERRORS_THAT_TROUBLE: Final = 2
SAME_AT_MOST: Final = 3
CLOSE: Final = 0.1
"""Gains that differ by no more than this count as equal."""


def next_wanted(
    tries: Sequence[Try],
    now: float,
    rng: random.Random,
    *,
    last: Wanted | None = None,
    states: States | None = None,
) -> Wanted:
    """What to practice next: the weakest skills whose foundations are there, with reviews in between.

    The tries are in chronological order; if the states are given, the latest dozen are enough. `last` is what was
    asked last, answered or not.
    """
    states = mastery(tries, now) if states is None else states
    held = {skill: probability_at(state, now) for skill, state in states.items()}
    choices = _exclude_stale(_asked_too_often(tries, last), _unlocked(held))
    if corrections := _corrections(choices, tries):
        return min(corrections, key=lambda wanted: wanted.difficulty)
    due = due_skills(states, now)
    if due and rng.random() < REVIEW_SHARE:
        choices = [wanted for wanted in choices if due[0] in _worth(wanted)] or choices
    else:
        focus = _focus(tries, held)
        choices = [wanted for wanted in choices if wanted.focus is focus] or choices
    gains = {wanted: _gain(wanted, held) for wanted in choices}
    best = max(gains.values())
    good = [wanted for wanted, gain in gains.items() if gain >= best - CLOSE]
    # Prefer later kinds, which use everything that came before them.
    return rng.choices(good, [_PLACE[wanted.kind] for wanted in good])[0]


@cache
def every_wanted() -> tuple[Wanted, ...]:
    """Everything that may ever be asked for, including boards of the easy deck, where all cards are solid."""
    focuses = (None, *Feature)
    full = [Wanted(*each) for each in product(ExerciseKind, range(1, HARDEST + 1), focuses)]
    easy = [Wanted(*each, easy=True) for each in product(BOARDS, range(1, HARDEST_OF_EASY + 1), focuses)]
    return (*full, *(wanted for wanted in easy if wanted.focus is not Feature.SHADING))


def _unlocked(held: Mapping[Skill, float]) -> list[Wanted]:
    """Everything the learner has the foundations for; boards start with the easy deck."""
    growing = sum(held[skill] >= THRESHOLDS[Level.GROWING] for skill in FEATURE_SKILLS)
    hardest = next((n for n in range(1, HARDEST) if held[differing_skill(n)] < READY), HARDEST)
    easy = {
        kind: kind in BOARDS and held[kind_skill(kind)] < THRESHOLDS[Level.GROWING]
        for kind, learner in ((kind, each.learner) for kind, each in EXERCISES.items())
        if growing >= learner.features_needed and all(held[skill] >= READY for skill in learner.needs)
    }
    return [each for each in every_wanted() if each.difficulty <= hardest and easy.get(each.kind) is each.easy]


@cache
def _worth(wanted: Wanted) -> Mapping[Skill, float]:
    """The skills that an answer says something about, and what that's worth for a skill that isn't held at all."""
    tells = EXERCISES[wanted.kind].learner.tells
    worth = {
        kind_skill(wanted.kind): WORTH_OF_KIND,
        differing_skill(wanted.difficulty): WORTH_OF_DIFFERING * tells.differing,
    }
    for feature in Feature:
        worth[feature_skill(feature)] = WORTH_OF_FEATURE * (tells.focus if feature is wanted.focus else tells.others)
    return {skill: amount for skill, amount in worth.items() if amount}


def _gain(wanted: Wanted, held: Mapping[Skill, float]) -> float:
    return sum(worth * (1 - held[skill]) for skill, worth in _worth(wanted).items())


def _exclude_stale(stale: Wanted | None, choices: list[Wanted]) -> list[Wanted]:
    return [wanted for wanted in choices if stale is None or wanted != stale] or choices


def _asked_too_often(tries: Sequence[Try], last: Wanted | None) -> Wanted | None:
    asked = [try_.wanted for try_ in tries[-SAME_AT_MOST:]]
    if last is not None and (not asked or asked[-1] != last):
        asked = [*asked, last][-SAME_AT_MOST:]
    return asked[-1] if len(asked) == SAME_AT_MOST and len(set(asked)) == 1 else None


def troubled_feature(tries: Sequence[Try]) -> Feature | None:
    """The feature of two recent errors, unless it was right since then. It calls for a contrast pair."""
    late = tries[-JUST_NOW:]
    for feature, errors in _missed(late).most_common():
        said = [e.is_right for try_ in late for e in try_.evidence if e.skill is feature_skill(feature)]
        if errors >= ERRORS_THAT_TROUBLE and not (said and said[-1]):
            return feature
    return None


def _refuses_sets(tries: Sequence[Try]) -> bool:
    """Whether SETs were rejected twice lately, and none has been recognized since."""
    late = [try_ for try_ in tries[-JUST_NOW:] if try_.kind and EXERCISES[try_.kind].is_correction]
    said = [e.is_right for try_ in late for e in try_.evidence if e.skill in DIFFERING_SKILLS]
    return said.count(False) >= ERRORS_THAT_TROUBLE and not said[-1]


def _corrections(choices: Iterable[Wanted], tries: Sequence[Try]) -> list[Wanted]:
    """After repeated errors of one sort: "is it a SET" about the feature in question or, if SETs were rejected, any."""
    feature = troubled_feature(tries)
    if feature is None and not _refuses_sets(tries):
        return []
    return [wanted for wanted in choices if EXERCISES[wanted.kind].is_correction and wanted.focus is feature]


def _focus(tries: Sequence[Try], held: Mapping[Skill, float]) -> Feature | None:
    """The feature missed most often lately, or else the weakest one; None if all are mastered."""
    open_ones = [feature for feature in Feature if held[feature_skill(feature)] < THRESHOLDS[Level.MASTERED]]
    missed = _missed(tries[-LATELY:])
    return min(open_ones, key=lambda feature: (-missed[feature], held[feature_skill(feature)]), default=None)


def _missed(tries: Iterable[Try]) -> Counter[Feature]:
    return Counter(feature for try_ in tries for feature in try_.missed)
