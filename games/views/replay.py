"""The replay of a finished match: step through it or play it, with the SETs that were on the table."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from core.http.requests import Request
from core.numbers import whole_number
from games.access import match_by_code
from games.matches.history import Moment, moments
from games.matches.tables import happening
from games.rules import events as did
from games.rules import explain
from games.rules.state import Phase
from games.rules.triples import Verdict


@require_safe
def replay(request: Request, code: str) -> HttpResponse:
    """Show one moment. A match has no replay until it's over, since that would reveal its SETs."""
    match, _seat = match_by_code(request, code)
    if match.phase != Phase.OVER:
        return redirect("play:table", match.code)
    all_moments = moments(match)
    if not all_moments:
        return render(request, "games/replay.html", {"match": match, "moment": None})
    step = max(1, min(whole_number(request.GET.get("step", "")) or 1, len(all_moments)))
    moment = all_moments[step - 1]
    names = {seat.number: seat.name for seat in match.seats.all()}
    context = {
        "match": match,
        "moment": moment,
        "step": step,
        "last": len(all_moments),
        "is_playing": "play" in request.GET and step < len(all_moments),
        "sentence": happening(moment.event, names, moment.after),
        "verdict": _verdict(moment),
        "picked": getattr(moment.event, "cards", ()),
        "table": moment.before.table or moment.after.table,
        "columns": max(3, len(moment.before.table or moment.after.table) // 3),
        "scores": [(names.get(seat.number, "?"), seat.points) for seat in moment.after.seats],
    }
    return render(request, "games/replay.html#moment" if request.htmx else "games/replay.html", context)


def _verdict(moment: Moment) -> Verdict | None:
    match moment.event:
        case did.SetTaken(cards=(a, b, c)) | did.CallFailed(cards=(a, b, c)):
            return explain(a, b, c)
    return None
