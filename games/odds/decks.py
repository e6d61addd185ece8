"""The two decks that odds are asked about, and checks of such questions."""

from __future__ import annotations

from enum import StrEnum

from games.rules.cards import FULL_DECK, Card, Feature, easy_deck
from games.rules.errors import RulesError


class BadOddsQuestion(RulesError):
    """A question about odds that has no answer: an unknown deck, or a number out of range."""


class Deck(StrEnum):
    """A deck by its name. All 27-card decks have the same odds, so one stands for them all."""

    FULL = "full"
    EASY = "easy"

    @classmethod
    def named(cls, name: Deck | str) -> Deck:
        try:
            return cls(name)
        except ValueError:
            names = " or ".join(repr(deck.value) for deck in cls)
            raise BadOddsQuestion(f"odds are known for the deck {names}, not {name!r}") from None

    @property
    def cards(self) -> tuple[Card, ...]:
        return FULL_DECK if self is Deck.FULL else easy_deck(Feature.SHADING)

    @property
    def size(self) -> int:
        return 81 if self is Deck.FULL else 27

    @property
    def always_a_set(self) -> int:
        """The smallest number of cards that always holds a SET."""
        return 21 if self is Deck.FULL else 10


def check_number(what: str, number: int, least: int, most: int | None = None) -> None:
    if type(number) is not int or number < least or (most is not None and number > most):
        reach = f"at least {least}" if most is None else f"from {least} to {most}"
        raise BadOddsQuestion(f"{what} is a whole number {reach}, not {number!r}")
