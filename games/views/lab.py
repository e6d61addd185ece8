"""The odds lab: start a simulation, watch it settle, and download the numbers."""

from __future__ import annotations

import csv
import json
from http import HTTPStatus
from io import StringIO
from typing import Any
from uuid import UUID

from django import forms
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_safe

from core.clients import address_of
from core.http.requests import Request, download
from core.jobs import queue
from core.lanes.marks import slow
from core.models import Job
from games import limits
from games.odds.compare import compare
from games.odds.decks import Deck
from games.players import known_player, player
from games.words import grouped

MOST_DEALS = 20_000_000
MOST_GAMES = 500_000
LARGEST_SEED = 2**31
_TABLES = {"stages": ["left", "trials", "without", "chance", "low", "high"], "endings": ["left", "games"]}


class SimulationForm(forms.Form):
    what = forms.ChoiceField(
        label=_("What"),
        choices=[("deals", _("first deals: is there a SET?")), ("games", _("whole games, to the last card"))],
        initial="deals",
    )
    deck = forms.ChoiceField(
        label=_("Deck"), choices=[(Deck.FULL.value, _("81 cards")), (Deck.EASY.value, _("27 cards, all solid"))]
    )
    cards = forms.IntegerField(label=_("Cards on the table"), min_value=3, max_value=21, initial=12)
    count = forms.IntegerField(label=_("How many"), min_value=1_000, max_value=MOST_DEALS, initial=2_000_000)
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=LARGEST_SEED,
        initial=1,
        help_text=_("The same seed deals the same cards."),
    )

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = self.cleaned_data
        if data.get("what") == "games":
            if data.get("count", 0) > MOST_GAMES:
                self.add_error("count", _("Whole games take longer: at most %(most)s.") % {"most": grouped(MOST_GAMES)})
            if data.get("cards", 0) % 3:
                self.add_error("cards", _("In a game cards are laid and taken by three."))
        return data


@require_http_methods(["GET", "HEAD", "POST"])
def lab(request: Request) -> HttpResponse:
    form = SimulationForm(request.POST or None)
    status = HTTPStatus.OK
    if request.method == "POST":
        who = player(request)
        limits.OPENINGS.count(who.word)
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        if form.is_valid():
            asked = form.cleaned_data | {"language": get_language() or ""}
            try:
                return redirect("jobs:job", queue.enqueue("odds", who.key, asked, address=address_of(request)).pk)
            except queue.TooManyJobs:
                form.add_error(None, str(_("There's a lot going on right now. Try again in a minute.")))
                status = HTTPStatus.TOO_MANY_REQUESTS
    return render(request, "games/lab.html", {"form": form, "comparisons": compare()}, status=status)


@slow()
@require_safe
def data(request: Request, pk: UUID, kind: str) -> HttpResponse:
    """Download the numbers of one's own simulation as JSON or CSV."""
    who = known_player(request)
    job = queue.jobs_of(who.key).filter(pk=pk, kind="odds").first() if who else None
    if job is None or kind not in {"json", "csv"}:
        raise Http404("not your simulation")
    if kind == "json":
        found = {"asked": job.asked, "found": job.result or job.partial_result}
        return download(json.dumps(found, indent=1), "application/json", "setsite-odds.json")
    return download(_csv_text(job), "text/csv; charset=utf-8", "setsite-odds.csv")


def _csv_text(job: Job) -> str:
    found = job.result or job.partial_result
    text = StringIO()
    writer = csv.writer(text)
    writer.writerow(["trials", "chance of no SET", "low", "high"])
    writer.writerows(found.get("path", []))
    for name, columns in _TABLES.items():
        if rows := found.get(name):
            writer.writerow([])
            writer.writerow([name, *columns])
            writer.writerows([["", *(row[column] for column in columns)] for row in rows])
    return text.getvalue()
