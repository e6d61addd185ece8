"""What players ask of the referee, and the tick of the clock."""

from dataclasses import dataclass

from games.rules.cards import Card
from games.rules.errors import BadOption

LONGEST_FACTOR = 10.0


@dataclass(frozen=True, slots=True)
class Join:
    seat: int | None = None
    """None takes a new seat; a number comes back to the seat that one left."""


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
    """Begin the first deal, or the next one of a longer game; whoever asks, the one whose turn it is deals."""

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
    """Give control back without a pick, at the price of a wrong one."""

    seat: int


@dataclass(frozen=True, slots=True)
class AgreeNoSet:
    """Say that there is no SET here; for a solitaire player this is giving up on the cards on the table."""

    seat: int


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Take the agreement back."""

    seat: int


@dataclass(frozen=True, slots=True)
class Pause:
    """The host stops the clocks; nobody plays until they go on."""


@dataclass(frozen=True, slots=True)
class Resume:
    """The clocks go on from where they stood."""


@dataclass(frozen=True, slots=True)
class GiveTime:
    """The host lengthens a seat's window for all calls to come."""

    seat: int
    factor: float

    def __post_init__(self) -> None:
        if not 1 <= self.factor <= LONGEST_FACTOR:
            raise BadOption(f"a window is made 1 to {LONGEST_FACTOR:g} times as long, not {self.factor!r} times")


@dataclass(frozen=True, slots=True)
class Rename:
    """The host calls somebody by another name; the name itself is no part of the rules."""

    seat: int


@dataclass(frozen=True, slots=True)
class LayThree:
    """The host lays three more cards, whatever the players think."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The host ends the match here; the points stand."""


@dataclass(frozen=True, slots=True)
class Tick:
    """Nothing but time has passed: enforce what is due."""


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
