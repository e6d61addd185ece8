"""Who may see a match, and whose seat is whose."""

from __future__ import annotations

from collections.abc import Callable

from django.db import transaction
from django.http import Http404, HttpRequest

from games import codes
from games.models import Match, Seat, Way
from games.players import Player, known_player
from games.rules.state import Phase

Rule = Callable[[Match, int], bool]
Listener = Callable[..., None]
_watching: list[Rule] = []
_listeners: list[Listener] = []


def allow_watching(rule: Rule) -> None:
    """Have a function asked whether a user, given by their key, may watch a match at which they have no seat."""
    _watching.append(rule)


def may_watch(match: Match, user: int | None) -> bool:
    """Whether somebody without a seat may watch a match: anybody, where people play together."""
    return match.way == Way.TOGETHER or (user is not None and any(rule(match, user) for rule in _watching))


def rights_changed(*users: int) -> None:
    """These users, or where none are named anybody, may watch less than before, or are signed out somewhere.

    Their open streams are checked again, once that's committed.
    """
    transaction.on_commit(lambda: _tell(*users), robust=True)


def _tell(*users: int) -> None:
    for listener in _listeners:
        listener(*users)


def on_rights_changed(listener: Listener) -> None:
    """Have a function called with the keys of users whose streams must be checked; with none, everybody's."""
    _listeners.append(listener)


def off_rights_changed(listener: Listener) -> None:
    _listeners.remove(listener)


def own_seat(match: Match, player: Player | None) -> Seat | None:
    """The player's seat at the match, if they have one."""
    return next((seat for seat in match.seats.all() if player and player.owns(seat)), None)


def match_by_code(request: HttpRequest, code: str) -> tuple[Match, Seat | None]:
    """The match that somebody asks for by a code they may have guessed: who has no seat at it is counted."""
    try:
        match, seat = visible_match(code, known_player(request))
    except Http404:
        codes.count_lookup(request, found=False)
        raise
    if seat is None:
        codes.count_lookup(request, found=True)
    return match, seat


def visible_match(code: str, player: Player | None) -> tuple[Match, Seat | None]:
    """The match and the player's seat at it; a game that others play alone is not there for you.

    The code of a table where people play together is the invitation to watch it. A table of a class is for those who
    sit at it and whoever may watch; the one where the whole class plays is not here before its end.
    """
    match = Match.objects.prefetch_related("seats").filter(code=codes.plain(code)).first()
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
    return seat is not None or may_watch(match, key_of(player))


def key_of(player: Player | None) -> int | None:
    """The key of the player's account; guests have none."""
    return player.user.pk if player and player.user else None
