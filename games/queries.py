"""What pages about games read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from games.models import Match, Seat
from games.rules.state import Phase


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A finished match from the side of one of its players."""

    code: str
    way: str
    ended: datetime
    points: int
    others: tuple[tuple[str, int], ...]
    """The names and points of the other players."""
    is_won: bool


def played_matches(users: Iterable[Any]) -> dict[int, tuple[PlayedMatch, ...]]:
    """The finished matches of these users, the newest first, by the user's key."""
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
    return PlayedMatch(
        code=match.code,
        way=match.get_way_display(),
        ended=match.touched_at,
        points=state.seats[own.number].points,
        others=tuple((seat.name, state.seats[seat.number].points) for seat in match.seats.all() if seat != own),
        is_won=state.outcome is not None and own.number in state.outcome.winners,
    )
