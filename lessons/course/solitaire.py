"""Unit 9: playing alone, what giving up costs, and how it is paid back."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from games.rules import Options
from lessons.course.units import Game, Step, Unit
from lessons.questions.course import Scene

# The first of alone-0, -1, ... whose table has one SET, which differs in one feature.
FIRST_SEED = "alone-30"
# The first of solitaire-0, -1, ... whose first table has no SET and which, after three more cards, always has one until
# the deck is empty. The last twelve cards have one SET, and with it the game is won. That SET differs in at most two
# features, and so does one among the fifteen cards.
SEED = "solitaire-3053"
GAVE_UP = ("more",)
LAST_TWELVE = (*GAVE_UP, *["pick 0 set"] * 23)


def _scene(seed: str, *script: str, do: str, edition: str = "us") -> Scene:
    # As on the page for playing alone: no clock, and the third card is the call.
    options = Options.of(edition, alone=True, window=None, quick=True)
    return Scene(options, seed=seed, players=1, script=script, do=do)


UNIT = Unit(
    slug="solitaire",
    title=_("Playing alone"),
    about=_("A game just for you."),
    steps=(
        Step(
            slug="alone",
            title=_("Just you"),
            words=(_("You can play alone too. There is no hurry, and you need not call."), _("Pick a SET.")),
            question=_scene(FIRST_SEED, do="set"),
        ),
        Step(
            slug="three-more",
            title=_("Three more cards"),
            words=(
                _("This table has no SET. You can ask for three more cards."),
                _("It costs one SET: you owe it."),
            ),
            question=_scene(SEED, do="no-set"),
        ),
        Step(
            slug="fifteen-cards",
            title=_("You owe one"),
            words=(_("Now there are fifteen cards, and you owe one SET."), _("Just play on: pick a SET.")),
            question=_scene(SEED, *GAVE_UP, do="set"),
        ),
        Step(
            slug="pay-back",
            title=_("Pay it back"),
            words=(
                _("The deck is empty, and these are the last twelve cards. Each SET you find now pays one back."),
                _("You owe one, so pick a SET."),
            ),
            question=_scene(SEED, *LAST_TWELVE, do="set"),
        ),
        Step(
            slug="won",
            title=_("You win"),
            words=(
                _("You owe nothing any more, and no SET is left. You win!"),
                _("If you still owe one at the end, the game is not won."),
            ),
            question=_scene(SEED, *LAST_TWELVE, "pick 0 set", do="go on"),
        ),
        Step(
            slug="sheet-of-1997",
            title=_("A stricter way"),
            words=(
                _("A rule sheet from 1997 is stricter. When you find no SET, the game is lost at once."),
                _("You can choose it before you play."),
            ),
            question=_scene(SEED, *GAVE_UP, do="go on", edition="1997"),
        ),
    ),
    game=Game(way="alone", words=_("Play alone"), choices={"edition": "us", "deck": "full"}),
)
