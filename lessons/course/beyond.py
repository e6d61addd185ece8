"""Unit 11: magic squares, tables without a SET, and why the last three cards are always one."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from games.rules import FULL_DECK, Feature, easy_deck
from lessons.course import ask_third, hand, verdict
from lessons.course.units import Step, Unit
from lessons.questions.course import NINE_CARDS, Look, MagicSquare, NoSetBuilder

UNIT = Unit(
    slug="beyond",
    title=_("Beyond the game"),
    about=_("Magic squares, and tables with no SET."),
    steps=(
        Step(
            slug="magic-square",
            title=_("A magic square"),
            words=(
                _("Pick three cards that are not a SET. They grow into a square of nine."),
                _("Across, down and slanting: twelve SETs hide in it."),
            ),
            question=MagicSquare(
                hand(
                    "1 red solid oval",
                    "2 green striped oval",
                    "3 purple outlined diamond",
                    "2 purple solid squiggle",
                    "3 green solid diamond",
                    "1 green outlined squiggle",
                    "3 red striped squiggle",
                    "1 purple striped diamond",
                    "2 red outlined oval",
                )
            ),
        ),
        Step(
            slug="four-of-nine",
            title=_("Nine cards"),
            words=(
                _("Pick four cards with no SET among them."),
                _("More than four cannot be done. Try it!"),
            ),
            question=NoSetBuilder(NINE_CARDS, enough=4, most=4),
        ),
        Step(
            slug="eight-of-27",
            title=_("27 cards"),
            words=(
                _("Now take the small deck. Get to eight cards with no SET."),
                _("Nine is the most, so ten cards always have one."),
            ),
            question=NoSetBuilder(easy_deck(Feature.SHADING), enough=8, most=9),
        ),
        Step(
            slug="sixteen-of-81",
            title=_("81 cards"),
            words=(
                _("Now take all the cards. Get to sixteen with no SET."),
                _("Twenty is the most, so 21 cards always have one."),
            ),
            question=NoSetBuilder(FULL_DECK, enough=16, most=20),
        ),
        Step(
            slug="in-balance",
            title=_("The last three"),
            words=(
                _("The whole deck is in balance, and so is every SET. Take SETs away, and the rest stays in balance."),
                _("So when three cards are left, they are a SET."),
            ),
            question=Look(
                verdicts=(verdict("1 green solid diamond", "2 green striped squiggle", "3 green outlined oval"),)
            ),
        ),
        Step(
            slug="last-card",
            title=_("Which one is left?"),
            words=(_("A game has come to its last three cards. Here are two of them."), _("Which is the third?")),
            # A grid of three shadings by two numbers: no choice stands out as the one most like the others.
            question=ask_third(
                "1 red striped oval",
                "3 red outlined diamond",
                (
                    "1 red outlined squiggle",
                    "2 red striped squiggle",
                    "2 red outlined squiggle",
                    "1 red solid squiggle",
                    "2 red solid squiggle",
                    "1 red striped squiggle",
                ),
            ),
        ),
        Step(
            slug="well-done",
            title=_("Well done!"),
            words=(_("You know the whole game now."), _("Play with your friends, or show them what you know.")),
            question=Look(hand("1 red solid oval", "2 green striped squiggle", "3 purple outlined diamond")),
        ),
    ),
)
