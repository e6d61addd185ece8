"""Tags for students' secret pictures."""

from django import template
from django.utils.safestring import SafeString, mark_safe

from classrooms.accounts.cards import picture_art
from classrooms.accounts.pictures import NAMES

register = template.Library()


@register.simple_tag
def picture(slug: str) -> SafeString:
    return mark_safe(picture_art.svg(slug))  # noqa: S308 (our own markup)


@register.filter
def picture_name(slug: str) -> str:
    return str(NAMES[slug])
