"""The lobby: open a table, or join one by its code."""

from __future__ import annotations

import time
from http import HTTPStatus

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from core.clients import address_of
from core.http.requests import Request
from games import codes, limits, queries
from games.access import match_by_code
from games.forms import FORMS, OpenForm
from games.matches import service as matches
from games.models import Way
from games.players import Player, known_player, player
from games.rules import Options
from games.rules import commands as ask
from games.views.play import ALONE_WAYS


@require_safe
def lobby(request: Request) -> HttpResponse:
    return _page(request)


@require_POST
def open_table(request: Request, way: str) -> HttpResponse:
    """Open a match, and deal at once unless it waits for other players."""
    if way not in FORMS:
        return _page(request, status=HTTPStatus.NOT_FOUND, notice=_("There is no such way to play."))
    form = FORMS[way](request.POST)
    if not form.is_valid():
        return _page(request, status=HTTPStatus.UNPROCESSABLE_ENTITY, failed=form)
    who = player(request)
    _count_opening(request, who)
    return _open_and_redirect(who, form.way, form.cleaned_data["options"], form.computers, is_open=form.is_open)


@require_POST
def play_again(request: Request, code: str) -> HttpResponse:
    """Open another match like this one."""
    match, seat = match_by_code(request, code)
    who = player(request)
    if seat is None or match.way not in ALONE_WAYS:
        return _page(request, status=HTTPStatus.UNPROCESSABLE_ENTITY, notice=_("Open a new table for that."))
    _count_opening(request, who)
    computers = [each.strength for each in match.seats.all() if each.strength]
    return _open_and_redirect(who, Way(match.way), match.state.options, computers)


def _count_opening(request: Request, who: Player) -> None:
    limits.OPENINGS.count(who.word)
    limits.OPENINGS_OF_ADDRESS.count(address_of(request))


def _open_and_redirect(
    who: Player, way: Way, options: Options, computers: list[str], *, is_open: bool = False
) -> HttpResponse:
    now = time.time()
    match = matches.open_match(way=way, options=options, player=who, computers=computers, is_open=is_open, now=now)
    if match.way != Way.TOGETHER:
        matches.command(match.code, ask.Deal(0), now=now)
    return redirect("play:table", match.code)


@require_POST
def find_table(request: Request) -> HttpResponse:
    """Redirect from a code to its table."""
    code = codes.plain(request.POST.get("code", ""))
    try:
        match, _seat = match_by_code(request, code)
    except Http404:
        return _page(
            request, status=HTTPStatus.UNPROCESSABLE_ENTITY, notice=_("No table has this code. Check each letter.")
        )
    return redirect("play:table", match.code)


def _page(
    request: Request, *, status: int = HTTPStatus.OK, failed: OpenForm | None = None, notice: str = ""
) -> HttpResponse:
    who = known_player(request)
    forms = {way: failed if failed and failed.way == way else form() for way, form in FORMS.items()}
    context = {
        "forms": forms,
        "notice": notice,
        "own": queries.own_matches(who) if who else [],
        "open_tables": queries.open_tables(),
    }
    return render(request, "games/lobby.html", context, status=status)
