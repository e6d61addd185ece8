"""The interface of all questions: how they're asked, read, graded, shown and solved. Pure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from games.rules.cards import Card, Feature, Value
from games.rules.triples import FeaturePattern, Triple, Verdict
from lessons.questions.help import Help
from lessons.skills import Evidence, ExerciseKind, Wanted

Answer = Mapping[str, Any]
"""Plain values, as they come from a form or the database."""
Cards = tuple[Card, ...]
Find = tuple[int, int, int]
"""One of several SETs to find, by the indices of its cards."""

Mistake = tuple[tuple[int, ...], tuple[Feature, ...]]
"""A misjudged triple, by the indices of its cards, and the features that were misjudged in it: those that break it, or
any if each feature was asked about. A SET that was rejected has none."""


class Form(Protocol):
    """What a browser sends."""

    def get(self, key: str) -> str | None: ...

    def getlist(self, key: str) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class Grade:
    """Right or wrong, why, and what that says about skills."""

    is_right: bool
    verdict: Verdict | None = None
    """On the triple that was shown, picked, completed or overlooked; if several were picked, on the first wrong one."""
    missed: tuple[Feature, ...] = ()
    """The features that the learner overlooked or wrongly blamed."""
    evidence: tuple[Evidence, ...] = ()
    say: str = ""
    """Further feedback in the learner's language."""


Meaning = bool | Feature | Card | Value


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer that can be given with one tap."""

    name: str
    """The name of its field, in the form and in the answer."""
    answer: bool | int | str
    means: Meaning
    is_right: bool

    @property
    def value(self) -> str:
        """The answer as a form sends it."""
        return str(int(self.answer)) if isinstance(self.answer, bool) else str(self.answer)

    def was_said(self, answer: Answer) -> bool:
        return bool(answer.get(self.name) == self.answer)


@dataclass(frozen=True, slots=True)
class ShownSolution:
    """The right answer, for everybody to see; parts that the question isn't about are None or empty."""

    right: Choice | None = None
    is_set: bool | None = None
    """Whether three cards are a SET, if that was the question."""
    verdict: Verdict | None = None
    triples: tuple[Triple, ...] | None = None
    """Every SET on the board, if the question was about them."""
    cards: Cards = ()
    say: str = ""


@dataclass(frozen=True, slots=True)
class DescribedAnswer:
    """What an answer means; parts that the question doesn't ask for are None or empty."""

    yes: bool | None = None
    feature: Feature | None = None
    """The one that was named or blamed."""
    value: str = ""
    """The name of a value."""
    patterns: Mapping[Feature, FeaturePattern] = field(default_factory=dict)
    picked: tuple[Cards, ...] = ()


class Question(ABC):
    """A question that a learner can be asked."""

    __slots__ = ()
    kind: ClassVar[ExerciseKind | None] = None
    """None for a course-only question."""

    @property
    @abstractmethod
    def name(self) -> str: ...

    @property
    def template(self) -> str:
        """The template with the question and its answer buttons; its partial `picture` is for a lesson's wall."""
        return f"lessons/questions/{self.name}.html"

    # How it's asked

    @property
    def is_asked(self) -> bool:
        """Whether it has an answer. If not, it's something to look at and talk about."""
        return True

    @property
    def has_more_to_show(self) -> bool:
        """Whether there's more to show after a while: the answer, or what happens."""
        return self.is_asked

    @property
    def has_picture(self) -> bool:
        """Whether there are cards to show beside the words."""
        return True

    @property
    def picks(self) -> int:
        """How many answers it takes: if all SETs are to be found, as many as there are."""
        return 1

    @property
    def one_answer(self) -> Question:
        """The question that one answer is for, if this one takes several."""
        return self

    @property
    def is_pick(self) -> bool:
        """Whether an answer is three cards picked from a board as a SET."""
        return False

    @property
    def explains_pick(self) -> bool:
        """Whether an answer picks cards, so that each wrong answer has its own verdict."""
        return self.is_pick

    def choices_with_one_tap(self) -> tuple[Choice, ...]:
        """The answers that can be given with one tap, if any."""
        return ()

    def help_stages(self) -> tuple[Help, ...]:
        return ()

    # How it's answered

    @abstractmethod
    def read(self, form: Form) -> dict[str, Any]:
        """The answer in a form. Nonsense is only refused by `grade`."""

    def complete(self, answer: dict[str, Any], *, found: Collection[Find], seed: str) -> dict[str, Any]:
        """The answer plus what its form doesn't contain: the SETs found before, and a random seed if it needs one."""
        return answer

    @abstractmethod
    def grade(self, answer: Answer) -> Grade:
        """Grade a readable answer; raise `BadAnswer` for any other."""

    def new_find(self, form: Form, found: Collection[Find]) -> Find | None:
        """If several SETs are to be found, the new one that the form names, if any."""
        return None

    # What is recorded, and what it means

    def recorded(self, about: Sequence[int]) -> tuple[Wanted | None, Sequence[int]]:
        """What makes the question again, if it's an exercise, and its cards: those shown, else those answered about."""
        return None, about

    @classmethod
    @abstractmethod
    def describe(cls, answer: Answer) -> DescribedAnswer:
        """What the answer means."""

    @classmethod
    def mistakes(cls, cards: Sequence[int], answer: Answer, missed: Sequence[str]) -> Iterable[Mistake]:
        """The triples that a wrong answer misjudged; `cards` are those recorded with it."""
        return ()

    # How it's shown

    def cards_in(self, answer: Answer) -> Cards:
        """The cards that a readable answer is about: those picked or completed, else those shown."""
        return ()

    def shown_solution(self, seed: str = "") -> ShownSolution:
        return ShownSolution()

    def context(self, answer: Answer | None = None) -> dict[str, Any]:
        """What its template needs besides the question itself."""
        return {}

    def _choice(self, name: str, answer: bool | int | str, means: Meaning) -> Choice:
        return Choice(name, answer, means, self.grade({name: answer}).is_right)
