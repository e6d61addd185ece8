"""The summary that a class talks about after a lesson, without names and without embarrassing anyone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from classrooms.models import Answer, Session
from games.rules import Card, Feature, explain
from games.rules.triples import Triple, Verdict

TRIPLE = 3


@dataclass(frozen=True, slots=True)
class Found:
    """A SET that the class found."""

    cards: tuple[Card, ...]
    after: float
    """When it was first found, in seconds from the start of the activity's last round."""
    by: int
    """How many found it."""


@dataclass(frozen=True, slots=True)
class Debrief:
    found: tuple[Found, ...]
    """In the order in which they were first found."""
    wrong: Verdict | None
    """The most common wrong triple."""
    wrong_times: int
    answers: int
    rights: int
    weakest: Feature | None
    """The feature that was missed most often."""

    @property
    def last(self) -> Found | None:
        return self.found[-1] if self.found else None


def debrief(session: Session) -> Debrief:
    answers = list(
        Answer.objects.filter(activity__session=session).select_related("activity").order_by("event__at", "pk")
    )
    wrong = Counter(tuple(sorted(each.cards)) for each in answers if _is_false_set(each))
    verdicts = [explain(*_triple(key)) for key, _times in wrong.most_common()]
    broken = [verdict for verdict in verdicts if not verdict.is_set]
    missed = Counter(feature for each in answers for feature in each.missed)
    return Debrief(
        found=_found_sets(answers),
        wrong=broken[0] if broken else None,
        wrong_times=wrong[tuple(sorted(card.index for card in broken[0].cards))] if broken else 0,
        answers=len(answers),
        rights=sum(each.is_right for each in answers),
        weakest=Feature(missed.most_common(1)[0][0]) if missed else None,
    )


def _is_false_set(answer: Answer) -> bool:
    """Whether somebody mistook three cards for a SET: by a pick, a yes, or a third card."""
    said = answer.answer
    is_taken = said.get("picked") or said.get("yes") or "card" in said
    return bool(is_taken) and not answer.is_right and len(answer.cards) == TRIPLE


def _found_sets(answers: list[Answer]) -> tuple[Found, ...]:
    """The SETs that were picked from a board; saying yes to three given cards doesn't count as finding one."""
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
