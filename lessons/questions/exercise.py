"""Exercises: the questions that are generated from a seed, one class per kind. Pure.

Evidence is what an answer proves, not what it suggests:
- the kind's own skill: right if the answer is;
- a feature: wrong if the learner overlooked that it breaks the triple, or blamed it although it doesn't; right if the
  answer was only possible by seeing it. A feature that's all the same looks so even to learners who overlook it, so
  saying so is no evidence for the skill, and neither is anything about shading in the easy deck;
- SETs that differ in so many features: right if one was recognized, wrong if one was rejected or not found.
No skill is named twice.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from typing import ClassVar, Self

from games.rules.cards import FULL_DECK, Card, Feature, easy_deck
from games.rules.triples import FeaturePattern, Triple, Verdict, explain
from lessons.questions.base import Answer, Cards, Grade, Question
from lessons.questions.draws import Draws
from lessons.questions.help import Help
from lessons.questions.learner_model import LearnerModel
from lessons.skills import Evidence, ExerciseKind, Wanted, differing_skill, feature_skill, kind_skill

_LEFT_OUT = Feature.SHADING
_EASY_DECK = easy_deck(_LEFT_OUT)
_EASY_FEATURES = tuple(feature for feature in Feature if feature is not _LEFT_OUT)
_HARDEST = len(Feature)


class BadWanted(ValueError):
    """An exercise that can't be made."""


@dataclass(frozen=True, slots=True)
class Solution:
    """The right answer; parts that the kind doesn't ask for are empty."""

    yes: bool | None = None
    """Whether it's a SET, or whether there's one."""
    breaks: tuple[Feature, ...] = ()
    """The features that break it."""
    makes: Mapping[Feature, FeaturePattern] = field(default_factory=dict)
    """The make of each feature."""
    card: Card | None = None
    """The third card."""
    sets: tuple[Triple, ...] = ()
    """Every SET on the board, the easiest first."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What an exercise has found out about an answer."""

    is_right: bool
    verdict: Verdict | None = None
    seen: Mapping[Feature, bool] = field(default_factory=dict)
    """The features that the answer says something about, and whether the learner saw them right."""
    recognized: Mapping[int, bool] = field(default_factory=dict)
    """Whether SETs were recognized, by the number of features in which they differ."""


@dataclass(frozen=True)
class Exercise(Question):
    """A question with cards. It holds what the learner sees and never the answer, which `solve` works out.

    `make_exercise(exercise.wanted, exercise.seed)` makes it again, so only these two need to be stored.
    """

    kind: ClassVar[ExerciseKind]
    claims_a_set: ClassVar[bool] = False
    """Whether a wrong answer can take three cards for a SET that aren't one."""
    finds_sets: ClassVar[bool] = False
    """Whether the answer is found on a board, so that a right one needs a look at every feature."""
    has_board: ClassVar[bool] = False
    on_sheets: ClassVar[bool] = False
    """Whether it can be printed."""
    is_correction: ClassVar[bool] = False
    """Whether it's what is asked after repeated errors of one sort."""
    learner: ClassVar[LearnerModel]

    wanted: Wanted
    seed: str
    cards: Cards
    """What is shown: the three cards, the two, or the board."""
    choices: Cards = ()
    """For the third card: the cards to choose from."""

    @property
    def name(self) -> str:
        return self.kind.value

    @property
    def is_pick(self) -> bool:
        return self.finds_sets

    # How it's made

    @classmethod
    @abstractmethod
    def draw(cls, draws: Draws, wanted: Wanted) -> tuple[Iterable[Card], Iterable[Card]]:
        """The cards, and those to choose from. Each kind's docstring says what the difficulty means."""

    @classmethod
    def make(cls, wanted: Wanted, seed: str) -> Self:
        cards, choices = cls.draw(draws_for(wanted, seed), wanted)
        return cls(wanted, seed, tuple(cards), tuple(choices))

    @classmethod
    def fresh(cls, wanted: Wanted, seed: str, avoid: Exercise | None, *, troubled: Feature | None) -> Exercise:
        """The exercise of this seed, or of one derived from it if it has the same cards as `avoid`, in any order.

        `troubled` is a feature that the learner keeps getting wrong.
        """
        return next(
            each for each in (cached_exercise(cls, wanted, one) for one in seeds(seed)) if each.is_other_than(avoid)
        )

    @classmethod
    def for_sheet(cls, wanted: Wanted) -> Wanted:
        """What a worksheet asks for instead, if anything."""
        return wanted

    @classmethod
    def for_offline(cls, wanted: Wanted) -> Wanted:
        """What's asked for offline use instead, if anything."""
        return wanted

    def follow_up(self) -> Exercise | None:
        """What must be asked next, if this is the first of two."""
        return None

    def is_other_than(self, avoid: Exercise | None) -> bool:
        return avoid is None or set(self.cards) != set(avoid.cards)

    # How it's graded

    @abstractmethod
    def findings(self, answer: Answer) -> Findings:
        """What the answer shows; raises `BadAnswer` if it can't be read."""

    @abstractmethod
    def solve(self) -> Solution:
        """The right answer."""

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
        for number, is_recognized in sorted(found.recognized.items()):
            yield Evidence(differing_skill(number), is_recognized)

    @abstractmethod
    def help_stages(self) -> tuple[Help, ...]:
        """Help in stages, each revealing one thing more and the last one the answer.

        If the answer is yes or no, the first two stages must fit either.
        """

    # What answers say about a learner, see `lessons.progress.misconceptions`

    @classmethod
    def blame_share(
        cls, feature: Feature, missed: Sequence[Feature], focus: Feature | None, *, is_of_set: bool
    ) -> float:
        """How much of an error is due to overlooking this feature; features missed together share it."""
        return 1 / max(1, len(missed))

    @classmethod
    def all_alike_weight(cls, is_right: bool, recognized: Mapping[int, bool]) -> float:
        """How much an answer speaks for believing that everything in a SET must be alike.

        `recognized` says whether SETs were recognized, by the number of features in which they differ.
        """
        return 0.0

    # What is recorded

    def recorded(self, about: Sequence[int]) -> tuple[Wanted | None, Sequence[int]]:
        return self.wanted, [card.index for card in self.cards]

    def cards_in(self, answer: Answer) -> Cards:
        return self.cards


@lru_cache(maxsize=512)
def cached_exercise(kind: type[Exercise], wanted: Wanted, seed: str) -> Exercise:
    """Cached, because a request needs its exercise several times, and a class of thirty has the same one."""
    return kind.make(wanted, seed)


def features_in_play(wanted: Wanted) -> tuple[Feature, ...]:
    """The features that aren't the same on every card of the deck."""
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
    """The seed, followed by those derived from it in case the same cards are drawn again."""
    yield seed
    yield from (f"{seed}+{turn}" for turn in count(1))


def broken_in(verdict: Verdict) -> tuple[Feature, ...]:
    return tuple(each.feature for each in verdict.broken)


def overlooked(verdict: Verdict) -> dict[Feature, bool]:
    """What it says about a learner that they took this for a SET."""
    return dict.fromkeys(broken_in(verdict), False)


def blamed(verdict: Verdict, feature: Feature) -> dict[Feature, bool]:
    """What it says about a learner that they named this feature as the one that breaks it."""
    if verdict[feature].is_broken:
        return {feature: True}
    # Learners who saw the only broken feature would have named it; if there are several, there's no telling.
    return {feature: False} | (overlooked(verdict) if len(verdict.broken) == 1 else {})


def cards_of(indices: Iterable[int]) -> Cards:
    return tuple(map(Card.from_index, indices))


def broken_features(cards: Iterable[int]) -> tuple[Feature, ...]:
    """The features that break three cards, given by their indices."""
    return broken_in(cached_verdict(tuple(sorted(cards))))


@lru_cache(maxsize=4_096)
def cached_verdict(cards: tuple[int, ...]) -> Verdict:
    """Cached, because the same triples come up for many students, and more than once for each."""
    return explain(*map(Card.from_index, cards))
