"""Practice: one exercise after another, chosen for what the learner needs next."""

from __future__ import annotations

import random
import secrets
import time
from dataclasses import replace
from http import HTTPStatus

from django.http import HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from core.clients import address_of
from core.http.requests import Request
from core.offline.policy import kept
from games import limits
from games.players import Player, known_player, player
from lessons import queries
from lessons.answering import answer_exercise, with_help
from lessons.exercises import Exercise, contrast_pair, fresh_exercise
from lessons.grading import BadAnswer, Grade
from lessons.progress.mastery import next_wanted, troubled_feature
from lessons.progress.recording import skill_states
from lessons.skills import ExerciseKind
from lessons.ticket_owners import own_ticket
from lessons.tickets import BadTicket, Ticket
from lessons.views.exercise import exercise_context
from lessons.words import refusal

PLACE = "practice"
_TEMPLATE = "lessons/practice.html"
FIRST_HALF, SECOND_HALF = "contrast-1/", "contrast-2/"
AHEAD = 10


@require_http_methods(["GET", "HEAD", "POST"])
@kept
def practice(request: Request) -> HttpResponse:
    if request.method != "POST":
        again = queries.own_exercise(known_player(request), request.GET.get("again", ""))
        return _page(request, _ticket_for(again, time.time()) if again else _new_ticket(request))
    who = player(request)
    try:
        limits.count_answer(who, address_of(request))
        ticket = own_ticket(request)
    except limits.TooMany:
        return _page(request, _new_ticket(request), status=HTTPStatus.TOO_MANY_REQUESTS)
    except BadTicket:
        return _page(request, _new_ticket(request))
    if ticket.place != PLACE:
        return _page(request, _new_ticket(request))
    if "help" in request.POST:
        return _page(request, with_help(who, ticket, now=time.time()))
    try:
        result = answer_exercise(who, ticket, request.POST, now=time.time())
    except BadAnswer as error:
        return _page(request, ticket, status=422, notice=refusal(error))
    return _page(request, result.ticket, grade=result.grade)


@require_safe
@kept
def ahead(request: Request) -> HttpResponse:
    """What to keep for when the network is gone: the steps of the current unit, and exercises.

    Finding all SETs is not among those: each find needs the referee.
    """
    who = known_player(request)
    now = time.time()
    tries, states, last = queries.latest_tries(who), skill_states(who), queries.last_asked(who, PLACE)
    wanted = tries[-1].wanted if tries else None
    parts: list[str] = []
    for seed in (secrets.token_hex(8) for _each in range(AHEAD)):
        wanted = next_wanted(tries, now, random.Random(seed), last=wanted, states=states)
        if wanted.kind is ExerciseKind.FIND_ALL:
            wanted = replace(wanted, kind=ExerciseKind.FIND_ONE)
        last = fresh_exercise(wanted, seed, last)
        ticket = replace(_ticket_for(last, now), is_ahead=True)
        context = {"action": reverse("learn:practice"), **exercise_context(request, ticket, None)}
        parts.append(render_to_string(f"{_TEMPLATE}#exercise", context, request))
    return JsonResponse({"exercises": parts, "pages": _pages_ahead(who)})


def _pages_ahead(who: Player | None) -> list[str]:
    current = next((row for row in queries.path(who) if row.is_current), None)
    if current is None:
        return []
    return [reverse("learn:step", args=[current.unit.slug, step.slug]) for step in current.unit.steps]


@require_safe
def me(request: Request) -> HttpResponse:
    """My page: where I am, what I can, what I get wrong most."""
    about = queries.about_me(known_player(request), now=time.time())
    return render(request, "lessons/me.html", {"about": about})


def _new_ticket(request: Request) -> Ticket:
    """What to practise next. After repeated errors on a feature come two triples that differ only in it."""
    who = known_player(request)
    tries = queries.latest_tries(who)
    last = queries.last_asked(who, PLACE)
    now = time.time()
    if last and last.seed.startswith(FIRST_HALF):
        seed = SECOND_HALF + last.seed.removeprefix(FIRST_HALF)
        return Ticket(place=PLACE, wanted=last.wanted, seed=seed, shown_at=now)
    seed = secrets.token_hex(8)
    wanted = next_wanted(
        tries, now, random.Random(seed), last=tries[-1].wanted if tries else None, states=skill_states(who)
    )
    if wanted.kind is ExerciseKind.IS_SET and wanted.focus and wanted.focus is troubled_feature(tries):
        exercise, _second = contrast_pair(wanted.focus, seed, easy=wanted.easy, avoid=last)
    else:
        exercise = fresh_exercise(wanted, seed, last)
    return _ticket_for(exercise, now)


def _ticket_for(exercise: Exercise, now: float) -> Ticket:
    return Ticket(place=PLACE, wanted=exercise.wanted, seed=exercise.seed, shown_at=now)


def _page(
    request: Request, ticket: Ticket, *, status: int = 200, grade: Grade | None = None, notice: str = ""
) -> HttpResponse:
    context = {"notice": notice, **exercise_context(request, ticket, grade)}
    template = f"{_TEMPLATE}#exercise" if request.htmx else _TEMPLATE
    return render(request, template, context, status=status)
