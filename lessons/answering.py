"""From a form to a graded and kept answer to an exercise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from games.players import Player
from games.rules import Feature, find_sets, is_set
from lessons.exercises import Exercise
from lessons.grading import BadAnswer, Grade, Reason, grade
from lessons.learning import Answered, Asked, record_attempt
from lessons.skills import Kind
from lessons.tickets import Ticket

_TRIPLE = 3


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a form: a grade, or for a hunt that goes on the ticket with what is found so far."""

    ticket: Ticket
    grade: Grade | None


def read_answer(exercise: Exercise, form: QueryDict, ticket: Ticket) -> dict[str, Any]:
    """The answer in the form, as grading wants it; what makes no sense there is for grading to refuse."""
    kind = exercise.kind
    if kind in {Kind.IS_SET, Kind.ANY_SET}:
        answer: dict[str, Any] = {"yes": {"1": True, "0": False}.get(form.get("yes", ""))}
        if form.get("breaks"):
            answer["breaks"] = form["breaks"]
        return answer
    if kind is Kind.WHICH_BREAKS:
        return {"breaks": form.get("breaks")}
    if kind is Kind.EXPLAIN:
        return {feature.value: form.get(feature.value) for feature in Feature}
    if kind is Kind.THIRD_CARD:
        return {"card": _number(form.get("card", ""))}
    cards = [_number(text) for text in form.getlist("cards")]
    if kind is Kind.FIND_ONE:
        return {"cards": cards}
    return {"sets": [list(each) for each in ticket.found] + ([cards] if cards else [])}


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < _TRIPLE else None


def answer_exercise(player: Player, ticket: Ticket, form: QueryDict, *, now: float) -> Result:
    """Grade the answer and keep the try. Finding one of several SETs is no answer yet."""
    exercise = ticket.exercise
    answer = read_answer(exercise, form, ticket)
    if exercise.kind is Kind.FIND_ALL and not form.getlist("cards"):
        raise BadAnswer(Reason.FEWER_THAN_THREE)
    found = _one_more(exercise, form, ticket)
    if found:
        ticket = ticket.with_found(found)
        if len(ticket.found) < len(find_sets(exercise.cards)):
            return Result(ticket, None)
    graded = grade(exercise, answer)
    record_attempt(
        player,
        Asked(
            place=ticket.place,
            kind=exercise.kind,
            wanted=exercise.wanted,
            seed=ticket.seed or ticket.place,
            cards=[card.index for card in exercise.cards],
        ),
        Answered(
            answer=answer,
            is_right=graded.is_right,
            missed=graded.missed,
            evidence=graded.evidence,
            seconds=max(0.0, now - ticket.shown_at),
            hints=ticket.hints,
        ),
        now=now,
    )
    return Result(ticket, graded)


def _one_more(exercise: Exercise, form: QueryDict, ticket: Ticket) -> tuple[int, int, int] | None:
    """Another SET of those to be found, if the form names one."""
    if exercise.kind is not Kind.FIND_ALL:
        return None
    on_board = {str(card.index): card for card in exercise.cards}
    texts = form.getlist("cards")
    if len(set(texts)) != _TRIPLE or not set(texts) <= set(on_board):
        return None
    first, second, third = sorted(on_board[text] for text in texts)
    indices = first.index, second.index, third.index
    return indices if is_set(first, second, third) and indices not in ticket.found else None
