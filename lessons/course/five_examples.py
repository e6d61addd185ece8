"""Unit 4: the five example triples of the rule sheets. Decide, see the verdict, tell it back."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from lessons.course import ask, verdict
from lessons.course.units import Step, Unit
from lessons.questions.course import Look, Text
from lessons.skills import ExerciseKind

DECIDE = _("Are these three cards a SET?")
TELL = _("Now you tell it. What do you see in each feature?")

# For each: the prefix of its steps' slugs, the cards, the three titles, and the words of the verdict.
EXAMPLES: tuple[tuple[str, tuple[str, str, str], tuple[Text, Text, Text], tuple[Text, ...]], ...] = (
    (
        "first",
        ("2 red solid oval", "2 red striped oval", "2 red outlined oval"),
        (_("One: what do you think?"), _("One: look"), _("One: tell it")),
        (
            _("All are red, all are ovals, and all show two symbols. The shading is all different."),
            _("So it is a SET."),
        ),
    ),
    (
        "second",
        ("1 red striped oval", "2 green striped squiggle", "3 purple striped diamond"),
        (_("Two: what do you think?"), _("Two: look"), _("Two: tell it")),
        (_("All are striped. Color, shape and number are all different."), _("So it is a SET.")),
    ),
    (
        "third",
        ("1 red solid diamond", "2 green striped oval", "3 purple outlined squiggle"),
        (_("Three: what do you think?"), _("Three: look"), _("Three: tell it")),
        (_("Nothing is the same here. All four features are all different."), _("So it is a SET.")),
    ),
    (
        "fourth",
        ("1 red outlined diamond", "1 green outlined diamond", "1 purple solid diamond"),
        (_("Four: what do you think?"), _("Four: look"), _("Four: tell it")),
        (
            _("All show one diamond, and the colors are all different. But two are outlined and one is solid."),
            _("So shading breaks it."),
        ),
    ),
    (
        "fifth",
        ("2 red solid squiggle", "2 green striped squiggle", "2 red outlined squiggle"),
        (_("Five: what do you think?"), _("Five: look"), _("Five: tell it")),
        (
            _("All show two squiggles, and the shadings are all different. But two are red and one is green."),
            _("So color breaks it."),
        ),
    ),
)


def _steps() -> tuple[Step, ...]:
    steps: list[Step] = []
    for slug, cards, (decide, look, tell), words in EXAMPLES:
        steps += [
            Step(slug=f"{slug}-decide", title=decide, words=(DECIDE,), question=ask(ExerciseKind.IS_SET, *cards)),
            Step(slug=f"{slug}-look", title=look, words=words, question=Look(verdicts=(verdict(*cards),))),
            Step(slug=f"{slug}-tell", title=tell, words=(TELL,), question=ask(ExerciseKind.EXPLAIN, *cards)),
        ]
    return tuple(steps)


UNIT = Unit(slug="five-examples", title=_("Five examples"), about=_("Decide, look, and tell it back."), steps=_steps())
