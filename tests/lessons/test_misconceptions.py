"""Misconceptions found in tries: each in its own kind of errors only, and forgotten once corrected."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.rules.cards import Feature
from lessons.progress.mastery import Try
from lessons.progress.misconceptions import Idea, Misconception, misconceptions
from lessons.skills import Evidence, ExerciseKind, Wanted, differing_skill, feature_skill, kind_skill

ALIKE = Misconception(Idea.ALL_ALIKE)


def overlooks(feature):
    return Misconception(Idea.OVERLOOKS, feature)


def in_order(*tries):
    """Tries from these functions, half a minute apart."""
    return [make(at=30.0 * number) for number, make in enumerate(tries)]


def answer(kind, right, *, missed=(), seen=(), sets=(), focus=None, hints=0, easy=False):
    evidence = [Evidence(kind_skill(kind), right)]
    evidence += [Evidence(feature_skill(feature), False) for feature in missed]
    evidence += [Evidence(feature_skill(feature), True) for feature in seen]
    evidence += [Evidence(differing_skill(number), right) for number in sets]
    wanted = Wanted(kind, focus=focus, easy=easy)
    return lambda at: Try(at, kind, right, tuple(missed), tuple(evidence), None, hints, wanted)


def overlooked(feature, kind=ExerciseKind.IS_SET, **more):
    return answer(kind, False, missed=[feature], **more)


def seen(feature, kind=ExerciseKind.IS_SET, **more):
    return answer(kind, True, seen=[feature], **more)


def refused(differing=1):
    return answer(ExerciseKind.IS_SET, False, sets=[differing])


def accepted(differing=1):
    return answer(ExerciseKind.IS_SET, True, sets=[differing])


class TestAFeatureThatIsOverlooked:
    @pytest.mark.parametrize("feature", Feature)
    def test_is_found_after_a_few_triples_that_only_it_breaks(self, feature):
        assert misconceptions(in_order(*[overlooked(feature)] * 4)) == [overlooks(feature)]

    @pytest.mark.parametrize(
        "kind",
        [
            ExerciseKind.IS_SET,
            ExerciseKind.WHICH_BREAKS,
            ExerciseKind.EXPLAIN,
            ExerciseKind.THIRD_CARD,
            ExerciseKind.FIND_ONE,
        ],
    )
    def test_is_found_in_every_kind_that_shows_it(self, kind):
        tries = in_order(*[overlooked(Feature.SHADING, kind)] * 7)
        assert overlooks(Feature.SHADING) in misconceptions(tries)

    def test_is_not_found_in_one_error_or_two(self):
        assert misconceptions(in_order(*[overlooked(Feature.SHADING)] * 2)) == []

    def test_is_not_found_where_it_is_seen_as_often_as_not(self):
        assert misconceptions(in_order(*[overlooked(Feature.COLOR), seen(Feature.COLOR)] * 10)) == []

    def test_is_not_found_in_wild_guesses_that_miss_all_at_once(self):
        assert misconceptions(in_order(*[answer(ExerciseKind.FIND_ONE, False, missed=Feature)] * 4)) == []

    def test_is_the_one_that_breaks_and_not_the_one_that_was_named_instead(self):
        wrong = answer(ExerciseKind.WHICH_BREAKS, False, missed=[Feature.SHADING, Feature.COLOR], focus=Feature.SHADING)
        assert misconceptions(in_order(*[wrong] * 4)) == [overlooks(Feature.SHADING)]

    def test_is_not_one_that_is_blamed_for_a_set(self):
        blames = answer(ExerciseKind.IS_SET, False, missed=[Feature.SHADING], sets=[1])
        assert overlooks(Feature.SHADING) not in misconceptions(in_order(*[blames] * 9))

    def test_is_forgotten_when_it_was_seen_a_few_times(self):
        tries = [*[overlooked(Feature.SHADING)] * 9, *[seen(Feature.SHADING)] * 4]
        assert misconceptions(in_order(*tries)) == []

    def test_is_not_forgotten_for_one_lucky_answer(self):
        tries = [*[overlooked(Feature.SHADING)] * 6, seen(Feature.SHADING)]
        assert misconceptions(in_order(*tries)) == [overlooks(Feature.SHADING)]

    def test_is_not_forgotten_for_answers_that_were_given_away(self):
        tries = [*[overlooked(Feature.SHADING)] * 6, *[seen(Feature.SHADING, hints=4)] * 4]
        assert misconceptions(in_order(*tries)) == [overlooks(Feature.SHADING)]

    def test_is_found_again_when_it_comes_back_however_long_it_was_right(self):
        tries = [*[seen(Feature.SHADING)] * 50, *[overlooked(Feature.SHADING)] * 4]
        assert misconceptions(in_order(*tries)) == [overlooks(Feature.SHADING)]

    def test_has_nothing_to_do_with_the_deck_that_is_all_solid(self):
        assert misconceptions(in_order(*[overlooked(Feature.COLOR, ExerciseKind.FIND_ONE, easy=True)] * 9)) == []


class TestThatAllMustBeAlike:
    def test_is_found_in_sets_that_are_refused(self):
        assert misconceptions(in_order(*[refused()] * 5)) == [ALIKE]

    def test_is_found_in_refusing_everything(self):
        right_no = answer(ExerciseKind.IS_SET, True)
        assert misconceptions(in_order(*[refused(2), right_no] * 5)) == [ALIKE]

    def test_is_not_found_in_right_refusals_alone(self):
        assert misconceptions(in_order(*[answer(ExerciseKind.IS_SET, True)] * 8)) == []

    def test_is_not_found_in_one_who_takes_for_a_set_what_is_none(self):
        tries = [refused(), overlooked(Feature.SHADING), refused(), overlooked(Feature.COLOR)]
        assert ALIKE not in misconceptions(in_order(*tries * 3))

    def test_takes_longer_to_find_where_the_sets_differ_in_everything(self):
        assert misconceptions(in_order(*[refused(4)] * 5)) == []

    def test_is_forgotten_when_sets_are_recognized(self):
        assert misconceptions(in_order(*[refused()] * 9, *[accepted()] * 3)) == []


def test_who_has_tried_nothing_believes_nothing():
    assert misconceptions([]) == []


def test_who_is_always_right_believes_nothing_wrong():
    rights = [answer(kind, True, seen=Feature, sets=[n]) for kind in ExerciseKind for n in range(1, 5)]
    assert misconceptions(in_order(*rights)) == []


def test_questions_that_only_the_course_asks_say_nothing():
    only = Try(0.0, None, False, (Feature.COLOR,), (Evidence(feature_skill(Feature.COLOR), False),), None, 0, None)
    assert misconceptions([only] * 20) == []


@given(st.permutations([overlooked(Feature.SHADING), refused(), seen(Feature.COLOR), accepted(3)] * 3), st.randoms())
def test_the_tries_may_come_in_any_order(makers, rng):
    tries = in_order(*makers)
    assert misconceptions(rng.sample(tries, len(tries))) == misconceptions(tries)
