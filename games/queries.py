"""Queries for pages about games."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count
from django.utils import timezone

from games.models import Match, Seat, Way
from games.players import Player
from games.rules.state import Phase


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A finished match from one player's point of view."""

    code: str
    way: str
    ended: datetime
    points: int
    others: tuple[tuple[str, int], ...]
    """Names and points of the other players; empty for a whole class."""
    is_won: bool


def played_matches(users: Iterable[Any]) -> dict[int, tuple[PlayedMatch, ...]]:
    """The finished matches of these users by primary key, newest first."""
    wanted = {user.pk for user in users}
    over = Match.objects.filter(phase=Phase.OVER, seats__user__in=wanted).distinct().prefetch_related("seats")
    found: dict[int, list[PlayedMatch]] = {}
    for match in over.order_by("-touched_at"):
        for seat in match.seats.all():
            if seat.user_id is not None and seat.user_id in wanted:
                found.setdefault(seat.user_id, []).append(_played(match, seat))
    return {key: tuple(matches) for key, matches in found.items()}


def _played(match: Match, own: Seat) -> PlayedMatch:
    state = match.state
    others = [seat for seat in match.seats.all() if seat != own and match.way != Way.CLASS]
    return PlayedMatch(
        code=match.code,
        way=match.get_way_display(),
        ended=match.touched_at,
        points=state.seats[own.number].points,
        others=tuple((seat.name, state.seats[seat.number].points) for seat in others),
        is_won=state.outcome is not None and own.number in state.outcome.winners,
    )


@dataclass(frozen=True, slots=True)
class TableRow:
    """A player's own match in a list."""

    code: str
    way: str
    names: tuple[str, ...]
    phase: str
    when: datetime


@dataclass(frozen=True, slots=True)
class OpenTable:
    """A table that anybody may join. It shows how many players there are, but not who."""

    code: str
    players: int
    phase: str
    when: datetime


_MOST_LISTED = 12


def own_matches(player: Player) -> list[TableRow]:
    """The player's matches, newest first, without those that are listed in a lesson."""
    mine = Match.objects.filter(place="", pk__in=Seat.objects.filter(**player.key).values("match"))
    found = mine.prefetch_related("seats").defer("snapshot", "start").order_by("-touched_at")[:_MOST_LISTED]
    return [
        TableRow(
            match.code,
            match.get_way_display(),
            tuple(seat.name for seat in match.seats.all()),
            match.phase,
            match.touched_at,
        )
        for match in found
    ]


def open_tables() -> list[OpenTable]:
    """Tables that anybody may join, with a change in the last two hours. No names, because the lobby is public."""
    since = timezone.now() - timedelta(hours=2)
    open_now = Match.objects.filter(is_open=True, touched_at__gte=since).exclude(phase=Phase.OVER)
    counted = open_now.annotate(players=Count("seats")).order_by("-touched_at")[:_MOST_LISTED]
    return [OpenTable(*row) for row in counted.values_list("code", "players", "phase", "touched_at")]
