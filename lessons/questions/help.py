"""Help with an exercise, one stage at a time, for a page to put into words. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from games.rules.cards import Card, Feature, Value
from games.rules.hints import HintStage
from games.rules.triples import FeatureVerdict


class HelpKind(StrEnum):
    ONE_AT_A_TIME = "one-at-a-time"
    """Look at one feature at a time."""
    LOOK_AT = "look-at"
    """Look at this feature."""
    HOW_IT_STANDS = "how-it-stands"
    """The verdict on this feature."""
    NOT_THIS_ONE = "not-this-one"
    """The verdict on a feature that doesn't break it."""
    ODD_CARD = "odd-card"
    """In one feature, this card isn't like the other two."""
    EVERY_FEATURE = "every-feature"
    """The verdict on each feature, which includes the answer."""
    VALUE_NEEDED = "value-needed"
    """The third card must have this value."""
    THE_CARD = "the-card"
    TWO_MAKE_A_THIRD = "two-make-a-third"
    """Take two cards and think of the third one they need; is it there?"""
    AMONG_THESE = "among-these"
    """If there is a SET, there is one among these cards."""
    HOW_MANY = "how-many"
    """How many SETs there are; possibly none."""
    ONE_CARD = "one-card"
    TWO_CARDS = "two-cards"
    THE_SET = "the-set"


@dataclass(frozen=True, slots=True)
class Help:
    """One stage; fields that its kind doesn't use are empty."""

    kind: HelpKind
    feature: Feature | None = None
    value: Value | None = None
    verdicts: tuple[FeatureVerdict, ...] = ()
    cards: tuple[Card, ...] = ()
    count: int | None = None


ONE_AT_A_TIME = Help(HelpKind.ONE_AT_A_TIME)
OF_HINT = {
    HintStage.HOW_MANY: HelpKind.HOW_MANY,
    HintStage.ONE_CARD: HelpKind.ONE_CARD,
    HintStage.TWO_CARDS: HelpKind.TWO_CARDS,
    HintStage.THE_SET: HelpKind.THE_SET,
}
