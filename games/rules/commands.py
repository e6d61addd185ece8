"""Commands to the referee, from players, the host, and the clock."""

from dataclasses import dataclass

from games.rules.cards import Card
from games.rules.errors import BadOption

LONGEST_FACTOR = 10.0


@dataclass(frozen=True, slots=True)
class Join:
    seat: int | None = None
    """None for a new seat; a number to return to the seat that the player left."""


@dataclass(frozen=True, slots=True)
class Leave:
    seat: int


@dataclass(frozen=True, slots=True)
class Connect:
    seat: int


@dataclass(frozen=True, slots=True)
class Disconnect:
    seat: int


@dataclass(frozen=True, slots=True)
class Deal:
    """Start the first deal, or the next one in a longer game. Any player may ask; the one whose turn it is deals."""

    seat: int


@dataclass(frozen=True, slots=True)
class Call:
    seat: int


@dataclass(frozen=True, slots=True)
class Pick:
    seat: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Give up control without a pick, at the cost of a wrong one."""

    seat: int


@dataclass(frozen=True, slots=True)
class AgreeNoSet:
    """Vote that there's no SET on the table; in solitaire, give up on these cards."""

    seat: int


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Take back the vote that there's no SET."""

    seat: int


@dataclass(frozen=True, slots=True)
class Pause:
    """The host stops the clocks; nobody can play until `Resume`."""


@dataclass(frozen=True, slots=True)
class Resume:
    """The clocks continue from where they stopped."""


@dataclass(frozen=True, slots=True)
class GiveTime:
    """The host sets a seat's window to `factor` times its usual length for all future calls."""

    seat: int
    factor: float

    def __post_init__(self) -> None:
        if not 1 <= self.factor <= LONGEST_FACTOR:
            raise BadOption(f"a window is made 1 to {LONGEST_FACTOR:g} times as long, not {self.factor!r} times")


@dataclass(frozen=True, slots=True)
class Rename:
    """A player has a new name, so tables must be redrawn; the rules don't know the name itself."""

    seat: int


@dataclass(frozen=True, slots=True)
class LayThree:
    """The host lays three more cards, without a vote."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The host ends the match; points are kept."""


@dataclass(frozen=True, slots=True)
class Tick:
    """Only time has passed: enforce what's due."""


Command = (
    Join
    | Leave
    | Connect
    | Disconnect
    | Deal
    | Call
    | Pick
    | Withdraw
    | AgreeNoSet
    | TakeBack
    | Pause
    | Resume
    | GiveTime
    | Rename
    | LayThree
    | Stop
    | Tick
)
