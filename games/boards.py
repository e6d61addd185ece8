"""Boards to look at without a match: twelve cards that follow from a number, so that no one has to keep them."""

from __future__ import annotations

import random

from games.rules import FULL_DECK, Card, find_sets

FRONT_SETS = range(2, 5)


def front_board(number: int) -> tuple[Card, ...]:
    """Twelve cards with a few SETs: not so many that any three will do, not so few that a stranger gives up."""
    rng = random.Random(f"front/{number}")
    while True:
        board = tuple(rng.sample(FULL_DECK, 12))
        if len(find_sets(board)) in FRONT_SETS:
            return board
