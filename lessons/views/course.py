"""The course: the path, and its steps one by one."""

from __future__ import annotations

import secrets
import time
from collections import Counter
from http import HTTPStatus
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_safe

from core.clients import address_of
from core.http.requests import Request
from core.offline.policy import kept
from games import limits
from games.players import Player, known_player, player
from lessons import queries
from lessons.answering import answer_exercise, answer_question, answers_needed, read_words, with_help
from lessons.course.units import Step, Unit, find_step, step_after
from lessons.grading import BadAnswer
from lessons.questions import Ask, Drill, Feedback, MagicSquare, NoSetBuilder, Question, Scene, Unanswered
from lessons.skills import Wanted
from lessons.ticket_owners import own_ticket
from lessons.tickets import BadTicket, Ticket
from lessons.views.exercise import exercise_context
from lessons.words import refusal


@require_safe
@kept
def home(request: Request) -> HttpResponse:
    """The path of units, and where I am on it."""
    rows = queries.path(known_player(request))
    current = next((row for row in rows if row.is_current), None)
    return render(request, "lessons/home.html", {"path": rows, "current": current})


@require_http_methods(["GET", "HEAD", "POST"])
@kept
def step(request: Request, unit: str, step: str) -> HttpResponse:
    """One step: a few words and one question."""
    found = find_step(unit, step)
    if found is None:
        raise Http404("no such step")
    if request.method != "POST":
        return _page(request, *found)
    who = player(request)
    try:
        limits.count_answer(who, address_of(request))
    except limits.TooMany:
        return _page(request, *found, status=HTTPStatus.TOO_MANY_REQUESTS)
    if isinstance(found[1].question, Ask | Drill):
        return _answer_exercise(request, who, *found)
    return _answer_question(request, who, *found)


def _answer_question(request: Request, who: Player, unit: Unit, step: Step) -> HttpResponse:
    try:
        judged = answer_question(who, unit, step, request.POST, now=time.time())
    except Unanswered as error:
        return _page(request, unit, step, status=422, notice=str(error), answer=read_words(request.POST))
    return _page(request, unit, step, feedback=judged.feedback, answer=judged.answer)


def _answer_exercise(request: Request, who: Player, unit: Unit, step: Step) -> HttpResponse:
    place = f"{unit.slug}/{step.slug}"
    try:
        ticket = own_ticket(request)
    except BadTicket:
        return _page(request, unit, step)
    if ticket.place != place:
        return _page(request, unit, step)
    if "help" in request.POST:
        return _page(request, unit, step, ticket=with_help(who, ticket, now=time.time()))
    try:
        result = answer_exercise(who, ticket, request.POST, now=time.time())
    except BadAnswer as error:
        return _page(request, unit, step, ticket=ticket, status=422, notice=refusal(error))
    return _page(request, unit, step, ticket=result.ticket, grade=result.grade)


def _new_ticket(unit: Unit, step: Step, rights: list[Wanted]) -> Ticket | None:
    place, question = f"{unit.slug}/{step.slug}", step.question
    if isinstance(question, Ask):
        return Ticket(place=place, wanted=question.exercise.wanted, seed="", shown_at=time.time())
    if isinstance(question, Drill):
        return Ticket(place=place, wanted=_next_of(question, rights), seed=secrets.token_hex(8), shown_at=time.time())
    return None


def _next_of(drill: Drill, rights: list[Wanted]) -> Wanted:
    """The drill in its order; only features come in any, for an order of answers would give them away."""
    left = list((Counter(drill.wanted) - Counter(rights)).elements())
    if left and all(wanted.focus for wanted in left):
        return secrets.choice(left)
    return drill.wanted[len(rights) % len(drill.wanted)]


def _page(
    request: Request,
    unit: Unit,
    step: Step,
    *,
    status: int = 200,
    ticket: Ticket | None = None,
    **more: Any,
) -> HttpResponse:
    who = known_player(request)
    place = f"{unit.slug}/{step.slug}"
    done = queries.done_steps(who)
    question = step.question
    is_exercise = isinstance(question, Ask | Drill)
    rights = queries.rights_at(who, place) if is_exercise else []
    after = step_after(unit.slug, step.slug)
    context = {
        "unit": unit,
        "step": step,
        "question": question,
        "question_template": f"lessons/questions/{question.name}.html",
        "place": unit.steps.index(step) + 1,
        "steps": [(each, (unit.slug, each.slug) in done) for each in unit.steps],
        "is_done": (unit.slug, step.slug) in done,
        "next_unit": after[0] if after else None,
        "next_step": after[1] if after else None,
        "right": min(len(rights), answers_needed(question)),
        "needed": answers_needed(question),
        **_own_context(question, more.get("feedback"), more.get("answer")),
        **more,
    }
    if is_exercise:
        context |= exercise_context(request, ticket or _new_ticket(unit, step, rights), more.get("grade"))
    template = "lessons/step.html#step" if request.htmx else "lessons/step.html"
    return render(request, template, context, status=status)


def _own_context(question: Question, feedback: Feedback | None, answer: dict[str, Any] | None) -> dict[str, Any]:
    """What some questions show beside the answer."""
    if isinstance(question, NoSetBuilder) and answer:
        try:
            picked = question.picked(answer)
        except Unanswered:
            return {}
        return {"picked": picked, "impossible": question.impossible(picked)}
    if isinstance(question, Scene):
        match, verdict = question.played()
        return {"match": match, "last_verdict": verdict}
    if isinstance(question, MagicSquare) and answer and feedback:
        return {"square": question.square(answer)}
    return {}
