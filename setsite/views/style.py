"""The living style guide: every component of the design system in its states, built from what the pages use."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games.art.palettes import PALETTES
from games.rules import FULL_DECK, Card, explain

_COLORS = (
    *("paper", "panel", "ground", "felt", "line", "ink", "ink-soft", "accent", "accent-ink", "accent-soft"),
    *("joy", "joy-soft", "calm", "ring", "on-ring", "focus"),
)
_WRONG = (Card(2, "red", "solid", "oval"), Card(2, "red", "striped", "oval"), Card(2, "green", "outlined", "oval"))


@require_safe
def style(request: HttpRequest) -> HttpResponse:
    """For developers only; doesn't exist on a public site."""
    if not settings.IS_LOCAL:
        raise Http404("for development")
    context = {
        "colors": _COLORS,
        "palettes": list(PALETTES),
        "board": FULL_DECK[4:81:7][:9],
        "verdict": explain(*_WRONG),
    }
    return render(request, "style.html", context)
