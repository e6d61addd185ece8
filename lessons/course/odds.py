"""Unit 10: how often there's a SET, according to the rule sheets and in truth (RULES.md)."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from lessons.course import hand
from lessons.course.units import Step, Unit
from lessons.questions.course import Experiment, Look

UNIT = Unit(
    slug="odds",
    title=_("How often is there a SET?"),
    about=_("What the rule sheets say, and what is so."),
    steps=(
        Step(
            slug="always",
            title=_("Is there always one?"),
            words=(
                _("These twelve cards have no SET. You can look as long as you like!"),
                _("How often does that happen?"),
            ),
            # The first table of the solitaire unit.
            question=Look(
                hand(
                    "3 purple striped diamond",
                    "1 green outlined squiggle",
                    "3 purple outlined oval",
                    "2 green solid oval",
                    "1 red striped squiggle",
                    "3 green outlined squiggle",
                    "2 green striped squiggle",
                    "2 purple solid oval",
                    "3 red striped oval",
                    "3 red outlined oval",
                    "3 red striped squiggle",
                    "1 purple solid oval",
                )
            ),
        ),
        Step(
            slug="the-sheets",
            title=_("What the sheets say"),
            words=(
                _("Some rule sheets say: 33 to 1 for twelve cards."),
                _("That means: for 33 tables with a SET there is one without."),
            ),
            question=Look(),
        ),
        Step(
            slug="twelve-cards",
            title=_("Let us try"),
            words=(_("The computer deals 2,000 tables of twelve cards."), _("It counts those that have no SET.")),
            question=Experiment("full", 12, 2000),
        ),
        Step(
            slug="what-is-so",
            title=_("What is so"),
            words=(
                _("Counted exactly, it is 30 to 1."),
                _("So a table without a SET comes a little more often than the sheets say."),
            ),
            question=Look(),
        ),
        Step(
            slug="fifteen-cards",
            title=_("Fifteen cards"),
            words=(
                _("For fifteen cards the sheets say 2,500 to 1. Counted, it is about 2,741 to 1."),
                _("Will the computer find one without a SET?"),
            ),
            question=Experiment("full", 15, 20000),
        ),
        Step(
            slug="in-play",
            title=_("In a real game"),
            words=(
                _("In a game you take SETs away. The cards that stay have fewer SETs."),
                _("So for twelve cards it is only about 14 to 1."),
            ),
            question=Look(),
        ),
        Step(
            slug="small-deck",
            title=_("The small deck"),
            words=(
                _("In the small deck, nine cards almost always have a SET."),
                _("Only about one table in 2,225 has none. Will one come up?"),
            ),
            question=Experiment("easy", 9, 2000),
        ),
    ),
)
