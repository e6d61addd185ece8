"""The game's background jobs: simulating odds and printing decks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.jobs.kinds import Failure, JobKind, JobResult, Reporter, declare
from games.odds.deals import FirstDeals, simulate_first_deals
from games.odds.decks import BadOddsQuestion
from games.odds.games import WholeGames, simulate_games
from games.odds.tallies import Tally
from games.printing.deck import PrintedDeck
from games.printing.printed import printed

MOST_POINTS = 60
"""How many points of a simulation are kept for the chart of how it settles."""


def simulate(asked: Mapping[str, Any], report: Reporter) -> JobResult:
    """Simulate deals or games as often as asked, and report interim results."""
    work = _play_games if asked["what"] == "games" else _deal
    try:
        return JobResult(work(asked, report))
    except BadOddsQuestion as question:
        raise Failure(_("These numbers do not go together: %(why)s") % {"why": question}) from question


def _deal(asked: Mapping[str, Any], report: Reporter) -> dict[str, Any]:
    path: list[list[float]] = []

    def report_progress(partial_result: FirstDeals) -> None:
        _add_point(path, partial_result.tally)
        report(partial_result.deals / asked["count"], {**_tally(partial_result.tally), "path": path})

    every = max(1, asked["count"] // MOST_POINTS)
    found = simulate_first_deals(
        asked["deck"], asked["cards"], asked["count"], asked["seed"], on_progress=report_progress, report_every=every
    )
    return {**_tally(found.tally), "path": path}


def _play_games(asked: Mapping[str, Any], report: Reporter) -> dict[str, Any]:
    path: list[list[float]] = []

    def report_progress(partial_result: WholeGames) -> None:
        if in_play := partial_result.in_play(asked["cards"]):
            _add_point(path, in_play)
        report(partial_result.games / asked["count"], _games(partial_result, asked["cards"]) | {"path": path})

    every = max(1, asked["count"] // MOST_POINTS)
    found = simulate_games(
        asked["deck"], asked["cards"], asked["count"], asked["seed"], on_progress=report_progress, report_every=every
    )
    return _games(found, asked["cards"]) | {"path": path}


def _games(found: WholeGames, table: int) -> dict[str, Any]:
    in_play = found.in_play(table)
    return {
        **(_tally(in_play) if in_play else {}),
        "games": found.games,
        "stages": [{"left": stage.left_in_deck, **_tally(stage.tally)} for stage in found.by_left_in_deck(table)],
        "tables": [{"cards": size.table, **_tally(size.tally)} for size in found.by_table],
        "endings": [{"left": ending.cards_left, "games": ending.games} for ending in found.endings],
    }


def _add_point(path: list[list[float]], tally: Tally) -> None:
    low, high = tally.interval
    path.append([tally.seen, tally.chance, low, high])
    if len(path) > MOST_POINTS:
        # Drop the second to last point: the first ones change most, and the last one is the result.
        del path[-2]


def _tally(tally: Tally) -> dict[str, Any]:
    low, high = tally.interval
    return {"trials": tally.seen, "without": tally.without_set, "chance": tally.chance, "low": low, "high": high}


def print_deck(asked: Mapping[str, Any], report: Reporter) -> JobResult:
    return printed(PrintedDeck.asked(asked).pages(), title=_("A deck of cards"), name="setsite-deck.pdf", report=report)


declare(JobKind("odds", gettext_lazy("Odds by simulation"), simulate, template="games/_odds_result.html", seconds=600))
declare(JobKind("deck", gettext_lazy("A deck of cards"), print_deck, template="printing/_result.html"))
