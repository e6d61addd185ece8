"""Unit 2: what a SET is, from one feature that differs to four."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from games.rules import Feature
from lessons.course import ask, drill, drill_features, verdict
from lessons.course.units import Step, Unit
from lessons.questions.course import Look
from lessons.skills import ExerciseKind

UNIT = Unit(
    slug="same-or-different",
    title=_("All the same or all different"),
    about=_("What makes three cards a SET."),
    steps=(
        Step(
            slug="a-set",
            title=_("This is a SET"),
            words=(
                _("Here the colors are all different. Number, shading and shape are all the same."),
                _("Each feature is all the same or all different: that makes a SET."),
            ),
            question=Look(verdicts=(verdict("2 red solid oval", "2 green solid oval", "2 purple solid oval"),)),
        ),
        Step(
            slug="all-different",
            title=_("This is a SET too"),
            words=(
                _("Here nothing is the same. Each feature is different on all three cards."),
                _("So this is a SET too."),
            ),
            question=Look(
                verdicts=(verdict("1 green outlined squiggle", "2 purple solid oval", "3 red striped diamond"),)
            ),
        ),
        Step(
            slug="not-a-set",
            title=_("This is not a SET"),
            words=(
                _("Two are red and one is green. So the colors are not all the same, and not all different."),
                _("These three are not a SET."),
            ),
            question=Look(verdicts=(verdict("1 red solid diamond", "2 red solid diamond", "3 green solid diamond"),)),
        ),
        Step(
            slug="feature-by-feature",
            title=_("One feature at a time"),
            words=(
                _("Now you! Go through the features one by one."),
                _("What do you see on the three cards?"),
            ),
            question=ask(
                ExerciseKind.EXPLAIN, "3 purple striped oval", "3 purple solid oval", "3 purple outlined oval"
            ),
        ),
        Step(
            # Titles that say how many features differ would give away which cards are a SET.
            slug="one-differs",
            title=_("Easy ones"),
            words=(_("We start with easy ones."), _("Is it a SET? Look at all four features.")),
            question=drill_features(ExerciseKind.IS_SET, Feature.COLOR, Feature.SHADING, Feature.SHAPE, Feature.NUMBER),
        ),
        Step(
            slug="two-differ",
            title=_("A little harder"),
            words=(_("Now there is more to look at. Take one feature after the other."), _("Is it a SET?")),
            question=drill(ExerciseKind.IS_SET, 2),
        ),
        Step(
            slug="three-differ",
            title=_("Harder still"),
            words=(_("Number and shading like to hide. Look twice."), _("Is it a SET?")),
            question=drill(ExerciseKind.IS_SET, 3),
        ),
        Step(
            slug="four-differ",
            title=_("The hardest ones"),
            words=(_("A SET can be different in everything. Go slowly."), _("Is it a SET?")),
            question=drill(ExerciseKind.IS_SET, 4),
        ),
        Step(
            slug="say-why",
            title=_("Say why"),
            words=(
                _("Look at each feature and say what you see."),
                _("It is all the same, all different, or two and one."),
            ),
            question=drill(ExerciseKind.EXPLAIN, 1, 2, 3, 4, right=4),
        ),
    ),
)
