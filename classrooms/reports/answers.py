"""How a try is shown to a teacher: the cards, what was answered, and why that was wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext as _

from games.rules import Card, Feature, explain
from games.rules.triples import FeaturePattern as Make
from games.rules.triples import Verdict
from games.words import FEATURES, THE_FEATURES, labelled, listed, verdict_line
from lessons.course.units import find_step
from lessons.models import Attempt
from lessons.skills import ExerciseKind, kind_skill
from lessons.words import SKILLS, VALUES, VERDICT_KINDS

_TRIPLE: Final = 3

Cards = tuple[Card, ...]


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
    cards = _cards(attempt.cards)
    answer = _answer(attempt)
    return ShownTry(
        at=attempt.at,
        title=_title(attempt),
        cards=cards,
        answer=answer,
        is_right=attempt.is_right,
        is_first=attempt.is_first,
        seconds=None if attempt.seconds is None else round(attempt.seconds),
        hints=attempt.hints,
        why=() if attempt.is_right else tuple(_why(attempt, cards, answer)),
    )


def _title(attempt: Attempt) -> str:
    if attempt.kind:
        return str(SKILLS[kind_skill(ExerciseKind(attempt.kind))])
    unit, _slash, step = attempt.place.partition("/")
    found = find_step(unit, step)
    return labelled(found[0].title, found[1].title) if found else attempt.place


def _answer(attempt: Attempt) -> AnswerInWords:
    return _READERS.get(attempt.kind, _of_course)(attempt.answer)


def _yes_or_no(answer: dict[str, Any]) -> AnswerInWords:
    said = _("yes") if answer["yes"] else _("no")
    if blamed := answer.get("breaks"):
        said = _("no, because of %(feature)s") % {"feature": THE_FEATURES[Feature(blamed)]}
    return AnswerInWords(said)


def _blamed(answer: dict[str, Any]) -> AnswerInWords:
    return AnswerInWords(str(FEATURES[Feature(answer["breaks"])]))


def _explained(answer: dict[str, Any]) -> AnswerInWords:
    return AnswerInWords(listed(labelled(FEATURES[each], VERDICT_KINDS[Make(answer[each.value])]) for each in Feature))


def _third_card(answer: dict[str, Any]) -> AnswerInWords:
    return AnswerInWords(picked=(_cards([answer["card"]]),))


def _found_one(answer: dict[str, Any]) -> AnswerInWords:
    return AnswerInWords(picked=(_cards(answer["cards"]),))


def _found_all(answer: dict[str, Any]) -> AnswerInWords:
    return AnswerInWords(picked=tuple(map(_cards, answer["sets"])))


def _of_course(answer: dict[str, Any]) -> AnswerInWords:
    """An answer to a question of the course: a value, a feature or some cards."""
    cards = _cards(map(int, answer.get("cards") or ()))
    if value := VALUES.get(answer.get("value") or ""):
        return AnswerInWords(str(value))
    if feature := answer.get("feature"):
        return AnswerInWords(str(FEATURES[Feature(feature)]))
    return AnswerInWords(picked=(cards,) if cards else ())


_READERS: Final[dict[str, Callable[[dict[str, Any]], AnswerInWords]]] = {
    ExerciseKind.IS_SET: _yes_or_no,
    ExerciseKind.ANY_SET: _yes_or_no,
    ExerciseKind.WHICH_BREAKS: _blamed,
    ExerciseKind.EXPLAIN: _explained,
    ExerciseKind.THIRD_CARD: _third_card,
    ExerciseKind.FIND_ONE: _found_one,
    ExerciseKind.FIND_ALL: _found_all,
}


def _why(attempt: Attempt, cards: Cards, answer: AnswerInWords) -> Iterable[str]:
    triples: list[Cards] = (
        list(answer.picked) if attempt.kind in {ExerciseKind.FIND_ONE, ExerciseKind.FIND_ALL} else [cards]
    )
    if attempt.kind == ExerciseKind.THIRD_CARD:
        triples = [cards + answer.picked[0]]
    for triple in triples:
        if len(triple) == _TRIPLE:
            yield from _lines(explain(*triple), attempt)


def _lines(verdict: Verdict, attempt: Attempt) -> Iterable[str]:
    """What breaks it; of an explanation what was seen wrong; of a SET that was refused, that it is one."""
    told = verdict.broken
    if attempt.kind == ExerciseKind.EXPLAIN:
        told = tuple(verdict[Feature(feature)] for feature in attempt.missed)
    elif verdict.is_set and attempt.kind == ExerciseKind.IS_SET:
        yield _("it is a SET")
    for line in map(verdict_line, told):
        yield labelled(line.feature, line.text)


def _cards(indices: Iterable[int]) -> Cards:
    return tuple(map(Card.from_index, indices))
