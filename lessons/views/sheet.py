"""A worksheet on screen: the exercises that are on the paper, one after another."""

from __future__ import annotations

import time
from http import HTTPStatus

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from core.clients import address_of
from core.http.requests import Request
from games import limits
from games.players import known_player, player
from lessons import queries
from lessons.answering import answer_exercise, with_help
from lessons.exercises import Exercise
from lessons.grading import BadAnswer, Grade
from lessons.sheets import Sheet, read_sheet
from lessons.ticket_owners import own_ticket
from lessons.tickets import BadTicket, Ticket
from lessons.views.exercise import exercise_context
from lessons.words import refusal

PLACE = "sheet"


@require_http_methods(["GET", "HEAD", "POST"])
def sheet(request: Request, kind: str, code: str) -> HttpResponse:
    found = read_sheet(kind, code)
    if found is None:
        raise Http404("no such sheet")
    if request.method != "POST":
        return _page(request, found, _new_ticket(_chosen(request, found)))
    who = player(request)
    try:
        limits.count_answer(who, address_of(request))
        ticket = own_ticket(request)
    except limits.TooMany:
        return _page(request, found, _new_ticket(_chosen(request, found)), status=HTTPStatus.TOO_MANY_REQUESTS)
    except BadTicket:
        return _page(request, found, _new_ticket(_chosen(request, found)))
    if ticket.place != PLACE or ticket.seed not in {each.seed for each in found.exercises}:
        return _page(request, found, _new_ticket(_chosen(request, found)))
    if "help" in request.POST:
        return _page(request, found, with_help(who, ticket, now=time.time()))
    try:
        result = answer_exercise(who, ticket, request.POST, now=time.time())
    except BadAnswer as error:
        return _page(request, found, ticket, status=422, notice=refusal(error))
    return _page(request, found, result.ticket, grade=result.grade)


def _chosen(request: Request, sheet: Sheet) -> Exercise | None:
    """The task of the address, else the first that is not right yet; None where all are."""
    task = request.GET.get("task", "")
    if task in map(str, range(1, sheet.tasks + 1)):
        return sheet.exercises[int(task) - 1]
    right = queries.right_seeds(known_player(request), PLACE, [each.seed for each in sheet.exercises])
    return next((each for each in sheet.exercises if each.seed not in right), None)


def _new_ticket(exercise: Exercise | None) -> Ticket | None:
    if exercise is None:
        return None
    return Ticket(place=PLACE, wanted=exercise.wanted, seed=exercise.seed, shown_at=time.time())


def _page(
    request: Request,
    sheet: Sheet,
    ticket: Ticket | None,
    *,
    status: int = 200,
    grade: Grade | None = None,
    notice: str = "",
) -> HttpResponse:
    seeds = [each.seed for each in sheet.exercises]
    right = queries.right_seeds(known_player(request), PLACE, seeds)
    context = {
        "sheet": sheet,
        "notice": notice,
        "tasks": [(number, seed in right) for number, seed in enumerate(seeds, 1)],
        "task": seeds.index(ticket.seed) + 1 if ticket else 0,
        **exercise_context(request, ticket, grade),
    }
    template = "lessons/sheet.html#sheet" if request.htmx else "lessons/sheet.html"
    return render(request, template, context, status=status)
