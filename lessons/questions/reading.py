"""Parses answers: plain values from a form or the database, which may not make sense. Pure.

| kind         | answer                                                                        |
|--------------|-------------------------------------------------------------------------------|
| is-set       | {"yes": true}, {"yes": false} or {"yes": false, "breaks": "shading"}          |
| any-set      | {"yes": true}                                                                 |
| which-breaks | {"breaks": "shading"}                                                         |
| explain      | {"number": "all-same", "color": "all-different", "shading": "two-and-one", …} |
| third-card   | {"card": 17}                                                                  |
| find-one     | {"cards": [3, 17, 80]}                                                        |
| find-all     | {"sets": [[3, 17, 80], …]}                                                    |

A card is given by its index in the deck, not by its place on the board.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from games.rules.cards import Card, Feature
from games.rules.triples import FeaturePattern, Triple

_THREE = 3


class AnswerFault(StrEnum):
    """Why an answer can't be graded."""

    NOT_ANSWERED = "not-answered"
    """A field is missing, or empty."""
    WRONG_TYPE = "wrong-type"
    UNKNOWN_FIELD = "unknown-field"
    UNKNOWN_FEATURE = "unknown-feature"
    UNKNOWN_MAKE = "unknown-make"
    """Neither all the same, nor all different, nor two and one."""
    CONTRADICTION = "contradiction"
    """Called a SET, and yet a feature is named that breaks it."""
    CARD_NOT_SHOWN = "card-not-shown"
    SAME_CARD_TWICE = "same-card-twice"
    FEWER_THAN_THREE = "fewer-than-three"
    MORE_THAN_THREE = "more-than-three"
    SAME_SET_TWICE = "same-set-twice"


class BadAnswer(ValueError):
    """An answer that can't be graded, which is not the same as a wrong one."""

    def __init__(self, reason: AnswerFault, words: str = "") -> None:
        super().__init__(words or reason.value)
        self.reason = reason
        self.words = words
        """In the learner's language; empty if the reason says it all."""


def read_yes(answer: object) -> bool:
    return _boolean(_fields(answer, ["yes"])["yes"])


def read_yes_and_blame(answer: object) -> tuple[bool, Feature | None]:
    """Whether the learner calls it a SET, and the feature they say breaks it, if any."""
    fields = _fields(answer, ["yes"], ["breaks"])
    yes, blamed = _boolean(fields["yes"]), fields.get("breaks")
    if blamed is None:
        return yes, None
    if yes:
        raise BadAnswer(AnswerFault.CONTRADICTION)
    return yes, _feature(blamed)


def read_blame(answer: object) -> Feature:
    return _feature(_fields(answer, ["breaks"])["breaks"])


def read_makes(answer: object) -> dict[Feature, FeaturePattern]:
    fields = _fields(answer, [feature.value for feature in Feature])
    return {feature: _make(fields[feature.value]) for feature in Feature}


def read_card(answer: object, offered: Sequence[Card]) -> Card:
    return _card(_fields(answer, ["card"])["card"], offered)


def read_triple(answer: object, shown: Sequence[Card]) -> Triple:
    return _triple(_fields(answer, ["cards"])["cards"], shown)


def read_triples(answer: object, shown: Sequence[Card]) -> list[Triple]:
    triples = [_triple(value, shown) for value in _list(_fields(answer, ["sets"])["sets"])]
    if len({frozenset(triple) for triple in triples}) < len(triples):
        raise BadAnswer(AnswerFault.SAME_SET_TWICE)
    return triples


def _fields(answer: object, needed: Sequence[str], optional: Sequence[str] = ()) -> Mapping[str, object]:
    if not isinstance(answer, Mapping):
        raise BadAnswer(AnswerFault.WRONG_TYPE)
    if any(answer.get(name) is None for name in needed):
        raise BadAnswer(AnswerFault.NOT_ANSWERED)
    if not answer.keys() <= {*needed, *optional}:
        raise BadAnswer(AnswerFault.UNKNOWN_FIELD)
    return answer


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise BadAnswer(AnswerFault.WRONG_TYPE)
    return value


def _feature(value: object) -> Feature:
    text = _text(value)
    try:
        return Feature(text)
    except ValueError:
        raise BadAnswer(AnswerFault.UNKNOWN_FEATURE) from None


def _make(value: object) -> FeaturePattern:
    text = _text(value)
    try:
        return FeaturePattern(text)
    except ValueError:
        raise BadAnswer(AnswerFault.UNKNOWN_MAKE) from None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise BadAnswer(AnswerFault.WRONG_TYPE)
    return value


def _list(value: object) -> list[object]:
    if not isinstance(value, list | tuple):
        raise BadAnswer(AnswerFault.WRONG_TYPE)
    return list(value)


def _triple(value: object, shown: Sequence[Card]) -> Triple:
    cards = [_card(index, shown) for index in _list(value)]
    if len(set(cards)) < len(cards):
        raise BadAnswer(AnswerFault.SAME_CARD_TWICE)
    if len(cards) != _THREE:
        raise BadAnswer(AnswerFault.FEWER_THAN_THREE if len(cards) < _THREE else AnswerFault.MORE_THAN_THREE)
    first, second, third = cards
    return first, second, third


def _card(value: object, shown: Sequence[Card]) -> Card:
    # In Python, bool is a subclass of int.
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadAnswer(AnswerFault.WRONG_TYPE)
    for card in shown:
        if card.index == value:
            return card
    raise BadAnswer(AnswerFault.CARD_NOT_SHOWN)
