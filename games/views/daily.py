"""The daily puzzle, and a picture of the result to share."""

from __future__ import annotations

import io
from datetime import UTC, date, datetime, timedelta
from http import HTTPStatus

from django.core import signing
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from core.clients import address_of
from core.http.requests import Request
from core.lanes.marks import slow
from games import limits
from games.art.share import share_picture
from games.boards import BadPick, picked
from games.models import PuzzleResult
from games.players import known_player, player
from games.puzzles import Finding, PuzzleDeck, board_of, find_set, result_of
from games.rules import Card, explain


@require_safe
def puzzle(request: Request, deck: str) -> HttpResponse:
    day = timezone.now().date()
    return _page(request, day, _deck(deck), result_of(day, _deck(deck), known_player(request)))


@require_POST
def find(request: Request, deck: str) -> HttpResponse:
    """Judge three picked cards. A puzzle started before midnight is still yesterday's."""
    which = _deck(deck)
    day = _day(request.POST.get("day", ""))
    who = player(request)
    limits.count_answer(who, address_of(request))
    try:
        triple = picked(board_of(day, which), request.POST.getlist("card"))
    except BadPick as error:
        return _page(
            request, day, which, result_of(day, which, who), notice=str(error), status=HTTPStatus.UNPROCESSABLE_ENTITY
        )
    finding = find_set(day, which, who, triple, shown=_first_shown(request.POST.get("shown", "")), now=timezone.now())
    return _page(request, day, which, finding.result, finding=finding)


@slow()
@require_safe
def picture(request: Request, deck: str) -> HttpResponse:
    """The result as a picture, without revealing where the SETs are."""
    which = _deck(deck)
    day = timezone.now().date()
    result = result_of(day, which, known_player(request))
    found = len(result.found) if result else 0
    lines = [date_format(day, "DATE_FORMAT"), _score(found, which)]
    if result and result.finished_at:
        lines.append(_duration_text(result))
    content = io.BytesIO()
    share_picture(found, which.sets_there, lines).save(content, "PNG", optimize=True)
    response = HttpResponse(content.getvalue(), content_type="image/png")
    response["Cache-Control"] = "private, no-store"
    return response


def _deck(name: str) -> PuzzleDeck:
    if name not in list(PuzzleDeck):
        raise Http404("no such puzzle")
    return PuzzleDeck(name)


def _day(text: str) -> date:
    today = timezone.now().date()
    yesterday = today - timedelta(days=1)
    return yesterday if text == yesterday.isoformat() else today


def _first_shown(text: str) -> datetime:
    """When the board was first shown; the value is signed, so nobody can fake a faster time."""
    try:
        return datetime.fromtimestamp(signing.loads(text, salt="games.daily", max_age=2 * 86_400), UTC)
    except signing.BadSignature:
        return timezone.now()


def _score(found: int, deck: PuzzleDeck) -> str:
    return _("%(found)s of %(all)s SETs") % {"found": found, "all": deck.sets_there}


def _duration_text(result: PuzzleResult) -> str:
    assert result.finished_at  # noqa: S101 (for the type checker)
    minutes, seconds = divmod(int((result.finished_at - result.started_at).total_seconds()), 60)
    words = ngettext("%(minutes)s minute", "%(minutes)s minutes", minutes) % {"minutes": minutes}
    return words if minutes else ngettext("%(s)s second", "%(s)s seconds", seconds) % {"s": seconds}


def _page(
    request: Request,
    day: date,
    deck: PuzzleDeck,
    result: PuzzleResult | None,
    *,
    finding: Finding | None = None,
    notice: str = "",
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    found = [[Card.from_index(index) for index in triple] for triple in result.found] if result else []
    context = {
        "day": day,
        "deck": deck.value,
        "shown": request.POST.get("shown") or signing.dumps(timezone.now().timestamp(), salt="games.daily"),
        "board": board_of(day, deck),
        "found": [explain(*triple) for triple in found],
        "score": _score(len(found), deck),
        "left": range(deck.sets_there - len(found)),
        "is_done": len(found) == deck.sets_there,
        "took": _duration_text(result) if result and result.finished_at else "",
        "finding": finding,
        "notice": notice,
    }
    template = "games/daily.html#puzzle" if request.htmx else "games/daily.html"
    return render(request, template, context, status=status)
