"""What players ask of the referee, and the tick of the clock."""

from dataclasses import dataclass

from games.rules.cards import Card


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
class Tick:
    """Nothing but time has passed: enforce what is due."""


Command = Join | Leave | Connect | Disconnect | Deal | Call | Pick | Withdraw | AgreeNoSet | TakeBack | Tick
