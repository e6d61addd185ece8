"""Mastery computed from tries: how a skill rises, falls and fades, and its levels."""

from __future__ import annotations

from functools import reduce
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.rules.cards import Feature
from lessons.progress.mastery import (
    Level,
    Trend,
    Try,
    due_skills,
    mastery,
    most_missed,
    new_states,
    status,
    statuses,
    update,
)
from lessons.progress.tracing import CEILING, DAY, FIRST_STABILITY, LONGEST_STABILITY, PRIOR, odds, probability_at
from lessons.questions import EXERCISES
from lessons.skills import Evidence, ExerciseKind, Skill, Wanted

NOON = 1_000_000.0

moments = st.floats(NOON, NOON + 30 * DAY)
evidences = st.lists(st.builds(Evidence, st.sampled_from(Skill), st.booleans()), min_size=1, max_size=4).map(tuple)
any_tries = st.builds(
    Try,
    at=moments,
    kind=st.sampled_from(ExerciseKind),
    is_right=st.booleans(),
    missed=st.just(()),
    evidence=evidences,
    seconds=st.none(),
    hints=st.integers(0, 4),
    wanted=st.builds(Wanted, st.sampled_from(ExerciseKind), st.integers(1, 4)),
)
histories = st.lists(any_tries, max_size=25)


def try_at(at=NOON, *, skill=Skill.COLOR, right=True, kind=ExerciseKind.IS_SET, hints=0, missed=()):
    return Try(at, kind, right, missed, (Evidence(skill, right),), None, hints, kind and Wanted(kind))


def after(*tries):
    return reduce(update, tries, new_states())


def rights(count, *, apart=30.0, start=NOON, **options):
    return [try_at(start + n * apart, **options) for n in range(count)]


class TestOneAnswer:
    @given(histories, st.sampled_from(ExerciseKind), st.integers(0, 4))
    def test_that_is_right_never_lowers_a_skill(self, history, kind, hints):
        now = NOON + 31 * DAY
        states = mastery(history, now)
        for skill, state in states.items():
            before = probability_at(state, now)
            later = update(states, try_at(now, skill=skill, kind=kind, hints=hints))
            assert later[skill].probability >= before

    @given(histories, st.sampled_from(ExerciseKind), st.integers(0, 4))
    def test_that_is_wrong_never_raises_a_skill(self, history, kind, hints):
        now = NOON + 31 * DAY
        states = mastery(history, now)
        for skill, state in states.items():
            before = probability_at(state, now)
            later = update(states, try_at(now, skill=skill, kind=kind, hints=hints, right=False))
            assert later[skill].probability <= before

    @pytest.mark.parametrize("right", [True, False])
    def test_moves_a_skill_the_less_the_easier_it_is_to_guess(self, right):
        known = rights(2)
        assert len({each.learner.odds.slip for each in EXERCISES.values()}) == 1, "they differ in nothing else"
        by_guess = sorted(ExerciseKind, key=lambda kind: odds(kind, Skill.COLOR).guess)
        start = after(*known)[Skill.COLOR].probability
        moves = [
            abs(after(*known, try_at(NOON + 90, kind=k, right=right))[Skill.COLOR].probability - start)
            for k in by_guess
        ]
        assert moves == sorted(moves, reverse=True)
        assert moves[0] > moves[-1]

    def test_says_less_with_each_hint(self):
        reached = [after(try_at(hints=hints))[Skill.COLOR].probability for hints in range(6)]
        assert all(more > less for more, less in pairwise(reached))
        assert reached[-1] - PRIOR[Skill.COLOR] < 0.02

    def test_to_explain_is_one_of_three_for_a_feature_and_hardly_to_be_guessed_as_a_whole(self):
        assert odds(ExerciseKind.EXPLAIN, Skill.COLOR).guess == pytest.approx(1 / 3)
        assert odds(ExerciseKind.EXPLAIN, Skill.EXPLAIN).guess < 0.1

    def test_leaves_other_skills_alone(self):
        untouched = {skill: state for skill, state in after(try_at()).items() if skill is not Skill.COLOR}
        assert untouched == {skill: state for skill, state in new_states().items() if skill is not Skill.COLOR}

    def test_of_a_question_that_only_the_course_asks_counts_too(self):
        assert after(try_at(kind=None))[Skill.COLOR].probability > PRIOR[Skill.COLOR]


class TestMastery:
    @given(histories)
    def test_is_the_fold_of_its_updates_whatever_order_the_tries_come_in(self, history):
        in_order = sorted(history, key=lambda try_: try_.at)
        states = new_states()
        for try_ in in_order:
            states = update(states, try_)
        assert mastery(in_order, NOON + 31 * DAY) == states
        distinct = list({try_.at: try_ for try_ in history}.values())
        assert mastery(distinct[::-1], NOON + 31 * DAY) == mastery(distinct, NOON + 31 * DAY)

    @given(histories, moments)
    def test_of_a_moment_goes_on_to_the_mastery_of_a_later_one(self, history, moment):
        now = NOON + 31 * DAY
        later = sorted((try_ for try_ in history if try_.at > moment), key=lambda try_: try_.at)
        assert reduce(update, later, mastery(history, moment)) == mastery(history, now)

    @given(histories, st.floats(0, 400 * DAY))
    def test_keeps_probabilities_and_intervals_within_bounds(self, history, wait):
        for state in mastery(history, NOON + 31 * DAY).values():
            assert 0 < state.probability <= CEILING
            assert 0 < probability_at(state, NOON + wait) <= CEILING
            assert FIRST_STABILITY <= state.stability <= LONGEST_STABILITY
            assert 0 <= state.rights <= state.tries

    @given(st.lists(st.booleans(), max_size=8), st.lists(st.booleans(), max_size=8), st.randoms(use_true_random=False))
    def test_does_not_mind_how_two_skills_take_turns(self, colors, shapes, rng):
        color = [try_at(skill=Skill.COLOR, right=right) for right in colors]
        shape = [try_at(skill=Skill.SHAPE, right=right) for right in shapes]
        mixed = list(color + shape)
        order = sorted(range(len(mixed)), key=lambda n: (rng.random(), n))
        color_turns, shape_turns = iter(color), iter(shape)
        mixed = [next(color_turns) if n < len(color) else next(shape_turns) for n in order]
        assert after(*mixed) == after(*color, *shape)

    def test_knows_every_skill_from_the_start(self):
        assert list(mastery([], NOON)) == list(Skill)

    def test_has_nothing_from_the_future(self):
        assert mastery(rights(3, start=NOON + 60), NOON) == new_states()


class TestFading:
    def test_goes_down_with_time_to_what_a_newcomer_brings_and_no_further(self):
        state = after(*rights(8))[Skill.COLOR]
        days = [probability_at(state, NOON + day * DAY) for day in range(1, 400, 7)]
        assert days == sorted(days, reverse=True)
        assert days[-1] == pytest.approx(PRIOR[Skill.COLOR], abs=1e-6)

    def test_never_brings_back_what_wrong_answers_took(self):
        state = after(*rights(4, right=False))[Skill.COLOR]
        assert state.probability < PRIOR[Skill.COLOR]
        assert probability_at(state, NOON + 99 * DAY) == state.probability

    def test_is_slower_the_more_spaced_reviews_were_right(self):
        massed = after(*rights(5, kind=ExerciseKind.FIND_ONE))[Skill.COLOR]
        spaced = after(*rights(5, kind=ExerciseKind.FIND_ONE, apart=2 * DAY))[Skill.COLOR]
        assert massed.stability == pytest.approx(FIRST_STABILITY, rel=0.01)
        assert spaced.stability > 5 * FIRST_STABILITY

    def test_stretches_the_interval_about_two_and_a_half_times_at_each_review_in_time(self):
        state = after(*rights(3, kind=ExerciseKind.FIND_ONE))[Skill.COLOR]
        states = {**new_states(), Skill.COLOR: state}
        for _ in range(4):
            before = states[Skill.COLOR]
            states = update(states, try_at(before.seen_at + before.stability, kind=ExerciseKind.FIND_ONE))
            assert 2.3 < states[Skill.COLOR].stability / before.stability < 2.6

    def test_is_faster_again_after_an_error(self):
        spaced = rights(5, kind=ExerciseKind.FIND_ONE, apart=2 * DAY)
        slow = after(*spaced)[Skill.COLOR].stability
        assert after(*spaced, try_at(NOON + 9 * DAY, right=False))[Skill.COLOR].stability == slow / 2


class TestStatus:
    def test_goes_through_all_five_levels(self):
        counts = [rights(count, skill=Skill.IS_SET) for count in range(12)]
        seen = [status(after(*tries)[Skill.IS_SET], NOON).level for tries in counts]
        assert seen == sorted(seen)
        assert set(seen) == set(Level)

    def test_falls_with_wrong_answers_and_with_time(self):
        known = rights(9)
        assert status(after(*known)[Skill.COLOR], NOON + 300).level is Level.MASTERED
        wrong = rights(3, start=NOON + 300, right=False)
        assert status(after(*known, *wrong)[Skill.COLOR], NOON + 400).level < Level.SURE
        assert status(after(*known)[Skill.COLOR], NOON + 60 * DAY).level < Level.SURE

    def test_is_new_until_the_first_try_however_much_a_newcomer_brings(self):
        assert {each.level for each in statuses(new_states(), NOON)} == {Level.NEW}

    def test_stays_mastered_until_the_review_is_due_for_what_was_left_at_the_ceiling(self):
        for skill in Skill:
            state = after(*rights(20, skill=skill, kind=ExerciseKind.THIRD_CARD))[skill]
            at_last = status(state, status(state, NOON).due_at)
            assert at_last.is_due
            assert at_last.level is Level.MASTERED

    def test_says_when_a_review_will_be_due_and_since_when_it_is(self):
        state = after(*rights(9))[Skill.COLOR]
        soon = status(state, state.seen_at + 60)
        assert soon.due_at == pytest.approx(state.seen_at + FIRST_STABILITY, abs=600)
        assert not soon.is_due
        assert status(state, soon.due_at + 60).is_due

    def test_has_nothing_to_review_in_what_is_still_being_learned(self):
        assert status(after(try_at(right=False))[Skill.COLOR], NOON + 99 * DAY).due_at is None

    @pytest.mark.parametrize(
        ("answers", "trend"),
        [
            ([], Trend.STEADY),
            ([True] * 3, Trend.RISING),
            ([True] * 12, Trend.STEADY),
            ([True] * 8 + [False] * 3, Trend.FALLING),
        ],
    )
    def test_has_a_trend(self, answers, trend):
        tries = [try_at(NOON + n, right=right) for n, right in enumerate(answers)]
        assert status(after(*tries)[Skill.COLOR], NOON + 20).trend is trend

    def test_falls_in_trend_as_a_mastered_skill_is_left_alone(self):
        assert status(after(*rights(12))[Skill.COLOR], NOON + 20 * DAY).trend is Trend.FALLING


class TestWhatIsDue:
    def test_is_nothing_at_the_start_or_right_after_practice(self):
        assert due_skills(new_states(), NOON) == []
        assert due_skills(after(*rights(9)), NOON + 300) == []

    def test_comes_with_the_longest_overdue_first(self):
        late = rights(9, skill=Skill.SHAPE)
        later = rights(9, skill=Skill.COLOR, start=NOON + DAY)
        assert due_skills(after(*late, *later), NOON + 5 * DAY) == [Skill.SHAPE, Skill.COLOR]


class TestWhatIsMissedMost:
    def test_is_counted_for_each_feature_among_the_tries_that_showed_it(self):
        tries = [
            *rights(3, skill=Skill.SHADING, right=False, missed=(Feature.SHADING,)),
            *rights(2, skill=Skill.SHADING),
            try_at(skill=Skill.COLOR, right=False, missed=(Feature.COLOR,)),
            *rights(4, skill=Skill.SHAPE),
        ]
        assert most_missed(tries) == [(Feature.SHADING, 3, 5), (Feature.COLOR, 1, 1)]

    def test_is_nothing_for_one_who_misses_nothing(self):
        assert most_missed(rights(4)) == []
