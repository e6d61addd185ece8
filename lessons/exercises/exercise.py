"""What an exercise is, and what can be asked for."""

from __future__ import annotations

from dataclasses import dataclass

from games.rules.cards import FULL_DECK, Card, Feature, easy_deck
from lessons.skills import ExerciseKind, Wanted

_LEFT_OUT = Feature.SHADING
_EASY_DECK = easy_deck(_LEFT_OUT)
_EASY_FEATURES = tuple(feature for feature in Feature if feature is not _LEFT_OUT)
_HARDEST = len(Feature)


class BadWanted(ValueError):
    """An exercise that cannot be made."""


@dataclass(frozen=True, slots=True)
class Exercise:
    """A question. It holds what the learner sees and never the answer, which `lessons.grading` works out.

    `make_exercise(exercise.wanted, exercise.seed)` makes it again, so the two are all that need be kept.
    """

    wanted: Wanted
    seed: str
    cards: tuple[Card, ...]
    """What is shown: the three cards, the two, or the board."""
    choices: tuple[Card, ...] = ()
    """For the third card: the cards to choose from."""

    @property
    def kind(self) -> ExerciseKind:
        return self.wanted.kind


def features_in_play(wanted: Wanted) -> tuple[Feature, ...]:
    """The features that are not alike on every card of the deck."""
    return _EASY_FEATURES if wanted.easy else tuple(Feature)


def deck_of(wanted: Wanted) -> tuple[Card, ...]:
    return _EASY_DECK if wanted.easy else FULL_DECK


def check_wanted(wanted: Wanted) -> None:
    if not isinstance(wanted.kind, ExerciseKind):
        raise BadWanted(f"no exercise is called {wanted.kind!r}")
    if type(wanted.difficulty) is not int or not 1 <= wanted.difficulty <= _HARDEST:
        raise BadWanted(f"a difficulty is a whole number from 1 to {_HARDEST}, not {wanted.difficulty!r}")
    if wanted.difficulty > len(features_in_play(wanted)):
        raise BadWanted(f"cards of the easy deck cannot differ in {wanted.difficulty} features: all are solid")
    if wanted.focus is not None and not any(wanted.focus is feature for feature in features_in_play(wanted)):
        raise BadWanted(f"cards of this deck do not differ in {wanted.focus!r}")
