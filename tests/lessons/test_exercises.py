"""Exercises made from a seed: as requested, reproducible, never the same twice in a row."""

import dataclasses
import random
import sys
import time
from collections import Counter, defaultdict
from functools import cache

import pytest

from games.rules import Feature
from lessons.questions import BadWanted, Exercise, fresh_exercise, make_exercise
from lessons.questions.is_set import IsSet
from lessons.skills import ExerciseKind, Wanted
from tests.lessons.samples import (
    BOARDS,
    ROOM,
    TRIPLES,
    broken,
    differing,
    differing_of_sets_on,
    distance,
    everything_wanted,
    exercises,
    is_even,
    is_yes,
    make_of,
    sets_on,
    share,
)
from tests.test_architecture import ROOT, imports_of

# What is made


def test_an_exercise_holds_what_is_asked_and_shown_and_no_answer():
    assert [field.name for field in dataclasses.fields(Exercise)] == ["wanted", "seed", "cards", "choices"]


@pytest.mark.parametrize("kind", ExerciseKind)
def test_every_card_is_of_the_deck_and_there_once(kind):
    for exercise in exercises(kind):
        for cards in (exercise.cards, exercise.choices):
            assert len(set(cards)) == len(cards)
            assert not exercise.wanted.easy or {card.shading for card in cards} <= {"solid"}


def size_of_board(wanted) -> int:
    if wanted.easy:
        return 6 if wanted.kind is ExerciseKind.ANY_SET else 9
    return 9 if wanted.difficulty <= 2 else 12


@pytest.mark.parametrize("kind", ExerciseKind)
def test_as_many_cards_are_shown_as_the_kind_needs(kind):
    for exercise in exercises(kind):
        size = 3 if kind in TRIPLES else 2 if kind is ExerciseKind.THIRD_CARD else size_of_board(exercise.wanted)
        assert len(exercise.cards) == size
        assert bool(exercise.choices) == (kind is ExerciseKind.THIRD_CARD)


def is_difficult_as_asked(exercise: Exercise) -> bool:
    cards, wanted = exercise.cards, exercise.wanted.difficulty
    match exercise.kind:
        case ExerciseKind.THIRD_CARD:
            return distance(*cards) == wanted
        case ExerciseKind.FIND_ONE:
            return min(differing_of_sets_on(cards)) == wanted
        case ExerciseKind.FIND_ALL:
            return max(differing_of_sets_on(cards)) == wanted
        case ExerciseKind.ANY_SET:
            return differing_of_sets_on(cards) in ([], [wanted])
    # The broken feature can be fixed to all the same or all different.
    return differing(cards) <= wanted <= differing(cards) + len(broken(cards))


@pytest.mark.parametrize("kind", ExerciseKind)
def test_the_difficulty_is_as_asked(kind):
    assert [exercise for exercise in exercises(kind) if not is_difficult_as_asked(exercise)] == []


@pytest.mark.parametrize("kind", [ExerciseKind.IS_SET, ExerciseKind.WHICH_BREAKS])
def test_near_misses_get_busier_with_the_difficulty(kind):
    for easy, features in ROOM.items():
        busy = defaultdict(list)
        for exercise in exercises(kind):
            if exercise.wanted.easy == easy and len(broken(exercise.cards)) == 1:
                busy[exercise.wanted.difficulty].append(differing(exercise.cards))
        means = [sum(busy[level]) / len(busy[level]) for level in range(1, len(features) + 1)]
        assert means == sorted(set(means))


def test_which_breaks_has_exactly_one_broken_feature():
    assert {len(broken(exercise.cards)) for exercise in exercises(ExerciseKind.WHICH_BREAKS)} == {1}


def test_there_are_two_to_four_sets_to_find_all_of_each_as_often():
    assert is_even(Counter(len(sets_on(exercise.cards)) for exercise in exercises(ExerciseKind.FIND_ALL)), 3, 0.1)


# The focus feature


@pytest.mark.parametrize("kind", [ExerciseKind.IS_SET, ExerciseKind.WHICH_BREAKS])
def test_a_near_miss_is_broken_in_the_focus(kind):
    focused = [exercise for exercise in exercises(kind) if exercise.wanted.focus]
    near_misses = [exercise for exercise in focused if len(broken(exercise.cards)) == 1]
    assert len(near_misses) > 1_000
    assert all(broken(exercise.cards) == [exercise.wanted.focus] for exercise in near_misses)


def test_the_focus_is_all_different_in_a_set_to_judge():
    focused = [exercise for exercise in exercises(ExerciseKind.IS_SET) if exercise.wanted.focus and is_yes(exercise)]
    assert len(focused) > 1_000
    assert all(make_of(exercise.cards, exercise.wanted.focus) == "all-different" for exercise in focused)


def test_the_focus_alone_does_not_decide():
    clear = [each for each in exercises(ExerciseKind.IS_SET) if each.wanted.focus and len(broken(each.cards)) > 1]
    assert 0.2 < share(clear, of=lambda each: each.wanted.focus not in broken(each.cards)) < 0.5


def test_a_focus_to_explain_has_each_make_about_equally_often():
    makes = Counter(
        make_of(exercise.cards, exercise.wanted.focus)
        for exercise in exercises(ExerciseKind.EXPLAIN)
        if exercise.wanted.focus and 1 < exercise.wanted.difficulty < len(ROOM[exercise.wanted.easy])
    )
    assert is_even(makes, 3, 0.2)


@pytest.mark.parametrize("kind", BOARDS)
def test_a_set_of_the_difficulty_differs_in_the_focus(kind):
    for exercise in exercises(kind):
        focus, found = exercise.wanted.focus, sets_on(exercise.cards)
        if focus and found:
            wanted = [triple for triple in found if differing(triple) == exercise.wanted.difficulty]
            assert any(make_of(triple, focus) == "all-different" for triple in wanted)


# The third card


def right_choices(exercise) -> list[int]:
    return [place for place, card in enumerate(exercise.choices) if not broken((*exercise.cards, card))]


def test_exactly_one_choice_makes_a_set_and_it_is_in_each_place_as_often():
    for size in (4, 6):
        offered = [exercise for exercise in exercises(ExerciseKind.THIRD_CARD) if len(exercise.choices) == size]
        assert all((each.wanted.difficulty == 1) == (size == 4) for each in offered)
        assert {len(right_choices(exercise)) for exercise in offered} == {1}
        assert is_even(Counter(right_choices(exercise)[0] for exercise in offered), size, 0.15)


def test_no_choice_is_one_of_the_two_cards():
    assert all(set(exercise.cards).isdisjoint(exercise.choices) for exercise in exercises(ExerciseKind.THIRD_CARD))


def test_the_choices_hold_near_misses_of_the_right_one_and_the_focus_is_among_them():
    for exercise in exercises(ExerciseKind.THIRD_CARD):
        (place,) = right_choices(exercise)
        right = exercise.choices[place]
        near = [card for card in exercise.choices if distance(card, right) == 1]
        assert len(near) >= (2 if exercise.wanted.difficulty == 1 else 3)
        focus = exercise.wanted.focus
        assert focus is None or any(card.value(focus) != right.value(focus) for card in near)


def test_the_right_choice_is_not_more_like_the_others_than_they_are():
    for exercise in exercises(ExerciseKind.THIRD_CARD):
        likeness = {tuple(sorted(distance(a, b) for b in exercise.choices)) for a in exercise.choices}
        assert len(likeness) == 1


# Reproducible, and never the same twice in a row

PINNED = {
    ExerciseKind.IS_SET: [44, 23, 8],
    ExerciseKind.WHICH_BREAKS: [69, 58, 56],
    ExerciseKind.EXPLAIN: [41, 37, 51],
    ExerciseKind.THIRD_CARD: [71, 76, 75, 72, 63, 66, 57, 54],
    ExerciseKind.FIND_ONE: [66, 29, 73, 26, 27, 18, 51, 64, 72, 67, 20, 48],
    ExerciseKind.FIND_ALL: [25, 34, 35, 49, 38, 1, 69, 77, 55, 37, 31, 51],
    ExerciseKind.ANY_SET: [38, 61, 49, 46, 34, 29, 11, 53, 18, 73, 77, 10],
}


@pytest.mark.parametrize("kind", ExerciseKind)
def test_an_exercise_of_last_year_is_still_the_same(kind):
    exercise = make_exercise(Wanted(kind, 3, Feature.COLOR), "last year")
    assert [card.index for card in (*exercise.cards, *exercise.choices)] == PINNED[kind]


@pytest.mark.parametrize("kind", ExerciseKind)
def test_the_same_arguments_make_the_same_exercise_whatever_others_draw(kind):
    for exercise in exercises(kind)[:500]:
        random.seed(1)
        assert make_exercise(exercise.wanted, exercise.seed) == exercise


@pytest.mark.parametrize("kind", ExerciseKind)
def test_other_seeds_make_other_exercises(kind):
    for wanted in everything_wanted(kind):
        made = {frozenset(make_exercise(wanted, str(seed)).cards) for seed in range(20)}
        assert len(made) > 12


@pytest.mark.parametrize("kind", ExerciseKind)
def test_a_fresh_exercise_is_not_the_last_one_even_if_its_seed_or_its_cards_are(kind):
    rng = random.Random(5)
    last = None
    for turn in range(1_000):
        wanted = rng.choice(everything_wanted(kind))
        fresh = fresh_exercise(wanted, f"turn {turn // 2}", avoid=last)
        assert last is None or set(fresh.cards) != set(last.cards)
        assert make_exercise(fresh.wanted, fresh.seed) == fresh
        same_in_another_order = dataclasses.replace(
            fresh, seed="", cards=tuple(rng.sample(fresh.cards, len(fresh.cards)))
        )
        again = fresh_exercise(wanted, fresh.seed, avoid=same_in_another_order)
        assert set(again.cards) != set(fresh.cards)
        last = again


def test_a_fresh_exercise_is_the_one_of_its_seed_when_that_is_new():
    wanted = Wanted(ExerciseKind.FIND_ONE, 2)
    assert fresh_exercise(wanted, "a", avoid=None) == make_exercise(wanted, "a")
    assert fresh_exercise(wanted, "a", avoid=make_exercise(wanted, "b")) == make_exercise(wanted, "a")


# Two triples that differ in one feature


@cache
def pairs() -> list[tuple[Feature, tuple[Exercise, Exercise]]]:
    wanted = [(features[turn % len(features)], turn, easy) for turn in range(1_000) for easy, features in ROOM.items()]
    return [(feature, IsSet.contrast_pair(feature, f"pair {turn}", easy=easy)) for feature, turn, easy in wanted]


def test_a_contrast_pair_differs_in_one_feature_of_one_card():
    for feature, (one, other) in pairs():
        changed = [(a, b) for a, b in zip(one.cards, other.cards, strict=True) if a is not b]
        assert len(changed) == 1
        assert [each for each in Feature if changed[0][0].value(each) != changed[0][1].value(each)] == [feature]


def test_of_a_contrast_pair_one_is_a_set_and_the_other_broken_in_that_feature():
    for feature, pair in pairs():
        assert sorted(broken(exercise.cards) for exercise in pair) == [[], [feature]]
        assert all(is_difficult_as_asked(exercise) for exercise in pair)


def test_the_set_of_a_contrast_pair_comes_first_as_often_as_second():
    assert 0.45 < share(pairs(), of=lambda made: is_yes(made[1][0])) < 0.55


def test_in_the_set_of_a_contrast_pair_the_feature_may_be_alike_or_different():
    makes = Counter(make_of(next(filter(is_yes, pair)).cards, feature) for feature, pair in pairs())
    assert set(makes) == {"all-same", "all-different"}
    assert min(makes.values()) > 400


def test_a_contrast_pair_does_not_begin_with_the_cards_that_were_just_there():
    for turn in range(50):
        first, _second = IsSet.contrast_pair(Feature.COLOR, f"pair {turn}")
        other, second = IsSet.contrast_pair(Feature.COLOR, f"pair {turn}", avoid=first)
        assert set(other.cards) != set(first.cards)
        assert second.seed == other.seed.replace("contrast-1/", "contrast-2/"), "they are halves of one pair"


def test_a_contrast_pair_is_made_again_from_its_seeds_like_any_exercise():
    for feature, pair in pairs():
        for exercise in pair:
            assert exercise.kind is ExerciseKind.IS_SET
            assert exercise.wanted.focus is feature
            assert make_exercise(exercise.wanted, exercise.seed) == exercise


# What cannot be made

BAD = [
    *(Wanted(ExerciseKind.IS_SET, difficulty) for difficulty in (0, 5, -1, "2", 1.5, True, None)),
    Wanted(ExerciseKind.FIND_ONE, 4, easy=True),
    Wanted(ExerciseKind.EXPLAIN, 1, Feature.SHADING, easy=True),
    Wanted(ExerciseKind.EXPLAIN, 1, "weight"),
    Wanted("chess", 1),
]


@pytest.mark.parametrize("wanted", BAD, ids=str)
def test_what_cannot_be_made_is_refused(wanted):
    with pytest.raises(BadWanted):
        make_exercise(wanted, "seed")


def test_there_is_no_contrast_in_shading_when_all_is_solid():
    with pytest.raises(BadWanted):
        IsSet.contrast_pair(Feature.SHADING, "seed", easy=True)


# How it is made


@pytest.mark.parametrize("kind", ExerciseKind)
def test_an_exercise_takes_a_few_milliseconds_at_most(kind):
    wanted = everything_wanted(kind)
    start = time.process_time()
    for turn in range(200):
        make_exercise(wanted[turn % len(wanted)], f"speed {turn}")
    assert (time.process_time() - start) / 200 < 0.005


def test_questions_need_only_numbers_the_rules_the_skills_and_the_standard_library():
    """Except for the course's own questions, which contain text for the learner."""
    files = [each for each in (ROOT / "lessons" / "questions").rglob("*.py") if each.name != "course.py"]
    assert len(files) > 12
    for name in set().union(*map(imports_of, files)):
        known = name.startswith(("core.numbers", "games.rules", "lessons.questions", "lessons.skills"))
        assert not name.startswith("lessons.questions.course"), name
        assert known or name.split(".")[0] in sys.stdlib_module_names, name
        assert name not in {"time", "datetime", "secrets", "os", "uuid"}
