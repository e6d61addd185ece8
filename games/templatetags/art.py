"""Template tags for our own drawings: icons, glyphs, the three friends, and the rows of a verdict."""

from __future__ import annotations

from dataclasses import dataclass

from django import template
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import capfirst

from games import words
from games.art import friends, glyphs, line_icons, pieces
from games.art.strip import strip_rows
from games.rules.cards import Shape, Value
from games.rules.triples import FeaturePattern, Verdict

register = template.Library()

# `mark_safe` is safe here: this is our own markup, without any user input.


@register.simple_tag
def icon(name: str) -> SafeString:
    return mark_safe(line_icons.icon_markup(name))  # noqa: S308


@register.simple_tag
def friend(shape: str, mood: str = "happy") -> SafeString:
    left, top, width, height = friends.BOX
    drawing = pieces.markup(friends.friend(Shape(shape), friends.Mood(mood)))
    return mark_safe(  # noqa: S308
        f'<svg class="friend is-{mood}" viewBox="{left:g} {top:g} {width:g} {height:g}" aria-hidden="true"'
        f' focusable="false">{drawing}</svg>'
    )


@register.simple_tag
def glyph(value: Value) -> SafeString:
    """The glyph of a feature's value, in the proportions of a card."""
    return _glyph(pieces.markup(glyphs.value_glyph(value)))


@register.simple_tag
def relation(pattern: str) -> SafeString:
    """The glyph of "all-same", "all-different" or "two-and-one"."""
    drawing = pieces.markup(glyphs.relation_glyph(FeaturePattern(pattern)))
    box = f"0 0 {glyphs.RELATION_WIDTH:g} {glyphs.RELATION_HEIGHT:g}"
    return mark_safe(f'<svg class="relation" viewBox="{box}" aria-hidden="true" focusable="false">{drawing}</svg>')  # noqa: S308


def _glyph(drawing: str) -> SafeString:
    return mark_safe(  # noqa: S308
        f'<svg class="glyph" viewBox="0 0 {glyphs.WIDTH:g} {glyphs.HEIGHT:g}" aria-hidden="true"'
        f' focusable="false">{drawing}</svg>'
    )


@dataclass(frozen=True, slots=True)
class RowOnPage:
    """A row of the strip for a template."""

    name: str
    pattern: str
    how: str
    text: str
    """The whole row in words, for those who don't see it."""
    link: str
    tokens: tuple[SafeString, ...]
    odd: int | None
    """The place of the odd one, from 1."""

    @property
    def is_broken(self) -> bool:
        return self.odd is not None


@register.filter
def as_strip(verdict: Verdict) -> list[RowOnPage]:
    rows = []
    for row in strip_rows(verdict):
        line = words.verdict_line(row.verdict)
        rows.append(
            RowOnPage(
                name=capfirst(line.feature),
                pattern=row.verdict.kind.value,
                how=str(words.PATTERNS[row.verdict.kind]),
                text=words.labeled(line.feature, line.text),
                link=row.link,
                tokens=tuple(_glyph(pieces.markup(drawing)) for drawing in row.glyphs),
                odd=None if row.odd is None else row.odd + 1,
            )
        )
    return rows


@register.filter
def look_at(verdict: Verdict) -> str:
    """What to look at first when a verdict is no: "Look at the shading"."""
    return words.look_at(verdict.broken[0].feature)
