"""Cards, verdicts, and refusals in words, for reading and speech."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy

from games.rules.cards import Card, Color, Feature, Number, Shading, Shape, Value
from games.rules.errors import RefusalReason
from games.rules.triples import FeaturePattern, FeatureVerdict

FEATURES: dict[Feature, Promise | str] = {
    Feature.NUMBER: gettext_lazy("number"),
    Feature.COLOR: gettext_lazy("color"),
    Feature.SHADING: gettext_lazy("shading"),
    Feature.SHAPE: gettext_lazy("shape"),
}

# The same within a sentence: "look at the shading".
THE_FEATURES: dict[Feature, Promise | str] = {
    Feature.NUMBER: gettext_lazy("the number"),
    Feature.COLOR: gettext_lazy("the color"),
    Feature.SHADING: gettext_lazy("the shading"),
    Feature.SHAPE: gettext_lazy("the shape"),
}

# How three cards relate in one feature.
PATTERNS: dict[FeaturePattern, Promise | str] = {
    FeaturePattern.ALL_SAME: gettext_lazy("all the same"),
    FeaturePattern.ALL_DIFFERENT: gettext_lazy("all different"),
    FeaturePattern.TWO_AND_ONE: gettext_lazy("two and one"),
}

# A value as said of two cards or of one: "two are red and one is green", "two are ovals", "two show one symbol".
_VALUES: dict[Value, Promise | str] = {
    Color.RED: pgettext_lazy("two cards are ...", "red"),
    Color.GREEN: pgettext_lazy("two cards are ...", "green"),
    Color.PURPLE: pgettext_lazy("two cards are ...", "purple"),
    Shading.SOLID: pgettext_lazy("two cards are ...", "solid"),
    Shading.STRIPED: pgettext_lazy("two cards are ...", "striped"),
    Shading.OUTLINED: pgettext_lazy("two cards are ...", "outlined"),
    Shape.OVAL: pgettext_lazy("two cards are ...", "ovals"),
    Shape.SQUIGGLE: pgettext_lazy("two cards are ...", "squiggles"),
    Shape.DIAMOND: pgettext_lazy("two cards are ...", "diamonds"),
    Number.ONE: pgettext_lazy("two cards show ...", "one symbol"),
    Number.TWO: pgettext_lazy("two cards show ...", "two symbols"),
    Number.THREE: pgettext_lazy("two cards show ...", "three symbols"),
}
_ONE_VALUE: dict[Value, Promise | str] = {
    Color.RED: pgettext_lazy("one card is ...", "red"),
    Color.GREEN: pgettext_lazy("one card is ...", "green"),
    Color.PURPLE: pgettext_lazy("one card is ...", "purple"),
    Shading.SOLID: pgettext_lazy("one card is ...", "solid"),
    Shading.STRIPED: pgettext_lazy("one card is ...", "striped"),
    Shading.OUTLINED: pgettext_lazy("one card is ...", "outlined"),
    Shape.OVAL: pgettext_lazy("one card is ...", "an oval"),
    Shape.SQUIGGLE: pgettext_lazy("one card is ...", "a squiggle"),
    Shape.DIAMOND: pgettext_lazy("one card is ...", "a diamond"),
    Number.ONE: pgettext_lazy("one card shows ...", "one"),
    Number.TWO: pgettext_lazy("one card shows ...", "two"),
    Number.THREE: pgettext_lazy("one card shows ...", "three"),
}

# Word order and endings depend on number and shape, so each of the nine combinations has its own pattern.
_CARD_PATTERNS: dict[tuple[Number, Shape], Promise | str] = {
    (Number.ONE, Shape.OVAL): gettext_lazy("one %(shading)s %(color)s oval"),
    (Number.TWO, Shape.OVAL): gettext_lazy("two %(shading)s %(color)s ovals"),
    (Number.THREE, Shape.OVAL): gettext_lazy("three %(shading)s %(color)s ovals"),
    (Number.ONE, Shape.SQUIGGLE): gettext_lazy("one %(shading)s %(color)s squiggle"),
    (Number.TWO, Shape.SQUIGGLE): gettext_lazy("two %(shading)s %(color)s squiggles"),
    (Number.THREE, Shape.SQUIGGLE): gettext_lazy("three %(shading)s %(color)s squiggles"),
    (Number.ONE, Shape.DIAMOND): gettext_lazy("one %(shading)s %(color)s diamond"),
    (Number.TWO, Shape.DIAMOND): gettext_lazy("two %(shading)s %(color)s diamonds"),
    (Number.THREE, Shape.DIAMOND): gettext_lazy("three %(shading)s %(color)s diamonds"),
}
# In many languages adjectives agree with the gender of the shape, and with singular or plural.
_SINGULAR_ADJECTIVES: dict[Shape, dict[Value, Promise | str]] = {
    Shape.OVAL: {
        Color.RED: pgettext_lazy("one oval", "red"),
        Color.GREEN: pgettext_lazy("one oval", "green"),
        Color.PURPLE: pgettext_lazy("one oval", "purple"),
        Shading.SOLID: pgettext_lazy("one oval", "solid"),
        Shading.STRIPED: pgettext_lazy("one oval", "striped"),
        Shading.OUTLINED: pgettext_lazy("one oval", "outlined"),
    },
    Shape.SQUIGGLE: {
        Color.RED: pgettext_lazy("one squiggle", "red"),
        Color.GREEN: pgettext_lazy("one squiggle", "green"),
        Color.PURPLE: pgettext_lazy("one squiggle", "purple"),
        Shading.SOLID: pgettext_lazy("one squiggle", "solid"),
        Shading.STRIPED: pgettext_lazy("one squiggle", "striped"),
        Shading.OUTLINED: pgettext_lazy("one squiggle", "outlined"),
    },
    Shape.DIAMOND: {
        Color.RED: pgettext_lazy("one diamond", "red"),
        Color.GREEN: pgettext_lazy("one diamond", "green"),
        Color.PURPLE: pgettext_lazy("one diamond", "purple"),
        Shading.SOLID: pgettext_lazy("one diamond", "solid"),
        Shading.STRIPED: pgettext_lazy("one diamond", "striped"),
        Shading.OUTLINED: pgettext_lazy("one diamond", "outlined"),
    },
}
_PLURAL_ADJECTIVES: dict[Shape, dict[Value, Promise | str]] = {
    Shape.OVAL: {
        Color.RED: pgettext_lazy("some ovals", "red"),
        Color.GREEN: pgettext_lazy("some ovals", "green"),
        Color.PURPLE: pgettext_lazy("some ovals", "purple"),
        Shading.SOLID: pgettext_lazy("some ovals", "solid"),
        Shading.STRIPED: pgettext_lazy("some ovals", "striped"),
        Shading.OUTLINED: pgettext_lazy("some ovals", "outlined"),
    },
    Shape.SQUIGGLE: {
        Color.RED: pgettext_lazy("some squiggles", "red"),
        Color.GREEN: pgettext_lazy("some squiggles", "green"),
        Color.PURPLE: pgettext_lazy("some squiggles", "purple"),
        Shading.SOLID: pgettext_lazy("some squiggles", "solid"),
        Shading.STRIPED: pgettext_lazy("some squiggles", "striped"),
        Shading.OUTLINED: pgettext_lazy("some squiggles", "outlined"),
    },
    Shape.DIAMOND: {
        Color.RED: pgettext_lazy("some diamonds", "red"),
        Color.GREEN: pgettext_lazy("some diamonds", "green"),
        Color.PURPLE: pgettext_lazy("some diamonds", "purple"),
        Shading.SOLID: pgettext_lazy("some diamonds", "solid"),
        Shading.STRIPED: pgettext_lazy("some diamonds", "striped"),
        Shading.OUTLINED: pgettext_lazy("some diamonds", "outlined"),
    },
}


def card_name(card: Card) -> str:
    """The full name of a card: "two striped red ovals"."""
    words = (_SINGULAR_ADJECTIVES if card.number is Number.ONE else _PLURAL_ADJECTIVES)[card.shape]
    return str(_CARD_PATTERNS[card.number, card.shape]) % {"shading": words[card.shading], "color": words[card.color]}


# Names of the palettes in `games.art`, by the eyes they're for.
PALETTES: dict[str, Promise | str] = {
    "standard": gettext_lazy("standard"),
    "protanopia": gettext_lazy("for eyes that see no red"),
    "deuteranopia": gettext_lazy("for eyes that see no green"),
    "tritanopia": gettext_lazy("for eyes that see no blue"),
    "high-contrast": gettext_lazy("high contrast"),
    "black-and-white": gettext_lazy("black and white, with marks for the colors"),
}

# The highest effort for each word.
_EFFORTS: tuple[tuple[float, Promise | str], ...] = (
    (1.5, gettext_lazy("easy")),
    (2.5, gettext_lazy("fair")),
    (3.5, gettext_lazy("hard")),
    (math.inf, gettext_lazy("very hard")),
)


def effort_word(effort: float) -> str:
    """How hard a SET is to see, in one word."""
    return str(next(word for most, word in _EFFORTS if effort <= most))


@dataclass(frozen=True, slots=True)
class VerdictLine:
    """One feature of a verdict, ready for the page."""

    feature: str
    text: str
    is_broken: bool


def verdict_line(verdict: FeatureVerdict) -> VerdictLine:
    """Describe one feature of a verdict: "all different", or "two are red and one is green"."""
    return VerdictLine(str(FEATURES[verdict.feature]), _verdict_text(verdict), verdict.is_broken)


def _verdict_text(verdict: FeatureVerdict) -> str:
    if verdict.shared is None:
        return _("all different")
    if verdict.odd_value is None:
        return _("all the same")
    words = {"shared": _VALUES[verdict.shared], "odd": _ONE_VALUE[verdict.odd_value]}
    if verdict.feature is Feature.NUMBER:
        return _("two show %(shared)s and one shows %(odd)s") % words
    return _("two are %(shared)s and one is %(odd)s") % words


def look_at(feature: Feature) -> str:
    """What to do when three cards aren't a SET: "Look at the shading"."""
    return _("Look at %(feature)s.") % {"feature": THE_FEATURES[feature]}


def labeled(label: object, text: object) -> str:
    """Join a label and its text: "shape: all different". Not every language sets colons as English does."""
    return _("%(label)s: %(text)s") % {"label": label, "text": text}


def listed(parts: Iterable[str]) -> str:
    """Join texts into one list."""
    return pgettext("between the parts of a list", "; ").join(parts)


def verdict_words(verdicts: Iterable[FeatureVerdict]) -> str:
    """Describe several features: "number: all the same; color: two are red and one is green"."""
    return listed(labeled(line.feature, line.text) for line in map(verdict_line, verdicts))


def grouped(number: int) -> str:
    """Format a large number for the active language: "1,000,000", "1.000.000"."""
    return number_format(number, force_grouping=True)


REFUSALS: dict[RefusalReason, Promise | str] = {
    RefusalReason.NO_SUCH_SEAT: gettext_lazy("You have no seat at this table."),
    RefusalReason.SEAT_LEFT: gettext_lazy("You have left this table. Sit down again to play on."),
    RefusalReason.TABLE_FULL: gettext_lazy("This table is full."),
    RefusalReason.NOT_STARTED: gettext_lazy("The cards are not dealt yet."),
    RefusalReason.ALREADY_STARTED: gettext_lazy("The cards are already dealt."),
    RefusalReason.MATCH_OVER: gettext_lazy("This game is over."),
    RefusalReason.BOARD_HELD: gettext_lazy("Somebody else has called. Wait until they are done."),
    RefusalReason.NOT_YOUR_CONTROL: gettext_lazy("Somebody else has the board. Only the one who called may pick."),
    RefusalReason.CALL_FIRST: gettext_lazy("Call SET! first, then pick your cards."),
    RefusalReason.WINDOW_OVER: gettext_lazy("Your time to pick was over."),
    RefusalReason.FEWER_THAN_THREE: gettext_lazy("Pick three cards."),
    RefusalReason.MORE_THAN_THREE: gettext_lazy("Pick only three cards."),
    RefusalReason.SAME_CARD_TWICE: gettext_lazy("Pick three different cards."),
    RefusalReason.NOT_ON_TABLE: gettext_lazy("One of these cards is not on the table."),
    RefusalReason.TAKEN: gettext_lazy("Somebody was faster: one of these cards is taken. It costs you nothing."),
    RefusalReason.UNSEEN_VERSION: gettext_lazy("This page is not up to date with the table. Load it again."),
    RefusalReason.ALWAYS_A_SET: gettext_lazy("With this many cards there is always a SET."),
    RefusalReason.DECK_USED_UP: gettext_lazy("The deck is used up: there are no more cards."),
    RefusalReason.PAUSED: gettext_lazy("Eyes up! The game stands still for a moment."),
}
