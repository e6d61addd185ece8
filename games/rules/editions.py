"""The options of a match, and the printed editions of the rules as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from games.rules.cards import FULL_DECK, Card, Feature, easy_deck
from games.rules.errors import BadOption, UnknownEdition

SHORTEST_WINDOW = 1.0
LONGEST_WINDOW = 60.0
MOST_AT_A_TABLE = 8
MOST_IN_A_CLASS = 60


class Votes(StrEnum):
    """What the referee does when everybody agrees there's no SET."""

    CHECKED = "checked"
    PAPER = "paper"


class Solitaire(StrEnum):
    """What it costs a solitaire player to give up on the cards on the table."""

    OWES_ONE = "owes-one"
    LOSES = "loses"


class PaysBack(StrEnum):
    """Which SETs pay back what a solitaire player owes, once the deck is used up."""

    LAST_TWELVE = "last-twelve"
    TABLE = "table"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Everything that can be chosen before a match starts."""

    edition: str = "us"
    left_out: Feature | None = None
    """The feature that a 27-card deck leaves out; None for the full deck."""
    laid: int = 12
    window: float | None = 5.0
    """Seconds from a call to the pick; None for no limit."""
    everyone_deals: bool = False
    votes: Votes = Votes.CHECKED
    solitaire: Solitaire | None = None
    pays_back: PaysBack = PaysBack.LAST_TWELVE
    quick: bool = False
    """Whether picking three cards without a call counts as call and pick in one."""
    relaxed: bool = False
    """Whether a wrong or late pick costs nothing."""
    whole_class: bool = False
    """Whether a whole class plays at one table, each with a seat."""

    def __post_init__(self) -> None:
        if self.edition not in EDITIONS:
            raise UnknownEdition(f"no edition is called {self.edition!r}; there are {', '.join(EDITIONS)}")
        _check_choice("votes", Votes, self.votes)
        _check_choice("pays_back", PaysBack, self.pays_back)
        if self.left_out is not None:
            _check_choice("left_out", Feature, self.left_out)
        if self.solitaire is not None:
            _check_choice("solitaire", Solitaire, self.solitaire)
        if self.laid not in ((12,) if self.left_out is None else (9, 12)):
            raise BadOption(f"{self.laid!r} cards cannot be laid: it is 12, or 9 in an easy start")
        if self.window is not None and not SHORTEST_WINDOW <= self.window <= LONGEST_WINDOW:
            raise BadOption(f"a window of {self.window!r} s: it is {SHORTEST_WINDOW:g} to {LONGEST_WINDOW:g}, or None")
        if self.solitaire and self.everyone_deals:
            raise BadOption("a solitaire is one deal: nobody else is there to deal the next")
        if self.solitaire and self.whole_class:
            raise BadOption("a solitaire is played alone, and not by a whole class")

    @classmethod
    def of(cls, edition: str, *, easy: bool = False, alone: bool = False, **changes: Any) -> Options:
        """The options of a printed edition, optionally for its easy start or solitaire, with `changes` applied."""
        if edition not in EDITIONS:
            raise UnknownEdition(f"no edition is called {edition!r}; there are {', '.join(EDITIONS)}")
        printed = EDITIONS[edition]
        options = cls(
            edition=edition,
            left_out=printed.easy_leaves_out if easy else None,
            laid=printed.easy_laid if easy else 12,
            window=printed.window,
            everyone_deals=printed.everyone_deals and not alone,
            solitaire=printed.solitaire if alone else None,
            pays_back=printed.pays_back,
        )
        try:
            return replace(options, **changes)
        except TypeError as error:
            raise BadOption(str(error)) from None

    @property
    def deck(self) -> tuple[Card, ...]:
        return FULL_DECK if self.left_out is None else easy_deck(self.left_out)

    @property
    def most_cards(self) -> int:
        """The table size that always holds a SET, so that no more cards are laid."""
        return 21 if self.left_out is None else 12

    @property
    def most_seats(self) -> int:
        if self.solitaire:
            return 1
        return MOST_IN_A_CLASS if self.whole_class else MOST_AT_A_TABLE


def _check_choice(name: str, kind: type[StrEnum], value: object) -> None:
    if not isinstance(value, kind):
        raise BadOption(f"{name} is one of {', '.join(kind)}, not {value!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """One printed rule sheet, reduced to where the sheets differ."""

    slug: str
    title: str
    easy_leaves_out: Feature = Feature.SHADING
    easy_laid: int = 12
    easy_is_for_under_sixes: bool = False
    window: float | None = 5.0
    everyone_deals: bool = False
    solitaire: Solitaire = Solitaire.OWES_ONE
    pays_back: PaysBack = PaysBack.LAST_TWELVE
    cards_left: tuple[int, ...] = ()
    """How many cards may be left at the end, according to the sheet; empty if it says "some"."""
    odds_quoted: tuple[tuple[int, int], ...] = ()
    """Pairs of the cards laid and the n of the sheet's "n to 1" odds of a SET."""


_PRINTED_ODDS = ((12, 33), (15, 2500))

_ALL = (
    Edition(
        slug="1990s",
        title="1990s sheet",
        everyone_deals=True,
        pays_back=PaysBack.TABLE,
        cards_left=(6, 9),
        odds_quoted=_PRINTED_ODDS,
    ),
    Edition(
        slug="1997",
        title="1997 web sheet",
        easy_leaves_out=Feature.COLOR,
        easy_is_for_under_sixes=True,
        window=None,
        everyone_deals=True,
        solitaire=Solitaire.LOSES,
        cards_left=(6, 9),
    ),
    Edition(slug="1998", title="1998 sheet", odds_quoted=_PRINTED_ODDS),
    Edition(slug="uk", title="UK sheet"),
    Edition(slug="us", title="current sheet, US"),
    Edition(slug="fr", title="current sheet, French", easy_laid=9, easy_is_for_under_sixes=True, window=None),
    Edition(
        slug="es",
        title="current sheet, Spanish",
        easy_laid=9,
        easy_is_for_under_sixes=True,
        window=None,
        odds_quoted=_PRINTED_ODDS,
    ),
)

EDITIONS: Mapping[str, Edition] = MappingProxyType({edition.slug: edition for edition in _ALL})
CURRENT_EDITION = "us"
