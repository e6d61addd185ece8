"""Practice: one exercise after another, chosen for what the learner needs next."""

from __future__ import annotations

import random
import secrets
import time
from dataclasses import replace

from django.http import HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from core.http.requests import Request
from core.offline.policy import cacheable
from games.players import Player, known_player
from lessons import queries
from lessons.progress.mastery import next_wanted, troubled_feature
from lessons.progress.origins import PRACTICE
from lessons.progress.snapshots import skill_states
from lessons.questions import EXERCISES, Exercise, fresh_exercise
from lessons.tickets import Ticket
from lessons.views.exercise import AnswerOutcome, question_context, take_answer

_TEMPLATE = "lessons/practice.html"
AHEAD = 10


@require_http_methods(["GET", "HEAD", "POST"])
@cacheable
def practice(request: Request) -> HttpResponse:
    if request.method != "POST":
        again = queries.own_exercise(known_player(request), request.GET.get("again", ""))
        return _page(request, AnswerOutcome(_ticket_for(again, time.time()) if again else None))
    return _page(request, take_answer(request, lambda ticket: ticket.origin == PRACTICE))


@require_safe
@cacheable
def ahead(request: Request) -> HttpResponse:
    """What to store for offline use: the steps of the current unit, and exercises.

    Kinds that need the server between finds are replaced with others.
    """
    who = known_player(request)
    now = time.time()
    tries, states, last = queries.latest_tries(who), skill_states(who), queries.last_asked(who, PRACTICE)
    wanted = tries[-1].wanted if tries else None
    parts: list[str] = []
    for seed in (secrets.token_hex(8) for _each in range(AHEAD)):
        wanted = next_wanted(tries, now, random.Random(seed), last=wanted, states=states)
        wanted = EXERCISES[wanted.kind].for_offline(wanted)
        last = fresh_exercise(wanted, seed, last)
        ticket = replace(_ticket_for(last, now), is_ahead=True)
        context = {"action": reverse("learn:practice"), **question_context(request, ticket)}
        parts.append(render_to_string(f"{_TEMPLATE}#exercise", context, request))
    return JsonResponse({"exercises": parts, "pages": _pages_ahead(who)})


def _pages_ahead(who: Player | None) -> list[str]:
    current = next((row for row in queries.path(who) if row.is_current), None)
    if current is None:
        return []
    return [reverse("learn:step", args=[current.unit.slug, step.slug]) for step in current.unit.steps]


@require_safe
def me(request: Request) -> HttpResponse:
    """The learner's own page: where they are, what they can do, and what they get wrong most."""
    about = queries.about_me(known_player(request), now=time.time())
    return render(request, "lessons/me.html", {"about": about})


def _new_ticket(request: Request) -> Ticket:
    """A ticket for what to practice next, with a contrast pair for a feature that the learner keeps getting wrong."""
    who = known_player(request)
    tries = queries.latest_tries(who)
    last = queries.last_asked(who, PRACTICE)
    now = time.time()
    if last and (second := last.follow_up()):
        return _ticket_for(second, now)
    seed = secrets.token_hex(8)
    wanted = next_wanted(
        tries, now, random.Random(seed), last=tries[-1].wanted if tries else None, states=skill_states(who)
    )
    return _ticket_for(fresh_exercise(wanted, seed, last, troubled=troubled_feature(tries)), now)


def _ticket_for(exercise: Exercise, now: float) -> Ticket:
    return Ticket(origin=PRACTICE, wanted=exercise.wanted, seed=exercise.seed, shown_at=now)


def _page(request: Request, outcome: AnswerOutcome) -> HttpResponse:
    context = question_context(request, outcome.ticket or _new_ticket(request), outcome)
    template = f"{_TEMPLATE}#exercise" if request.htmx else _TEMPLATE
    return render(request, template, context, status=outcome.status)
