"""Unit 5: any two cards are completed by exactly one third."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from lessons.course import ask_third, drill, verdict
from lessons.course.units import Step, Unit
from lessons.questions.course import Look
from lessons.skills import ExerciseKind

UNIT = Unit(
    slug="third-card",
    title=_("The third card"),
    about=_("Two cards are there. Which one is missing?"),
    steps=(
        Step(
            slug="same-stays",
            title=_("Two the same"),
            words=(
                _("Look at the first two cards. Both are green, so the third is green too."),
                _("What is the same stays the same."),
            ),
            question=Look(verdicts=(verdict("1 green solid oval", "2 green solid oval", "3 green solid oval"),)),
        ),
        Step(
            slug="different-goes-on",
            title=_("Two different"),
            words=(
                _("One is red and one is purple, so the third is green."),
                _("Only one card in the whole deck fits."),
            ),
            question=Look(
                verdicts=(verdict("2 red striped diamond", "2 purple solid diamond", "2 green outlined diamond"),)
            ),
        ),
        Step(
            slug="first-try",
            title=_("Now you"),
            words=(_("Take one feature after the other."), _("Which card makes it a SET?")),
            # A grid of two numbers by two colors: no choice stands out as the one most like the others.
            question=ask_third(
                "1 red solid squiggle",
                "2 green solid squiggle",
                (
                    "1 purple solid squiggle",
                    "3 green solid squiggle",
                    "1 green solid squiggle",
                    "3 purple solid squiggle",
                ),
            ),
        ),
        Step(
            slug="one-differs",
            title=_("One feature is different"),
            words=(_("These two cards are almost the same."), _("Which card makes it a SET?")),
            question=drill(ExerciseKind.THIRD_CARD, 1),
        ),
        Step(
            slug="two-differ",
            title=_("Two features are different"),
            words=(
                _("Two features stay the same. For the other two, take what is missing."),
                _("Which card makes it a SET?"),
            ),
            question=drill(ExerciseKind.THIRD_CARD, 2),
        ),
        Step(
            slug="three-differ",
            title=_("Three features are different"),
            words=(
                _("Think of the card first. Then look for it."),
                _("Which card makes it a SET?"),
            ),
            question=drill(ExerciseKind.THIRD_CARD, 3),
        ),
        Step(
            slug="four-differ",
            title=_("All four are different"),
            words=(_("Nothing is the same now. You can say the card out loud."), _("Which card makes it a SET?")),
            question=drill(ExerciseKind.THIRD_CARD, 4),
        ),
    ),
)
