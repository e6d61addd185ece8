"""Exercises are balanced, and no pattern gives the answer away."""

from collections import Counter, defaultdict
from itertools import combinations

import pytest

from games.rules import Feature
from lessons.skills import ExerciseKind
from tests.lessons.samples import (
    BOARDS,
    ROOM,
    TRIPLES,
    broken,
    distance,
    exercises,
    is_even,
    is_yes,
    make_of,
    sets_on,
    share,
)

YES_OR_NO = [ExerciseKind.IS_SET, ExerciseKind.ANY_SET]


# Balance


@pytest.mark.parametrize("kind", YES_OR_NO)
def test_yes_is_right_as_often_as_no_at_every_difficulty(kind):
    assert 0.45 < share(exercises(kind), of=is_yes) < 0.55
    groups = defaultdict(list)
    for exercise in exercises(kind):
        groups[exercise.wanted.easy, exercise.wanted.difficulty].append(exercise)
    assert len(groups) == 7
    assert all(0.45 < share(group, of=is_yes) < 0.55 for group in groups.values())


def test_near_misses_are_as_frequent_as_clear_ones():
    no_sets = [len(broken(exercise.cards)) for exercise in exercises(ExerciseKind.IS_SET) if not is_yes(exercise)]
    assert 0.45 < share(no_sets, of=lambda number: number == 1) < 0.55


@pytest.mark.parametrize("easy", [False, True])
@pytest.mark.parametrize("has_focus", [False, True])
@pytest.mark.parametrize("kind", [ExerciseKind.IS_SET, ExerciseKind.WHICH_BREAKS])
def test_each_feature_is_the_broken_one_as_often(kind, has_focus, easy):
    alike = [each for each in exercises(kind) if each.wanted.easy == easy and bool(each.wanted.focus) == has_focus]
    features = Counter(broken(each.cards)[0] for each in alike if len(broken(each.cards)) == 1)
    assert is_even(features, len(ROOM[easy]), 0.2)


def test_none_one_or_two_features_are_broken_to_explain_each_as_often():
    assert is_even(Counter(len(broken(exercise.cards)) for exercise in exercises(ExerciseKind.EXPLAIN)), 3, 0.1)


def test_every_make_of_every_feature_is_there_to_explain():
    makes = Counter(
        (feature, make_of(each.cards, feature)) for each in exercises(ExerciseKind.EXPLAIN) for feature in Feature
    )
    assert len(makes) == 12
    assert min(makes.values()) > 1_000


# Nothing gives the answer away


def best_guess(samples, statistic) -> float:
    """Accuracy of guessing from a statistic, learned on half the exercises and applied to the rest."""
    votes = defaultdict(int)
    learned, asked = samples[::2], samples[1::2]
    for exercise in learned:
        votes[statistic(exercise)] += 1 if is_yes(exercise) else -1
    return share(asked, of=lambda exercise: (votes[statistic(exercise)] > 0) == is_yes(exercise))


def order_of_cards(exercise) -> tuple[int, ...]:
    return tuple(sorted(range(len(exercise.cards)), key=exercise.cards.__getitem__))


def value_in_place(place: int, feature: Feature):
    return lambda exercise: exercise.cards[place].value(feature)


def most_of_a_value(exercise) -> int:
    features = ROOM[exercise.wanted.easy]
    return max(Counter((each, card.value(each)) for card in exercise.cards for each in features).values())


GIVEAWAYS = {
    **{f"{feature} of card {place}": value_in_place(place, feature) for feature in Feature for place in range(3)},
    "the first card": lambda exercise: exercise.cards[0],
    "the last card": lambda exercise: exercise.cards[-1],
    "the order of the first three": lambda exercise: order_of_cards(exercise)[:3],
    "how alike the first two are": lambda exercise: distance(*exercise.cards[:2]),
    "how alike the last two are": lambda exercise: distance(*exercise.cards[-2:]),
    "the last letter of the seed": lambda exercise: exercise.seed[-1],
    "what was wanted": lambda exercise: exercise.wanted,
}


@pytest.mark.parametrize("giveaway", GIVEAWAYS)
@pytest.mark.parametrize("kind", YES_OR_NO)
def test_a_simple_look_tells_nothing_about_yes_or_no(kind, giveaway):
    assert best_guess(exercises(kind), GIVEAWAYS[giveaway]) < 0.56


def test_a_classifier_that_looks_closely_enough_would_be_noticed():
    assert best_guess(exercises(ExerciseKind.IS_SET), lambda exercise: len(broken(exercise.cards))) == 1


@pytest.mark.parametrize(
    "statistic",
    [
        most_of_a_value,
        lambda exercise: sum(distance(a, b) == 1 for a, b in combinations(exercise.cards, 2)),
        lambda exercise: sum(distance(a, b) == 4 for a, b in combinations(exercise.cards, 2)),
    ],
    ids=["the commonest value", "pairs that are nearly alike", "pairs that have nothing in common"],
)
def test_counting_on_a_board_tells_little_about_whether_there_is_a_set(statistic):
    assert best_guess(exercises(ExerciseKind.ANY_SET), statistic) < 0.6


@pytest.mark.parametrize("kind", TRIPLES)
def test_the_odd_card_lies_in_each_place_as_often(kind):
    odd = Counter()
    for exercise in exercises(kind):
        for feature in broken(exercise.cards):
            values = [card.value(feature) for card in exercise.cards]
            odd[next(place for place in range(3) if values.count(values[place]) == 1)] += 1
    assert is_even(odd, 3, 0.1)


@pytest.mark.parametrize("kind", BOARDS)
def test_sets_lie_in_each_place_of_the_board_as_often(kind):
    for size in {len(exercise.cards) for exercise in exercises(kind)}:
        boards = [exercise.cards for exercise in exercises(kind) if len(exercise.cards) == size]
        places = Counter(board.index(card) for board in boards for triple in sets_on(board) for card in triple)
        assert is_even(places, size, 0.15)
