"""The odds that the rule sheets quote, next to the exact and the simulated ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from games.odds.deals import FirstDeals
from games.odds.decks import BadOddsQuestion, Deck
from games.odds.exact import QUOTED, exact_no_set
from games.odds.games import WholeGames
from games.odds.tallies import Tally, odds_against


@dataclass(frozen=True, slots=True)
class Comparison:
    """The odds of a SET among a number of cards of the full deck, from every source."""

    cards: int
    quoted: int
    """The n of the "n to 1" that the sheets print."""
    exact: Fraction
    """The chance of no SET in a first deal."""
    simulated: Tally | None
    """The same, from simulated deals."""
    in_play: Tally | None
    """The chance of no SET later in the game, from simulated games."""

    @property
    def quoted_odds(self) -> str:
        return f"{self.quoted}:1"

    @property
    def exact_odds(self) -> str:
        return odds_against(self.exact)


def compare(deals: Iterable[FirstDeals] = (), games: WholeGames | None = None) -> tuple[Comparison, ...]:
    """A row for each number of cards that the sheets quote odds for, with simulated odds where given."""
    by_cards = {}
    for result in deals:
        _check_deck(result.deck)
        by_cards[result.cards] = result.tally
    if games is not None:
        _check_deck(games.deck)
    return tuple(
        Comparison(
            cards,
            quoted,
            exact_no_set(Deck.FULL, cards),
            by_cards.get(cards),
            games.in_play(cards) if games is not None else None,
        )
        for cards, quoted in QUOTED.items()
    )


def _check_deck(deck: Deck) -> None:
    if deck is not Deck.FULL:
        raise BadOddsQuestion(f"the sheets quote odds for the full deck, not for the {deck} one")
