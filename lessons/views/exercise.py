"""For every page that shows a question: its template context, and handling its answer."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from core.clients import address_of
from core.http.requests import Request
from games import limits
from games.players import player
from games.rules import Card, Feature
from games.rules.triples import FeaturePattern
from lessons.answering import answer_question, read_answer, with_help
from lessons.questions import BadAnswer, Grade
from lessons.ticket_owners import own_ticket, sealed_for
from lessons.tickets import BadTicket, Ticket
from lessons.words import refusal


@dataclass(frozen=True, slots=True)
class AnswerOutcome:
    """What to show after a form was posted."""

    ticket: Ticket | None = None
    """None shows a new question, since the posted one was refused or isn't this page's."""
    answer: dict[str, Any] | None = None
    grade: Grade | None = None
    notice: str = ""
    status: int = HTTPStatus.OK


def take_answer(
    request: Request, is_asked_here: Callable[[Ticket], bool], unsealed: Ticket | None = None
) -> AnswerOutcome:
    """Handle a posted answer, or a request for more help. `unsealed` is the question that the page's URL names."""
    who = player(request)
    limits.count_answer(who, address_of(request))
    try:
        ticket = unsealed or own_ticket(request)
    except BadTicket:
        return AnswerOutcome()
    if not is_asked_here(ticket):
        return AnswerOutcome()
    if "help" in request.POST and ticket.wanted:
        return AnswerOutcome(with_help(who, ticket, now=time.time()))
    try:
        result = answer_question(who, ticket, request.POST, now=time.time())
    except BadAnswer as error:
        return AnswerOutcome(
            ticket, read_answer(ticket, request.POST), notice=refusal(error), status=HTTPStatus.UNPROCESSABLE_ENTITY
        )
    return AnswerOutcome(result.ticket, result.answer, result.grade)


def question_context(request: Request, ticket: Ticket | None, outcome: AnswerOutcome | None = None) -> dict[str, Any]:
    """The template context: the question, the help asked for so far, and the outcome of the answer, if any."""
    if ticket is None:
        return {}
    question = ticket.question
    outcome = outcome or AnswerOutcome()
    context = {
        "question": question,
        "answer": outcome.answer,
        "grade": outcome.grade,
        "notice": outcome.notice,
        **question.context(outcome.answer),
    }
    if ticket.wanted is None:
        return context
    stages = question.help_stages()
    return context | {
        "ticket": sealed_for(request, ticket),
        "features": list(Feature),
        "verdict_kinds": list(FeaturePattern),
        "helps": stages[: ticket.hints],
        "has_more_help": ticket.hints < len(stages),
        "found": [tuple(map(Card.from_index, triple)) for triple in ticket.found],
        "sets_there": question.picks,
    }
