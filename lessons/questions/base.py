"""What every question has in common: how it's asked, read, graded, shown and solved. Pure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from games.rules.cards import Card, Feature, Value
from games.rules.triples import FeaturePattern, Triple, Verdict
from lessons.questions.help import Help
from lessons.skills import Evidence, ExerciseKind

Answer = Mapping[str, Any]
"""Plain values, as they come from a form or out of the database."""
Cards = tuple[Card, ...]
Find = tuple[int, int, int]
"""One of several SETs that are to be found, by the indices of its cards."""

Mistake = tuple[tuple[int, ...], tuple[Feature, ...]]
"""A triple that was got wrong, by the indices of its cards, and the features that were seen wrong in it: those that
break it, or where each feature was asked for, any. A SET that was refused has none."""


class Form(Protocol):
    """What a browser sends."""

    def get(self, key: str) -> str | None: ...

    def getlist(self, key: str) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class Grade:
    """Right or wrong, why, and what that says about skills."""

    is_right: bool
    verdict: Verdict | None = None
    """On the triple in question: the one shown, picked, completed or overlooked; of several picked the first wrong."""
    missed: tuple[Feature, ...] = ()
    """The features that the learner overlooked or wrongly blamed."""
    evidence: tuple[Evidence, ...] = ()
    say: str = ""
    """What else there is to say, in the learner's language."""


Meaning = bool | Feature | Card | Value


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer that can be given with one tap."""

    name: str
    """Of its field, in the form and in the answer."""
    answer: bool | int | str
    means: Meaning
    is_right: bool

    @property
    def value(self) -> str:
        """As a form sends it."""
        return str(int(self.answer)) if isinstance(self.answer, bool) else str(self.answer)

    def was_said(self, answer: Answer) -> bool:
        return bool(answer.get(self.name) == self.answer)


@dataclass(frozen=True, slots=True)
class ShownSolution:
    """What would have been right, for everybody to see; what the question isn't about is None or empty."""

    right: Choice | None = None
    is_set: bool | None = None
    """Whether three cards are a SET, where that was the question."""
    verdict: Verdict | None = None
    triples: tuple[Triple, ...] | None = None
    """Every SET that is there, where they were looked for."""
    cards: Cards = ()
    say: str = ""


@dataclass(frozen=True, slots=True)
class DescribedAnswer:
    """What somebody said, by what it means; what the question doesn't ask for is None or empty."""

    yes: bool | None = None
    feature: Feature | None = None
    """The one that was named or blamed."""
    value: str = ""
    """The name of a value."""
    patterns: Mapping[Feature, FeaturePattern] = field(default_factory=dict)
    picked: tuple[Cards, ...] = ()


class Question(ABC):
    """What can be asked of a learner."""

    __slots__ = ()
    kind: ClassVar[ExerciseKind | None] = None
    """What only the course asks has none."""

    @property
    @abstractmethod
    def name(self) -> str: ...

    @property
    def template(self) -> str:
        """The page's part with the question and the buttons to answer with; its partial `picture` is for a wall."""
        return f"lessons/questions/{self.name}.html"

    # How it's asked

    @property
    def is_asked(self) -> bool:
        """Whether it's answered; else there's something to look at and to talk about."""
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
        """How many answers it takes: where all SETs are to be found, as many as there are."""
        return 1

    @property
    def one_answer(self) -> Question:
        """What one answer is an answer to, where it takes several."""
        return self

    @property
    def is_pick(self) -> bool:
        """Whether an answer is three cards of a board that are said to be a SET."""
        return False

    @property
    def explains_pick(self) -> bool:
        """Whether an answer chooses cards, so that each wrong one has a verdict of its own."""
        return self.is_pick

    def choices_with_one_tap(self) -> tuple[Choice, ...]:
        """The answers that can be given with one tap, where there are such."""
        return ()

    def help_stages(self) -> tuple[Help, ...]:
        return ()

    # How it's answered

    @abstractmethod
    def read(self, form: Form) -> dict[str, Any]:
        """The answer in a form. What makes no sense is refused when it's graded."""

    def complete(self, answer: dict[str, Any], *, found: Collection[Find], seed: str) -> dict[str, Any]:
        """The answer with what its form doesn't say: the SETs found before, a random word for what chance decides."""
        return answer

    @abstractmethod
    def grade(self, answer: Answer) -> Grade:
        """The grade of any answer that can be read; `BadAnswer` for the others."""

    def new_find(self, form: Form, found: Collection[Find]) -> Find | None:
        """Where several SETs are to be found: another one, if the form names it."""
        return None

    # What is known of an answer that was kept

    @classmethod
    @abstractmethod
    def describe(cls, answer: Answer) -> DescribedAnswer:
        """What was said."""

    @classmethod
    def mistakes(cls, cards: Sequence[int], answer: Answer, missed: Sequence[str]) -> Iterable[Mistake]:
        """The triples that a wrong answer got wrong; `cards` are those that were kept with it."""
        return ()

    # What is shown of it

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
