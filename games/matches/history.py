"""The history of a finished match from its log: each moment, the SETs on the table, and how long they were there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from games.models import Match
from games.rules import Card, evolve
from games.rules import events as did
from games.rules import state as rules
from games.rules.hints import ranked_sets
from games.rules.records import event_from, match_from
from games.rules.triples import Triple

# Events that the replay shows; players coming and going aren't among them.
_SHOWN_EVENTS = (
    did.DealBegan,
    did.Called,
    did.SetTaken,
    did.CallFailed,
    did.VoteRefused,
    did.VoteCarried,
    did.GaveUp,
    did.MatchEnded,
)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A SET that was on the table."""

    cards: Triple
    effort: float
    waited: float
    """Seconds since the last of its cards was laid."""


@dataclass(frozen=True, slots=True)
class Moment:
    """An event, and the match before and after it."""

    event: did.Event
    before: rules.MatchState
    after: rules.MatchState
    seconds: float
    """Seconds since the first deal, without pauses."""
    waiting: tuple[Waiting, ...]


def moments(match: Match) -> list[Moment]:
    """The moments of a match, in order."""
    state = match_from(match.start)
    shown: list[Moment] = []
    laid_at: dict[Card, float] = {}
    start: float | None = None
    for row in match.events.all():
        event = event_from(row.record)
        after = evolve(state, event)
        if isinstance(event, did.DealBegan):
            laid_at = {}
            start = event.at if start is None else start
        if isinstance(event, did.Resumed) and state.paused_at is not None and start is not None:
            # Neither pauses nor clock jumps count as playing time.
            paused_for = event.at - state.paused_at
            start += paused_for
            laid_at = {card: at + paused_for for card, at in laid_at.items()}
        if isinstance(event, _SHOWN_EVENTS):
            seconds = event.at - (event.at if start is None else start)
            shown.append(Moment(event, state, after, seconds, _waiting_sets(state.table, laid_at, event.at)))
        for card in after.table:
            laid_at.setdefault(card, event.at)
        state = after
    return shown


def _waiting_sets(table: Sequence[Card], laid_at: dict[Card, float], now: float) -> tuple[Waiting, ...]:
    return tuple(
        Waiting(cards, effort, now - max(laid_at[card] for card in cards)) for effort, cards in ranked_sets(table)
    )
