"""The state of a match as immutable values: the table, the seats, who has control. `evolution.py` changes it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from games.rules.cards import Card
from games.rules.editions import Options
from games.rules.triples import Triple


class Phase(StrEnum):
    WAITING = "waiting"
    """Before the first deal, or between deals."""
    PLAYING = "playing"
    OVER = "over"


class Ending(StrEnum):
    """Why a deal or a match ended."""

    PLAYED_OUT = "played-out"
    """The deck is used up and no SET is left on the table."""
    GAVE_UP = "gave-up"
    """A solitaire player gave up, and the edition or the empty deck allows no more cards."""
    ABANDONED = "abandoned"
    """Everybody has left the table."""
    STOPPED = "stopped"
    """The host ended it; points are kept."""


class Failing(StrEnum):
    """Why a call failed."""

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
    """One player's seat, kept when the player leaves."""

    number: int
    is_seated: bool = True
    is_connected: bool = True
    has_dealt: bool = False
    sets: tuple[HeldSet, ...] = ()
    lost: int = 0
    """Points lost by failed calls."""
    owed: int = 0
    """Solitaire: SETs owed for giving up and not paid back yet."""
    factor: float = 1.0
    """How many times as long this seat's window is; only the player and the host may see it."""

    @property
    def penalties(self) -> int:
        return self.lost + self.owed

    @property
    def points(self) -> int:
        return len(self.sets) - self.penalties


@dataclass(frozen=True, slots=True)
class Control:
    """Which seat may pick, until it has done so or the deadline passes."""

    seat: int
    since: float
    deadline: float | None


@dataclass(frozen=True, slots=True)
class Outcome:
    why: Ending
    winners: tuple[int, ...]
    """The seats that share the win; empty for a lost solitaire, an abandoned match, or one stopped without points."""


@dataclass(frozen=True, slots=True)
class MatchState:
    """The whole state of a match. `deck` and `seed` must stay secret."""

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
    """The seat whose window just ran out, so that a late pick can be told why it's refused."""
    look: int = 0
    """How many times players have had a reason to look at the table afresh; it seeds computer opponents."""
    since: float = 0.0
    """When `look` last changed, or when a player last joined or connected."""
    outcome: Outcome | None = None
    paused_at: float | None = None
    """When the clocks stopped; None while they run."""

    @property
    def taken(self) -> tuple[Card, ...]:
        """The cards that players have taken in the current deal."""
        return tuple(card for seat in self.seats for held in seat.sets if held.deal == self.deal for card in held.cards)

    @property
    def voters(self) -> frozenset[int]:
        """The seats that must all agree there's no SET."""
        return frozenset(seat.number for seat in self.seats if seat.is_seated and seat.is_connected)

    @property
    def seated(self) -> tuple[SeatState, ...]:
        return tuple(seat for seat in self.seats if seat.is_seated)

    @property
    def next_dealer(self) -> int | None:
        """The first player to the dealer's left who hasn't dealt yet."""
        waiting = [seat.number for seat in self.seated if not seat.has_dealt]
        left = [number for number in waiting if self.dealer is not None and number > self.dealer]
        return next(iter(left or waiting), None)
