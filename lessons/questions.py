"""The questions that the course writes down; each knows how to judge an answer to it.

Answers are plain values as they come from a form. Exercises made from a seed have rooms of their own, `exercises.py`
and `grading.py`; two questions here, `Ask` and `Drill`, put them into the course.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
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
from lessons.exercises import Exercise
from lessons.skills import Evidence, Wanted, feature_skill

Text = str | Promise
Answer = Mapping[str, Any]


class Unanswered(ValueError):
    """An answer that is none: nothing chosen, or something that was not offered. The message is for the page."""


class BadQuestion(RulesError):
    """A question that makes no sense; found when the course is loaded."""


@dataclass(frozen=True, slots=True)
class Feedback:
    """What is to be said of an answer."""

    is_right: bool
    say: Text = ""
    verdict: Verdict | None = None
    evidence: tuple[Evidence, ...] = ()
    missed: tuple[Feature, ...] = ()


def _one_feature(feature: Feature, *, is_right: bool) -> Feedback:
    missed = () if is_right else (feature,)
    return Feedback(is_right, evidence=(Evidence(feature_skill(feature), is_right),), missed=missed)


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


@dataclass(frozen=True, slots=True)
class Look:
    """Nothing is asked: look, and go on."""

    name: ClassVar[str] = "look"
    cards: tuple[Card, ...] = ()
    verdicts: tuple[Verdict, ...] = ()

    def judge(self, answer: Answer) -> Feedback:
        return Feedback(is_right=True)


@dataclass(frozen=True, slots=True)
class NameValue:
    """Which value has this card in this feature?"""

    name: ClassVar[str] = "name-value"
    card: Card
    feature: Feature

    @property
    def slugs(self) -> list[str]:
        return [value.name.lower() for value in VALUES[self.feature]]

    def judge(self, answer: Answer) -> Feedback:
        value = _chosen(answer, "value", self.slugs)
        return _one_feature(self.feature, is_right=value == self.card.value(self.feature).name.lower())


@dataclass(frozen=True, slots=True)
class WhatChanged:
    """Two cards that differ in one feature: in which?"""

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
    def features(self) -> tuple[Feature, ...]:
        return tuple(Feature)

    @property
    def _changed(self) -> list[Feature]:
        return [feature for feature in Feature if self.first.value(feature) is not self.second.value(feature)]

    def judge(self, answer: Answer) -> Feedback:
        feature = _chosen(answer, "feature", list(Feature))
        return _one_feature(self._changed[0], is_right=feature == self._changed[0])


@dataclass(frozen=True, slots=True)
class PickAll:
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

    def judge(self, answer: Answer) -> Feedback:
        picked = set(_chosen_cards(answer, self.cards))
        if not picked:
            raise Unanswered(_("Pick the cards first."))
        feedback = _one_feature(self.feature, is_right=picked == self._wanted)
        if feedback.is_right:
            return feedback
        say = _("Some are still missing.") if picked < self._wanted else _("One that you picked does not belong.")
        return replace(feedback, say=say)


@dataclass(frozen=True, slots=True)
class Ask:
    """One exercise with cards that the course chose."""

    name: ClassVar[str] = "ask"
    exercise: Exercise


@dataclass(frozen=True, slots=True)
class Drill:
    """Exercises made from a seed, until so many are right."""

    name: ClassVar[str] = "drill"
    wanted: tuple[Wanted, ...]
    right: int = 3


@dataclass(frozen=True, slots=True)
class Scene:
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

    def judge(self, answer: Answer) -> Feedback:
        """Let the referee hear it; the learner is seat 0."""
        match = self.match
        if self.do == "go on":
            return Feedback(is_right=True)
        command: ask.Command
        verdict = None
        if self.do in {"set", "wrong"}:
            cards = _chosen_cards(answer, match.table)
            command = ask.Pick(0, cards)
            verdict = explain(*_triple(cards)) if len(cards) == len(("a", "b", "c")) else None
        else:
            command = ask.Call(0) if self.do == "call" else ask.AgreeNoSet(0)
        now = match.control.since + 1 if match.control else match.since + 5
        try:
            decide(match, command, now)
        except Refused as refused:
            raise Unanswered(str(REFUSALS[refused.reason])) from None
        if verdict is None:
            return Feedback(is_right=True)
        return Feedback(verdict.is_set is (self.do == "set"), verdict=verdict)


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
class Experiment:
    """Deal so many tables and count those without a SET."""

    name: ClassVar[str] = "experiment"
    deck: str
    cards: int
    deals: int

    def judge(self, answer: Answer) -> Feedback:
        seed = random.Random(str(answer.get("seed", ""))[:40]).randrange(1 << 32)
        result = simulate_first_deals(self.deck, self.cards, self.deals, seed)
        say = _(
            "%(deals)s tables of %(cards)s cards: %(without)s had no SET. That is about %(odds)s; exact is %(exact)s."
        )
        return Feedback(
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
class NoSetBuilder:
    """Pick as many cards as possible without a SET among them."""

    name: ClassVar[str] = "no-set-builder"
    deck: tuple[Card, ...]
    enough: int
    """How many are enough to go on: as many as one always gets to, whichever cards one takes."""
    most: int

    def picked(self, answer: Answer) -> tuple[Card, ...]:
        return _chosen_cards(answer, self.deck)

    def impossible(self, picked: Sequence[Card]) -> frozenset[Card]:
        """The cards that would make a SET with two that are picked."""
        return frozenset(third_card(a, b) for a, b in combinations(picked, 2)) & frozenset(self.deck)

    def judge(self, answer: Answer) -> Feedback:
        picked = self.picked(answer)
        found = find_sets(picked)
        if found:
            return Feedback(False, _("There is a SET among them."), verdict=explain(*found[0]))
        if len(picked) < self.enough:
            say = ngettext(
                "%(count)s card without a SET. Get to %(enough)s.",
                "%(count)s cards without a SET. Get to %(enough)s.",
                len(picked),
            )
            return Feedback(False, say % {"count": len(picked), "enough": self.enough})
        say = ngettext(
            "%(count)s card without a SET! The most there can be is %(most)s.",
            "%(count)s cards without a SET! The most there can be is %(most)s.",
            len(picked),
        )
        return Feedback(True, say % {"count": len(picked), "most": self.most})


@dataclass(frozen=True, slots=True)
class MagicSquare:
    """Three cards that are no SET make a square of nine in which every line is one."""

    name: ClassVar[str] = "magic-square"
    cards: tuple[Card, ...]

    def square(self, answer: Answer) -> tuple[Card, ...]:
        """Nine cards, row by row; the three picked ones lie in the first two places and below the first."""
        picked = _chosen_cards(answer, self.cards)
        if len(picked) != len(("a", "b", "c")):
            raise Unanswered(_("Pick three cards."))
        a, b, d = _triple(picked)
        if is_set(a, b, d):
            raise Unanswered(_("These three are a SET already. Pick three that are none."))
        c, g = third_card(a, b), third_card(a, d)
        e = third_card(c, g)
        return a, b, c, d, e, third_card(d, e), g, third_card(b, e), third_card(a, e)

    def judge(self, answer: Answer) -> Feedback:
        count = len(find_sets(self.square(answer)))
        return Feedback(is_right=True, say=_("Nine cards, %(count)s SETs.") % {"count": count})


Question = Look | NameValue | WhatChanged | PickAll | Ask | Drill | Scene | Experiment | NoSetBuilder | MagicSquare
# The nine cards that differ in two features only: the smallest deck in which the builder makes sense.
NINE_CARDS = tuple(card for card in FULL_DECK if card.number == 1 and card.color == "red")
