"""Makes the exercise that is wanted, from a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import count

from games.rules.cards import Card, Feature
from lessons.exercises.boards import draw_board_to_find_all, draw_board_to_find_one, draw_board_with_or_without
from lessons.exercises.draws import Draws
from lessons.exercises.exercise import Exercise, check_wanted
from lessons.exercises.thirds import draw_third_card
from lessons.exercises.triples import draw_contrast, draw_near_miss, draw_question, draw_to_explain
from lessons.skills import ExerciseKind, Wanted

_DRAW: dict[ExerciseKind, Callable[[Draws, Wanted], Iterable[Card]]] = {
    ExerciseKind.IS_SET: draw_question,
    ExerciseKind.WHICH_BREAKS: draw_near_miss,
    ExerciseKind.EXPLAIN: draw_to_explain,
    ExerciseKind.FIND_ONE: draw_board_to_find_one,
    ExerciseKind.FIND_ALL: draw_board_to_find_all,
    ExerciseKind.ANY_SET: draw_board_with_or_without,
}
# A pair is made again from the seeds of its halves, like every exercise; so their seeds say what they are.
_HALVES = ("contrast-1/", "contrast-2/")
# A pair is calm in what it is not about, so that the one feature stands out.
_CALM = (1, 2)


def make_exercise(wanted: Wanted, seed: str) -> Exercise:
    """The exercise of this seed: the same for ever. Each kind's `draw_` function says what its difficulty means."""
    check_wanted(wanted)
    if wanted.kind is ExerciseKind.IS_SET and wanted.focus is not None and seed.startswith(_HALVES):
        half, _, pair = seed.partition("/")
        first, second = draw_contrast(_draws(wanted, f"contrast/{pair}"), wanted, wanted.focus)
        return Exercise(wanted, seed, first if half in _HALVES[0] else second)
    draws = _draws(wanted, seed)
    if wanted.kind is ExerciseKind.THIRD_CARD:
        return Exercise(wanted, seed, *draw_third_card(draws, wanted))
    return Exercise(wanted, seed, tuple(_DRAW[wanted.kind](draws, wanted)))


def _draws(wanted: Wanted, seed: str) -> Draws:
    return Draws(f"{wanted.kind}/{wanted.difficulty}/{wanted.focus}/{wanted.easy}/{seed}")


def fresh_exercise(wanted: Wanted, seed: str, avoid: Exercise | None) -> Exercise:
    """The exercise of this seed, or of one derived from it: not the same cards again, in whatever order."""
    return next(each for each in (make_exercise(wanted, one) for one in _seeds(seed)) if _is_other(each, avoid))


def contrast_pair(
    feature: Feature, seed: str, easy: bool = False, avoid: Exercise | None = None
) -> tuple[Exercise, Exercise]:
    """Two triples that differ in one value of this feature: one a SET, the other broken in it; either comes first."""
    pairs = (_contrast_pair(feature, each, easy) for each in _seeds(seed))
    return next(pair for pair in pairs if _is_other(pair[0], avoid))


def _contrast_pair(feature: Feature, seed: str, easy: bool) -> tuple[Exercise, Exercise]:
    wanted = Wanted(ExerciseKind.IS_SET, focus=feature, easy=easy)
    wanted = Wanted(ExerciseKind.IS_SET, _draws(wanted, f"calm/{seed}").one_of(_CALM), feature, easy)
    first, second = (make_exercise(wanted, half + seed) for half in _HALVES)
    return first, second


def _seeds(seed: str) -> Iterator[str]:
    """The seed, and those derived from it where chance brought the same cards again."""
    yield seed
    yield from (f"{seed}+{turn}" for turn in count(1))


def _is_other(exercise: Exercise, avoid: Exercise | None) -> bool:
    return avoid is None or set(exercise.cards) != set(avoid.cards)
