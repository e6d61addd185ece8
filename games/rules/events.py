"""Events of a match. Its log is a list of them, and its state is a fold over the log."""

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
    """The log keeps the shuffled deck, so that a replay doesn't depend on how shuffling is implemented."""

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
    """The replacement cards; empty when the table shrinks."""
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
    """Everybody agreed there's no SET, but there is one."""

    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteCarried:
    """Three more cards: everybody agreed there's no SET, or the host laid them."""

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
    """A seat's window is `factor` times as long from now on."""

    at: float
    seat: int
    factor: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """A seat has a new name; tables are redrawn."""

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
