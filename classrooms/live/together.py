"""A step of the course before a whole class: what is asked of everybody, how an answer is judged, what was right."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from classrooms.live.errors import LessonRefusal
from games.rules import Card, Feature, explain, find_sets, is_set
from games.rules.triples import Triple, Verdict
from games.words import FEATURES, card_name
from lessons.answering import read_answer
from lessons.course.units import Step, Unit, course
from lessons.exercises import Exercise, make_exercise
from lessons.grading import BadAnswer, Grade, grade, solve
from lessons.questions import (
    Ask,
    Drill,
    Experiment,
    Feedback,
    Look,
    MagicSquare,
    NameValue,
    NoSetBuilder,
    PickAll,
    Question,
    Scene,
    Unanswered,
    WhatChanged,
)
from lessons.skills import ExerciseKind, Wanted
from lessons.tickets import Ticket
from lessons.words import VALUES, refusal

_LONGEST_WORD = 40
_TRIPLE = 3
_MOST_MADE = 200


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer that can be given with one tap."""

    name: str
    value: str
    words: str
    is_right: bool

    def was_said(self, answer: Mapping[str, Any]) -> bool:
        said = answer.get(self.name)
        return (str(int(said)) if isinstance(said, bool) else str(said)) == self.value


@dataclass(frozen=True, slots=True)
class ShownSolution:
    """What would have been right, for everybody to see."""

    words: str = ""
    verdict: Verdict | None = None
    triples: tuple[Triple, ...] = ()
    cards: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True)
class AskedStep:
    """A step as it is put to the class; an exercise has cards of its own."""

    unit: Unit
    step: Step
    exercise: Exercise | None = None

    @property
    def question(self) -> Question:
        return self.step.question

    @property
    def place(self) -> int:
        return self.unit.steps.index(self.step) + 1

    @property
    def is_last(self) -> bool:
        return self.step is self.unit.steps[-1]

    @property
    def is_drill(self) -> bool:
        """Whether there is always one more of these."""
        return isinstance(self.question, Drill)

    @property
    def is_asked(self) -> bool:
        """Whether everybody answers; else there is something on the board to look at and to talk about."""
        if isinstance(self.question, Scene):
            return self.question.do != "go on"
        return not isinstance(self.question, Look | Experiment | NoSetBuilder | MagicSquare)

    @property
    def has_more_to_show(self) -> bool:
        """Whether the board shows more when the teacher says so."""
        return self.is_asked or isinstance(self.question, Experiment | MagicSquare)

    @property
    def has_picture(self) -> bool:
        """Whether there are cards to show beside the words."""
        if isinstance(self.question, Look):
            return bool(self.question.cards or self.question.verdicts)
        return not isinstance(self.question, Experiment)

    @property
    def picks(self) -> int:
        """How many answers everybody has: where all SETs are to be found, as many as there are."""
        is_hunt = self.exercise is not None and self.exercise.kind is ExerciseKind.FIND_ALL
        return len(find_sets(self.exercise.cards)) if self.exercise and is_hunt else 1

    @property
    def judged(self) -> Exercise | None:
        """What one answer is an answer to: each of several SETs is found for itself."""
        if self.exercise and self.exercise.kind is ExerciseKind.FIND_ALL:
            return replace(self.exercise, wanted=replace(self.exercise.wanted, kind=ExerciseKind.FIND_ONE))
        return self.exercise


def put(unit: str, place: int, seed: str, turn: int) -> AskedStep:
    """The step at a place (from 0) of a unit; where it drills, the exercise of this turn (from 0)."""
    found = next(each for each in course() if each.slug == unit)
    step = found.steps[place]
    question = step.question
    if isinstance(question, Ask):
        return AskedStep(found, step, question.exercise)
    if isinstance(question, Drill):
        seed = f"{seed}/{place}"
        return AskedStep(found, step, _made(_wanted_at(question, seed, turn), f"{seed}/{turn}"))
    return AskedStep(found, step)


_made = lru_cache(_MOST_MADE)(make_exercise)


def _wanted_at(drill: Drill, seed: str, turn: int) -> Wanted:
    """The drill in its order; only features come in any, for an order of answers would give them away."""
    wanted = list(drill.wanted)
    if all(each.focus for each in wanted):
        random.Random(f"{seed}/order").shuffle(wanted)
    return wanted[turn % len(wanted)]


# Answers


def read(put: AskedStep, form: QueryDict) -> dict[str, Any]:
    """The answer in a form; what makes no sense is refused when it is judged."""
    if put.judged:
        ticket = Ticket(place="", wanted=put.judged.wanted, seed="", shown_at=0)
        return read_answer(put.judged, form, ticket)
    match put.question:
        case NameValue():
            return {"value": _word(form.get("value"))}
        case WhatChanged():
            return {"feature": _word(form.get("feature"))}
        case PickAll():
            return {"cards": _words(form)}
        case Scene(do="set" | "wrong"):
            return {"cards": _words(form)}
    return {}


def _words(form: QueryDict) -> list[str | None]:
    return [_word(text) for text in form.getlist("cards")[: 2 * _LONGEST_WORD]]


def _word(text: str | None) -> str | None:
    return text if text is not None and len(text) <= _LONGEST_WORD and text.isprintable() else None


def judge(put: AskedStep, answer: Mapping[str, Any]) -> Grade | Feedback:
    """Right or wrong, and what it says about skills."""
    try:
        if put.judged:
            return grade(put.judged, answer)
        if isinstance(put.question, Ask | Drill):
            raise TypeError("an exercise has cards of its own")
        return put.question.judge(answer)
    except BadAnswer as error:
        raise LessonRefusal(refusal(error)) from None
    except Unanswered as error:
        raise LessonRefusal(str(error)) from None


def cards_of(put: AskedStep, answer: Mapping[str, Any]) -> tuple[Card, ...]:
    """The cards that an answer is about: those that were picked or completed, else those that are shown."""
    if put.judged:
        if put.judged.kind is ExerciseKind.FIND_ONE:
            return tuple(map(Card.from_index, answer["cards"]))
        if put.judged.kind is ExerciseKind.THIRD_CARD:
            return *put.judged.cards, Card.from_index(answer["card"])
        return put.judged.cards
    match put.question:
        case NameValue():
            return (put.question.card,)
        case WhatChanged() | PickAll():
            return tuple(put.question.cards)
        case Scene(do="set" | "wrong"):
            return tuple(Card.from_index(int(text)) for text in answer["cards"])
    return ()


def is_picked(put: AskedStep) -> bool:
    """Whether an answer is three cards of a board that are said to be a SET."""
    if put.judged:
        return put.judged.kind is ExerciseKind.FIND_ONE
    return isinstance(put.question, Scene) and put.question.do == "set"


def verdict_on(put: AskedStep, cards: list[int]) -> Verdict | None:
    """Why cards that somebody picked or completed are no SET; what is shown to all needs no word of its own."""
    completes = put.judged is not None and put.judged.kind is ExerciseKind.THIRD_CARD
    if len(cards) != _TRIPLE or not (completes or is_picked(put)):
        return None
    return explain(*_three(cards))


def _three(cards: list[int]) -> Triple:
    first, second, third = map(Card.from_index, cards)
    return first, second, third


# What was right


def choices(put: AskedStep) -> list[Choice]:
    """The answers that are one tap each, where the question has such."""
    return [Choice(name, value, words, _is_right(put, name, value)) for name, value, words in _taps(put)]


def _is_right(put: AskedStep, name: str, value: str) -> bool:
    return judge(put, read(put, QueryDict(f"{name}={value}"))).is_right


def _taps(put: AskedStep) -> list[tuple[str, str, str]]:
    features = [(feature.value, str(FEATURES[feature])) for feature in Feature]
    if put.judged:
        match put.judged.kind:
            case ExerciseKind.IS_SET | ExerciseKind.ANY_SET:
                return [("yes", "1", _("Yes")), ("yes", "0", _("No"))]
            case ExerciseKind.WHICH_BREAKS:
                return [("breaks", value, words) for value, words in features]
            case ExerciseKind.THIRD_CARD:
                return [("card", str(card.index), card_name(card)) for card in put.judged.choices]
        return []
    match put.question:
        case NameValue():
            return [("value", slug, str(VALUES[slug])) for slug in put.question.slugs]
        case WhatChanged():
            return [("feature", value, words) for value, words in features]
    return []


def solution(put: AskedStep) -> ShownSolution:
    """What is shown when the teacher shows the answer."""
    if put.exercise:
        return _solution_of(put.exercise)
    match put.question:
        case NameValue() | WhatChanged():
            right = next(each for each in choices(put) if each.is_right)
            return ShownSolution(right.words)
        case PickAll(cards=cards, feature=feature, value=value):
            return ShownSolution(cards=tuple(card for card in cards if card.value(feature).name.lower() == value))
        case Scene(do="set"):
            return _sets(find_sets(put.question.match.table))
        case Experiment():
            return ShownSolution(str(put.question.judge({"seed": f"{put.unit.slug}/{put.step.slug}"}).say))
        case MagicSquare():
            square = put.question.square({"cards": _no_set(put.question.cards)})
            return ShownSolution(str(put.question.judge({"cards": _no_set(put.question.cards)}).say), cards=square)
    return ShownSolution()


def _solution_of(exercise: Exercise) -> ShownSolution:
    solved = solve(exercise)
    match exercise.kind:
        case ExerciseKind.THIRD_CARD if solved.card:
            first, second = exercise.cards
            return ShownSolution(verdict=explain(first, second, solved.card))
        case ExerciseKind.FIND_ONE | ExerciseKind.FIND_ALL | ExerciseKind.ANY_SET:
            return _sets(solved.sets)
    first, second, third = exercise.cards
    verdict = explain(first, second, third)
    return ShownSolution(_("It is a SET.") if verdict.is_set else _("It is not a SET."), verdict)


def _sets(triples: tuple[Triple, ...] | list[Triple]) -> ShownSolution:
    if not triples:
        return ShownSolution(_("There is no SET here."))
    count = len(triples)
    words = ngettext("There is %(count)s SET here.", "There are %(count)s SETs here.", count) % {"count": count}
    return ShownSolution(words, triples=tuple(triples))


def _no_set(cards: tuple[Card, ...]) -> list[str]:
    first, second, third = cards[:_TRIPLE]
    picked = (first, second, cards[_TRIPLE] if is_set(first, second, third) else third)
    return [str(card.index) for card in picked]
