"""Template filters for learning: names of skills, levels and features, and help in words."""

from functools import lru_cache

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from games.rules import Feature
from games.rules.triples import FeaturePattern
from games.words import FEATURES, THE_FEATURES, labeled
from lessons import words
from lessons.progress.mastery import Level, Status
from lessons.questions import Choice, Help, ShownSolution
from lessons.skills import Skill

register = template.Library()


@register.filter
def feature_name(feature: Feature) -> str:
    return str(FEATURES[feature])


@register.filter
def the_feature(feature: Feature) -> str:
    """The name as used within a sentence."""
    return str(THE_FEATURES[feature])


@register.filter
def verdict_kind(kind: FeaturePattern) -> str:
    return str(words.VERDICT_KINDS[kind])


@register.filter
def skill_name(skill: str) -> str:
    return str(words.SKILLS[Skill(skill)])


@register.filter
def level_name(level: Level) -> str:
    return str(words.LEVELS[level])


@register.filter
def skill_cell(status: Status) -> SafeString:
    """A table cell with the level of a skill. Cached, because a page has hundreds of cells but few different ones."""
    return _skill_cell(status.skill, status.level, get_language())


@lru_cache(maxsize=512)
def _skill_cell(skill: Skill, level: Level, language: str) -> SafeString:
    """The language is part of the cache key, since the words are translated."""
    name = level_name(level)
    return format_html(
        '<td class="mark" title="{}" data-level="{}"><svg class="level-mark" width="22" height="18" aria-hidden="true"'
        ' focusable="false"><use href="#level-{}"/></svg><span class="visually-hidden">{}</span></td>',
        labeled(skill_name(skill), name),
        level.value,
        level.value,
        name,
    )


@register.filter
def choice_words(choice: Choice) -> str:
    return words.choice_words(choice)


@register.filter
def solution_words(solution: ShownSolution) -> str:
    return words.solution_words(solution)


@register.filter
def help_words(help_: Help) -> str:
    return words.help_words(help_)
