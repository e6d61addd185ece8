"""Unit 7: all 81 cards, from SETs in which one feature differs to those in which all four do."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from lessons.course import drill, hand
from lessons.course.units import Game, Step, Unit
from lessons.questions.course import Look
from lessons.skills import ExerciseKind

UNIT = Unit(
    slug="full-deck",
    title=_("All the cards"),
    about=_("81 cards and every kind of SET."),
    steps=(
        Step(
            slug="eighty-one",
            title=_("81 cards"),
            words=(
                _("Now striped and outlined cards join in. Together there are 81 cards, and no two are alike."),
                _("Do not forget to look inside."),
            ),
            question=Look(
                hand(
                    "1 red solid oval",
                    "2 green striped oval",
                    "3 purple outlined oval",
                    "2 purple solid squiggle",
                    "3 red striped squiggle",
                    "1 green outlined squiggle",
                    "3 green solid diamond",
                    "1 purple striped diamond",
                    "2 red outlined diamond",
                )
            ),
        ),
        Step(
            slug="one-differs",
            title=_("One feature is different"),
            words=(_("In one SET here only one feature is different."), _("Can you find a SET?")),
            question=drill(ExerciseKind.FIND_ONE, 1),
        ),
        Step(
            slug="two-differ",
            title=_("Two features are different"),
            words=(_("In one SET here two features are different."), _("Can you find a SET?")),
            question=drill(ExerciseKind.FIND_ONE, 2),
        ),
        Step(
            slug="three-differ",
            title=_("Three features are different"),
            words=(
                _("Now there are twelve cards. Start with one and try it with each of the others."),
                _("Can you find a SET?"),
            ),
            question=drill(ExerciseKind.FIND_ONE, 3),
        ),
        Step(
            slug="four-differ",
            title=_("All four are different"),
            words=(
                _("These SETs hide best of all. Take your time."),
                _("Take two cards, think of the third, and look for it."),
            ),
            question=drill(ExerciseKind.FIND_ONE, 4, right=2),
        ),
        Step(
            slug="find-all",
            title=_("Find them all"),
            words=(_("Here is more than one SET."), _("Find them all.")),
            question=drill(ExerciseKind.FIND_ALL, 2, 3, right=2),
        ),
        Step(
            slug="any-set",
            title=_("Is there one?"),
            words=(_("Now and then there is no SET at all."), _("Is there a SET here?")),
            question=drill(ExerciseKind.ANY_SET, 1, 2, 3),
        ),
    ),
    game=Game(way="practice", words=_("Play with all the cards"), choices={"edition": "us", "deck": "full"}),
)
