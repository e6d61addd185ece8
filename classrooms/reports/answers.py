"""How a try is shown to a teacher: the cards, the answer, and why it was wrong."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from django.utils.translation import gettext as _

from classrooms.classes.assignments import find_unit
from games.rules import Card, explain
from games.words import labeled, verdict_line
from lessons.course.units import find_step
from lessons.models import LearningEvent
from lessons.questions import EXERCISES, Cards, Question, cards_of
from lessons.questions.course import CourseQuestion
from lessons.skills import ExerciseKind, kind_skill
from lessons.words import SKILLS, answer_words

_TRIPLE: Final = 3


@dataclass(frozen=True, slots=True)
class AnswerInWords:
    """An answer: in words, in cards, or both."""

    words: str = ""
    picked: tuple[Cards, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownTry:
    at: datetime
    title: str
    cards: Cards
    answer: AnswerInWords
    is_right: bool
    is_first: bool
    seconds: int | None
    hints: int
    why: tuple[str, ...] = field(default=())
    """What's wrong with a wrong triple, in words."""

    @property
    def is_board(self) -> bool:
        return len(self.cards) > _TRIPLE

    @property
    def taken(self) -> frozenset[Card]:
        """The cards that were picked."""
        return frozenset(card for cards in self.answer.picked for card in cards)


def shown_try(event: LearningEvent) -> ShownTry:
    return ShownTry(
        at=event.at,
        title=_title(event),
        cards=cards_of(event.cards),
        answer=_answer(event),
        is_right=event.is_right,
        is_first=event.is_first,
        seconds=None if event.seconds is None else round(event.seconds),
        hints=event.hints,
        why=() if event.is_right else tuple(_why(event)),
    )


def _title(event: LearningEvent) -> str:
    if event.kind:
        return str(SKILLS[kind_skill(ExerciseKind(event.kind))])
    found = find_step(event.unit, event.step)
    if found:
        return labeled(found[0].title, found[1].title)
    unit = find_unit(event.unit)
    # Old live lessons didn't record which step they asked about.
    return str(unit.title) if unit else _("Lesson together")


def _answer(event: LearningEvent) -> AnswerInWords:
    described = _question_class(event).describe(event.answer)
    return AnswerInWords(answer_words(described), described.picked)


def _question_class(event: LearningEvent) -> type[Question]:
    return EXERCISES[ExerciseKind(event.kind)] if event.kind else CourseQuestion


def _why(event: LearningEvent) -> Iterable[str]:
    """What breaks it; for an explanation, what was misjudged; for a SET that was rejected, that it is one."""
    for cards, features in _question_class(event).mistakes(event.cards, event.answer, event.missed):
        if not features:
            yield _("it is a SET")
        verdict = explain(*cards_of(cards))
        for line in (verdict_line(verdict[feature]) for feature in features):
            yield labeled(line.feature, line.text)
