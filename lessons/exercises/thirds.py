"""Two cards and some to choose from, one of which makes it a SET.

Were every wrong choice a near miss of the right one, the right one would be the card that is most like the others, and
nobody would need to look at the two cards. So the choices are a grid: some values of one feature by some of another.
Each card of it has as many near misses beside it as any other.
"""

from __future__ import annotations

from games.rules.cards import Card
from games.rules.triples import FeaturePattern as Make
from games.rules.triples import Triple
from lessons.exercises.draws import Draws
from lessons.exercises.exercise import features_in_play
from lessons.exercises.triples import changes, draw_set
from lessons.skills import Wanted


def draw_third_card(draws: Draws, wanted: Wanted) -> tuple[tuple[Card, Card], tuple[Card, ...]]:
    """The two cards, and the choices: six, or four at difficulty 1. The focus is the feature with most near misses."""
    # Two cards that differ in one feature are themselves the near misses in it, so the focus must be another one.
    a, b, right = draw_set(draws, wanted, Make.ALL_SAME if wanted.difficulty == 1 else None)
    while True:
        choices = _draw_grid(draws, wanted, (a, b, right))
        if a not in choices and b not in choices:
            return (a, b), tuple(draws.shuffled(choices))


def _draw_grid(draws: Draws, wanted: Wanted, triple: Triple) -> list[Card]:
    right = triple[-1]
    wide, narrow = draws.shuffled(features_in_play(wanted))[:2]
    if wanted.focus is not None and wanted.focus is not wide:
        wide, narrow = wanted.focus, wide
    row = [right, *changes(right, wide)]
    if wanted.difficulty == 1:
        row = [right, draws.one_of(row[1:])]
    which = draws.below(2)
    return [*row, *(changes(card, narrow)[which] for card in row)]
