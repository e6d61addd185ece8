"""Who may see a match, and whose seat is whose."""

from __future__ import annotations

from collections.abc import Callable

from django.http import Http404, HttpRequest

from games import limits
from games.models import Match, Seat, Way
from games.players import Player, known_player
from games.rules.state import Phase

Rule = Callable[[Match, Player], bool]
_watching: list[Rule] = []


def allow_watching(rule: Rule) -> None:
    """Have a function asked whether somebody may watch a match at which they have no seat."""
    _watching.append(rule)


def own_seat(match: Match, player: Player | None) -> Seat | None:
    """The player's seat at the match, if they have one."""
    return next((seat for seat in match.seats.all() if player and player.sits(seat)), None)


def match_by_code(request: HttpRequest, code: str) -> tuple[Match, Seat | None]:
    """The match that somebody asks for by a code they may have guessed: wrong ones are counted."""
    try:
        return visible_match(code, known_player(request))
    except Http404:
        limits.WRONG_CODES_OF_ADDRESS.count(request.META["REMOTE_ADDR"])
        raise


def visible_match(code: str, player: Player | None) -> tuple[Match, Seat | None]:
    """The match and the player's seat at it; a game that others play alone is not there for you.

    The code of a table where people play together is the invitation to watch it. A table of a class is for those who
    sit at it and whoever may watch; the one where the whole class plays is not here before its end.
    """
    is_code = code.isascii() and code.isalnum()
    match = Match.objects.prefetch_related("seats").filter(code=code.upper()).first() if is_code else None
    if match is None:
        raise Http404("no such match")
    seat = own_seat(match, player)
    if not _may_see(match, seat, player):
        raise Http404("not your match")
    return match, seat


def _may_see(match: Match, seat: Seat | None, player: Player | None) -> bool:
    if match.way == Way.CLASS and match.phase != Phase.OVER:
        return False
    if match.way == Way.TABLE and match.phase != Phase.OVER and seat and not match.state.seats[seat.number].is_seated:
        return False
    if seat or match.way == Way.TOGETHER:
        return True
    return player is not None and any(rule(match, player) for rule in _watching)
