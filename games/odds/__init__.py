"""Probabilities: exact counts where they're known, and simulations of first deals and whole games. No Django here."""

from games.odds.compare import Comparison, compare
from games.odds.deals import FirstDeals, simulate_first_deals
from games.odds.decks import BadOddsQuestion, Deck
from games.odds.exact import QUOTED, exact_no_set, hands_without_set
from games.odds.games import DeckStage, GameEnding, TableSize, WholeGames, simulate_games
from games.odds.tallies import Interval, Tally, odds_against

__all__ = [
    "QUOTED",
    "BadOddsQuestion",
    "Comparison",
    "Deck",
    "DeckStage",
    "FirstDeals",
    "GameEnding",
    "Interval",
    "TableSize",
    "Tally",
    "WholeGames",
    "compare",
    "exact_no_set",
    "hands_without_set",
    "odds_against",
    "simulate_first_deals",
    "simulate_games",
]
