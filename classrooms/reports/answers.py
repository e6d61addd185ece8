"""How a try is shown to a teacher: the cards, what was answered, and why that was wrong."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from django.utils.translation import gettext as _

from games.rules import Card, explain
from games.words import labelled, verdict_line
from lessons.course.units import find_step
from lessons.models import Attempt
from lessons.questions import EXERCISES, Cards, Question, cards_of
from lessons.questions.course import CourseQuestion
from lessons.skills import ExerciseKind, kind_skill
from lessons.words import SKILLS, answer_words

_TRIPLE: Final = 3


@dataclass(frozen=True, slots=True)
class AnswerInWords:
    """What somebody said: in words, in cards, or both."""

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
    """Of a wrong triple: what broke it, in words."""

    @property
    def is_board(self) -> bool:
        return len(self.cards) > _TRIPLE

    @property
    def taken(self) -> frozenset[Card]:
        """The cards that were picked."""
        return frozenset(card for cards in self.answer.picked for card in cards)


def shown_try(attempt: Attempt) -> ShownTry:
    return ShownTry(
        at=attempt.at,
        title=_title(attempt),
        cards=cards_of(attempt.cards),
        answer=_answer(attempt),
        is_right=attempt.is_right,
        is_first=attempt.is_first,
        seconds=None if attempt.seconds is None else round(attempt.seconds),
        hints=attempt.hints,
        why=() if attempt.is_right else tuple(_why(attempt)),
    )


def _title(attempt: Attempt) -> str:
    if attempt.kind:
        return str(SKILLS[kind_skill(ExerciseKind(attempt.kind))])
    unit, _slash, step = attempt.place.partition("/")
    found = find_step(unit, step)
    return labelled(found[0].title, found[1].title) if found else attempt.place


def _answer(attempt: Attempt) -> AnswerInWords:
    described = _type(attempt).describe(attempt.answer)
    return AnswerInWords(answer_words(described), described.picked)


def _type(attempt: Attempt) -> type[Question]:
    return EXERCISES[ExerciseKind(attempt.kind)] if attempt.kind else CourseQuestion


def _why(attempt: Attempt) -> Iterable[str]:
    """What breaks it; of an explanation what was seen wrong; of a SET that was refused, that it is one."""
    for cards, features in _type(attempt).mistakes(attempt.cards, attempt.answer, attempt.missed):
        if not features:
            yield _("it is a SET")
        verdict = explain(*cards_of(cards))
        for line in (verdict_line(verdict[feature]) for feature in features):
            yield labelled(line.feature, line.text)
