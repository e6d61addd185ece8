"""The front page: six cards with one SET, and the doors to the rest of the site."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from core.http.requests import Request
from core.http.status import form_status
from core.numbers import whole_number
from games.boards import BadPick, front_board, picked
from games.rules import Card, explain, find_sets
from games.rules.triples import Verdict

_HIGHEST_BOARD = 1_000_000


@require_safe
def front(request: Request) -> HttpResponse:
    """Show a board, and judge a pick. The pick is in the URL, so nothing is stored and no JavaScript is needed."""
    number = _board_number(request.GET.get("board", ""))
    board = front_board(number)
    (solution,) = find_sets(board)
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
        "picked": verdict.cards if verdict else (),
        "verdict": verdict,
        "complaint": complaint,
        "example": explain(*solution) if request.GET.get("show") else None,
    }
    status = form_status(complaint)
    if request.htmx:
        return render(request, "games/front.html#answer", context, status=status)
    return render(request, "games/front.html", {**context, "audiences": _audiences(), "rule": _RULE}, status=status)


@dataclass(frozen=True, slots=True)
class Audience:
    """An audience of the site, what it gets, and the cards of its picture."""

    title: str
    text: str
    url: str
    cards: tuple[Card, ...]


def _audiences() -> list[Audience]:
    return [
        Audience(
            title=_("Teachers lead a lesson"),
            text=_(
                "One projector, one remote, thirty devices or paper. Afterwards a report says who needs help with what."
            ),
            url=reverse("teach:home"),
            cards=_cards((1, "red", "solid", "oval"), (2, "red", "solid", "oval"), (3, "red", "solid", "oval")),
        ),
        Audience(
            title=_("Students learn by doing"),
            text=_(
                "Short steps from the first card to a whole game. A wrong answer shows why, and nothing is lost by it."
            ),
            url=reverse("learn:home"),
            cards=_cards(
                (1, "green", "striped", "diamond"),
                (2, "purple", "striped", "diamond"),
                (3, "red", "striped", "diamond"),
            ),
        ),
        Audience(
            title=_("Families see how it goes"),
            text=_(
                "What a child can do, what comes next, and three minutes for the kitchen table. No ranking, no ads."
            ),
            url=reverse("family:home"),
            cards=_cards(
                (2, "green", "outlined", "squiggle"),
                (2, "red", "solid", "squiggle"),
                (2, "purple", "striped", "squiggle"),
            ),
        ),
    ]


def _cards(*values: tuple[int, str, str, str]) -> tuple[Card, ...]:
    return tuple(Card(*each) for each in values)


_RULE = explain(
    Card(1, "red", "striped", "oval"), Card(2, "green", "striped", "oval"), Card(3, "purple", "striped", "oval")
)


def _board_number(text: str) -> int:
    number = whole_number(text, most=_HIGHEST_BOARD - 1)
    return datetime.now(UTC).toordinal() % _HIGHEST_BOARD if number is None else number
