"""A finished match told again from its log: each moment, every SET that was there, and how long it waited."""

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

# What moves the story on; who came and went does not.
_TOLD = (
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
    """Seconds from its last card being laid to this moment."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The match just before something happened, and what it was."""

    event: did.Event
    before: rules.MatchState
    after: rules.MatchState
    seconds: float
    """Since the first deal."""
    waiting: tuple[Waiting, ...]


def moments(match: Match) -> list[Moment]:
    """The match, moment by moment."""
    state = match_from(match.start)
    told: list[Moment] = []
    laid_at: dict[Card, float] = {}
    start: float | None = None
    for row in match.events.all():
        event = event_from(row.record)
        after = evolve(state, event)
        if isinstance(event, did.DealBegan):
            laid_at = {}
            start = event.at if start is None else start
        if isinstance(event, did.Resumed) and state.paused_at is not None and start is not None:
            # A pause is no time of the game, nor is the jump of a clock.
            stood = event.at - state.paused_at
            start += stood
            laid_at = {card: at + stood for card, at in laid_at.items()}
        if isinstance(event, _TOLD):
            seconds = event.at - (event.at if start is None else start)
            told.append(Moment(event, state, after, seconds, _waiting(state.table, laid_at, event.at)))
        for card in after.table:
            laid_at.setdefault(card, event.at)
        state = after
    return told


def _waiting(table: Sequence[Card], laid_at: dict[Card, float], now: float) -> tuple[Waiting, ...]:
    return tuple(
        Waiting(cards, effort, now - max(laid_at[card] for card in cards)) for effort, cards in ranked_sets(table)
    )
