"""What all exercises with three cards have in common, and drawing three cards of wanted makes. Pure.

A make says whether a feature is all the same, all different, or two and one.
The difficulty of a SET is the number of features in which it differs. Three cards that aren't a SET are as difficult as
a SET they can be fixed into by making each broken feature all the same or all different: with `broken` features broken
and `different` all different, that's from `different` to `different + broken`. If one feature is broken, at least one
other must be all different, or two of the cards would be identical.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations

from games.rules.cards import Card, Feature, card_at, positions
from games.rules.triples import FeaturePattern, Triple, Verdict, explain
from lessons.questions.base import Answer, Mistake, ShownSolution
from lessons.questions.draws import Draws
from lessons.questions.exercise import Exercise, broken_features, features_in_play
from lessons.questions.help import ONE_AT_A_TIME, Help, HelpKind
from lessons.skills import Wanted

_ORDERS = tuple(permutations(range(3)))


@dataclass(frozen=True, slots=True)
class Amounts:
    """How many features of three cards have each make."""

    broken: int
    different: int
    same: int


def draw_amounts(draws: Draws, wanted: Wanted, broken: int) -> Amounts:
    """The given number of broken features, and a random number of different ones within the difficulty."""
    whole = len(features_in_play(wanted)) - broken
    least = max(1 if broken == 1 else 0, wanted.difficulty - broken)
    most = min(wanted.difficulty, whole)
    different = least + draws.below(most - least + 1)
    return Amounts(broken, different, whole - different)


def draw_triple(draws: Draws, wanted: Wanted, amounts: Amounts, make_of_focus: FeaturePattern | None = None) -> Triple:
    """Three cards with these amounts in any order; every card of the deck is equally likely in each place."""
    order = draws.shuffled(features_in_play(wanted))
    if wanted.focus is not None and make_of_focus is not None:
        start_of = {
            FeaturePattern.TWO_AND_ONE: 0,
            FeaturePattern.ALL_DIFFERENT: amounts.broken,
            FeaturePattern.ALL_SAME: len(order) - 1,
        }
        order.remove(wanted.focus)
        order.insert(start_of[make_of_focus], wanted.focus)
    makes = [FeaturePattern.TWO_AND_ONE] * amounts.broken + [FeaturePattern.ALL_DIFFERENT] * amounts.different
    make_of = dict(zip(order, makes, strict=False))
    while True:
        values = [_draw_values(draws, make_of.get(feature, FeaturePattern.ALL_SAME)) for feature in order]
        a, b, c = (_card(dict(zip(order, column, strict=True))) for column in zip(*values, strict=True))
        # Two cards are identical if nothing is all different and the same card is odd in each broken feature.
        if a is not b and a is not c and b is not c:
            return a, b, c


def _draw_values(draws: Draws, make: FeaturePattern) -> tuple[int, ...]:
    """The positions of one feature's values on the three cards."""
    values = draws.one_of(_ORDERS)
    match make:
        case FeaturePattern.ALL_SAME:
            return values[0], values[0], values[0]
        case FeaturePattern.ALL_DIFFERENT:
            return values
    odd = draws.below(3)
    return tuple(values[place == odd] for place in range(3))


def _card(value_of: dict[Feature, int]) -> Card:
    return card_at(value_of.get(feature, 0) for feature in Feature)


def draw_set(
    draws: Draws, wanted: Wanted, make_of_focus: FeaturePattern | None = FeaturePattern.ALL_DIFFERENT
) -> Triple:
    """A SET that differs in as many features as the difficulty says, the focus among them unless told otherwise."""
    return draw_triple(draws, wanted, draw_amounts(draws, wanted, 0), make_of_focus)


def draw_near_miss(draws: Draws, wanted: Wanted) -> Triple:
    """One feature is broken: the focus if there is one, else any."""
    return draw_triple(draws, wanted, draw_amounts(draws, wanted, 1), FeaturePattern.TWO_AND_ONE)


def changes(card: Card, feature: Feature) -> tuple[Card, Card]:
    """The two cards that differ from this one in this feature only."""
    point = positions(card)
    place = list(Feature).index(feature)
    one, other = (card_at((*point[:place], (point[place] + step) % 3, *point[place + 1 :])) for step in (1, 2))
    return one, other


class TripleExercise(Exercise):
    """Three cards, and a question about the makes of their features."""

    @property
    def verdict(self) -> Verdict:
        return explain(*self.cards)

    def help_stages(self) -> tuple[Help, ...]:
        """A feature to look at, the verdict on it, and then on all of them."""
        verdict = self.verdict
        feature = _telling_feature(verdict, self.wanted.focus)
        return (
            ONE_AT_A_TIME,
            Help(HelpKind.LOOK_AT, feature),
            Help(HelpKind.HOW_IT_STANDS, feature, verdicts=(verdict[feature],)),
            Help(HelpKind.EVERY_FEATURE, verdicts=verdict.features),
        )

    def shown_solution(self, seed: str = "") -> ShownSolution:
        verdict = self.verdict
        return ShownSolution(is_set=verdict.is_set, verdict=verdict)

    @classmethod
    def mistakes(cls, cards: Sequence[int], answer: Answer, missed: Sequence[str]) -> Iterable[Mistake]:
        yield tuple(cards), broken_features(cards)


def _telling_feature(verdict: Verdict, focus: Feature | None) -> Feature:
    """A broken feature or, in a SET, one that's all different: those most often misjudged. The focus, if it's one."""
    make = FeaturePattern.ALL_DIFFERENT if verdict.is_set else FeaturePattern.TWO_AND_ONE
    telling = [each.feature for each in verdict.features if each.kind is make]
    return focus if focus in telling else telling[0]
