"""Who may see a match, and which seat is theirs."""

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
_watch_rules: list[Rule] = []
_listeners: list[Listener] = []


def allow_watching(rule: Rule) -> None:
    """Register a rule that says whether a user, by primary key, may watch a match without a seat in it."""
    _watch_rules.append(rule)


def may_watch(match: Match, user: int | None) -> bool:
    """Whether somebody without a seat may watch a match. Anybody may if its `way` is `TOGETHER`."""
    return match.way == Way.TOGETHER or (user is not None and any(rule(match, user) for rule in _watch_rules))


def rights_changed(*users: int) -> None:
    """Recheck the open streams of users who lost a right or were signed out; with no users, everybody's.

    The listeners are called after the commit.
    """
    transaction.on_commit(lambda: _notify_listeners(*users), robust=True)


def _notify_listeners(*users: int) -> None:
    for listener in _listeners:
        listener(*users)


def on_rights_changed(listener: Listener) -> None:
    """Register a listener for the keys of users whose streams must be rechecked; with none, everybody's."""
    _listeners.append(listener)


def off_rights_changed(listener: Listener) -> None:
    _listeners.remove(listener)


def own_seat(match: Match, player: Player | None) -> Seat | None:
    """The player's seat at the match, if they have one."""
    return next((seat for seat in match.seats.all() if player and player.owns(seat)), None)


def match_by_code(request: HttpRequest, code: str) -> tuple[Match, Seat | None]:
    """The match with a code that may be a guess; the lookup counts unless the player has a seat there."""
    try:
        match, seat = visible_match(code, known_player(request))
    except Http404:
        codes.count_lookup(request, found=False)
        raise
    if seat is None:
        codes.count_lookup(request, found=True)
    return match, seat


def visible_match(code: str, player: Player | None) -> tuple[Match, Seat | None]:
    """The match and the player's seat at it; raises `Http404` if they may not see it.

    The code of a table where people play together invites anybody to watch. A game that somebody plays alone is only
    for its player, and a class's table for those who sit there or may watch. A whole-class match can't be seen here
    until it's over.
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
    """The primary key of the player's account; None for guests."""
    return player.user.pk if player and player.user else None
