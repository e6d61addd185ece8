"""Template tags for cards: pictures, names, and verdicts in words."""

from collections.abc import Iterable

from django import template
from django.utils.safestring import SafeString, mark_safe

from games import codes, words
from games.art import svg
from games.rules.cards import Card
from games.rules.triples import Verdict

register = template.Library()

# `mark_safe` is safe here: this is our own markup, without any user input.


@register.simple_tag
def card_sprite() -> SafeString:
    return mark_safe(svg.sprite())  # noqa: S308


@register.filter
def card_art(card: Card) -> SafeString:
    return mark_safe(svg.card_svg(card))  # noqa: S308


@register.filter
def card_name(card: Card) -> str:
    return words.card_name(card)


@register.filter
def as_code(code: str) -> str:
    """Format a code for reading: ABC-DEF-GHJ."""
    return codes.grouped(code)


@register.filter
def effort_word(effort: float) -> str:
    return words.effort_word(effort)


@register.filter
def verdict_lines(verdict: Verdict) -> list[words.VerdictLine]:
    return [words.verdict_line(each) for each in verdict.features]


@register.filter
def labeled(label: str, text: str) -> str:
    return words.labeled(label, text)


@register.filter
def listed(parts: Iterable[str]) -> str:
    return words.listed(parts)


@register.filter
def grouped(number: int) -> str:
    return words.grouped(number)
