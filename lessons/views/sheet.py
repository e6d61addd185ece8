"""A worksheet on screen: the same exercises as on paper, one after another."""

from __future__ import annotations

import time

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from core.http.requests import Request
from core.numbers import whole_number
from games.players import known_player
from lessons import queries
from lessons.progress.origins import SHEET
from lessons.questions import Exercise
from lessons.sheets import Sheet, read_sheet
from lessons.tickets import Ticket
from lessons.views.exercise import AnswerOutcome, question_context, take_answer


@require_http_methods(["GET", "HEAD", "POST"])
def sheet(request: Request, kind: str, code: str) -> HttpResponse:
    found = read_sheet(kind, code)
    if found is None:
        raise Http404("no such sheet")
    if request.method != "POST":
        return _page(request, found, AnswerOutcome())
    seeds = {each.seed for each in found.exercises}
    return _page(request, found, take_answer(request, lambda ticket: ticket.origin == SHEET and ticket.seed in seeds))


def _current_exercise(request: Request, sheet: Sheet) -> Exercise | None:
    """The task named in the URL, else the first one that isn't right yet; None if all are."""
    task = whole_number(request.GET.get("task", ""))
    if task and task <= sheet.tasks:
        return sheet.exercises[task - 1]
    right = queries.right_seeds(known_player(request), SHEET, [each.seed for each in sheet.exercises])
    return next((each for each in sheet.exercises if each.seed not in right), None)


def _new_ticket(exercise: Exercise | None) -> Ticket | None:
    if exercise is None:
        return None
    return Ticket(origin=SHEET, wanted=exercise.wanted, seed=exercise.seed, shown_at=time.time())


def _page(request: Request, sheet: Sheet, outcome: AnswerOutcome) -> HttpResponse:
    seeds = [each.seed for each in sheet.exercises]
    ticket = outcome.ticket or _new_ticket(_current_exercise(request, sheet))
    right = queries.right_seeds(known_player(request), SHEET, seeds)
    context = {
        "sheet": sheet,
        "tasks": [(number, seed in right) for number, seed in enumerate(seeds, 1)],
        "task": seeds.index(ticket.seed) + 1 if ticket else 0,
        **question_context(request, ticket, outcome),
    }
    template = "lessons/sheet.html#sheet" if request.htmx else "lessons/sheet.html"
    return render(request, template, context, status=outcome.status)
