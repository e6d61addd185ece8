"""Boards without a match: twelve cards from a seed number, and a pick of three."""

from __future__ import annotations

import random
from collections.abc import Iterable

from django.utils.translation import gettext as _

from core.numbers import whole_number
from games.rules import FULL_DECK, Card, find_sets
from games.rules.errors import BadCard
from games.rules.triples import Triple

FRONT_SETS = range(2, 5)


def front_board(number: int) -> tuple[Card, ...]:
    """Twelve cards with a few SETs: not so many that any three will do, nor so few that a newcomer gives up."""
    rng = random.Random(f"front/{number}")
    while True:
        board = tuple(rng.sample(FULL_DECK, 12))
        if len(find_sets(board)) in FRONT_SETS:
            return board


def cards_named(texts: Iterable[str]) -> tuple[Card, ...]:
    """The cards with these indices, as a form sends them; raises `BadCard`."""
    numbers = [whole_number(text) for text in texts]
    return tuple(Card.from_index(-1 if number is None else number) for number in numbers)


class BadPick(ValueError):
    """Not three cards, or not cards of the board; the page shows the message."""


def picked(board: tuple[Card, ...], asked: list[str]) -> Triple:
    """The three cards that a form names, in board order; raises `BadPick`."""
    try:
        cards = set(cards_named(asked))
    except BadCard:
        raise BadPick(_("One of these cards is not on the table.")) from None
    if not cards <= set(board):
        raise BadPick(_("One of these cards is not on the table."))
    try:
        first, second, third = sorted(cards, key=board.index)
    except ValueError:
        raise BadPick(_("Pick three cards.")) from None
    return first, second, third
