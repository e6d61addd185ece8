"""Exercises: the questions that are made from a seed, one class for each kind. Pure.

Evidence is what an answer proves, not what it hints at:
- the kind's own skill: right as the answer is;
- a feature: wrong when the learner overlooked that it breaks, or blamed it though it does not; right when the answer
  could only be had by seeing it. What is all the same looks so to one who overlooks it too: to say so is no right
  evidence, and neither is anything about shading in the easy deck;
- SETs that differ in so many features: right when one was recognised, wrong when one was refused or not found.
No skill is named twice.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from typing import ClassVar, Self

from games.rules.cards import FULL_DECK, Card, Feature, easy_deck
from games.rules.triples import FeaturePattern, Triple, Verdict, explain
from lessons.questions.base import Answer, Cards, Grade, Question
from lessons.questions.draws import Draws
from lessons.questions.help import Help
from lessons.skills import Evidence, ExerciseKind, Wanted, differing_skill, feature_skill, kind_skill

_LEFT_OUT = Feature.SHADING
_EASY_DECK = easy_deck(_LEFT_OUT)
_EASY_FEATURES = tuple(feature for feature in Feature if feature is not _LEFT_OUT)
_HARDEST = len(Feature)


class BadWanted(ValueError):
    """An exercise that cannot be made."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What would have been right; what the kind does not ask for is left empty."""

    yes: bool | None = None
    """Whether it is a SET, or there is one."""
    breaks: tuple[Feature, ...] = ()
    """The features that break it."""
    makes: Mapping[Feature, FeaturePattern] = field(default_factory=dict)
    """How each feature stands."""
    card: Card | None = None
    """The third card."""
    sets: tuple[Triple, ...] = ()
    """Every SET on the board, the easiest first."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What one kind has found out about an answer."""

    is_right: bool
    verdict: Verdict | None = None
    seen: Mapping[Feature, bool] = field(default_factory=dict)
    """The features that the answer is telling about, and whether the learner saw how they stand."""
    recognised: Mapping[int, bool] = field(default_factory=dict)
    """The same for SETs, by in how many features they differ."""


@dataclass(frozen=True)
class Exercise(Question):
    """A question with cards. It holds what the learner sees and never the answer, which `solve` works out.

    `make_exercise(exercise.wanted, exercise.seed)` makes it again, so the two are all that need be kept.
    """

    kind: ClassVar[ExerciseKind]
    claims_a_set: ClassVar[bool] = False
    """Whether a wrong answer can take three cards for a SET that are none."""

    wanted: Wanted
    seed: str
    cards: Cards
    """What is shown: the three cards, the two, or the board."""
    choices: Cards = ()
    """For the third card: the cards to choose from."""

    @property
    def name(self) -> str:
        return self.kind.value

    # How it's made

    @classmethod
    @abstractmethod
    def draw(cls, draws: Draws, wanted: Wanted) -> tuple[Iterable[Card], Iterable[Card]]:
        """The cards, and those to choose from; it says what the difficulty means."""

    @classmethod
    def make(cls, wanted: Wanted, seed: str) -> Self:
        cards, choices = cls.draw(draws_for(wanted, seed), wanted)
        return cls(wanted, seed, tuple(cards), tuple(choices))

    @classmethod
    def fresh(cls, wanted: Wanted, seed: str, avoid: Exercise | None, *, troubled: Feature | None) -> Exercise:
        """The exercise of this seed, or of one derived from it: not the same cards again, in whatever order.

        `troubled` is a feature that the learner keeps getting wrong.
        """
        return next(
            each for each in (cached_exercise(cls, wanted, one) for one in seeds(seed)) if each.is_other_than(avoid)
        )

    @classmethod
    def for_sheet(cls, wanted: Wanted) -> Wanted:
        """What a worksheet asks for instead."""
        return wanted

    @classmethod
    def for_offline(cls, wanted: Wanted) -> Wanted:
        """What is asked instead where there's no network."""
        return wanted

    def follow_up(self) -> Exercise | None:
        """What must be asked next, where this is the first of two."""
        return None

    def is_other_than(self, avoid: Exercise | None) -> bool:
        return avoid is None or set(self.cards) != set(avoid.cards)

    # How it's graded

    @abstractmethod
    def findings(self, answer: Answer) -> Findings:
        """What the answer shows; `BadAnswer` where it can't be read."""

    @abstractmethod
    def solve(self) -> Solution:
        """What would have been right."""

    def grade(self, answer: Answer) -> Grade:
        found = self.findings(answer)
        return Grade(
            is_right=found.is_right,
            verdict=found.verdict,
            missed=tuple(feature for feature in Feature if not found.seen.get(feature, True)),
            evidence=tuple(self._evidence(found)),
        )

    def _evidence(self, found: Findings) -> Iterator[Evidence]:
        yield Evidence(kind_skill(self.kind), found.is_right)
        in_play = features_in_play(self.wanted)
        for feature in Feature:
            if feature in found.seen and (feature in in_play or not found.seen[feature]):
                yield Evidence(feature_skill(feature), found.seen[feature])
        for number, is_recognised in sorted(found.recognised.items()):
            yield Evidence(differing_skill(number), is_recognised)

    @abstractmethod
    def help_stages(self) -> tuple[Help, ...]:
        """Help in stages, each telling one thing more and the last one the answer.

        Where the answer is yes or no, what the first two stages say could be said of either.
        """

    def cards_in(self, answer: Answer) -> Cards:
        return self.cards


@lru_cache(maxsize=512)
def cached_exercise(kind: type[Exercise], wanted: Wanted, seed: str) -> Exercise:
    """Cached: a request comes by its exercise several times, and a class of thirty has the same."""
    return kind.make(wanted, seed)


def features_in_play(wanted: Wanted) -> tuple[Feature, ...]:
    """The features that are not alike on every card of the deck."""
    return _EASY_FEATURES if wanted.easy else tuple(Feature)


def deck_of(wanted: Wanted) -> tuple[Card, ...]:
    return _EASY_DECK if wanted.easy else FULL_DECK


def check_wanted(wanted: Wanted) -> None:
    if not isinstance(wanted.kind, ExerciseKind):
        raise BadWanted(f"no exercise is called {wanted.kind!r}")
    if type(wanted.difficulty) is not int or not 1 <= wanted.difficulty <= _HARDEST:
        raise BadWanted(f"a difficulty is a whole number from 1 to {_HARDEST}, not {wanted.difficulty!r}")
    if wanted.difficulty > len(features_in_play(wanted)):
        raise BadWanted(f"cards of the easy deck cannot differ in {wanted.difficulty} features: all are solid")
    if wanted.focus is not None and not any(wanted.focus is feature for feature in features_in_play(wanted)):
        raise BadWanted(f"cards of this deck do not differ in {wanted.focus!r}")


def draws_for(wanted: Wanted, seed: str) -> Draws:
    return Draws(f"{wanted.kind}/{wanted.difficulty}/{wanted.focus}/{wanted.easy}/{seed}")


def seeds(seed: str) -> Iterator[str]:
    """The seed, and those derived from it where chance brought the same cards again."""
    yield seed
    yield from (f"{seed}+{turn}" for turn in count(1))


def broken_in(verdict: Verdict) -> tuple[Feature, ...]:
    return tuple(each.feature for each in verdict.broken)


def overlooked(verdict: Verdict) -> dict[Feature, bool]:
    """What is to be said of somebody who took this for a SET."""
    return dict.fromkeys(broken_in(verdict), False)


def blamed(verdict: Verdict, feature: Feature) -> dict[Feature, bool]:
    """What is to be said of somebody who named this feature as the one that breaks it."""
    if verdict[feature].is_broken:
        return {feature: True}
    # Whoever had seen a single broken feature would have named it; of several, one cannot know.
    return {feature: False} | (overlooked(verdict) if len(verdict.broken) == 1 else {})


def cards_of(indices: Iterable[int]) -> Cards:
    return tuple(map(Card.from_index, indices))


def broken_features(cards: Iterable[int]) -> tuple[Feature, ...]:
    """The features that break three cards, given by their indices."""
    return broken_in(kept_verdict(tuple(sorted(cards))))


@lru_cache(maxsize=4_096)
def kept_verdict(cards: tuple[int, ...]) -> Verdict:
    """Cached: the same triples come up for many students, and for each of them more than once."""
    return explain(*map(Card.from_index, cards))
