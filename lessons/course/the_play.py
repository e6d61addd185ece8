"""Unit 8: a match against the computer, moment by moment. The learner has seat 0, the computer seat 1."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from games.rules import Options
from lessons.course.units import Game, Step, Unit
from lessons.questions.course import Scene

# The first of the-play-0, -1, ... whose first table has one SET, which differs in one feature; whose next table, after
# that SET, has none; and whose fifteen cards then only have SETs that differ in one feature. So whatever the learner
# takes, the script takes the same, and the scenes are one match.
SEED = "the-play-3224"
TAKEN = ("call 0", "pick 0 set")
LATE = (*TAKEN, "call 1", "wait")
WRONG = (*LATE, "call 1", "pick 1 wrong")
FIFTEEN = (*WRONG, "agree")
# The first of the-end-0, -1, ... that gets to nine cards, an empty deck and two SETs that differ in one feature and
# share a card, so that the game is over after either of them.
END_SEED = "the-end-309"
TURN_ABOUT = ("call 0", "pick 0 set", "call 1", "pick 1 set") * 3


def _scene(*script: str, do: str) -> Scene:
    return Scene(Options.of("us"), seed=SEED, players=2, script=script, do=do)


def _last_scene(*script: str, do: str) -> Scene:
    return Scene(Options.of("us", easy=True), seed=END_SEED, players=2, script=script, do=do)


UNIT = Unit(
    slug="the-play",
    title=_("A game for two"),
    about=_("Play against a slow computer."),
    steps=(
        Step(
            slug="twelve-cards",
            title=_("Twelve cards"),
            words=(
                _("You play against the computer. Twelve cards lie on the table."),
                _("There are no turns: you both look at the same time."),
            ),
            question=_scene(do="go on"),
        ),
        Step(
            slug="call",
            title=_("Call first"),
            words=(
                _("Look at the green ovals: they are a SET."),
                _("Call before you touch a card. Press SET!"),
            ),
            question=_scene(do="call"),
        ),
        Step(
            slug="pick",
            title=_("Then pick"),
            words=(_("You called first, so only you may pick now."), _("Pick the three green ovals.")),
            question=_scene("call 0", do="set"),
        ),
        Step(
            slug="control",
            title=_("The computer calls"),
            words=(
                _("You have one point, and three new cards are there. Now the computer called first."),
                _("Until it is done, you cannot call or pick."),
            ),
            question=_scene(*TAKEN, "call 1", do="go on"),
        ),
        Step(
            slug="too-late",
            title=_("A few seconds"),
            words=(
                _("After a call you have a few seconds to pick. The computer did not pick in time."),
                _("So it loses one point, and the cards stay."),
            ),
            question=_scene(*LATE, do="go on"),
        ),
        Step(
            slug="not-a-set",
            title=_("A lost point"),
            words=(
                _("The computer called again and picked three cards. They were not a SET, so it loses one more point."),
                _("Points can go below zero."),
            ),
            question=_scene(*WRONG, do="go on"),
        ),
        Step(
            slug="no-set",
            title=_("No SET here"),
            words=(
                _("This table has no SET, and the computer says so too."),
                _("When all players agree, three more cards come. Say that you agree."),
            ),
            question=_scene(*WRONG, "agree-one 1", do="no-set"),
        ),
        Step(
            slug="fifteen-cards",
            title=_("Fifteen cards"),
            words=(
                _("Now there are fifteen cards. You have called, so pick a SET."),
                _("This time no new cards come, and twelve are left."),
            ),
            question=_scene(*FIFTEEN, "call 0", do="set"),
        ),
        Step(
            slug="last-set",
            title=_("The last SET"),
            words=(
                _("Here is a game with the small deck. The deck is empty, and you both have three points."),
                _("You have called: pick a SET."),
            ),
            question=_last_scene(*TURN_ABOUT, "call 0", do="set"),
        ),
        Step(
            slug="the-score",
            title=_("The end"),
            words=(
                _("The deck is empty and no SET is left, so the game is over."),
                _("Each SET is a point, and lost points are taken away. You have more points, so you win!"),
            ),
            question=_last_scene(*TURN_ABOUT, "call 0", "pick 0 set", do="go on"),
        ),
    ),
    game=Game(
        way="computer",
        words=_("Play against the slow computer"),
        choices={"edition": "us", "deck": "easy", "opponents": "1", "strength": "slow", "window": "15"},
    ),
)
