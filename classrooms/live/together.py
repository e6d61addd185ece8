"""A step of the course put to a whole class: what's asked, and how an answer to it is read."""

from __future__ import annotations

from dataclasses import dataclass

from games.rules import Card, explain
from games.rules.triples import Verdict
from lessons.course.units import Step, Unit, course
from lessons.questions import Question

_TRIPLE = 3


@dataclass(frozen=True, slots=True)
class AskedStep:
    """A step as it is put to the class."""

    unit: Unit
    step: Step
    question: Question

    @property
    def place(self) -> int:
        return self.unit.steps.index(self.step) + 1

    @property
    def is_last(self) -> bool:
        return self.step is self.unit.steps[-1]


def asked_step(unit: str, place: int, seed: str, turn: int) -> AskedStep:
    """The step at a place (from 0) of a unit; for a drill, its exercise number `turn` (from 0)."""
    found = next(each for each in course() if each.slug == unit)
    step = found.steps[place]
    return AskedStep(found, step, step.question.for_class(f"{seed}/{place}", turn))


def verdict_on(question: Question, cards: list[int]) -> Verdict | None:
    """The verdict on cards that somebody picked or completed; None where the question shows that to everybody."""
    if len(cards) != _TRIPLE or not question.one_answer.explains_pick:
        return None
    return explain(*map(Card.from_index, cards))
