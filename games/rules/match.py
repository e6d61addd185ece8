"""The referee: `decide` turns a command into events. `evolution.py` applies events to a match."""

from __future__ import annotations

import random
from functools import singledispatch

from games.rules import commands as ask
from games.rules import events as did
from games.rules.cards import Card
from games.rules.editions import Options, PaysBack, Solitaire, Votes
from games.rules.errors import BadOption, RefusalReason, Refused
from games.rules.evolution import evolve
from games.rules.state import Ending, Failing, MatchState, Phase, SeatState
from games.rules.triples import Triple, has_set, is_set

THREE = 3
LAST_CARDS = 12


def new_match(options: Options, *, seed: str | int) -> MatchState:
    """A new match, without players yet."""
    if seed == "":
        raise BadOption("a match needs a seed: its shuffles come from it")
    return MatchState(options=options, seed=str(seed))


def decide(match: MatchState, command: ask.Command, now: float) -> tuple[did.Event, ...]:
    """The events that a command causes at this time. Raises `Refused`; never changes the match itself.

    A deadline that has passed is enforced first. If the command is then refused, those events are lost with it, so
    decide a `Tick` first and keep its events.
    """
    decision = _Decision(match, now)
    decision.enforce_deadline()
    _act(command, decision)
    decision.count_votes()
    return tuple(decision.events)


class _Decision:
    """A command while it's being decided: the events so far, and the match after them."""

    def __init__(self, match: MatchState, now: float) -> None:
        self.match = match
        self.now = now
        self.events: list[did.Event] = []

    def note(self, event: did.Event) -> None:
        self.events.append(event)
        self.match = evolve(self.match, event)

    def seat(self, number: int) -> SeatState:
        """The seat that a command names; refused if its player has left or the match is over."""
        self.check_not_over()
        if type(number) is not int or not 0 <= number < len(self.match.seats):
            raise Refused(RefusalReason.NO_SUCH_SEAT)
        seat = self.match.seats[number]
        if not seat.is_seated:
            raise Refused(RefusalReason.SEAT_LEFT)
        return seat

    def player(self, number: int) -> SeatState:
        """The seat that makes a move; note it as connected, whatever the network last said."""
        seat = self.seat(number)
        self.check_playing()
        if not seat.is_connected:
            self.note(did.Connected(at=self.now, seat=number))
        return seat

    def check_playing(self) -> None:
        self.check_not_over()
        self.check_not_paused()
        if self.match.phase is Phase.WAITING:
            raise Refused(RefusalReason.NOT_STARTED)

    def check_not_over(self) -> None:
        if self.match.phase is Phase.OVER:
            raise Refused(RefusalReason.MATCH_OVER)

    def check_not_paused(self) -> None:
        if self.match.paused_at is not None:
            raise Refused(RefusalReason.PAUSED)

    def draw(self) -> tuple[Card, ...]:
        return self.match.deck[:THREE]

    def enforce_deadline(self) -> None:
        control = None if self.match.paused_at is not None else self.match.control
        if control and control.deadline is not None and self.now >= control.deadline:
            self.fail(control.seat, Failing.LATE, at=control.deadline)

    def fail(self, seat: int, why: Failing, cards: tuple[Card, ...] = (), *, at: float | None = None) -> None:
        cost = 0 if self.match.options.relaxed else 1
        self.note(did.CallFailed(at=self.now if at is None else at, seat=seat, why=why, cards=cards, cost=cost))

    def take(self, seat: SeatState, cards: Triple) -> None:
        match = self.match
        shrinks = len(match.table) - THREE >= match.options.laid
        self.note(
            did.SetTaken(
                at=self.now,
                seat=seat.number,
                cards=cards,
                laid=() if shrinks else self.draw(),
                pays_back=seat.owed > 0 and _pays_back(match),
            )
        )
        self.end_if_played_out()

    def count_votes(self) -> None:
        match = self.match
        if match.phase is not Phase.PLAYING or match.control or match.paused_at is not None:
            return
        if not match.voters or not match.voters <= match.votes:
            return
        # With an empty deck, or a table size that always holds a SET, even an unchecked vote must be wrong.
        is_wrong = not match.deck or len(match.table) >= match.options.most_cards
        if is_wrong or (match.options.votes is Votes.CHECKED and has_set(match.table)):
            self.note(did.VoteRefused(at=self.now))
        else:
            self.note(did.VoteCarried(at=self.now, laid=self.draw()))
            self.end_if_played_out()

    def end_if_played_out(self) -> None:
        if not self.match.deck and not has_set(self.match.table):
            self.end_deal(Ending.PLAYED_OUT)

    def end_deal(self, why: Ending) -> None:
        self.note(did.DealEnded(at=self.now, why=why))
        self.end_match_unless_another_deals(why)

    def end_match_unless_another_deals(self, why: Ending) -> None:
        if not self.match.options.everyone_deals or self.match.next_dealer is None:
            self.end_match(why)

    def end_match(self, why: Ending) -> None:
        self.note(did.MatchEnded(at=self.now, why=why, winners=_winners(self.match, why)))


def _pays_back(match: MatchState) -> bool:
    if match.deck:
        return False
    return match.options.pays_back is PaysBack.TABLE or len(match.table) <= LAST_CARDS


def _winners(match: MatchState, why: Ending) -> tuple[int, ...]:
    if why not in (Ending.PLAYED_OUT, Ending.STOPPED):
        return ()
    if match.options.solitaire:
        return tuple(seat.number for seat in match.seated if seat.owed == 0 and why is Ending.PLAYED_OUT)
    best = max((seat.points for seat in match.seated), default=0)
    if why is Ending.STOPPED and best <= 0:
        return ()
    return tuple(seat.number for seat in match.seated if seat.points == best)


# What each command does.


@singledispatch
def _act(command: ask.Command, decision: _Decision) -> None:
    raise TypeError(f"the referee does not know {command!r}")


@_act.register
def _(command: ask.Tick, decision: _Decision) -> None:
    pass


@_act.register
def _(command: ask.Join, decision: _Decision) -> None:
    match = decision.match
    decision.check_not_over()
    if command.seat is not None:
        if type(command.seat) is not int or not 0 <= command.seat < len(match.seats):
            raise Refused(RefusalReason.NO_SUCH_SEAT)
        if match.seats[command.seat].is_seated:
            return
    if len(match.seated) >= match.options.most_seats:
        raise Refused(RefusalReason.TABLE_FULL)
    decision.note(did.Joined(at=decision.now, seat=len(match.seats) if command.seat is None else command.seat))


@_act.register
def _(command: ask.Leave, decision: _Decision) -> None:
    seat = decision.seat(command.seat)
    if _has_control(decision.match, seat.number):
        decision.fail(seat.number, Failing.LEFT)
    decision.note(did.Left(at=decision.now, seat=seat.number))
    if not decision.match.seated:
        decision.end_match(Ending.ABANDONED)
    elif decision.match.phase is Phase.WAITING and decision.match.deal:
        decision.end_match_unless_another_deals(Ending.PLAYED_OUT)


@_act.register
def _(command: ask.Connect, decision: _Decision) -> None:
    if not decision.seat(command.seat).is_connected:
        decision.note(did.Connected(at=decision.now, seat=command.seat))


@_act.register
def _(command: ask.Disconnect, decision: _Decision) -> None:
    seat = decision.seat(command.seat)
    if not seat.is_connected:
        return
    # Without a window nothing else would ever free the board.
    if _has_control(decision.match, seat.number) and decision.match.options.window is None:
        decision.fail(seat.number, Failing.LEFT)
    decision.note(did.Disconnected(at=decision.now, seat=seat.number))


@_act.register
def _(command: ask.Deal, decision: _Decision) -> None:
    decision.seat(command.seat)
    decision.check_not_paused()
    match = decision.match
    if match.phase is Phase.PLAYING or match.next_dealer is None:
        raise Refused(RefusalReason.ALREADY_STARTED)
    deck = list(match.options.deck)
    random.Random(f"{match.seed}/{match.deal + 1}").shuffle(deck)
    decision.note(did.DealBegan(at=decision.now, dealer=match.next_dealer, deck=tuple(deck)))


@_act.register
def _(command: ask.Call, decision: _Decision) -> None:
    seat = decision.player(command.seat)
    if _has_control(decision.match, seat.number):
        return
    if decision.match.control:
        raise Refused(RefusalReason.BOARD_HELD)
    window = decision.match.options.window
    deadline = None if window is None else decision.now + window * seat.factor
    decision.note(did.Called(at=decision.now, seat=seat.number, deadline=deadline))


@_act.register
def _(command: ask.Pick, decision: _Decision) -> None:
    seat = decision.player(command.seat)
    first, second, third = cards = _three_of_the_table(decision.match, command.cards)
    _check_control(decision.match, seat.number)
    if is_set(first, second, third):
        decision.take(seat, cards)
    else:
        decision.fail(seat.number, Failing.WRONG, cards)


@_act.register
def _(command: ask.Withdraw, decision: _Decision) -> None:
    seat = decision.player(command.seat)
    if not _has_control(decision.match, seat.number):
        raise Refused(RefusalReason.NOT_YOUR_CONTROL)
    decision.fail(seat.number, Failing.WITHDRAWN)


@_act.register
def _(command: ask.AgreeNoSet, decision: _Decision) -> None:
    seat = decision.player(command.seat)
    if decision.match.control:
        raise Refused(RefusalReason.BOARD_HELD)
    if decision.match.options.solitaire:
        _give_up(decision, seat)
    elif seat.number not in decision.match.votes:
        decision.note(did.Agreed(at=decision.now, seat=seat.number))


@_act.register
def _(command: ask.TakeBack, decision: _Decision) -> None:
    seat = decision.player(command.seat)
    if seat.number in decision.match.votes:
        decision.note(did.TookBack(at=decision.now, seat=seat.number))


@_act.register
def _(command: ask.Pause, decision: _Decision) -> None:
    decision.check_not_over()
    if decision.match.paused_at is None:
        decision.note(did.Paused(at=decision.now))


@_act.register
def _(command: ask.Resume, decision: _Decision) -> None:
    decision.check_not_over()
    if decision.match.paused_at is not None:
        decision.note(did.Resumed(at=decision.now))


@_act.register
def _(command: ask.GiveTime, decision: _Decision) -> None:
    if decision.seat(command.seat).factor != command.factor:
        decision.note(did.TimeGiven(at=decision.now, seat=command.seat, factor=command.factor))


@_act.register
def _(command: ask.Rename, decision: _Decision) -> None:
    decision.note(did.Renamed(at=decision.now, seat=decision.seat(command.seat).number))


@_act.register
def _(command: ask.LayThree, decision: _Decision) -> None:
    decision.check_playing()
    match = decision.match
    if match.control:
        raise Refused(RefusalReason.BOARD_HELD)
    if not match.deck:
        raise Refused(RefusalReason.DECK_USED_UP)
    if len(match.table) >= match.options.most_cards:
        raise Refused(RefusalReason.ALWAYS_A_SET)
    decision.note(did.VoteCarried(at=decision.now, laid=decision.draw()))
    decision.end_if_played_out()


@_act.register
def _(command: ask.Stop, decision: _Decision) -> None:
    decision.check_not_over()
    if decision.match.phase is Phase.PLAYING:
        decision.note(did.DealEnded(at=decision.now, why=Ending.STOPPED))
    decision.end_match(Ending.STOPPED)


def _give_up(decision: _Decision, seat: SeatState) -> None:
    match = decision.match
    if match.options.solitaire is Solitaire.LOSES:
        decision.note(did.GaveUp(at=decision.now, seat=seat.number, owes=0, laid=()))
        decision.end_deal(Ending.GAVE_UP)
        return
    if match.deck and len(match.table) >= match.options.most_cards:
        raise Refused(RefusalReason.ALWAYS_A_SET)
    decision.note(did.GaveUp(at=decision.now, seat=seat.number, owes=1, laid=decision.draw()))
    if not match.deck:
        decision.end_deal(Ending.GAVE_UP)
    else:
        decision.end_if_played_out()


def _has_control(match: MatchState, seat: int) -> bool:
    return match.control is not None and match.control.seat == seat


def _check_control(match: MatchState, seat: int) -> None:
    if match.control:
        if match.control.seat != seat:
            raise Refused(RefusalReason.NOT_YOUR_CONTROL)
    elif not match.options.quick:
        raise Refused(RefusalReason.WINDOW_OVER if match.late == seat else RefusalReason.CALL_FIRST)


def _three_of_the_table(match: MatchState, cards: tuple[Card, ...]) -> Triple:
    if len(cards) < THREE:
        raise Refused(RefusalReason.FEWER_THAN_THREE)
    if len(cards) > THREE:
        raise Refused(RefusalReason.MORE_THAN_THREE)
    if len(set(cards)) < THREE:
        raise Refused(RefusalReason.SAME_CARD_TWICE)
    gone = set(cards).difference(match.table)
    if gone:
        raise Refused(RefusalReason.TAKEN if gone <= set(match.taken) else RefusalReason.NOT_ON_TABLE)
    first, second, third = cards
    return first, second, third
