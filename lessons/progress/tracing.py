"""The model of one skill: Bayesian knowledge tracing, plus fading while the skill isn't practiced.

Pure: the time is passed in. The probability that a skill is held goes up and down with each answer (Corbett and
Anderson 1995). Between answers it fades toward a newcomer's; its stability, a term of spaced repetition, is the time
in which a tenth is lost. The parameters come from the literature and from the form of the questions. They aren't
fitted, since there are no learners to fit them to yet. How good they are is measured with the bench's simulated
learners, who follow another model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from games.rules.cards import Feature
from lessons.questions.learner_model import Odds
from lessons.questions.registry import EXERCISES
from lessons.skills import ExerciseKind, Skill, differing_skill, feature_skill

DAY: Final = 86_400.0

PRIOR: Final[Mapping[Skill, float]] = dict.fromkeys(Skill, 0.1) | {
    # Newcomers see color and shape first, and overlook shading and number (RULES.md, and games.rules.opponents).
    Skill.COLOR: 0.4,
    Skill.SHAPE: 0.4,
    Skill.NUMBER: 0.25,
    Skill.SHADING: 0.15,
}
"""The probability that a newcomer holds a skill, and what it fades to."""

LEARN: Final = 0.12
"""The chance to learn a skill from one answer and its feedback; values fitted to real tutors are 0.05 to 0.3."""

HALFWAY: Final = 0.5
"""How far along a learner is who doesn't hold a skill yet.

Knowledge tracing only knows holding a skill or not, and expects those without it to be right by chance alone. But
people are in between for a long time, and two lucky answers would pass for mastery. So a learner without the skill
counts as halfway there: beyond chance, they're right half as often as one who holds it.
"""

HELP: Final = 0.5
"""The share of a right answer's weight that each hint leaves."""

CEILING: Final = 0.98
"""The highest probability. Without it, a few wrong answers after a long run of right ones would go unnoticed."""

RETENTION: Final = 0.9
"""The share that's left when a review is due; the usual target of spaced repetition."""

FIRST_STABILITY: Final = 1 * DAY
LONGEST_STABILITY: Final = 180 * DAY
GROWTH: Final = 1.5
"""A right answer just when the review is due makes the next interval 1 + 1.5 times as long: SM-2's first ease, 2.5.

Growth is proportional to the time that passed, so ten answers in a row add no more than a single one at the end.
"""
LATENESS: Final = 2.0
"""The time that passed counts up to this many intervals, however late a review comes."""


COURSE: Final = Odds(1 / 3)
"""For course-only questions, which mostly ask for one value of three."""

FEATURE_SKILLS: Final = tuple(map(feature_skill, Feature))
DIFFERING_SKILLS: Final = tuple(map(differing_skill, range(1, 5)))
PATH: Final = 6
"""How many tries make a trend."""


def odds(kind: ExerciseKind | None, skill: Skill) -> Odds:
    if kind is None:
        return COURSE
    learner = EXERCISES[kind].learner
    return learner.odds_of_feature if learner.odds_of_feature and skill in FEATURE_SKILLS else learner.odds


@dataclass(frozen=True, slots=True)
class SkillState:
    """Everything that's stored about one skill; the next answer is folded in without the earlier tries."""

    skill: Skill
    probability: float
    """That the skill was held when it was last seen. `probability_at` gives it for any later moment."""
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
    """The skill after one more answer about it. `blame` is how much of an error is due to this skill."""
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


def _right_without_skill(chance: Odds) -> float:
    """The probability of a right answer without the skill: by chance, plus what those halfway there get right."""
    return chance.guess + HALFWAY * (1 - chance.slip - chance.guess)


def _after_right(before: float, chance: Odds, unaided: float) -> float:
    held = 1 - chance.slip
    # With help, learners without the skill are right nearly as often as those with it.
    without = held - (held - _right_without_skill(chance)) * unaided
    posterior = before * held / (before * held + (1 - before) * without)
    return min(CEILING, max(before, posterior + (1 - posterior) * LEARN * unaided))


def _after_wrong(before: float, chance: Odds, blame: float) -> float:
    slipped = before * chance.slip
    posterior = slipped / (slipped + (1 - before) * (1 - _right_without_skill(chance)))
    # The correction teaches, too, but a wrong answer must never raise the probability.
    return before - blame * max(0.0, before - posterior - (1 - posterior) * LEARN)


def _stability_after(state: SkillState, is_right: bool, at: float, weight: float) -> float:
    if not is_right:
        return max(FIRST_STABILITY, state.stability / 2)
    if state.seen_at is None:
        return state.stability
    rested = min(max(0.0, at - state.seen_at), LATENESS * state.stability)
    return min(LONGEST_STABILITY, state.stability + GROWTH * rested * weight)


def probability_at(state: SkillState, now: float) -> float:
    """The probability that the skill is held now. Gains fade toward the prior, but one below the prior doesn't rise."""
    if state.seen_at is None or now <= state.seen_at:
        return state.probability
    floor = min(state.probability, PRIOR[state.skill])
    kept: float = RETENTION ** ((now - state.seen_at) / state.stability)
    return floor + (state.probability - floor) * kept
