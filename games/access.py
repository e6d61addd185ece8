"""Who may see a match, and whose seat is whose."""

from __future__ import annotations

from django.http import Http404, HttpRequest

from games import limits
from games.models import Match, Seat, Way
from games.players import Player, known_player


def own_seat(match: Match, player: Player | None) -> Seat | None:
    """The player's seat at the match, if they have one."""
    if player is None:
        return None
    if player.user:
        return next((seat for seat in match.seats.all() if seat.user_id == player.user.pk), None)
    return next((seat for seat in match.seats.all() if seat.guest and seat.guest == player.guest), None)


def acting_seat(code: str, player: Player | None) -> Seat | None:
    """The seat at this match that the player acts from, in one short query; its match is not read."""
    if player is None or not code.isascii() or not code.isalnum():
        return None
    return Seat.objects.filter(match__code=code.upper(), **player.key).first()


def match_by_code(request: HttpRequest, code: str) -> tuple[Match, Seat | None]:
    """The match that somebody asks for by a code they may have guessed: wrong ones are counted."""
    try:
        return visible_match(code, known_player(request))
    except Http404:
        limits.WRONG_CODES_OF_ADDRESS.count(request.META["REMOTE_ADDR"])
        raise


def visible_match(code: str, player: Player | None) -> tuple[Match, Seat | None]:
    """The match and the player's seat at it; a game that others play alone is not there for you.

    The code of a table where people play together is the invitation to watch it.
    """
    is_code = code.isascii() and code.isalnum()
    match = Match.objects.prefetch_related("seats").filter(code=code.upper()).first() if is_code else None
    if match is None:
        raise Http404("no such match")
    seat = own_seat(match, player)
    if seat is None and match.way != Way.TOGETHER:
        raise Http404("not your match")
    return match, seat
