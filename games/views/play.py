"""A table's page, and one URL for each action of a player."""

from __future__ import annotations

import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from core.http.requests import Request
from core.links import absolute_url
from core.numbers import whole_number
from games import codes, limits
from games.access import key_of, match_by_code, may_watch, visible_match
from games.boards import cards_named
from games.live import tokens
from games.live.render import render as render_table
from games.matches import service as matches
from games.models import Match, Seat, Way
from games.players import known_player, player
from games.rules import Card
from games.rules import commands as ask
from games.rules.errors import BadCard, RefusalReason, Refused
from games.rules.hints import HintStage, hint
from games.rules.state import Phase
from games.words import REFUSALS

ALONE_WAYS = (Way.ALONE, Way.PRACTICE, Way.COMPUTER)
"""Ways to play where nobody else has to agree to another game."""
HINT_STAGES = [stage.value for stage in HintStage]


@require_safe
def table(request: Request, code: str) -> HttpResponse:
    """A match's page: the table that everybody sees, and the viewer's own controls around it."""
    match, seat = match_by_code(request, code)
    return _page(request, _up_to_date(match), seat)


@require_POST
def join(request: Request, code: str) -> HttpResponse:
    """Sit down; a guest gets a friendly name."""
    match, seat = match_by_code(request, code)
    who = player(request)
    if seat is None and match.way != Way.TOGETHER:
        return _refused(request, match, seat, str(REFUSALS[RefusalReason.TABLE_FULL]))
    try:
        limits.MOVES.count(who.word)
        matches.join(match.code, who, now=time.time())
    except Refused as refused:
        return _refused(request, match, seat, str(REFUSALS[refused.reason]))
    return redirect("play:table", match.code)


@require_POST
def deal(request: Request, code: str) -> HttpResponse:
    return _act(request, code, ask.Deal)


@require_POST
def call(request: Request, code: str) -> HttpResponse:
    return _act(request, code, ask.Call)


@require_POST
def pick(request: Request, code: str) -> HttpResponse:
    return _act(request, code, lambda seat: ask.Pick(seat, _picked_cards(request)))


@require_POST
def withdraw(request: Request, code: str) -> HttpResponse:
    return _act(request, code, ask.Withdraw)


@require_POST
def no_set(request: Request, code: str) -> HttpResponse:
    return _act(request, code, ask.AgreeNoSet)


@require_POST
def take_back(request: Request, code: str) -> HttpResponse:
    return _act(request, code, ask.TakeBack)


@require_POST
def leave(request: Request, code: str) -> HttpResponse:
    match, seat = match_by_code(request, code)
    if match.place:
        return redirect(f"/{match.place}/")
    if seat is not None:
        try:
            matches.command(match.code, ask.Leave(seat.number), now=time.time())
        except Refused as refused:
            # The match is over or the player has already left, so there's nothing to do.
            if refused.reason not in (RefusalReason.MATCH_OVER, RefusalReason.SEAT_LEFT):
                raise
    return redirect("play:lobby")


@require_safe
def help_me(request: Request, code: str) -> HttpResponse:
    """Show a hint, one stage at a time; only in practice, where nobody competes."""
    match, seat = match_by_code(request, code)
    match = _up_to_date(match)
    asked = whole_number(request.GET.get("stage", ""))
    stage = asked if asked in HINT_STAGES else HINT_STAGES[0]
    state = match.state
    if seat is None or match.way != Way.PRACTICE or state.phase is not Phase.PLAYING:
        return _refused(request, match, seat, _("Hints are for practice."))
    context: dict[str, Any] = {
        "hint": hint(state.table, stage),
        "match": match,
        "next_stage": min(stage + 1, HINT_STAGES[-1]),
    }
    if request.htmx:
        return render(request, "games/table.html#hint", context)
    return _page(request, match, seat, more=context)


def _act(request: Request, code: str, order: Callable[[int], ask.Command]) -> HttpResponse:
    """Have the referee decide a player's command; respond with the table or the reason for a refusal."""
    who = known_player(request)
    try:
        if who is None:
            raise Refused(RefusalReason.NO_SUCH_SEAT)
        limits.MOVES.count(who.word)
        written = matches.act(codes.plain(code), who, order, now=time.time(), seen=_seen_version(request))
    except Refused as refused:
        return _refused(request, *match_by_code(request, code), str(REFUSALS[refused.reason]))
    except Match.DoesNotExist:
        codes.count_lookup(request, found=False)
        raise Http404("no such match") from None
    if request.headers.get("X-Live"):
        # The page gets the table from its open stream.
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    if request.htmx:
        return HttpResponse(render_table(written.match, get_language() or "").html)
    return redirect("play:table", written.match.code)


def _seen_version(request: HttpRequest) -> int:
    version = whole_number(request.POST.get("version", ""))
    if version is None:
        raise Refused(RefusalReason.UNSEEN_VERSION)
    return version


def _picked_cards(request: HttpRequest) -> tuple[Card, ...]:
    try:
        return cards_named(request.POST.getlist("card"))
    except BadCard:
        raise Refused(RefusalReason.NOT_ON_TABLE) from None


def _up_to_date(match: Match) -> Match:
    """The match after applying what's due, so that nobody sees a call that has expired."""
    if match.due is not None and match.due <= time.time():
        return matches.catch_up(match.code, now=time.time()).match
    return match


def _refused(request: Request, match: Match, seat: Seat | None, why: str) -> HttpResponse:
    """Respond with the reason for a refusal; nothing has changed."""
    if request.htmx:
        response = render(request, "games/table.html#notice", {"notice": why}, status=HTTPStatus.UNPROCESSABLE_ENTITY)
        response["HX-Retarget"], response["HX-Reswap"] = "#notice", "innerHTML"
        return response
    fresh, _seat = visible_match(match.code, known_player(request))
    return _page(request, fresh, seat, status=HTTPStatus.UNPROCESSABLE_ENTITY, more={"notice": why})


def _page(
    request: Request,
    match: Match,
    seat: Seat | None,
    *,
    status: int = HTTPStatus.OK,
    more: dict[str, Any] | None = None,
) -> HttpResponse:
    language = get_language() or ""
    state = match.state
    if seat and not state.seats[seat.number].is_seated:
        seat = None
    has_control = state.control is not None and seat is not None and state.control.seat == seat.number
    user = key_of(known_player(request))
    # Players who left a table that they may not watch see its present state, but no updates.
    is_live = seat is not None or may_watch(match, user)
    token = tokens.sign(tokens.TableWatch(match.code, seat.number if seat else None, language, user)) if is_live else ""
    context = {
        "match": match,
        "state": state,
        "options": state.options,
        "seat": seat,
        "has_control": has_control,
        "has_agreed": seat is not None and seat.number in state.votes,
        "table": render_table(match, language).html,
        "token": token,
        "link": absolute_url("play:table", match.code),
        "playing_as": seat.name if seat and match.way == Way.TOGETHER else "",
        "can_sit": match.way == Way.TOGETHER and state.phase is not Phase.OVER,
        "can_play_again": seat is not None and match.way in ALONE_WAYS,
        "lesson": f"/{match.place}/" if match.place else "",
        "own_factor": state.seats[seat.number].factor if seat else 1.0,
        "is_waiting": state.phase is Phase.WAITING,
        "is_over": state.phase is Phase.OVER,
        **(more or {}),
    }
    return render(request, "games/table.html", context, status=status)
