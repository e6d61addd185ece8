"""Turns a posted form into a graded, recorded answer: one path for every question, wherever it was asked."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.http import QueryDict

from games.players import Player
from lessons import queries
from lessons.course.units import find_step
from lessons.models import LearningEvent
from lessons.progress.origins import Origin
from lessons.progress.recording import Answered, Asked, finish_step, give_help, hints_given, record_event
from lessons.questions import Form, Grade, Question
from lessons.ticket_owners import holder_of
from lessons.tickets import Ticket


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a posted answer: a grade, or while SETs are still missing, the ticket with those found so far."""

    ticket: Ticket
    answer: dict[str, Any]
    grade: Grade | None = None
    event: LearningEvent | None = None
    """Only set if the answer says something about skills."""

    @property
    def is_right(self) -> bool:
        """For an answer that was sent again, the result recorded the first time."""
        return self.event.is_right if self.event else bool(self.grade and self.grade.is_right)


def read_sent_as(form: QueryDict) -> UUID | None:
    """The ID that the browser gave this answer, if any."""
    try:
        return UUID(form.get("sent_as", ""))
    except ValueError:
        return None


def read_answer(ticket: Ticket, form: Form) -> dict[str, Any]:
    question = ticket.question
    return question.complete(question.read(form), found=ticket.found, seed=secrets.token_hex(8))


def asked_of(question: Question, *, origin: Origin, seed: str, cards: Sequence[int] = ()) -> Asked:
    """The question as it's recorded; `cards` are those that an answer is about, if the question has none of its own."""
    wanted, recorded = question.recorded(cards)
    return Asked(origin=origin, kind=question.kind, wanted=wanted, seed=seed, cards=recorded)


def with_help(player: Player, ticket: Ticket, *, now: float) -> Ticket:
    """The ticket with one more stage of help to show. The help is recorded at once, whichever ticket is answered."""
    origin, seed = ticket.key
    stages = len(ticket.question.help_stages())
    hints = give_help(player, origin, seed, stages=stages, now=now, holder=holder_of(ticket))
    return replace(ticket, hints=hints)


def _hints_of_holder(ticket: Ticket) -> int:
    """How much help the browser that holds the question has had, whoever its session belonged to at the time."""
    holder = holder_of(ticket)
    return hints_given(holder, *ticket.key) if holder else 0


def answer_question(player: Player, ticket: Ticket, form: QueryDict, *, now: float, is_late: bool = False) -> Result:
    """Grade and record the answer, and finish its step if this was the last right answer it needed.

    Finding one of several SETs isn't an answer yet. How long a late answer took is unknown.
    """
    question = ticket.question
    answer = read_answer(ticket, form)
    if find := question.new_find(form, ticket.found):
        ticket = ticket.with_found(find)
        if len(ticket.found) < question.picks:
            return Result(ticket, answer)
    graded = question.grade(answer)
    origin, seed = ticket.key
    event = None
    if graded.evidence:
        event = record_event(
            player,
            asked_of(question, origin=origin, seed=seed),
            Answered(
                answer=answer,
                is_right=graded.is_right,
                missed=graded.missed,
                evidence=graded.evidence,
                seconds=max(0.0, now - ticket.shown_at) if ticket.is_timed and not is_late else None,
                hints=max(ticket.hints, _hints_of_holder(ticket)),
            ),
            now=now,
            sent_as=read_sent_as(form),
        )
    if graded.is_right:
        _finish_step(player, ticket, now=now)
    return Result(ticket, answer, graded, event)


def _finish_step(player: Player, ticket: Ticket, *, now: float) -> None:
    """Finish the ticket's step, if it has one and this was the last right answer it needed."""
    found = find_step(ticket.origin.unit, ticket.origin.step)
    if found is None:
        return
    unit, step = found
    if ticket.wanted is None or len(queries.rights_at(player, ticket.origin)) >= step.question.right:
        finish_step(player, unit.slug, step.slug, now=now)
