"""The front page: twelve real cards and one question."""

from __future__ import annotations

from datetime import UTC, datetime

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games.boards import BadPick, front_board, picked
from games.rules import explain, find_sets
from games.rules.triples import Verdict
from setsite.http import Request

_HIGHEST_BOARD = 1_000_000


@require_safe
def front(request: Request) -> HttpResponse:
    """A pick is part of the address: nothing is kept, and the page works with scripts off."""
    number = _board_number(request.GET.get("board", ""))
    board = front_board(number)
    sets = find_sets(board)
    verdict: Verdict | None = None
    complaint = ""
    asked = request.GET.getlist("card")
    if asked:
        try:
            verdict = explain(*picked(board, asked))
        except BadPick as error:
            complaint = str(error)
    context = {
        "board": board,
        "number": number,
        "next_number": (number + 1) % _HIGHEST_BOARD,
        "sets_there": len(sets),
        "picked": verdict.cards if verdict else (),
        "verdict": verdict,
        "complaint": complaint,
        "example": explain(*sets[0]) if request.GET.get("show") else None,
    }
    template = "games/front.html#answer" if request.htmx else "games/front.html"
    return render(request, template, context, status=422 if complaint else 200)


def _board_number(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < len(str(_HIGHEST_BOARD)):
        return int(text)
    return datetime.now(UTC).toordinal() % _HIGHEST_BOARD
