"""The simulated learners behave as documented, and learn faster with the site's order."""

from __future__ import annotations

from statistics import mean

import pytest

from games.rules.cards import Feature
from games.rules.triples import explain
from lessons.progress.misconceptions import Idea, Misconception, misconceptions
from lessons.questions import make_exercise
from lessons.skills import ExerciseKind, Skill, Wanted
from tools.bench.learners import (
    ALL_ALIKE,
    BLIND_TO_SHADING,
    DAY,
    LEARNER_TYPES,
    MASTERY_CHANCE,
    ORDINARY,
    SLIP,
    Learner,
    Practice,
    adaptive,
    at_random,
)
from tools.bench.lessons import exercises_until, has_mastered_all

SHADING = Wanted(ExerciseKind.IS_SET, focus=Feature.SHADING)


def exercises(wanted, count):
    return [make_exercise(wanted, str(number)) for number in range(count)]


def expert(nature=ORDINARY):
    learner = Learner(nature, "expert")
    for strength in learner._strengths.values():
        strength.start = 20.0
    return learner


def helpless():
    learner = Learner(ORDINARY, "helpless")
    for strength in learner._strengths.values():
        strength.start = -20.0
    return learner


def share_right(learner, wanted, count=600):
    return mean(each.grade(learner.answer(each, 0.0)).is_right for each in exercises(wanted, count))


def run(nature, order, most, seed="0"):
    practice = Practice(Learner(nature, seed), order, seed)
    return practice, list(practice.run(most))


class TestALearner:
    @pytest.mark.parametrize("kind", [ExerciseKind.IS_SET, ExerciseKind.EXPLAIN, ExerciseKind.THIRD_CARD])
    def test_who_can_do_everything_only_slips(self, kind):
        assert 1 - 2 * SLIP < share_right(expert(), Wanted(kind, 2)) < 1

    @pytest.mark.parametrize(("kind", "guess"), [(ExerciseKind.IS_SET, 1 / 2), (ExerciseKind.WHICH_BREAKS, 1 / 4)])
    def test_who_can_do_nothing_guesses(self, kind, guess):
        assert share_right(helpless(), Wanted(kind, 2)) == pytest.approx(guess, abs=0.06)

    def test_gets_better_at_what_is_practiced_and_at_nothing_else(self):
        learner = Learner(ORDINARY, "0")
        before = {skill: learner.chance(skill, 0.0) for skill in Skill}
        for exercise in exercises(Wanted(ExerciseKind.EXPLAIN, 2), 5):
            learner.learn(exercise, exercise.grade(learner.answer(exercise, 0.0)), 0.0)
        better = {skill for skill in Skill if learner.chance(skill, 0.0) > before[skill]}
        assert better == {Skill.EXPLAIN, Skill.NUMBER, Skill.COLOR, Skill.SHADING, Skill.SHAPE}

    def test_forgets_some_of_it_in_time(self):
        practice, _tries = run(ORDINARY, adaptive, 30)
        learner, now = practice.learner, practice.now
        assert all(learner.chance(skill, now + 30 * DAY) <= learner.chance(skill, now) for skill in Skill)

    def test_holds_a_skill_that_comes_off_nine_times_in_ten(self):
        assert expert().has_mastered_all(0.0)
        assert not Learner(ORDINARY, "0").has_mastered_all(0.0)
        learner = Learner(ORDINARY, "0")
        assert all(
            learner.has_mastered(skill, 0.0) is (learner.chance(skill, 0.0) >= MASTERY_CHANCE) for skill in Skill
        )

    def test_is_the_same_for_the_same_seed(self):
        assert run(ORDINARY, adaptive, 25)[1] == run(ORDINARY, adaptive, 25)[1]
        assert run(ORDINARY, adaptive, 25)[1] != run(ORDINARY, adaptive, 25, seed="1")[1]


class TestABelief:
    def test_that_shading_is_not_there_misses_it_and_nothing_else(self):
        learner = expert(BLIND_TO_SHADING)
        for exercise in exercises(SHADING, 200):
            broken = {each.feature for each in explain(*exercise.cards).broken}
            graded = exercise.grade(learner.answer(exercise, 0.0))
            if broken == {Feature.SHADING} and not graded.is_right:
                assert graded.missed == (Feature.SHADING,)
        near_misses = [each for each in exercises(SHADING, 200) if each.solve().breaks == (Feature.SHADING,)]
        assert mean(each.grade(learner.answer(each, 0.0)).is_right for each in near_misses) < 0.1

    def test_that_all_must_be_alike_refuses_every_set(self):
        learner = expert(ALL_ALIKE)
        answers = [learner.answer(each, 0.0)["yes"] for each in exercises(Wanted(ExerciseKind.IS_SET, 2), 200)]
        assert mean(answers) < 2 * SLIP

    @pytest.mark.parametrize("nature", [BLIND_TO_SHADING, ALL_ALIKE])
    def test_is_given_up_after_enough_corrections(self, nature):
        practice, _tries = run(nature, adaptive, 1)
        assert practice.learner.corrections_left
        assert not practice.learner.has_mastered_all(practice.now)
        list(practice.run(150))
        assert not practice.learner.corrections_left


def test_the_adaptive_order_needs_fewer_exercises_than_a_random_one():
    def total(order):
        learners = [Practice(Learner(nature, f"{n}"), order, f"{n}") for nature in LEARNER_TYPES for n in range(8)]
        return sum(exercises_until(each, has_mastered_all) for each in learners)

    assert total(adaptive) < 0.9 * total(at_random)


@pytest.mark.parametrize(
    ("nature", "misconception"),
    [
        (BLIND_TO_SHADING, Misconception(Idea.OVERLOOKS, Feature.SHADING)),
        (ALL_ALIKE, Misconception(Idea.ALL_ALIKE)),
    ],
)
def test_a_belief_is_found_in_most_learners_who_hold_it_and_forgotten_in_the_end(nature, misconception):
    found = forgotten = 0
    for number in range(10):
        _practice, tries = run(nature, adaptive, 90, seed=str(number))
        found += any(misconception in misconceptions(tries[:count]) for count in range(1, 21))
        forgotten += misconception not in misconceptions(tries)
    assert found >= 7
    assert forgotten >= 9


def test_ordinary_learners_are_hardly_ever_suspected():
    suspected = 0
    for number in range(10):
        _practice, tries = run(ORDINARY, adaptive, 60, seed=str(number))
        suspected += any(misconceptions(tries[:count]) for count in range(1, 61))
    assert suspected <= 2
