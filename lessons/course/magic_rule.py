"""Unit 3: the Magic Rule, and which feature breaks it.

A drill about one feature alone would give its answers away, so features come in pairs.
"""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from games.rules import Feature
from lessons.course import ask, drill, drill_features, verdict
from lessons.course.units import Step, Unit
from lessons.questions.course import Look
from lessons.skills import ExerciseKind

UNIT = Unit(
    slug="magic-rule",
    title=_("The Magic Rule"),
    about=_("A quick way to see that it is not a SET."),
    steps=(
        Step(
            slug="the-rule",
            title=_("Two are, and one is not"),
            words=(
                _("Look inside the symbols: two are striped and one is not."),
                _("Two are, and one is not? Then it is not a SET, and that is the Magic Rule."),
            ),
            question=Look(verdicts=(verdict("1 green striped oval", "2 green striped oval", "3 green outlined oval"),)),
        ),
        Step(
            slug="say-it",
            title=_("Say it yourself"),
            words=(_("These three are not a SET. Two are, and one is not."), _("Which feature breaks it?")),
            question=ask(
                ExerciseKind.WHICH_BREAKS, "1 red solid diamond", "1 purple striped diamond", "1 red outlined diamond"
            ),
        ),
        Step(
            slug="color-or-shape",
            title=_("Color or shape"),
            words=(_("Here it is the color or the shape."), _("Which one breaks it?")),
            question=drill_features(
                ExerciseKind.WHICH_BREAKS, Feature.COLOR, Feature.SHAPE, Feature.SHAPE, Feature.COLOR, difficulty=2
            ),
        ),
        Step(
            slug="number-or-shading",
            title=_("Number or shading"),
            words=(_("Now it is the number or the shading. They hide well."), _("Which one breaks it?")),
            question=drill_features(
                ExerciseKind.WHICH_BREAKS,
                Feature.SHADING,
                Feature.NUMBER,
                Feature.SHADING,
                Feature.NUMBER,
                difficulty=2,
            ),
        ),
        Step(
            slug="any-feature",
            title=_("Any of the four"),
            words=(_("Now it can be any feature."), _("Which one breaks it?")),
            question=drill(ExerciseKind.WHICH_BREAKS, 1, 2, 3, right=4),
        ),
        Step(
            slug="almost",
            title=_("So close"),
            words=(_("These are almost a SET. Just one feature breaks it."), _("Find it: two are, and one is not.")),
            question=drill(ExerciseKind.WHICH_BREAKS, 3, 4, right=4),
        ),
        Step(
            slug="use-it",
            title=_("Use the rule"),
            words=(_("Do you find two and one? If not, it is a SET."), _("Is this a SET?")),
            question=drill(ExerciseKind.IS_SET, 1, 2, 3, 4, right=4),
        ),
    ),
)
