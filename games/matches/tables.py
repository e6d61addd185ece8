"""A match as the table template needs it: places, seats, control, what happened last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from games.matches import store as match_store
from games.models import Match
from games.rules import events as did
from games.rules import explain
from games.rules import state as rules
from games.rules.cards import Card
from games.rules.records import event_from
from games.rules.state import Ending, Failing, Phase
from games.rules.triples import Verdict
from games.words import verdict_words

# The letter key for each place, on any keyboard layout; the rest of the alphabet is for other shortcuts.
LETTERS = "ABCDEFGHIJKLMNOPQRSTU"
_PICKED = {kind.__name__ for kind in (did.SetTaken, did.CallFailed)}
"""The events that may include a pick."""


class Place(NamedTuple):
    letter: str
    card: Card


class SeatView(NamedTuple):
    number: int
    name: str
    points: int
    is_there: bool
    has_control: bool
    has_agreed: bool
    is_winner: bool

    @property
    def marks(self) -> str:
        """The CSS classes that set its look."""
        marks = {"has-control": self.has_control, "is-away": not self.is_there, "is-winner": self.is_winner}
        return " ".join(["seat", f"seat-{self.number}", *(mark for mark, is_so in marks.items() if is_so)])


class Felt(NamedTuple):
    """The cards on the table, or what's shown in their place; a call alone doesn't change it."""

    places: tuple[Place, ...]
    columns: int
    is_over: bool
    is_waiting: bool
    is_paused: bool
    code: str = ""
    """The code to join with, before the first deal."""
    result: str = ""
    standing: tuple[SeatView, ...] = ()
    next_dealer: str = ""

    @property
    def has_result(self) -> bool:
        return self.is_over or self.is_waiting


class PickView(NamedTuple):
    """The last pick, for everybody to check."""

    name: str
    seat: int
    verdict: Verdict
    at: float


def table_context(match: Match, state: rules.MatchState) -> dict[str, Any]:
    """The context of `games/_table.html`, the same for every viewer."""
    details = match_store.match_details(match)
    names, recent = details.names, details.log
    winners = state.outcome.winners if state.outcome else ()
    seats = [
        SeatView(
            number=seat.number,
            name=names.get(seat.number, "?"),
            points=seat.points,
            is_there=seat.is_seated and seat.is_connected,
            has_control=state.control is not None and state.control.seat == seat.number,
            has_agreed=seat.number in state.votes,
            is_winner=seat.number in winners,
        )
        for seat in state.seats
        if seat.is_seated or seat.sets or seat.lost
    ]
    control = state.control
    return {
        "match": match,
        "state": state,
        "seats": seats,
        "agreed_seats": " ".join(str(seat.number) for seat in seats if seat.has_agreed),
        "felt": _felt(match, state, seats, names),
        "control": control,
        "caller": names.get(control.seat, "?") if control else "",
        # Extra time isn't shown here, neither to the player who has it nor to anybody else.
        "deadline": control.since + state.options.window if control and state.options.window else None,
        "pick": _last_pick(recent, names),
        "say": " ".join(filter(None, (happening(event_from(each), names, state) for each in _last_instant(recent)))),
    }


def _felt(match: Match, state: rules.MatchState, seats: Sequence[SeatView], names: dict[int, str]) -> Felt:
    felt = Felt(
        places=tuple(Place(letter, card) for letter, card in zip(LETTERS, state.table, strict=False)),
        columns=max(3, len(state.table) // 3),
        is_over=state.phase is Phase.OVER,
        is_waiting=state.phase is Phase.WAITING,
        is_paused=state.paused_at is not None,
    )
    if felt.is_waiting and not state.deal:
        return felt._replace(code=match.code)
    if not felt.has_result:
        return felt
    standing = tuple(sorted(seats, key=lambda seat: -seat.points))
    next_dealer = names.get(state.next_dealer, "") if state.next_dealer is not None else ""
    return felt._replace(result=_result(state, names), standing=standing, next_dealer=next_dealer)


# Only log entries that are shown are parsed into events.


def _last_instant(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [record for record in records if record["at"] == records[-1]["at"]]


def _last_pick(records: Sequence[dict[str, Any]], names: dict[int, str]) -> PickView | None:
    for record in reversed(records):
        if record["kind"] == did.DealBegan.__name__:
            return None
        if record["kind"] in _PICKED and record["cards"]:
            first, second, third = map(Card.from_index, record["cards"])
            seat = record["seat"]
            return PickView(names.get(seat, "?"), seat, explain(first, second, third), record["at"])
    return None


_SENTENCES: dict[type[did.Event], Promise | str] = {
    did.Joined: gettext_lazy("%(name)s sits down."),
    did.Left: gettext_lazy("%(name)s leaves the table."),
    did.Called: gettext_lazy("%(name)s calls SET!"),
    did.SetTaken: gettext_lazy("%(name)s takes a SET."),
    did.Agreed: gettext_lazy("%(name)s sees no SET."),
    did.TookBack: gettext_lazy("%(name)s looks again."),
    did.VoteRefused: gettext_lazy("Look again: there is a SET."),
    did.VoteCarried: gettext_lazy("Three more cards."),
    did.DealBegan: gettext_lazy("The cards are dealt."),
    did.Paused: gettext_lazy("Eyes up! The game stands still."),
    did.Resumed: gettext_lazy("On we go."),
}
_FAILINGS: dict[Failing, Promise | str] = {
    Failing.WRONG: gettext_lazy("%(name)s is wrong: not a SET."),
    Failing.LATE: gettext_lazy("%(name)s ran out of time."),
    Failing.WITHDRAWN: gettext_lazy("%(name)s gives the call back."),
    Failing.LEFT: gettext_lazy("%(name)s gives up the call."),
}


def broken_words(cards: tuple[Card, ...]) -> str:
    """What keeps three cards from being a SET, in one sentence."""
    first, second, third = cards
    return verdict_words(explain(first, second, third).broken) + "."


def happening(event: did.Event, names: dict[int, str], state: rules.MatchState) -> str:
    """An event as a sentence to show and speak; empty if it doesn't need one."""
    if isinstance(event, did.MatchEnded):
        return _result(state, names)
    sentence: Promise | str
    if isinstance(event, did.CallFailed):
        sentence = _FAILINGS[event.why]
    elif isinstance(event, did.GaveUp) and event.laid:
        sentence = _SENTENCES[did.VoteCarried]
    else:
        sentence = _SENTENCES.get(type(event), "")
    words = str(sentence) % {"name": names.get(getattr(event, "seat", -1), "?")}
    if isinstance(event, did.CallFailed) and event.cards:
        words += " " + broken_words(event.cards)
    if isinstance(event, did.SetTaken | did.CallFailed):
        points = state.seats[event.seat].points
        words += " " + ngettext("%(points)s point.", "%(points)s points.", points) % {"points": points}
    return words


def _result(state: rules.MatchState, names: dict[int, str]) -> str:
    if state.outcome is None:
        return ""
    if state.outcome.why is Ending.ABANDONED:
        return _("Everybody has left the table.")
    winners = [names.get(seat, "?") for seat in state.outcome.winners]
    if state.outcome.why is Ending.STOPPED and (not winners or len(state.seated) == 1):
        return _("The game was stopped.")
    if state.options.solitaire:
        return _result_alone(state, state.outcome)
    if len(state.seated) == 1:
        return _("All done: no SET is left.")
    if len(winners) == 1:
        return _("%(name)s wins.") % {"name": winners[0]}
    return _("A shared win: %(names)s.") % {"names": ", ".join(winners)}


def _result_alone(state: rules.MatchState, outcome: rules.Outcome) -> str:
    owed = state.seats[0].owed
    if outcome.winners:
        return _("You have won: every SET was found, and nothing is owed.")
    if outcome.why is Ending.GAVE_UP and not owed:
        return _("This edition ends the game when no SET is found.")
    return ngettext(
        "The game is over with %(owed)s SET still owed.", "The game is over with %(owed)s SETs still owed.", owed
    ) % {"owed": owed}
