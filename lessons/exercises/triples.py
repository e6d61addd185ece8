"""Three cards of a wanted make: which features are all the same, all different, or two and one.

The difficulty of a SET is the number of features in which it differs. Three cards that are no SET are as difficult as
a SET that they can be mended into, each broken feature becoming all the same or all different: with `broken` features
broken and `different` all different, that is from `different` to `different + broken`. With one feature broken at
least one other must be all different, or two of the cards would be one card.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

from games.rules.cards import Card, Feature, card_at, positions
from games.rules.triples import FeaturePattern as Make
from games.rules.triples import Triple
from lessons.exercises.draws import Draws
from lessons.exercises.exercise import features_in_play
from lessons.skills import Wanted

_ORDERS = tuple(permutations(range(3)))
_CLEARLY_BROKEN = (2, 3)


@dataclass(frozen=True, slots=True)
class Amounts:
    """Of how many features three cards have each make."""

    broken: int
    different: int
    same: int


def draw_amounts(draws: Draws, wanted: Wanted, broken: int) -> Amounts:
    """So many broken features, and as many different ones as the difficulty allows for."""
    whole = len(features_in_play(wanted)) - broken
    least = max(1 if broken == 1 else 0, wanted.difficulty - broken)
    most = min(wanted.difficulty, whole)
    different = least + draws.below(most - least + 1)
    return Amounts(broken, different, whole - different)


def draw_triple(draws: Draws, wanted: Wanted, amounts: Amounts, make_of_focus: Make | None = None) -> Triple:
    """Three cards of these amounts, in any order; each card of the deck is as likely as any other in each place."""
    order = draws.shuffled(features_in_play(wanted))
    if wanted.focus is not None and make_of_focus is not None:
        start_of = {Make.TWO_AND_ONE: 0, Make.ALL_DIFFERENT: amounts.broken, Make.ALL_SAME: len(order) - 1}
        order.remove(wanted.focus)
        order.insert(start_of[make_of_focus], wanted.focus)
    makes = [Make.TWO_AND_ONE] * amounts.broken + [Make.ALL_DIFFERENT] * amounts.different
    make_of = dict(zip(order, makes, strict=False))
    while True:
        values = [_draw_values(draws, make_of.get(feature, Make.ALL_SAME)) for feature in order]
        a, b, c = (_card(dict(zip(order, column, strict=True))) for column in zip(*values, strict=True))
        # Two cards are one card when nothing is all different and the same card is odd in each broken feature.
        if a is not b and a is not c and b is not c:
            return a, b, c


def _draw_values(draws: Draws, make: Make) -> tuple[int, ...]:
    """The positions of one feature's values on the three cards."""
    values = draws.one_of(_ORDERS)
    match make:
        case Make.ALL_SAME:
            return values[0], values[0], values[0]
        case Make.ALL_DIFFERENT:
            return values
    odd = draws.below(3)
    return tuple(values[place == odd] for place in range(3))


def _card(value_of: dict[Feature, int]) -> Card:
    return card_at(value_of.get(feature, 0) for feature in Feature)


def draw_set(draws: Draws, wanted: Wanted, make_of_focus: Make | None = Make.ALL_DIFFERENT) -> Triple:
    """A SET that differs in as many features as the difficulty says, the focus among them unless told otherwise."""
    return draw_triple(draws, wanted, draw_amounts(draws, wanted, 0), make_of_focus)


def draw_near_miss(draws: Draws, wanted: Wanted) -> Triple:
    """One feature is broken: the focus if there is one, else any."""
    return draw_triple(draws, wanted, draw_amounts(draws, wanted, 1), Make.TWO_AND_ONE)


def draw_question(draws: Draws, wanted: Wanted) -> Triple:
    """A SET as often as not; and of the others a near miss as often as a clear one.

    A clear one is broken in any features, not always in the focus, so that the focus alone does not decide.
    """
    if draws.coin():
        return draw_set(draws, wanted)
    if draws.coin():
        return draw_near_miss(draws, wanted)
    return draw_triple(draws, wanted, draw_amounts(draws, wanted, draws.one_of(_CLEARLY_BROKEN)))


def draw_to_explain(draws: Draws, wanted: Wanted) -> Triple:
    """None, one or two features broken, each as often; the focus has any make, as equally as the amounts allow."""
    amounts = draw_amounts(draws, wanted, draws.below(3))
    if amounts.broken and draws.coin():
        make = Make.TWO_AND_ONE
    elif amounts.different and amounts.same:
        make = draws.one_of((Make.ALL_DIFFERENT, Make.ALL_SAME))
    else:
        make = Make.ALL_DIFFERENT if amounts.different else Make.ALL_SAME
    return draw_triple(draws, wanted, amounts, make)


def draw_contrast(draws: Draws, wanted: Wanted, focus: Feature) -> tuple[Triple, Triple]:
    """A SET and a near miss that differ in one value, of the focus, on one card; either comes first."""
    makes = [Make.ALL_SAME] if wanted.difficulty < len(features_in_play(wanted)) else []
    makes += [Make.ALL_DIFFERENT] if wanted.difficulty > 1 else []
    triple = draw_set(draws, wanted, draws.one_of(makes))
    changed = list(triple)
    place = draws.below(3)
    changed[place] = draws.one_of(changes(changed[place], focus))
    a, b, c = changed
    return ((a, b, c), triple) if draws.coin() else (triple, (a, b, c))


def changes(card: Card, feature: Feature) -> tuple[Card, Card]:
    """The two cards that differ from this one in this feature only."""
    point = positions(card)
    place = list(Feature).index(feature)
    one, other = (card_at((*point[:place], (point[place] + step) % 3, *point[place + 1 :])) for step in (1, 2))
    return one, other
