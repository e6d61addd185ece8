"""Apply an event, or a whole log, to a match. No rules are checked here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import reduce, singledispatch
from typing import Any

from games.rules import events as did
from games.rules.cards import Card
from games.rules.state import Control, Failing, HeldSet, MatchState, Outcome, Phase, SeatState
from games.rules.triples import Triple


def replay(start: MatchState, events: Iterable[did.Event]) -> MatchState:
    """The state that results from a log."""
    return reduce(evolve, events, start)


def evolve(match: MatchState, event: did.Event) -> MatchState:
    """The match after the event."""
    return _after(event, match)


@singledispatch
def _after(event: did.Event, match: MatchState) -> MatchState:
    raise TypeError(f"this is no event of a match: {event!r}")


def _with_seat(match: MatchState, number: int, **changes: Any) -> tuple[SeatState, ...]:
    seats = list(match.seats)
    seats[number] = replace(seats[number], **changes)
    return tuple(seats)


@_after.register
def _(event: did.Joined, match: MatchState) -> MatchState:
    if event.seat == len(match.seats):
        return replace(match, seats=(*match.seats, SeatState(event.seat)), since=event.at)
    return replace(match, seats=_with_seat(match, event.seat, is_seated=True, is_connected=True), since=event.at)


@_after.register
def _(event: did.Left, match: MatchState) -> MatchState:
    seats = _with_seat(match, event.seat, is_seated=False, is_connected=False)
    return replace(match, seats=seats, votes=match.votes - {event.seat})


@_after.register
def _(event: did.Connected, match: MatchState) -> MatchState:
    return replace(match, seats=_with_seat(match, event.seat, is_connected=True), since=event.at)


@_after.register
def _(event: did.Disconnected, match: MatchState) -> MatchState:
    return replace(match, seats=_with_seat(match, event.seat, is_connected=False), votes=match.votes - {event.seat})


@_after.register
def _(event: did.DealBegan, match: MatchState) -> MatchState:
    laid = match.options.laid
    return replace(
        match,
        phase=Phase.PLAYING,
        deal=match.deal + 1,
        dealer=event.dealer,
        seats=_with_seat(match, event.dealer, has_dealt=True),
        table=event.deck[:laid],
        deck=event.deck[laid:],
        look=match.look + 1,
        since=event.at,
    )


@_after.register
def _(event: did.Called, match: MatchState) -> MatchState:
    # A caller sees a SET, or thinks so, so the call takes back their vote that there's none.
    control = Control(event.seat, since=event.at, deadline=event.deadline)
    return replace(match, control=control, votes=match.votes - {event.seat}, late=None)


@_after.register
def _(event: did.SetTaken, match: MatchState) -> MatchState:
    seat = match.seats[event.seat]
    held = HeldSet(match.deal, event.cards)
    seats = _with_seat(match, event.seat, sets=(*seat.sets, held), owed=seat.owed - event.pays_back)
    return replace(
        match,
        seats=seats,
        control=None,
        votes=frozenset(),
        late=None,
        table=_after_taking(match.table, event.cards, event.laid),
        deck=match.deck[len(event.laid) :],
        look=match.look + 1,
        since=event.at,
    )


def _after_taking(table: tuple[Card, ...], taken: Triple, laid: tuple[Card, ...]) -> tuple[Card, ...]:
    """New cards replace the taken ones; without new ones, the last cards fill the gaps and the others stay put."""
    size = len(table) - len(taken) + len(laid)
    moving = iter(laid or [card for card in table[size:] if card not in taken])
    return tuple(next(moving) if card in taken else card for card in table[:size])


@_after.register
def _(event: did.CallFailed, match: MatchState) -> MatchState:
    seats = _with_seat(match, event.seat, lost=match.seats[event.seat].lost + event.cost)
    late = event.seat if event.why is Failing.LATE else None
    return replace(match, seats=seats, control=None, late=late, look=match.look + 1, since=event.at)


@_after.register
def _(event: did.Agreed, match: MatchState) -> MatchState:
    return replace(match, votes=match.votes | {event.seat})


@_after.register
def _(event: did.TookBack, match: MatchState) -> MatchState:
    return replace(match, votes=match.votes - {event.seat})


@_after.register
def _(event: did.VoteRefused, match: MatchState) -> MatchState:
    return replace(match, votes=frozenset(), look=match.look + 1, since=event.at)


@_after.register
def _(event: did.VoteCarried, match: MatchState) -> MatchState:
    return replace(
        match,
        votes=frozenset(),
        table=match.table + event.laid,
        deck=match.deck[len(event.laid) :],
        look=match.look + 1,
        since=event.at,
    )


@_after.register
def _(event: did.GaveUp, match: MatchState) -> MatchState:
    return replace(
        match,
        seats=_with_seat(match, event.seat, owed=match.seats[event.seat].owed + event.owes),
        table=match.table + event.laid,
        deck=match.deck[len(event.laid) :],
        look=match.look + 1,
        since=event.at,
    )


@_after.register
def _(event: did.Paused, match: MatchState) -> MatchState:
    return replace(match, paused_at=event.at)


@_after.register
def _(event: did.Resumed, match: MatchState) -> MatchState:
    paused_at = event.at if match.paused_at is None else match.paused_at
    # Negative if the clock was set back in between.
    paused_for = event.at - paused_at
    control = match.control
    if control:
        deadline = None if control.deadline is None else control.deadline + paused_for
        control = replace(control, since=control.since + paused_for, deadline=deadline)
    # A player who came during the pause starts looking when the clocks continue.
    since = match.since + paused_for if match.since <= paused_at else event.at
    return replace(match, paused_at=None, control=control, since=since)


@_after.register
def _(event: did.TimeGiven, match: MatchState) -> MatchState:
    return replace(match, seats=_with_seat(match, event.seat, factor=event.factor))


@_after.register
def _(event: did.Renamed, match: MatchState) -> MatchState:
    return match


@_after.register
def _(event: did.DealEnded, match: MatchState) -> MatchState:
    return replace(match, phase=Phase.WAITING, control=None, votes=frozenset(), late=None)


@_after.register
def _(event: did.MatchEnded, match: MatchState) -> MatchState:
    return replace(
        match,
        phase=Phase.OVER,
        control=None,
        votes=frozenset(),
        late=None,
        paused_at=None,
        outcome=Outcome(event.why, event.winners),
    )
