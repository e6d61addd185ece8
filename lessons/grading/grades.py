"""Exercise and answer -> grade: right or wrong, why, feature by feature, and what it says about skills.

Evidence is what an answer proves, not what it hints at:
- the kind's own skill: right as the answer is;
- a feature: wrong when the learner overlooked that it breaks, or blamed it though it does not; right when the answer
  could only be had by seeing it. What is all the same looks so to one who overlooks it too: to say so is no right
  evidence, and neither is anything about shading in the easy deck;
- SETs that differ in so many features: right when one was recognised, wrong when one was refused or not found.
No skill is named twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from games.rules.cards import Card, Feature
from games.rules.hints import ranked_sets
from games.rules.triples import FeaturePattern as Make
from games.rules.triples import Triple, Verdict, differing, explain, find_sets, third_card
from lessons.exercises import Exercise, features_in_play
from lessons.grading.answers import (
    read_blame,
    read_choice,
    read_makes,
    read_triple,
    read_triples,
    read_yes,
    read_yes_and_blame,
)
from lessons.skills import Evidence, ExerciseKind, differing_skill, feature_skill, kind_skill


@dataclass(frozen=True, slots=True)
class Solution:
    """What would have been right; what the kind does not ask for is left empty."""

    yes: bool | None = None
    """Whether it is a SET, or there is one."""
    breaks: tuple[Feature, ...] = ()
    """The features that break it."""
    makes: Mapping[Feature, Make] = field(default_factory=dict)
    """How each feature stands."""
    card: Card | None = None
    """The third card."""
    sets: tuple[Triple, ...] = ()
    """Every SET on the board, the easiest first."""


@dataclass(frozen=True, slots=True)
class Grade:
    is_right: bool
    verdict: Verdict | None
    """On the triple in question: the one shown, picked, completed or overlooked; of several picked the first wrong."""
    missed: tuple[Feature, ...]
    """The features that the learner overlooked or wrongly blamed."""
    evidence: tuple[Evidence, ...]
    solution: Solution


@dataclass(frozen=True, slots=True)
class _Findings:
    """What one kind's grader found out."""

    is_right: bool
    verdict: Verdict | None = None
    seen: Mapping[Feature, bool] = field(default_factory=dict)
    """The features that the answer is telling about, and whether the learner saw how they stand."""
    recognised: Mapping[int, bool] = field(default_factory=dict)
    """The same for SETs, by in how many features they differ."""


def grade(exercise: Exercise, answer: object) -> Grade:
    """The grade of any answer that can be read; `BadAnswer` for the others."""
    findings = _GRADERS[exercise.kind](exercise, answer)
    return Grade(
        is_right=findings.is_right,
        verdict=findings.verdict,
        missed=tuple(feature for feature in Feature if not findings.seen.get(feature, True)),
        evidence=tuple(_evidence(exercise, findings)),
        solution=solve(exercise),
    )


def _evidence(exercise: Exercise, findings: _Findings) -> Iterable[Evidence]:
    yield Evidence(kind_skill(exercise.kind), findings.is_right)
    in_play = features_in_play(exercise.wanted)
    for feature in Feature:
        if feature in findings.seen and (feature in in_play or not findings.seen[feature]):
            yield Evidence(feature_skill(feature), findings.seen[feature])
    for number, is_recognised in sorted(findings.recognised.items()):
        yield Evidence(differing_skill(number), is_recognised)


def solve(exercise: Exercise) -> Solution:
    match exercise.kind:
        case ExerciseKind.THIRD_CARD:
            return Solution(card=third_card(*exercise.cards))
        case ExerciseKind.FIND_ONE | ExerciseKind.FIND_ALL | ExerciseKind.ANY_SET:
            found = tuple(triple for _, triple in ranked_sets(exercise.cards))
            return Solution(yes=bool(found) if exercise.kind is ExerciseKind.ANY_SET else None, sets=found)
    verdict = explain(*exercise.cards)
    match exercise.kind:
        case ExerciseKind.IS_SET:
            return Solution(yes=verdict.is_set, breaks=_broken(verdict))
        case ExerciseKind.WHICH_BREAKS:
            return Solution(breaks=_broken(verdict))
    return Solution(makes={each.feature: each.kind for each in verdict.features})


def _broken(verdict: Verdict) -> tuple[Feature, ...]:
    return tuple(each.feature for each in verdict.broken)


def _overlooked(verdict: Verdict) -> dict[Feature, bool]:
    """What is to be said of somebody who took this for a SET."""
    return dict.fromkeys(_broken(verdict), False)


def _blamed(verdict: Verdict, feature: Feature) -> dict[Feature, bool]:
    """What is to be said of somebody who named this feature as the one that breaks it."""
    if verdict[feature].is_broken:
        return {feature: True}
    # Whoever had seen a single broken feature would have named it; of several, one cannot know.
    return {feature: False} | (_overlooked(verdict) if len(verdict.broken) == 1 else {})


def _grade_is_set(exercise: Exercise, answer: object) -> _Findings:
    yes, blamed = read_yes_and_blame(answer)
    verdict = explain(*exercise.cards)
    blame = {} if blamed is None else _blamed(verdict, blamed)
    if verdict.is_set:
        return _Findings(yes, verdict, blame, {differing(verdict.cards): yes})
    if yes:
        return _Findings(False, verdict, _overlooked(verdict))
    if blamed is None:
        # Of several broken features any may have been the one that was seen.
        return _Findings(True, verdict, dict.fromkeys(_broken(verdict), True) if len(verdict.broken) == 1 else {})
    # A right "no" for a wrong reason is not right.
    return _Findings(verdict[blamed].is_broken, verdict, blame)


def _grade_which_breaks(exercise: Exercise, answer: object) -> _Findings:
    blamed = read_blame(answer)
    verdict = explain(*exercise.cards)
    return _Findings(verdict[blamed].is_broken, verdict, _blamed(verdict, blamed))


def _grade_explain(exercise: Exercise, answer: object) -> _Findings:
    makes = read_makes(answer)
    verdict = explain(*exercise.cards)
    seen = {each.feature: each.kind is makes[each.feature] for each in verdict.features}
    # Whoever does not look at a feature calls it all the same too: where it is, that proves nothing.
    telling = {each: is_right for each, is_right in seen.items() if not is_right or makes[each] is not Make.ALL_SAME}
    return _Findings(all(seen.values()), verdict, telling)


def _grade_third_card(exercise: Exercise, answer: object) -> _Findings:
    chosen = read_choice(exercise, answer)
    a, b = exercise.cards
    verdict = explain(a, b, chosen)
    at_stake = [feature for feature in Feature if len({card.value(feature) for card in exercise.choices}) > 1]
    seen = dict.fromkeys(at_stake, True) if verdict.is_set else _overlooked(verdict)
    return _Findings(verdict.is_set, verdict, seen, {differing((a, b, third_card(a, b))): verdict.is_set})


def _grade_find_one(exercise: Exercise, answer: object) -> _Findings:
    picked = read_triple(exercise, answer)
    verdict = explain(*picked)
    recognised = {differing(picked): True} if verdict.is_set else {}
    return _Findings(verdict.is_set, verdict, _overlooked(verdict), recognised)


def _grade_find_all(exercise: Exercise, answer: object) -> _Findings:
    picked = read_triples(exercise, answer)
    verdicts = [explain(*triple) for triple in picked]
    wrong = [verdict for verdict in verdicts if not verdict.is_set]
    there = find_sets(exercise.cards)
    found = {frozenset(triple) for triple in picked}
    recognised: dict[int, bool] = {}
    for triple in there:
        number = differing(triple)
        recognised[number] = recognised.get(number, True) and frozenset(triple) in found
    seen = {feature: False for verdict in wrong for feature in _broken(verdict)}
    return _Findings(not wrong and len(found) == len(there), wrong[0] if wrong else None, seen, recognised)


def _grade_any_set(exercise: Exercise, answer: object) -> _Findings:
    yes = read_yes(answer)
    there = ranked_sets(exercise.cards)
    if not there:
        return _Findings(not yes)
    _, easiest = there[0]
    return _Findings(yes, explain(*easiest), recognised={differing(easiest): yes})


_GRADERS: dict[ExerciseKind, Callable[[Exercise, object], _Findings]] = {
    ExerciseKind.IS_SET: _grade_is_set,
    ExerciseKind.WHICH_BREAKS: _grade_which_breaks,
    ExerciseKind.EXPLAIN: _grade_explain,
    ExerciseKind.THIRD_CARD: _grade_third_card,
    ExerciseKind.FIND_ONE: _grade_find_one,
    ExerciseKind.FIND_ALL: _grade_find_all,
    ExerciseKind.ANY_SET: _grade_any_set,
}
