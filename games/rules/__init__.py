"""The rules of the game as pure code: no Django, no I/O, no clock, no global random numbers."""

from games.rules.cards import FULL_DECK, Card, Feature, easy_deck
from games.rules.editions import EDITIONS, Options
from games.rules.evolution import evolve, replay
from games.rules.match import decide, new_match
from games.rules.triples import explain, find_sets, has_set, is_set, third_card

__all__ = [
    "EDITIONS",
    "FULL_DECK",
    "Card",
    "Feature",
    "Options",
    "decide",
    "easy_deck",
    "evolve",
    "explain",
    "find_sets",
    "has_set",
    "is_set",
    "new_match",
    "replay",
    "third_card",
]
