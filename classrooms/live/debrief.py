"""What a lesson has brought to light, for all to talk about: no names, nothing to be ashamed of."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from classrooms.models import Answer, Session
from games.rules import Card, Feature, explain
from games.rules.triples import Triple, Verdict

TRIPLE = 3


@dataclass(frozen=True, slots=True)
class Found:
    """A SET that the class has found: when it was found first, in seconds since its activity began, and by how many."""

    cards: tuple[Card, ...]
    after: float
    by: int


@dataclass(frozen=True, slots=True)
class Debrief:
    found: tuple[Found, ...]
    """In the order of discovery."""
    wrong: Verdict | None
    """The most common wrong triple."""
    wrong_times: int
    answers: int
    rights: int
    weakest: Feature | None
    """What broke most of what was wrong: the question to talk about."""

    @property
    def last(self) -> Found | None:
        return self.found[-1] if self.found else None


def debrief(session: Session) -> Debrief:
    answers = list(
        Answer.objects.filter(activity__session=session).select_related("activity").order_by("event__at", "pk")
    )
    wrong = Counter(tuple(sorted(each.cards)) for each in answers if _took_for_set(each))
    verdicts = [explain(*_triple(key)) for key, _times in wrong.most_common()]
    broken = [verdict for verdict in verdicts if not verdict.is_set]
    missed = Counter(feature for each in answers for feature in each.missed)
    return Debrief(
        found=_found(answers),
        wrong=broken[0] if broken else None,
        wrong_times=wrong[tuple(sorted(card.index for card in broken[0].cards))] if broken else 0,
        answers=len(answers),
        rights=sum(each.is_right for each in answers),
        weakest=Feature(missed.most_common(1)[0][0]) if missed else None,
    )


def _took_for_set(answer: Answer) -> bool:
    """Whether somebody took three cards for a SET that are none: by a pick, a yes, or a third card."""
    said = answer.answer
    is_taken = said.get("picked") or said.get("yes") or "card" in said
    return bool(is_taken) and not answer.is_right and len(answer.cards) == TRIPLE


def _found(answers: list[Answer]) -> tuple[Found, ...]:
    """The SETs that were picked from a board; a yes to three cards that lie there is no discovery."""
    first: dict[tuple[int, ...], float] = {}
    times: Counter[tuple[int, ...]] = Counter()
    for each in answers:
        if each.is_right and each.answer.get("picked"):
            key = tuple(sorted(each.cards))
            first.setdefault(key, (each.at - each.activity.round_at).total_seconds())
            times[key] += 1
    return tuple(Found(tuple(map(Card.from_index, key)), after, times[key]) for key, after in first.items())


def _triple(key: tuple[int, ...]) -> Triple:
    first, second, third = map(Card.from_index, key)
    return first, second, third
