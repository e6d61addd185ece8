"""Takes answers given offline, which the browser stored and sends one by one when it's back online."""

from __future__ import annotations

import time
from http import HTTPStatus

from django.http import HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from core.clients import address_of
from core.http.requests import Request
from core.lanes.marks import slow
from core.numbers import whole_number
from core.offline.policy import GUEST, words_for
from games import limits
from games.players import Player, player
from lessons.answering import answer_question, read_sent_as
from lessons.course.units import find_step
from lessons.models import LearningEvent
from lessons.progress.origins import PRACTICE, Origin, Source
from lessons.questions import BadAnswer
from lessons.ticket_owners import NotYours, own_ticket
from lessons.tickets import BadTicket, Ticket, ticket_for_step

SOMEBODY_ELSE, GONE, NO_ANSWER = HTTPStatus.CONFLICT, HTTPStatus.GONE, HTTPStatus.UNPROCESSABLE_ENTITY
_OLDEST = 2 * 86_400


# In the slow lane, because a browser that's back online sends all its stored answers in a row.
@slow("POST")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def later(request: Request) -> HttpResponse:
    """GET what the browser needs for sending, or POST one answer.

    The status tells the browser what to do with its copy. It drops an answer that was graded (200) or never can be
    (410: the question has expired or isn't ours; 422: not an answer to it). It keeps the answer for another time if
    somebody else is signed in now (409) or there were too many requests (429).
    """
    if request.method != "POST":
        present, *older = words_for(request)
        return JsonResponse({"token": get_token(request), "whose": present, "older": older})
    # A guest's answers go to the user who signs in, but a user's answers never go to anybody else.
    if request.POST.get("whose") not in {GUEST, *words_for(request)}:
        return HttpResponse(status=SOMEBODY_ELSE)
    if read_sent_as(request.POST) is None:
        return HttpResponse(status=NO_ANSWER)
    who = player(request)
    limits.count_answer(who, address_of(request), is_late=True)
    try:
        return _answer(request, who)
    except NotYours:
        return HttpResponse(status=SOMEBODY_ELSE)
    except BadTicket:
        return HttpResponse(status=GONE)
    except BadAnswer:
        return HttpResponse(status=NO_ANSWER)


def _answer(request: Request, who: Player) -> HttpResponse:
    form, now = request.POST, time.time()
    ticket = own_ticket(request) if "ticket" in form else _ticket_at(form.get("place", ""), shown_at=now - _OLDEST)
    at = _answered_at(form.get("ago", ""), since=ticket.shown_at, now=now)
    result = answer_question(who, ticket, form, now=at, is_late=True)
    return _outcome(ticket.origin, result.event, is_right=result.is_right)


def _ticket_at(place: str, *, shown_at: float) -> Ticket:
    """A ticket for a course-only question, whose page has none."""
    found = find_step(*place.split("/")) if place.count("/") == 1 else None
    if found is None or found[1].question.is_exercise:
        raise BadTicket(place)
    return ticket_for_step(*found, now=shown_at)


def _answered_at(ago: str, *, since: float, now: float) -> float:
    """When it was answered according to the browser, but not before it was asked and not in the future."""
    return min(now, max(since, now - (whole_number(ago) or 0)))


def _outcome(origin: Origin, event: LearningEvent | None, *, is_right: bool) -> JsonResponse:
    """Whether it was right and, if not, where to try it again."""
    again = ""
    if origin == PRACTICE and event:
        again = f"{reverse('learn:practice')}?again={event.pk}"
    elif origin.source is Source.COURSE:
        again = reverse("learn:step", args=[origin.unit, origin.step])
    return JsonResponse({"is_right": is_right, "again": "" if is_right else again})
