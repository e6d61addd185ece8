"""From a form to a graded and kept answer to a question."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.http import QueryDict

from core.numbers import whole_number
from games.players import Player
from games.rules import Feature, find_sets, is_set
from lessons import queries
from lessons.course.units import Step, Unit, find_step
from lessons.exercises import Exercise
from lessons.grading import AnswerFault, BadAnswer, Grade, grade, help_stages
from lessons.models import Attempt
from lessons.progress.recording import Answered, Asked, finish_step, give_help, hints_given, record_attempt
from lessons.questions import Ask, Drill, Feedback, Question
from lessons.skills import ExerciseKind
from lessons.ticket_owners import holder_of
from lessons.tickets import Ticket

_TRIPLE = 3
_LONGEST_WORD = 40
_MOST_CARDS = 81


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a form: a grade, or for a hunt that goes on the ticket with what is found so far."""

    ticket: Ticket
    grade: Grade | None
    attempt: Attempt | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of an answer to a question that only the course asks."""

    answer: dict[str, Any]
    feedback: Feedback
    attempt: Attempt | None


def read_answer(exercise: Exercise, form: QueryDict, ticket: Ticket) -> dict[str, Any]:
    """The answer in the form, as grading wants it; what makes no sense there is for grading to refuse."""
    kind = exercise.kind
    if kind in {ExerciseKind.IS_SET, ExerciseKind.ANY_SET}:
        answer: dict[str, Any] = {"yes": {"1": True, "0": False}.get(form.get("yes", ""))}
        if form.get("breaks"):
            answer["breaks"] = form["breaks"]
        return answer
    if kind is ExerciseKind.WHICH_BREAKS:
        return {"breaks": form.get("breaks")}
    if kind is ExerciseKind.EXPLAIN:
        return {feature.value: form.get(feature.value) for feature in Feature}
    if kind is ExerciseKind.THIRD_CARD:
        return {"card": whole_number(form.get("card", ""))}
    cards = [whole_number(text) for text in form.getlist("cards")]
    if kind is ExerciseKind.FIND_ONE:
        return {"cards": cards}
    return {"sets": [list(each) for each in ticket.found] + ([cards] if cards else [])}


def read_sent_as(form: QueryDict) -> UUID | None:
    """What the browser calls this answer, if it does."""
    try:
        return UUID(form.get("sent_as", ""))
    except ValueError:
        return None


def answers_needed(question: Question) -> int:
    """How many right answers finish the step."""
    return question.right if isinstance(question, Drill) else 1


def with_help(player: Player, ticket: Ticket, *, now: float) -> Ticket:
    """The ticket with one more stage of help to show, which is noted at once, whichever ticket is answered with."""
    place, seed = ticket.question
    stages = len(help_stages(ticket.exercise))
    hints = give_help(player, place, seed, stages=stages, now=now, holder=holder_of(ticket))
    return replace(ticket, hints=hints)


def _hints_of_holder(ticket: Ticket) -> int:
    """How much help was given to the browser that holds the question, whoever it was in its session then."""
    holder = holder_of(ticket)
    return hints_given(holder, *ticket.question) if holder else 0


def answer_exercise(player: Player, ticket: Ticket, form: QueryDict, *, now: float, is_late: bool = False) -> Result:
    """Grade the answer and keep the try, and finish its step if that was the last right answer it needs.

    Finding one of several SETs is no answer yet. Nobody knows how long a late answer took.
    """
    exercise = ticket.exercise
    answer = read_answer(exercise, form, ticket)
    if exercise.kind is ExerciseKind.FIND_ALL and not form.getlist("cards"):
        raise BadAnswer(AnswerFault.FEWER_THAN_THREE)
    found = _one_more(exercise, form, ticket)
    if found:
        ticket = ticket.with_found(found)
        if len(ticket.found) < len(find_sets(exercise.cards)):
            return Result(ticket, None)
    graded = grade(exercise, answer)
    place, seed = ticket.question
    attempt = record_attempt(
        player,
        Asked(
            place=place,
            kind=exercise.kind,
            wanted=exercise.wanted,
            seed=seed,
            cards=[card.index for card in exercise.cards],
        ),
        Answered(
            answer=answer,
            is_right=graded.is_right,
            missed=graded.missed,
            evidence=graded.evidence,
            seconds=None if is_late or ticket.is_ahead else max(0.0, now - ticket.shown_at),
            hints=max(ticket.hints, _hints_of_holder(ticket)),
        ),
        now=now,
        sent_as=read_sent_as(form),
    )
    found_step = find_step(*ticket.place.split("/")) if "/" in ticket.place else None
    if found_step and graded.is_right:
        unit, step = found_step
        if len(queries.rights_at(player, ticket.place)) >= answers_needed(step.question):
            finish_step(player, unit.slug, step.slug, now=now)
    return Result(ticket, graded, attempt)


def answer_question(player: Player, unit: Unit, step: Step, form: QueryDict, *, now: float) -> Judged:
    """Judge the answer to a question that only the course asks, and keep it; a right one finishes the step."""
    question = step.question
    if isinstance(question, Ask | Drill):
        raise TypeError("exercises have tickets")
    answer = read_words(form)
    feedback = question.judge(answer)
    attempt = None
    if feedback.evidence:
        place = f"{unit.slug}/{step.slug}"
        attempt = record_attempt(
            player,
            Asked(place=place, kind=None, seed=place),
            Answered(answer=answer, is_right=feedback.is_right, missed=feedback.missed, evidence=feedback.evidence),
            now=now,
            sent_as=read_sent_as(form),
        )
    if feedback.is_right:
        finish_step(player, unit.slug, step.slug, now=now)
    return Judged(answer, feedback, attempt)


def read_words(form: QueryDict) -> dict[str, Any]:
    """The answer in the form, as the questions of the course want it."""
    return {
        "value": _word(form.get("value")),
        "feature": _word(form.get("feature")),
        "cards": [_word(text) for text in form.getlist("cards")[:_MOST_CARDS]],
        "seed": secrets.token_hex(8),
    }


def _word(text: str | None) -> str | None:
    """A word of a form that may be kept as an answer; what no form of ours sends is none."""
    return text if text is not None and len(text) <= _LONGEST_WORD and text.isprintable() else None


def _one_more(exercise: Exercise, form: QueryDict, ticket: Ticket) -> tuple[int, int, int] | None:
    """Another SET of those to be found, if the form names one."""
    if exercise.kind is not ExerciseKind.FIND_ALL:
        return None
    on_board = {str(card.index): card for card in exercise.cards}
    texts = form.getlist("cards")
    if len(set(texts)) != _TRIPLE or not set(texts) <= set(on_board):
        return None
    first, second, third = sorted(on_board[text] for text in texts)
    indices = first.index, second.index, third.index
    return indices if is_set(first, second, third) and indices not in ticket.found else None
