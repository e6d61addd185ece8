"""Template tags for odds: exact and simulated chances side by side, with charts."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

from django import template
from django.utils.formats import get_format, number_format
from django.utils.translation import gettext as _

from core.models import Job
from games.odds.charts import HEIGHT, WIDTH, columns, settling
from games.odds.decks import BadOddsQuestion, Deck
from games.odds.exact import QUOTED, exact_no_set
from games.odds.tallies import odds_against

register = template.Library()


@register.simple_tag
def odds_picture(job: Job) -> dict[str, Any]:
    """Everything a simulation's page shows and draws."""
    asked, found = job.asked, job.result or job.partial_result
    is_first = asked["what"] == "deals"
    exact = _exact(asked) if is_first else None
    quoted = QUOTED.get(asked["cards"]) if asked["deck"] == Deck.FULL.value else None
    chance_quoted = None if quoted is None else 1 / (quoted + 1)
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "found": found,
        "odds": _odds(found["chance"]) if found.get("chance") else "",
        "exact": exact,
        "exact_odds": _odds(exact) if exact else "",
        "quoted": quoted,
        "settling": settling(found.get("path", []), None if exact is None else float(exact), chance_quoted),
        "stages": columns(found.get("stages", []), "left", "chance"),
        "endings": columns(found.get("endings", []), "left", "games"),
    }


def _odds(chance: Fraction | float) -> str:
    return odds_against(chance).replace(".", str(get_format("DECIMAL_SEPARATOR")))


def _exact(asked: dict[str, Any]) -> Any:
    try:
        return exact_no_set(asked["deck"], asked["cards"])
    except BadOddsQuestion:
        return None


@register.filter
def percent(share: float | None) -> str:
    """Format a share as a percentage with three significant digits."""
    if share is None:
        return ""
    return _("%(number)s%%") % {"number": number_format(Decimal(f"{100 * float(share):.3g}"))}
