"""The structure of the course: units of short steps, each with a few words and one question. Data only."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module

from lessons.questions.course import StepQuestion, Text

# Modules of `lessons.course`, in the order of the course.
ORDER = (
    "cards",
    "same_or_different",
    "magic_rule",
    "five_examples",
    "third_card",
    "easy_start",
    "full_deck",
    "the_play",
    "solitaire",
    "odds",
    "beyond",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    slug: str
    title: Text
    words: tuple[Text, ...]
    """Short paragraphs; a child of seven can read them."""
    question: StepQuestion


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """A real game to use what a unit has taught, and how to open its table, as the lobby's form would."""

    way: str
    words: Text
    """The label of its button."""
    choices: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    slug: str
    title: Text
    about: Text
    """One line, shown on the path."""
    steps: tuple[Step, ...]
    game: Game | None = None
    """Offered at the end."""


@cache
def course() -> tuple[Unit, ...]:
    return tuple(import_module(f"lessons.course.{name}").UNIT for name in ORDER)


def find_step(unit: str, step: str) -> tuple[Unit, Step] | None:
    for each in course():
        if each.slug == unit:
            return next(((each, one) for one in each.steps if one.slug == step), None)
    return None


def step_after(unit: str, step: str) -> tuple[Unit, Step] | None:
    """The next step of the course, across units; None after the last."""
    steps = [(each, one) for each in course() for one in each.steps]
    places = [(each.slug, one.slug) for each, one in steps]
    place = places.index((unit, step)) + 1
    return steps[place] if place < len(steps) else None
