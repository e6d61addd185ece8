"""What a step of the course asks: questions written out in the course, or exercises through `Ask` and `Drill`."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.odds import exact_no_set, odds_against, simulate_first_deals
from games.rules import FULL_DECK, Card, Feature, Options, decide, explain, find_sets, is_set, new_match, replay
from games.rules import commands as ask
from games.rules import state as rules
from games.rules.cards import VALUES
from games.rules.errors import Refused, RulesError
from games.rules.triples import Triple, Verdict, third_card
from games.words import REFUSALS, grouped
from lessons.questions.base import (
    Answer,
    Cards,
    Choice,
    DescribedAnswer,
    Find,
    Form,
    Grade,
    Mistake,
    Question,
    ShownSolution,
)
from lessons.questions.exercise import Exercise, broken_features, cards_of
from lessons.questions.reading import AnswerFault, BadAnswer
from lessons.questions.registry import make_exercise
from lessons.skills import Evidence, Wanted, feature_skill

Text = str | Promise
_LONGEST_WORD = 40
_MOST_CARDS = 81
_TRIPLE = 3


class Unanswered(BadAnswer):
    """Not an answer: nothing was chosen, or something that wasn't offered. The message is shown on the page."""

    def __init__(self, words: str) -> None:
        super().__init__(AnswerFault.NOT_ANSWERED, words)


class BadQuestion(RulesError):
    """A question that makes no sense; raised when the course is loaded."""


def _grade_feature(feature: Feature, *, is_right: bool) -> Grade:
    missed = () if is_right else (feature,)
    return Grade(is_right, evidence=(Evidence(feature_skill(feature), is_right),), missed=missed)


def _clean_word(text: str | None) -> str | None:
    """A form value that's fit to be stored as an answer; None for anything our own forms don't send."""
    return text if text is not None and len(text) <= _LONGEST_WORD and text.isprintable() else None


def _read_cards(form: Form) -> dict[str, Any]:
    return {"cards": [_clean_word(text) for text in form.getlist("cards")[:_MOST_CARDS]]}


def _chosen(answer: Answer, name: str, offered: Sequence[str]) -> str:
    value = answer.get(name)
    if value not in offered:
        raise Unanswered(_("Choose one."))
    return str(value)


def _chosen_cards(answer: Answer, offered: Sequence[Card]) -> tuple[Card, ...]:
    by_index = {str(card.index): card for card in offered}
    texts = answer.get("cards") or []
    if not set(texts) <= set(by_index):
        raise Unanswered(_("One of these cards is not here."))
    return tuple(card for text, card in by_index.items() if text in texts)


class StepQuestion(ABC):
    """What a step asks."""

    __slots__ = ()
    right: int = 1
    """How many right answers finish the step."""
    is_exercise: ClassVar[bool] = True
    is_drill: ClassVar[bool] = False
    """Whether there's always another one."""

    @abstractmethod
    def for_class(self, seed: str, turn: int) -> Question:
        """What a whole class is asked at this turn (from 0)."""

    @property
    def written(self) -> Question | None:
        """The question, if it's written out in the course; None if it's generated from a new seed each time."""
        return self.for_class("", 0)

    def next_wanted(self, rights: Sequence[Wanted], rng: random.Random) -> Wanted | None:
        """The exercise for a learner who has got `rights` right here; None if the step asks no exercise."""
        return None


class CourseQuestion(StepQuestion, Question):
    """A question that only the course asks."""

    __slots__ = ()
    is_exercise: ClassVar[bool] = False

    def for_class(self, seed: str, turn: int) -> Question:
        return self

    def read(self, form: Form) -> dict[str, Any]:
        return {}

    @classmethod
    def describe(cls, answer: Answer) -> DescribedAnswer:
        """A value, a feature or some cards, depending on the question."""
        feature, cards = answer.get("feature"), answer.get("cards")
        return DescribedAnswer(
            value=answer.get("value") or "",
            feature=Feature(feature) if feature else None,
            picked=(cards_of(map(int, cards)),) if cards else (),
        )

    @classmethod
    def mistakes(cls, cards: Sequence[int], answer: Answer, missed: Sequence[str]) -> Iterable[Mistake]:
        """Three cards that were taken for a SET."""
        if len(cards) == _TRIPLE and (broken := broken_features(cards)):
            yield tuple(cards), broken

    def shown_solution(self, seed: str = "") -> ShownSolution:
        return ShownSolution(right=next((each for each in self.choices_with_one_tap() if each.is_right), None))


class ShowQuestion(CourseQuestion):
    """Something to look at and talk about when it's shown to the whole class."""

    __slots__ = ()

    @property
    def is_asked(self) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class Look(ShowQuestion):
    """Nothing is asked: just look and go on."""

    name: ClassVar[str] = "look"
    cards: tuple[Card, ...] = ()
    verdicts: tuple[Verdict, ...] = ()

    @property
    def has_picture(self) -> bool:
        return bool(self.cards or self.verdicts)

    def grade(self, answer: Answer) -> Grade:
        return Grade(is_right=True)


@dataclass(frozen=True, slots=True)
class NameValue(CourseQuestion):
    """Which value does this card have in this feature?"""

    name: ClassVar[str] = "name-value"
    card: Card
    feature: Feature

    @property
    def slugs(self) -> list[str]:
        return [value.name.lower() for value in VALUES[self.feature]]

    def read(self, form: Form) -> dict[str, Any]:
        return {"value": _clean_word(form.get("value"))}

    def grade(self, answer: Answer) -> Grade:
        value = _chosen(answer, "value", self.slugs)
        return _grade_feature(self.feature, is_right=value == self.card.value(self.feature).name.lower())

    def choices_with_one_tap(self) -> tuple[Choice, ...]:
        return tuple(self._choice("value", value.name.lower(), value) for value in VALUES[self.feature])

    def cards_in(self, answer: Answer) -> Cards:
        return (self.card,)


@dataclass(frozen=True, slots=True)
class WhatChanged(CourseQuestion):
    """Two cards that differ in one feature: which one?"""

    name: ClassVar[str] = "what-changed"
    first: Card
    second: Card

    def __post_init__(self) -> None:
        if len(self._changed) != 1:
            raise BadQuestion(f"{self.first!r} and {self.second!r} differ in {len(self._changed)} features, not in one")

    @property
    def cards(self) -> tuple[Card, Card]:
        return self.first, self.second

    @property
    def _changed(self) -> list[Feature]:
        return [feature for feature in Feature if self.first.value(feature) is not self.second.value(feature)]

    def read(self, form: Form) -> dict[str, Any]:
        return {"feature": _clean_word(form.get("feature"))}

    def grade(self, answer: Answer) -> Grade:
        feature = _chosen(answer, "feature", list(Feature))
        return _grade_feature(self._changed[0], is_right=feature == self._changed[0])

    def choices_with_one_tap(self) -> tuple[Choice, ...]:
        return tuple(self._choice("feature", feature.value, feature) for feature in Feature)

    def cards_in(self, answer: Answer) -> Cards:
        return self.cards


@dataclass(frozen=True, slots=True)
class PickAll(CourseQuestion):
    """Pick every card that has this value."""

    name: ClassVar[str] = "pick-all"
    cards: tuple[Card, ...]
    feature: Feature
    value: str

    def __post_init__(self) -> None:
        if not 0 < len(self._wanted) < len(self.cards):
            raise BadQuestion(f"some of the cards are to be {self.value}, not {len(self._wanted)} of {len(self.cards)}")

    @property
    def _wanted(self) -> set[Card]:
        return {card for card in self.cards if card.value(self.feature).name.lower() == self.value}

    def read(self, form: Form) -> dict[str, Any]:
        return _read_cards(form)

    def grade(self, answer: Answer) -> Grade:
        picked = set(_chosen_cards(answer, self.cards))
        if not picked:
            raise Unanswered(_("Pick the cards first."))
        grade = _grade_feature(self.feature, is_right=picked == self._wanted)
        if grade.is_right:
            return grade
        say = _("Some are still missing.") if picked < self._wanted else _("One that you picked does not belong.")
        return replace(grade, say=say)

    def cards_in(self, answer: Answer) -> Cards:
        return self.cards

    def shown_solution(self, seed: str = "") -> ShownSolution:
        return ShownSolution(cards=tuple(card for card in self.cards if card in self._wanted))


@dataclass(frozen=True, slots=True)
class Ask(StepQuestion):
    """One exercise with cards that the course chose."""

    exercise: Exercise

    def for_class(self, seed: str, turn: int) -> Exercise:
        return self.exercise

    def next_wanted(self, rights: Sequence[Wanted], rng: random.Random) -> Wanted:
        return self.exercise.wanted


@dataclass(frozen=True, slots=True)
class Drill(StepQuestion):
    """Exercises generated from a seed, until enough are right."""

    is_drill: ClassVar[bool] = True
    wanted: tuple[Wanted, ...]
    right: int = 3

    @property
    def written(self) -> None:
        return None

    def for_class(self, seed: str, turn: int) -> Exercise:
        """The drill in its order, but shuffled if it's about features, since an order would give the answers away."""
        wanted = list(self.wanted)
        if self._is_of_features(wanted):
            random.Random(f"{seed}/order").shuffle(wanted)
        return make_exercise(wanted[turn % len(wanted)], f"{seed}/{turn}")

    def next_wanted(self, rights: Sequence[Wanted], rng: random.Random) -> Wanted:
        """What's left of the drill in its order, or a random one of these if it's about features."""
        left = list((Counter(self.wanted) - Counter(rights)).elements())
        if left and self._is_of_features(left):
            return rng.choice(left)
        return self.wanted[len(rights) % len(self.wanted)]

    def _is_of_features(self, wanted: Sequence[Wanted]) -> bool:
        return all(each.focus for each in wanted)


@dataclass(frozen=True, slots=True)
class Scene(CourseQuestion):
    """A moment of a match, led up to by a script, and the one thing to do now."""

    name: ClassVar[str] = "scene"
    options: Options
    seed: str
    players: int
    script: tuple[str, ...]
    """What has happened: "call 0", "pick 1 set", "pick 1 wrong", "wait", "agree", "more"."""
    do: str
    """What the learner does: "call", "set", "wrong", "no-set" or "go on"."""

    def __post_init__(self) -> None:
        match = self.match
        if self.do == "set" and not find_sets(match.table):
            raise BadQuestion("there is no SET to take in this scene")
        if self.do == "no-set" and not match.options.solitaire and find_sets(match.table):
            raise BadQuestion("there is a SET in this scene")

    @property
    def match(self) -> rules.MatchState:
        return self.played()[0]

    def played(self) -> tuple[rules.MatchState, Verdict | None]:
        """The match as the script leaves it, and the verdict if its last act was a wrong pick."""
        match = new_match(self.options, seed=self.seed)
        now = 0.0
        verdict = None
        for order in [*["join"] * self.players, "deal", *self.script]:
            now += 10.0 if order == "wait" else 1.0
            verdict = None
            for command in _commands(order, match):
                if isinstance(command, ask.Pick) and not is_set(*_triple(command.cards)):
                    verdict = explain(*_triple(command.cards))
                match = replay(match, decide(match, command, now))
        return match, verdict

    @property
    def is_asked(self) -> bool:
        return self.do != "go on"

    @property
    def _picks_cards(self) -> bool:
        return self.do in {"set", "wrong"}

    @property
    def is_pick(self) -> bool:
        return self.do == "set"

    def read(self, form: Form) -> dict[str, Any]:
        return _read_cards(form) if self._picks_cards else {}

    def cards_in(self, answer: Answer) -> Cards:
        return tuple(Card.from_index(int(text)) for text in answer["cards"]) if self._picks_cards else ()

    def shown_solution(self, seed: str = "") -> ShownSolution:
        return ShownSolution(triples=tuple(find_sets(self.match.table)) if self.is_pick else None)

    def context(self, answer: Answer | None = None) -> dict[str, Any]:
        match, verdict = self.played()
        return {"match": match, "last_verdict": verdict}

    def grade(self, answer: Answer) -> Grade:
        """Let the referee decide; the learner has seat 0."""
        match = self.match
        if not self.is_asked:
            return Grade(is_right=True)
        command: ask.Command
        verdict = None
        if self._picks_cards:
            cards = _chosen_cards(answer, match.table)
            command = ask.Pick(0, cards)
            verdict = explain(*_triple(cards)) if len(cards) == _TRIPLE else None
        else:
            command = ask.Call(0) if self.do == "call" else ask.AgreeNoSet(0)
        now = match.control.since + 1 if match.control else match.since + 5
        try:
            decide(match, command, now)
        except Refused as refused:
            raise Unanswered(str(REFUSALS[refused.reason])) from None
        if verdict is None:
            return Grade(is_right=True)
        return Grade(verdict.is_set is self.is_pick, verdict=verdict)


def _triple(cards: Sequence[Card]) -> Triple:
    first, second, third = cards
    return first, second, third


def _commands(order: str, match: rules.MatchState) -> list[ask.Command]:
    word, *rest = order.split()
    seat = int(rest[0]) if rest else 0
    if word == "pick":
        return [ask.Pick(seat, _cards_for(rest[1], match))]
    simple: dict[str, list[ask.Command]] = {
        "join": [ask.Join()],
        "deal": [ask.Deal(0)],
        "call": [ask.Call(seat)],
        "wait": [ask.Tick()],
        "agree": [ask.AgreeNoSet(number) for number in sorted(match.voters)],
        "agree-one": [ask.AgreeNoSet(seat)],
        "more": [ask.AgreeNoSet(0)],
    }
    return simple[word]


def _cards_for(what: str, match: rules.MatchState) -> Triple:
    if what == "set":
        return find_sets(match.table)[0]
    return next(_triple(cards) for cards in combinations(match.table, 3) if not is_set(*cards))


@dataclass(frozen=True, slots=True)
class Experiment(ShowQuestion):
    """Deal many tables and count those without a SET."""

    name: ClassVar[str] = "experiment"
    deck: str
    cards: int
    deals: int

    @property
    def has_more_to_show(self) -> bool:
        return True

    @property
    def has_picture(self) -> bool:
        return False

    def complete(self, answer: dict[str, Any], *, found: Collection[Find], seed: str) -> dict[str, Any]:
        return {"seed": seed}

    def shown_solution(self, seed: str = "") -> ShownSolution:
        return ShownSolution(say=self.grade({"seed": seed}).say)

    def grade(self, answer: Answer) -> Grade:
        seed = random.Random(str(answer.get("seed", ""))[:40]).randrange(1 << 32)
        result = simulate_first_deals(self.deck, self.cards, self.deals, seed)
        say = _(
            "%(deals)s tables of %(cards)s cards: %(without)s had no SET. That is about %(odds)s; exact is %(exact)s."
        )
        return Grade(
            is_right=True,
            say=say
            % {
                "deals": grouped(result.deals),
                "cards": self.cards,
                "without": grouped(result.without_set),
                "odds": result.odds,
                "exact": odds_against(exact_no_set(self.deck, self.cards)),
            },
        )


@dataclass(frozen=True, slots=True)
class NoSetBuilder(ShowQuestion):
    """Pick as many cards as possible without a SET among them."""

    name: ClassVar[str] = "no-set-builder"
    deck: tuple[Card, ...]
    enough: int
    """How many are enough to go on: a number that's always reachable, whichever cards are picked."""
    most: int

    def read(self, form: Form) -> dict[str, Any]:
        return _read_cards(form)

    def context(self, answer: Answer | None = None) -> dict[str, Any]:
        try:
            picked = self.picked(answer or {})
        except Unanswered:
            return {}
        return {"picked": picked, "impossible": self.impossible(picked)}

    def picked(self, answer: Answer) -> tuple[Card, ...]:
        return _chosen_cards(answer, self.deck)

    def impossible(self, picked: Sequence[Card]) -> frozenset[Card]:
        """The cards that would make a SET with two that are picked."""
        return frozenset(third_card(a, b) for a, b in combinations(picked, 2)) & frozenset(self.deck)

    def grade(self, answer: Answer) -> Grade:
        picked = self.picked(answer)
        found = find_sets(picked)
        if found:
            return Grade(False, say=_("There is a SET among them."), verdict=explain(*found[0]))
        if len(picked) < self.enough:
            say = ngettext(
                "%(count)s card without a SET. Get to %(enough)s.",
                "%(count)s cards without a SET. Get to %(enough)s.",
                len(picked),
            )
            return Grade(False, say=say % {"count": len(picked), "enough": self.enough})
        say = ngettext(
            "%(count)s card without a SET! The most there can be is %(most)s.",
            "%(count)s cards without a SET! The most there can be is %(most)s.",
            len(picked),
        )
        return Grade(True, say=say % {"count": len(picked), "most": self.most})


@dataclass(frozen=True, slots=True)
class MagicSquare(ShowQuestion):
    """Three cards that aren't a SET grow into a square of nine in which every line is a SET."""

    name: ClassVar[str] = "magic-square"
    cards: tuple[Card, ...]

    @property
    def has_more_to_show(self) -> bool:
        return True

    def read(self, form: Form) -> dict[str, Any]:
        return _read_cards(form)

    def context(self, answer: Answer | None = None) -> dict[str, Any]:
        try:
            return {"square": self.square(answer or {})}
        except Unanswered:
            return {}

    def shown_solution(self, seed: str = "") -> ShownSolution:
        """The square of the first cards that aren't a SET."""
        first, second, third, fourth = self.cards[: _TRIPLE + 1]
        picked = (first, second, fourth if is_set(first, second, third) else third)
        answer = {"cards": [str(card.index) for card in picked]}
        return ShownSolution(say=self.grade(answer).say, cards=self.square(answer))

    def square(self, answer: Answer) -> tuple[Card, ...]:
        """Nine cards, row by row; the three picked ones lie in the first two places and below the first."""
        picked = _chosen_cards(answer, self.cards)
        if len(picked) != _TRIPLE:
            raise Unanswered(_("Pick three cards."))
        a, b, d = _triple(picked)
        if is_set(a, b, d):
            raise Unanswered(_("These three are a SET already. Pick three that are none."))
        c, g = third_card(a, b), third_card(a, d)
        e = third_card(c, g)
        return a, b, c, d, e, third_card(d, e), g, third_card(b, e), third_card(a, e)

    def grade(self, answer: Answer) -> Grade:
        count = len(find_sets(self.square(answer)))
        return Grade(is_right=True, say=_("Nine cards, %(count)s SETs.") % {"count": count})


# The nine cards that differ in two features only: the smallest deck in which the builder makes sense.
NINE_CARDS = tuple(card for card in FULL_DECK if card.number == 1 and card.color == "red")
