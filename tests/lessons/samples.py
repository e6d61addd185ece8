"""Ten thousand exercises of each kind, and a plain implementation of the rules to check them against."""

from functools import cache
from itertools import combinations

from games.rules import FULL_DECK, Card, Feature
from lessons.questions import Exercise, make_exercise
from lessons.skills import ExerciseKind, Wanted

EXERCISES_OF_A_KIND = 10_000
TRIPLES = [ExerciseKind.IS_SET, ExerciseKind.WHICH_BREAKS, ExerciseKind.EXPLAIN]
BOARDS = [ExerciseKind.FIND_ONE, ExerciseKind.FIND_ALL, ExerciseKind.ANY_SET]
NO_SHADING = [feature for feature in Feature if feature is not Feature.SHADING]
ROOM = {False: list(Feature), True: NO_SHADING}
"""The features used in the full deck and in the easy one."""


def everything_wanted(kind: ExerciseKind) -> list[Wanted]:
    return [
        Wanted(kind, difficulty, focus, easy)
        for easy, features in ROOM.items()
        for difficulty in range(1, len(features) + 1)
        for focus in [None, *features]
    ]


@cache
def exercises(kind: ExerciseKind) -> list[Exercise]:
    wanted = everything_wanted(kind)
    return [make_exercise(wanted[turn % len(wanted)], f"sample {turn}") for turn in range(EXERCISES_OF_A_KIND)]


def make_of(cards, feature) -> str:
    """The Magic Rule, by counting values."""
    return {1: "all-same", 2: "two-and-one", 3: "all-different"}[len({card.value(feature) for card in cards})]


def of_make(cards, make) -> list[Feature]:
    return [feature for feature in Feature if make_of(cards, feature) == make]


def broken(cards) -> list[Feature]:
    return of_make(cards, "two-and-one")


def differing(cards) -> int:
    return len(of_make(cards, "all-different"))


def distance(a: Card, b: Card) -> int:
    return sum(a.value(feature) != b.value(feature) for feature in Feature)


@cache
def all_sets() -> dict[frozenset, int]:
    """Every SET, with the number of features in which its cards differ."""
    return {frozenset(cards): differing(cards) for cards in combinations(FULL_DECK, 3) if not broken(cards)}


@cache
def sets_on(board: tuple[Card, ...]) -> list[frozenset]:
    return [triple for triple in map(frozenset, combinations(board, 3)) if triple in all_sets()]


def differing_of_sets_on(board) -> list[int]:
    return sorted(all_sets()[triple] for triple in sets_on(board))


def is_yes(exercise: Exercise) -> bool:
    """The right answer to a yes-or-no question."""
    return bool(sets_on(exercise.cards))


def share(items, of) -> float:
    items = list(items)
    return sum(map(bool, map(of, items))) / len(items)


def is_even(counts, expected: int, tolerance: float) -> bool:
    """Whether there are `expected` different things, all about equally frequent."""
    total = sum(counts.values())
    return len(counts) == expected and all(
        abs(count / total - 1 / expected) <= tolerance / expected for count in counts.values()
    )


def explained(exercise) -> dict[str, str]:
    return {feature.value: make_of(exercise.cards, feature) for feature in Feature}
