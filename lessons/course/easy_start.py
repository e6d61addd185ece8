"""Unit 6: the small deck of 27 cards, first with hints and then without."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from lessons.course import drill, hand
from lessons.course.units import Game, Step, Unit
from lessons.questions.course import Look
from lessons.skills import ExerciseKind

UNIT = Unit(
    slug="easy-start",
    title=_("Easy start"),
    about=_("Find SETs in a small deck of 27 cards."),
    steps=(
        Step(
            slug="small-deck",
            title=_("A small deck"),
            words=(
                _("We start with a small deck of 27 cards. All of them are solid."),
                _("So you only look at number, color and shape."),
            ),
            question=Look(
                hand(
                    "1 red solid oval",
                    "2 green solid diamond",
                    "3 purple solid squiggle",
                    "2 red solid squiggle",
                    "3 green solid oval",
                    "1 purple solid diamond",
                    "3 red solid diamond",
                    "1 green solid squiggle",
                    "2 purple solid oval",
                )
            ),
        ),
        Step(
            slug="with-hints",
            title=_("Find a SET"),
            words=(_("Pick three cards that make a SET."), _("Are you stuck? Then press Help me.")),
            question=drill(ExerciseKind.FIND_ONE, 1, easy=True),
        ),
        Step(
            slug="without-hints",
            title=_("Now without help"),
            words=(_("Take two cards and think of the third. Is it there?"), _("Try it without help this time.")),
            question=drill(ExerciseKind.FIND_ONE, 1, 2, 3, easy=True),
        ),
        Step(
            slug="find-all",
            title=_("Find them all"),
            words=(_("Here is more than one SET. A card can be in two of them."), _("Find them all.")),
            question=drill(ExerciseKind.FIND_ALL, 1, 2, right=2, easy=True),
        ),
        Step(
            slug="any-set",
            title=_("Is there one?"),
            words=(_("Sometimes there is no SET at all. Look well."), _("Is there a SET here?")),
            question=drill(ExerciseKind.ANY_SET, 1, 2, easy=True),
        ),
        Step(
            slug="red-deck",
            title=_("The red deck"),
            words=(
                _("A rule sheet from 1997 has another small deck. All of its cards are red."),
                _("So there you can forget about color."),
            ),
            question=Look(
                hand(
                    "1 red solid oval",
                    "2 red striped diamond",
                    "3 red outlined squiggle",
                    "2 red outlined oval",
                    "3 red solid diamond",
                    "1 red striped squiggle",
                    "3 red striped oval",
                    "1 red outlined diamond",
                    "2 red solid squiggle",
                )
            ),
        ),
        Step(
            slug="ready",
            title=_("Ready for more?"),
            words=(
                _("When finding SETs is easy for you, you are ready for all the cards."),
                _("You need not guess: your own page shows it."),
            ),
            question=Look(hand("2 green solid oval", "2 green striped oval", "2 green outlined oval")),
        ),
    ),
    game=Game(way="practice", words=_("Play with the small deck"), choices={"edition": "us", "deck": "easy"}),
)
