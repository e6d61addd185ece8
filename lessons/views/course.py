"""The course: the path, and its steps one by one."""

from __future__ import annotations

import random
import secrets
import time

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_safe

from core.http.requests import Request
from core.offline.policy import cacheable
from games.players import known_player
from lessons import queries
from lessons.course.units import Step, Unit, find_step, step_after
from lessons.progress.origins import Origin, Source
from lessons.skills import Wanted
from lessons.tickets import Ticket, ticket_for_step
from lessons.views.exercise import AnswerOutcome, question_context, take_answer


@require_safe
@cacheable
def home(request: Request) -> HttpResponse:
    """The path of units, and where the learner is on it."""
    rows = queries.path(known_player(request))
    current = next((row for row in rows if row.is_current), None)
    return render(request, "lessons/home.html", {"path": rows, "current": current})


@require_http_methods(["GET", "HEAD", "POST"])
@cacheable
def step(request: Request, unit: str, step: str) -> HttpResponse:
    """One step: a few words and one question."""
    found = find_step(unit, step)
    if found is None:
        raise Http404("no such step")
    if request.method != "POST":
        return _page(request, *found, AnswerOutcome())
    unsealed = None if found[1].question.is_exercise else ticket_for_step(*found, now=time.time())
    here = Origin(Source.COURSE, unit, step)
    return _page(request, *found, take_answer(request, lambda ticket: ticket.origin == here, unsealed))


def _new_ticket(unit: Unit, step: Step, rights: list[Wanted]) -> Ticket:
    wanted = step.question.next_wanted(rights, random.SystemRandom())
    return ticket_for_step(unit, step, wanted=wanted, seed=secrets.token_hex(8), now=time.time())


def _page(request: Request, unit: Unit, step: Step, outcome: AnswerOutcome) -> HttpResponse:
    who = known_player(request)
    done = queries.done_steps(who)
    question = step.question
    rights = queries.rights_at(who, Origin(Source.COURSE, unit.slug, step.slug)) if question.is_exercise else []
    after = step_after(unit.slug, step.slug)
    context = {
        "unit": unit,
        "step": step,
        "place": unit.steps.index(step) + 1,
        "steps": [(each, (unit.slug, each.slug) in done) for each in unit.steps],
        "is_done": (unit.slug, step.slug) in done,
        "next_unit": after[0] if after else None,
        "next_step": after[1] if after else None,
        "right": min(len(rights), question.right),
        "needed": question.right,
        **question_context(request, outcome.ticket or _new_ticket(unit, step, rights), outcome),
    }
    template = "lessons/step.html#step" if request.htmx else "lessons/step.html"
    return render(request, template, context, status=outcome.status)
