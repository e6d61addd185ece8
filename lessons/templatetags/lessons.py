"""Learning on a page: names of skills, levels and features, and help in words."""

from django import template

from games.rules import Feature
from games.rules.triples import Kind as VerdictKind
from games.words import FEATURES, THE_FEATURES
from lessons import words
from lessons.grading import Help
from lessons.mastery import Level
from lessons.questions import NameValue
from lessons.skills import Skill

register = template.Library()


@register.filter
def feature_name(feature: Feature) -> str:
    return str(FEATURES[feature])


@register.filter
def the_feature(feature: Feature) -> str:
    """The name as it stands within a sentence."""
    return str(THE_FEATURES[feature])


@register.filter
def verdict_kind(kind: VerdictKind) -> str:
    return str(words.VERDICT_KINDS[kind])


@register.filter
def skill_name(skill: str) -> str:
    return str(words.SKILLS[Skill(skill)])


@register.filter
def level_name(level: Level) -> str:
    return str(words.LEVELS[level])


@register.filter
def value_choices(question: NameValue) -> list[tuple[str, str]]:
    return [(slug, str(words.VALUES[slug])) for slug in question.slugs]


@register.filter
def help_words(help_: Help) -> str:
    return words.help_words(help_)
