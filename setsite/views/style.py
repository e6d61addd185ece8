"""The living style guide: every component of the design system in its states, built from what the pages use."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games.art.friends import Mood
from games.art.line_icons import ICONS
from games.art.palettes import PALETTES
from games.rules import FULL_DECK, Card, explain
from games.rules.cards import Color, Number, Shading, Shape
from games.rules.triples import FeaturePattern

_COLORS = (
    *("paper", "paper-2", "panel", "ground", "line", "line-strong", "ink", "ink-soft"),
    *("felt", "felt-2", "felt-line", "on-felt", "on-felt-soft"),
    *("accent", "accent-strong", "accent-ink", "accent-soft", "accent-bright", "on-bright"),
    *("joy", "joy-strong", "joy-soft", "joy-ink", "on-joy", "retry", "retry-strong", "retry-soft", "retry-ink"),
    *("calm", "ring", "on-ring", "focus"),
)
_SIZES = ("t0", "t1", "t2", "t3", "t4", "t5", "t6")
_SET = (
    Card(1, "red", "striped", "oval"),
    Card(2, "green", "striped", "squiggle"),
    Card(3, "purple", "striped", "diamond"),
)
_WRONG = (Card(2, "red", "solid", "oval"), Card(2, "red", "striped", "oval"), Card(2, "green", "outlined", "oval"))
_MIDDLE_ODD = (Card(1, "red", "solid", "oval"), Card(2, "green", "solid", "oval"), Card(1, "purple", "solid", "oval"))
_LEVELS = ("new", "started", "growing", "sure", "mastered")
_STATES = ("is-picked", "is-hint", "is-right", "is-odd", "is-new")


@require_safe
def style(request: HttpRequest) -> HttpResponse:
    """For developers only; doesn't exist on a public site."""
    if not settings.IS_LOCAL:
        raise Http404("for development")
    context = {
        "colors": _COLORS,
        "sizes": _SIZES,
        "palettes": list(PALETTES),
        "board": FULL_DECK[4:81:7][:9],
        "set": explain(*_SET),
        "verdict": explain(*_WRONG),
        "middle_odd": explain(*_MIDDLE_ODD),
        "states": _STATES,
        "state_card": _SET[1],
        "friends": [(shape.value, [mood.value for mood in Mood]) for shape in Shape],
        "values": [value for feature in (Number, Color, Shading, Shape) for value in feature],
        "patterns": [pattern.value for pattern in FeaturePattern],
        "icons": list(ICONS),
        "levels": list(enumerate(_LEVELS)),
    }
    return render(request, "style.html", context)
