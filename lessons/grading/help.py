"""Help that comes in stages, each telling one thing more and the last one the answer.

Where the answer is yes or no, what the first two stages say could be said of either.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from games.rules.cards import Card, Feature, Value
from games.rules.hints import HintStage, hint, ranked_sets
from games.rules.triples import FeaturePattern as Make
from games.rules.triples import FeatureVerdict, Triple, Verdict, explain, third_card
from lessons.exercises import Exercise
from lessons.exercises.draws import Draws
from lessons.skills import ExerciseKind

_FEWER_AND_FEWER = (5, 4)


class HelpKind(StrEnum):
    ONE_AT_A_TIME = "one-at-a-time"
    """Look at one feature at a time."""
    LOOK_AT = "look-at"
    """Look at this feature."""
    HOW_IT_STANDS = "how-it-stands"
    """The verdict on this feature."""
    NOT_THIS_ONE = "not-this-one"
    """This feature is all right: the verdict on it."""
    ODD_CARD = "odd-card"
    """In one feature this card is not like the other two."""
    EVERY_FEATURE = "every-feature"
    """The verdict on each feature, and with it the answer."""
    VALUE_NEEDED = "value-needed"
    """The third card must have this value."""
    THE_CARD = "the-card"
    TWO_MAKE_A_THIRD = "two-make-a-third"
    """Take two cards and think which third one they need; is it there?"""
    AMONG_THESE = "among-these"
    """If there is a SET, there is one among these cards."""
    HOW_MANY = "how-many"
    """So many SETs are there; it may be none."""
    ONE_CARD = "one-card"
    TWO_CARDS = "two-cards"
    THE_SET = "the-set"


@dataclass(frozen=True, slots=True)
class Help:
    """One stage, for a page to put into words; what its kind does not speak of is left empty."""

    kind: HelpKind
    feature: Feature | None = None
    value: Value | None = None
    verdicts: tuple[FeatureVerdict, ...] = ()
    cards: tuple[Card, ...] = ()
    count: int | None = None


_ONE_AT_A_TIME = Help(HelpKind.ONE_AT_A_TIME)
_OF_STAGE = {
    HintStage.HOW_MANY: HelpKind.HOW_MANY,
    HintStage.ONE_CARD: HelpKind.ONE_CARD,
    HintStage.TWO_CARDS: HelpKind.TWO_CARDS,
    HintStage.THE_SET: HelpKind.THE_SET,
}


def help_stages(exercise: Exercise) -> tuple[Help, ...]:
    return _STAGES[exercise.kind](exercise)


def _with_a_verdict(exercise: Exercise) -> tuple[Help, ...]:
    """For three cards: a feature to look at, how it stands, and then all."""
    verdict = explain(*exercise.cards)
    feature = _telling(verdict, exercise.wanted.focus)
    return (
        _ONE_AT_A_TIME,
        Help(HelpKind.LOOK_AT, feature),
        Help(HelpKind.HOW_IT_STANDS, feature, verdicts=(verdict[feature],)),
        Help(HelpKind.EVERY_FEATURE, verdicts=verdict.features),
    )


def _telling(verdict: Verdict, focus: Feature | None) -> Feature:
    """A broken feature, or in a SET one that is all different: what is most often seen wrong. The focus, if it is."""
    make = Make.ALL_DIFFERENT if verdict.is_set else Make.TWO_AND_ONE
    telling = [each.feature for each in verdict.features if each.kind is make]
    return focus if focus in telling else telling[0]


def _which_breaks(exercise: Exercise) -> tuple[Help, ...]:
    """To name the feature would be the answer, so first one that it is not, then the card that is odd in it."""
    verdict = explain(*exercise.cards)
    broken = verdict.broken[0]
    ruled_out = [each for each in verdict.features if not each.is_broken]
    ruled_out.sort(key=lambda each: each.kind is Make.ALL_SAME)
    return (
        _ONE_AT_A_TIME,
        *(Help(HelpKind.NOT_THIS_ONE, each.feature, verdicts=(each,)) for each in ruled_out[:1]),
        Help(HelpKind.ODD_CARD, cards=(broken.odd_card,) if broken.odd_card else ()),
        Help(HelpKind.EVERY_FEATURE, verdicts=verdict.features),
    )


def _third_card(exercise: Exercise) -> tuple[Help, ...]:
    """The feature in which the choices differ most (the focus, where there is one), its value, and then the card."""
    right = third_card(*exercise.cards)
    feature = max(Feature, key=lambda each: len({card.value(each) for card in exercise.choices}))
    if exercise.wanted.focus is not None:
        feature = exercise.wanted.focus
    return (
        _ONE_AT_A_TIME,
        Help(HelpKind.LOOK_AT, feature),
        Help(HelpKind.VALUE_NEEDED, feature, right.value(feature)),
        Help(HelpKind.THE_CARD, cards=(right,)),
    )


def _find_one(exercise: Exercise) -> tuple[Help, ...]:
    hints = (hint(exercise.cards, stage) for stage in HintStage)
    return tuple(Help(_OF_STAGE[each.stage], cards=each.cards, count=each.count) for each in hints)


def _find_all(exercise: Exercise) -> tuple[Help, ...]:
    """How many there are, then one SET after the other; a page may skip those that are found already."""
    found = [triple for _, triple in ranked_sets(exercise.cards)]
    return (
        Help(HelpKind.HOW_MANY, count=len(found)),
        *(
            Help(_OF_STAGE[stage], cards=triple[: stage - 1], count=len(found))
            for triple in found
            for stage in (HintStage.ONE_CARD, HintStage.TWO_CARDS, HintStage.THE_SET)
        ),
    )


def _any_set(exercise: Exercise) -> tuple[Help, ...]:
    """How many there are would be the answer. Fewer and fewer cards are left to look through, SET or not."""
    draws = Draws(f"help/{exercise.seed}")
    found = ranked_sets(exercise.cards)
    first: Triple | tuple[Card, ...] = found[0][1] if found else ()
    order = [*first, *(card for card in draws.shuffled(exercise.cards) if card not in first)]
    fewer = [order[:size] for size in _FEWER_AND_FEWER if size < len(order)]
    return (
        Help(HelpKind.TWO_MAKE_A_THIRD),
        *(Help(HelpKind.AMONG_THESE, cards=_as_they_lie(exercise, cards)) for cards in fewer),
        Help(HelpKind.THE_SET, cards=first, count=1) if found else Help(HelpKind.HOW_MANY, count=0),
    )


def _as_they_lie(exercise: Exercise, cards: list[Card]) -> tuple[Card, ...]:
    return tuple(card for card in exercise.cards if card in cards)


_STAGES: dict[ExerciseKind, Callable[[Exercise], tuple[Help, ...]]] = {
    ExerciseKind.IS_SET: _with_a_verdict,
    ExerciseKind.WHICH_BREAKS: _which_breaks,
    ExerciseKind.EXPLAIN: _with_a_verdict,
    ExerciseKind.THIRD_CARD: _third_card,
    ExerciseKind.FIND_ONE: _find_one,
    ExerciseKind.FIND_ALL: _find_all,
    ExerciseKind.ANY_SET: _any_set,
}
