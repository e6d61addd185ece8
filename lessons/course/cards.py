"""Unit 1: what is on a card. Shading and number are what newcomers overlook, so they get more steps."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from games.rules import Feature
from lessons.course import card, hand
from lessons.course.units import Step, Unit
from lessons.questions.course import Look, NameValue, PickAll, WhatChanged

UNIT = Unit(
    slug="cards",
    title=_("The cards"),
    about=_("Four things to see on every card."),
    steps=(
        Step(
            slug="four-features",
            title=_("Look at the cards"),
            words=(
                _("Each card has a number, a color, a shading and a shape."),
                _("We call them the four features. Let us look at them one by one."),
            ),
            question=Look(hand("1 red solid oval", "2 green striped diamond", "3 purple outlined squiggle")),
        ),
        Step(
            slug="shape-squiggle",
            title=_("Three shapes"),
            words=(
                _("An oval is round, and a diamond has points. A squiggle is wavy."),
                _("Pick every squiggle."),
            ),
            question=PickAll(
                hand(
                    "1 red solid oval",
                    "2 purple striped squiggle",
                    "1 green outlined diamond",
                    "3 green solid squiggle",
                    "2 red outlined oval",
                    "1 red striped squiggle",
                ),
                Feature.SHAPE,
                "squiggle",
            ),
        ),
        Step(
            slug="color-green",
            title=_("Three colors"),
            words=(_("A card is red, green or purple."), _("What color is this one?")),
            question=NameValue(card("2 green outlined oval"), Feature.COLOR),
        ),
        Step(
            slug="number-three",
            title=_("Count them"),
            words=(
                _("The little pictures on a card are called symbols. There are one, two or three."),
                _("How many symbols do you see here?"),
            ),
            question=NameValue(card("3 purple striped oval"), Feature.NUMBER),
        ),
        Step(
            slug="shading-look",
            title=_("Look inside"),
            words=(
                _("Solid is full of color. Striped has thin lines, and outlined is empty."),
                _("This is the shading, and it is easy to miss."),
            ),
            question=Look(hand("1 purple solid diamond", "1 purple striped diamond", "1 purple outlined diamond")),
        ),
        Step(
            slug="shading-striped",
            title=_("Which shading?"),
            words=(_("Look inside the symbols."), _("Are they solid, striped or outlined?")),
            question=NameValue(card("2 red striped squiggle"), Feature.SHADING),
        ),
        Step(
            slug="shading-outlined",
            title=_("Find the empty ones"),
            words=(_("Colors and shapes do not matter now. Only look inside."), _("Pick every outlined card.")),
            question=PickAll(
                hand(
                    "3 red outlined oval",
                    "1 purple striped oval",
                    "2 green solid diamond",
                    "1 green outlined squiggle",
                    "3 purple solid squiggle",
                    "2 purple outlined diamond",
                ),
                Feature.SHADING,
                "outlined",
            ),
        ),
        Step(
            slug="number-changed",
            title=_("What changed?"),
            words=(_("These two cards are almost the same."), _("Which feature changed?")),
            question=WhatChanged(card("2 green striped diamond"), card("3 green striped diamond")),
        ),
        Step(
            slug="shading-changed",
            title=_("And now?"),
            words=(_("Here is one more pair. Look closely."), _("Which feature changed?")),
            question=WhatChanged(card("2 purple solid oval"), card("2 purple striped oval")),
        ),
    ),
)
