"""Boards without a match: a few cards from a seed number, and a pick of three."""

from __future__ import annotations

import random
from collections.abc import Iterable

from django.utils.translation import gettext as _

from core.numbers import whole_number
from games.rules import FULL_DECK, Card, find_sets
from games.rules.errors import BadCard
from games.rules.triples import Triple

FRONT_CARDS = 6


def front_board(number: int) -> tuple[Card, ...]:
    """Six cards with exactly one SET: few enough to be large on a phone, and to be solved by a newcomer."""
    rng = random.Random(f"front/{number}")
    while True:
        board = tuple(rng.sample(FULL_DECK, FRONT_CARDS))
        if len(find_sets(board)) == 1:
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
