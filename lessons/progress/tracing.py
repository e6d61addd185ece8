"""The model of one skill: Bayesian knowledge tracing, and fading while the skill rests.

Pure: the moment is passed in. The probability that a skill is held goes up and down with each answer (Corbett and
Anderson 1995) and fades towards what a newcomer brings while nothing is asked (the stability of spaced repetition:
the time in which a tenth is lost). The parameters are chosen from the literature and from the form of the questions,
not fitted: there are no learners to fit them to yet. The simulated learners of the bench, who follow another model,
say how far they carry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from games.rules.cards import Feature
from lessons.skills import ExerciseKind, Skill, differing_skill, feature_skill

DAY: Final = 86_400.0

PRIOR: Final[Mapping[Skill, float]] = dict.fromkeys(Skill, 0.1) | {
    # Newcomers see color and shape first, and overlook shading and number (RULES.md, and games.rules.opponents).
    Skill.COLOR: 0.4,
    Skill.SHAPE: 0.4,
    Skill.NUMBER: 0.25,
    Skill.SHADING: 0.15,
}
"""What a newcomer brings, and what a skill fades to."""

LEARN: Final = 0.12
"""The chance to learn a skill from one answer and its feedback; fits to real tutors lie between 0.05 and 0.3."""

HALFWAY: Final = 0.5
"""How far one has come who does not hold a skill yet.

Knowledge tracing knows only with and without; who is without, it expects to be right by chance alone. People are in
between for a long time, and two lucky answers would pass for mastery. So whoever is without counts as halfway there:
right half as often beyond chance as one who holds the skill.
"""

HELP: Final = 0.5
"""What each hint leaves of what a right answer says."""

CEILING: Final = 0.98
"""Nobody is certain of anything: else after a long run of right answers a few wrong ones would not be noticed."""

RETENTION: Final = 0.9
"""What is left when a review is due; the usual aim of spaced repetition."""

FIRST_STABILITY: Final = 1 * DAY
LONGEST_STABILITY: Final = 180 * DAY
GROWTH: Final = 1.5
"""A right answer just when the review is due makes the next interval 1 + 1.5 times as long: SM-2's first ease, 2.5.

It is proportional to the time that passed, so ten answers in a row are worth no more than the last of them.
"""
LATENESS: Final = 2.0
"""How many times too late a review may come and still count for the time that passed."""


@dataclass(frozen=True, slots=True)
class Odds:
    """How far the form of a question lets one be right without the skill, and wrong with it."""

    guess: float
    slip: float = 0.05


ODDS: Final[Mapping[ExerciseKind, Odds]] = {
    # One in so many choices; of the triples of a board hardly any is a SET.
    ExerciseKind.IS_SET: Odds(1 / 2),
    ExerciseKind.WHICH_BREAKS: Odds(1 / 4),
    ExerciseKind.EXPLAIN: Odds(1 / 20),
    ExerciseKind.THIRD_CARD: Odds(1 / 6),
    ExerciseKind.FIND_ONE: Odds(1 / 20),
    ExerciseKind.FIND_ALL: Odds(1 / 20),
    ExerciseKind.ANY_SET: Odds(1 / 2),
}
EXPLAIN_ONE_FEATURE: Final = Odds(1 / 3)
"""Explaining asks of each feature apart whether it is all the same, all different, or two and one."""
COURSE: Final = Odds(1 / 3)
"""A question that only the course asks: mostly one value of three."""

FEATURE_SKILLS: Final = tuple(map(feature_skill, Feature))
DIFFERING_SKILLS: Final = tuple(map(differing_skill, range(1, 5)))
PATH: Final = 6
"""How many tries make a trend."""


def odds(kind: ExerciseKind | None, skill: Skill) -> Odds:
    if kind is None:
        return COURSE
    if kind is ExerciseKind.EXPLAIN and skill in FEATURE_SKILLS:
        return EXPLAIN_ONE_FEATURE
    return ODDS[kind]


@dataclass(frozen=True, slots=True)
class SkillState:
    """All that is kept of one skill; the tries themselves are not needed to go on from here."""

    skill: Skill
    probability: float
    """That the skill was held when it was last seen; `probability_at` says it for any later moment."""
    seen_at: float | None = None
    stability: float = FIRST_STABILITY
    """Seconds until a tenth of what was gained has faded."""
    tries: int = 0
    rights: int = 0
    path: tuple[float, ...] = ()
    """The probability after each of the latest few tries, for the trend."""


def weigh(
    state: SkillState, is_right: bool, *, kind: ExerciseKind | None, at: float, hints: int = 0, blame: float = 1.0
) -> SkillState:
    """The skill after one more answer that says something about it; an error may be its fault only in part."""
    before = probability_at(state, at)
    chance = odds(kind, state.skill)
    unaided = HELP ** max(0, hints)
    probability = _after_right(before, chance, unaided) if is_right else _after_wrong(before, chance, blame)
    return replace(
        state,
        probability=probability,
        seen_at=at if state.seen_at is None else max(state.seen_at, at),
        stability=_stability_after(state, is_right, at, unaided * (1 - chance.guess)),
        tries=state.tries + 1,
        rights=state.rights + is_right,
        path=(*state.path, probability)[-PATH:],
    )


def _without(chance: Odds) -> float:
    """How often one is right who does not hold the skill: by chance, and as far as one has come."""
    return chance.guess + HALFWAY * (1 - chance.slip - chance.guess)


def _after_right(before: float, chance: Odds, unaided: float) -> float:
    held = 1 - chance.slip
    # With help, one who does not have the skill is right nearly as often as one who does.
    without = held - (held - _without(chance)) * unaided
    posterior = before * held / (before * held + (1 - before) * without)
    return min(CEILING, max(before, posterior + (1 - posterior) * LEARN * unaided))


def _after_wrong(before: float, chance: Odds, blame: float) -> float:
    slipped = before * chance.slip
    posterior = slipped / (slipped + (1 - before) * (1 - _without(chance)))
    # The correction teaches too, but a wrong answer is never a reason to think better of somebody.
    return before - blame * max(0.0, before - posterior - (1 - posterior) * LEARN)


def _stability_after(state: SkillState, is_right: bool, at: float, weight: float) -> float:
    if not is_right:
        return max(FIRST_STABILITY, state.stability / 2)
    if state.seen_at is None:
        return state.stability
    rested = min(max(0.0, at - state.seen_at), LATENESS * state.stability)
    return min(LONGEST_STABILITY, state.stability + GROWTH * rested * weight)


def probability_at(state: SkillState, now: float) -> float:
    """That the skill is held at this moment: what was gained fades, what was never there does not come by waiting."""
    if state.seen_at is None or now <= state.seen_at:
        return state.probability
    floor = min(state.probability, PRIOR[state.skill])
    kept: float = RETENTION ** ((now - state.seen_at) / state.stability)
    return floor + (state.probability - floor) * kept
