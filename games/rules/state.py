"""How a match stands: the table, the seats, who has control. Values only; `match.py` says how they change."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from games.rules.cards import Card
from games.rules.editions import Options
from games.rules.triples import Triple


class Phase(StrEnum):
    WAITING = "waiting"
    """Before the first deal, or between two."""
    PLAYING = "playing"
    OVER = "over"


class Ending(StrEnum):
    """Why a deal or a match ended."""

    PLAYED_OUT = "played-out"
    """The deck is used up and no SET is left on the table."""
    GAVE_UP = "gave-up"
    """A solitaire player found no SET where the edition, or the empty deck, allows no more cards."""
    ABANDONED = "abandoned"
    """Nobody is at the table any more."""
    STOPPED = "stopped"
    """The host ended it; the points stand."""


class Failing(StrEnum):
    """Why a call brought no SET."""

    WRONG = "wrong"
    LATE = "late"
    WITHDRAWN = "withdrawn"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class HeldSet:
    deal: int
    cards: Triple


@dataclass(frozen=True, slots=True)
class SeatState:
    """One player's place at the match, kept when the player leaves."""

    number: int
    is_seated: bool = True
    is_connected: bool = True
    has_dealt: bool = False
    sets: tuple[HeldSet, ...] = ()
    lost: int = 0
    """Points lost by calls that brought no SET."""
    owed: int = 0
    """Solitaire: SETs that giving up has cost and that are not paid back yet."""
    factor: float = 1.0
    """How many times as long this seat's window is; nobody's business but the player's and the host's."""

    @property
    def penalties(self) -> int:
        return self.lost + self.owed

    @property
    def points(self) -> int:
        return len(self.sets) - self.penalties


@dataclass(frozen=True, slots=True)
class Control:
    """The board is this seat's until it has picked, or until the deadline."""

    seat: int
    since: float
    deadline: float | None


@dataclass(frozen=True, slots=True)
class Outcome:
    why: Ending
    winners: tuple[int, ...]
    """The seats that share the win; empty for a solitaire lost, a match abandoned, or one stopped before any SET."""


@dataclass(frozen=True, slots=True)
class MatchState:
    """The whole state of a match. `deck` and `seed` are the referee's secret."""

    options: Options
    seed: str
    phase: Phase = Phase.WAITING
    deal: int = 0
    dealer: int | None = None
    deck: tuple[Card, ...] = ()
    table: tuple[Card, ...] = ()
    seats: tuple[SeatState, ...] = ()
    control: Control | None = None
    votes: frozenset[int] = frozenset()
    late: int | None = None
    """Whose window ran out last, so that a pick that comes after it is told so."""
    look: int = 0
    """How often the table has given a reason to look at it anew."""
    since: float = 0.0
    """When it last did, or when somebody last came to look."""
    outcome: Outcome | None = None
    paused_at: float | None = None
    """Since when the clocks stand still; None while they go."""

    @property
    def taken(self) -> tuple[Card, ...]:
        """The cards that players hold from the deal that is on."""
        return tuple(card for seat in self.seats for held in seat.sets if held.deal == self.deal for card in held.cards)

    @property
    def voters(self) -> frozenset[int]:
        """Whose agreement it takes that there is no SET."""
        return frozenset(seat.number for seat in self.seats if seat.is_seated and seat.is_connected)

    @property
    def seated(self) -> tuple[SeatState, ...]:
        return tuple(seat for seat in self.seats if seat.is_seated)

    @property
    def next_dealer(self) -> int | None:
        """The player on the dealer's left who has not dealt yet."""
        waiting = [seat.number for seat in self.seated if not seat.has_dealt]
        left = [number for number in waiting if self.dealer is not None and number > self.dealer]
        return next(iter(left or waiting), None)
