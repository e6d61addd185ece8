"""What there is to master: seeing each feature, each kind of exercise, and SETs by how many features differ."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from games.rules.cards import Feature


class ExerciseKind(StrEnum):
    """The kinds of exercises."""

    IS_SET = "is-set"
    """Three cards: a SET or not?"""
    WHICH_BREAKS = "which-breaks"
    """Three cards that aren't a SET: which feature breaks it?"""
    EXPLAIN = "explain"
    """Three cards: for each feature, all the same, all different, or two and one?"""
    THIRD_CARD = "third-card"
    """Two cards and some to choose from: which one makes it a SET?"""
    FIND_ONE = "find-one"
    """A board: find a SET."""
    FIND_ALL = "find-all"
    """A board: find every SET."""
    ANY_SET = "any-set"
    """A board: is there a SET at all?"""


class Skill(StrEnum):
    NUMBER = "number"
    COLOR = "color"
    SHADING = "shading"
    SHAPE = "shape"
    IS_SET = "is-set"
    WHICH_BREAKS = "which-breaks"
    EXPLAIN = "explain"
    THIRD_CARD = "third-card"
    FIND_ONE = "find-one"
    FIND_ALL = "find-all"
    ANY_SET = "any-set"
    DIFFERS_1 = "differs-1"
    DIFFERS_2 = "differs-2"
    DIFFERS_3 = "differs-3"
    DIFFERS_4 = "differs-4"


def feature_skill(feature: Feature) -> Skill:
    return _FEATURE_SKILLS[feature]


def kind_skill(kind: ExerciseKind) -> Skill:
    return Skill(kind.value)


# A dict, because a report looks these up a hundred times per student.
_FEATURE_SKILLS = {feature: Skill(feature.value) for feature in Feature}


def differing_skill(differing: int) -> Skill:
    return Skill(f"differs-{differing}")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one answer says about one skill."""

    skill: Skill
    is_right: bool


@dataclass(frozen=True, slots=True)
class Wanted:
    """The specification of an exercise."""

    kind: ExerciseKind
    difficulty: int = 1
    """From 1 to 4: the number of features in which the cards of the SET in question differ, or would."""
    focus: Feature | None = None
    """The feature to practice, if there's one: the one that breaks the triple, or that decides the answer."""
    easy: bool = False
    """Whether the cards come from the 27-card deck, all solid; then the difficulty is at most 3."""
