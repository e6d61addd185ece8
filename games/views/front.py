"""The front page: twelve real cards and one question."""

from __future__ import annotations

from datetime import UTC, datetime

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from games.boards import front_board
from games.rules import Card, explain, find_sets
from games.rules.errors import BadCard
from games.rules.triples import Triple, Verdict
from setsite.http import Request

_HIGHEST_BOARD = 1_000_000


class BadPick(ValueError):
    """Three cards that the board does not have, or not three; the message is for the page."""


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
            verdict = explain(*_picked(board, asked))
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
    if text.isascii() and text.isdigit() and int(text) < _HIGHEST_BOARD:
        return int(text)
    return datetime.now(UTC).toordinal() % _HIGHEST_BOARD


def _picked(board: tuple[Card, ...], asked: list[str]) -> Triple:
    try:
        cards = {Card.from_index(int(text)) for text in asked}
    except (BadCard, ValueError):
        raise BadPick(_("One of these cards is not on the table.")) from None
    if not cards <= set(board):
        raise BadPick(_("One of these cards is not on the table."))
    try:
        first, second, third = sorted(cards, key=board.index)
    except ValueError:
        raise BadPick(_("Pick three cards.")) from None
    return first, second, third
