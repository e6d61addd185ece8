"""What the site's own pages, those of help and of errors, show of the game."""

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from games.rules import Card, explain
from games.rules.triples import Verdict

register = template.Library()

# Two of a SET, whose third is not there.
_LEFT_OVER = (Card(1, "red", "solid", "oval"), Card(2, "green", "striped", "squiggle"))
_EXAMPLES = (
    ((1, "green", "striped", "diamond"), (2, "green", "striped", "diamond"), (3, "green", "striped", "diamond")),
    ((1, "red", "striped", "squiggle"), (2, "purple", "outlined", "squiggle"), (3, "green", "solid", "squiggle")),
    ((2, "purple", "solid", "oval"), (2, "purple", "outlined", "oval"), (2, "purple", "striped", "diamond")),
)


@register.simple_tag
def error_cards() -> tuple[Card, ...]:
    return _LEFT_OVER


@register.simple_tag
def help_examples() -> list[Verdict]:
    return [explain(*(Card(*values) for values in triple)) for triple in _EXAMPLES]


@register.simple_tag
def post_to(view: str, *arguments: object) -> SafeString:
    """Where a form goes, without scripts and with htmx; looked up once, since some pages have two hundred forms."""
    return format_html('action="{0}" data-hx-post="{0}"', reverse(view, args=arguments))
