"""Template tags for cards on help and error pages, and for form targets."""

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from games.rules import Card, explain
from games.rules.triples import Verdict

register = template.Library()

# Two cards of a SET whose third is missing.
_INCOMPLETE_SET = (Card(1, "red", "solid", "oval"), Card(2, "green", "striped", "squiggle"))
_EXAMPLES = (
    ((1, "green", "striped", "diamond"), (2, "green", "striped", "diamond"), (3, "green", "striped", "diamond")),
    ((1, "red", "striped", "squiggle"), (2, "purple", "outlined", "squiggle"), (3, "green", "solid", "squiggle")),
    ((2, "purple", "solid", "oval"), (2, "purple", "outlined", "oval"), (2, "purple", "striped", "diamond")),
)


@register.simple_tag
def error_cards() -> tuple[Card, ...]:
    return _INCOMPLETE_SET


@register.simple_tag
def help_examples() -> list[Verdict]:
    return [explain(*(Card(*values) for values in triple)) for triple in _EXAMPLES]


@register.simple_tag
def post_to(view: str, *arguments: object) -> SafeString:
    """A form's target, with and without htmx, from one `reverse` call: some pages have two hundred forms."""
    return format_html('action="{0}" data-hx-post="{0}"', reverse(view, args=arguments))
