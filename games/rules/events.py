"""What happened at a match; a match's log is a list of these and its state is their fold."""

from dataclasses import dataclass

from games.rules.cards import Card
from games.rules.state import Ending, Failing
from games.rules.triples import Triple


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    at: float
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    at: float
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Connected:
    at: float
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Disconnected:
    at: float
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DealBegan:
    """The whole order of the deck is in the log, so that a replay never depends on how a shuffle is made."""

    at: float
    dealer: int
    deck: tuple[Card, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    at: float
    seat: int
    deadline: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetTaken:
    at: float
    seat: int
    cards: Triple
    laid: tuple[Card, ...]
    """The cards that take the three places; empty when the table shrinks."""
    pays_back: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFailed:
    at: float
    seat: int
    why: Failing
    cards: tuple[Card, ...] = ()
    cost: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreed:
    at: float
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TookBack:
    at: float
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteRefused:
    """All agreed, and there is a SET."""

    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteCarried:
    """Three more cards: all agreed that there is no SET, or the host laid them."""

    at: float
    laid: tuple[Card, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GaveUp:
    """A solitaire player found no SET."""

    at: float
    seat: int
    owes: int
    laid: tuple[Card, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused:
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeGiven:
    """A seat's window is so many times as long from now on."""

    at: float
    seat: int
    factor: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """A seat has another name from now on; tables are drawn anew."""

    at: float
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DealEnded:
    at: float
    why: Ending


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEnded:
    at: float
    why: Ending
    winners: tuple[int, ...]


Event = (
    Joined
    | Left
    | Connected
    | Disconnected
    | DealBegan
    | Called
    | SetTaken
    | CallFailed
    | Agreed
    | TookBack
    | VoteRefused
    | VoteCarried
    | GaveUp
    | Paused
    | Resumed
    | TimeGiven
    | Renamed
    | DealEnded
    | MatchEnded
)
