"""The layout of an exercise on a worksheet and its answer on the key, with one class per printable kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import ClassVar, Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from reportlab.lib.units import mm

from core.printing.page import SOFT, Anchor, Box, Item, Lines, Text
from core.printing.paper import Paper
from games.art.palettes import Palette
from games.printing.cards import Face, card_height
from games.rules import Card, Feature
from games.rules.triples import FeaturePattern, explain
from games.words import FEATURES, card_name, labeled, listed, verdict_words
from lessons.questions import Exercise
from lessons.skills import ExerciseKind
from lessons.words import VERDICT_KINDS

MARGIN = 15 * mm
_NUMBER = 9 * mm
_LEFT = MARGIN + _NUMBER
_GAP = 3 * mm
_BOX = 4 * mm
_TRIPLE_CARD, _EXPLAIN_CARD, _GIVEN_CARD, _CHOICE_CARD, _BOARD_CARD = 35 * mm, 29 * mm, 33 * mm, 25 * mm, 33 * mm
_LETTER = 5 * mm
_SQUARE_BOARD = 9


@dataclass(frozen=True, slots=True)
class PrintedTask(ABC):
    height: ClassVar[float]
    """How much of the page's height it takes."""
    tell: ClassVar[Promise]
    """The instructions."""

    exercise: Exercise
    palette: Palette
    paper: Paper

    @abstractmethod
    def draw(self, top: float) -> Iterable[Item]: ...

    @abstractmethod
    def answer(self) -> str:
        """The right answer, as printed on the key."""

    def _faces(self, cards: Sequence[Card], x: float, top: float, width: float) -> Iterable[Item]:
        for place, card in enumerate(cards):
            left = x + place * (width + _GAP)
            yield Face(card=card, x=left, y=top - card_height(width), width=width, palette=self.palette)


class PrintedIsSet(PrintedTask):
    height: ClassVar[float] = 30 * mm
    tell: ClassVar[Promise] = gettext_lazy("Check yes or no. If it is none, write down what breaks it.")

    def draw(self, top: float) -> Iterable[Item]:
        width, _height = self.paper.size
        yield from self._faces(self.exercise.cards, _LEFT, top, _TRIPLE_CARD)
        x = _LEFT + 3 * (_TRIPLE_CARD + _GAP) + 4 * mm
        yield from _tick_box(_("yes"), x, top - 9 * mm)
        yield from _tick_box(_("no"), x + 20 * mm, top - 9 * mm)
        yield from blank(_("because"), x, top - 20 * mm, width - MARGIN)

    def answer(self) -> str:
        if self.exercise.solve().yes:
            return _("yes")
        return _("no (%(why)s)") % {"why": verdict_words(explain(*self.exercise.cards).broken)}


class PrintedThirdCard(PrintedTask):
    height: ClassVar[float] = 54 * mm
    tell: ClassVar[Promise] = gettext_lazy("Which card makes it a SET? Circle its letter.")

    def draw(self, top: float) -> Iterable[Item]:
        yield from self._faces(self.exercise.cards, _LEFT, top, _GIVEN_CARD)
        x, high = _LEFT + 2 * (_GIVEN_CARD + _GAP), card_height(_GIVEN_CARD)
        yield Box(x=x, y=top - high, width=_GIVEN_CARD, height=high, corner=2 * mm, dashes=(3, 2), ink=SOFT)
        yield Text(text="?", x=x + _GIVEN_CARD / 2, y=top - high / 2 - 3 * mm, size=22, anchor=Anchor.MIDDLE, ink=SOFT)
        below = top - high - 3 * mm
        yield from self._faces(self.exercise.choices, _LEFT, below, _CHOICE_CARD)
        yield from _letters(
            [(_LEFT + place * (_CHOICE_CARD + _GAP), below) for place in range(len(self.exercise.choices))],
            _CHOICE_CARD,
        )

    def answer(self) -> str:
        card = self.exercise.solve().card
        return labeled(_letters_of([card], self.exercise.choices), card_name(card)) if card else ""


class PrintedFindAll(PrintedTask):
    height: ClassVar[float] = 99 * mm
    tell: ClassVar[Promise] = gettext_lazy("Find every SET, and write down the letters of its cards.")

    def draw(self, top: float) -> Iterable[Item]:
        places = board_places(len(self.exercise.cards), top)
        for card, (x, y) in zip(self.exercise.cards, places, strict=True):
            yield Face(card=card, x=x, y=y - card_height(_BOARD_CARD), width=_BOARD_CARD, palette=self.palette)
        yield from _letters(places, _BOARD_CARD)
        rows = len({y for _x, y in places})
        y = top - rows * _board_step() - 5 * mm
        for slot in range(self.exercise.picks):
            start = _LEFT + slot * 42 * mm
            dashes = [(start + place * 12 * mm, y, start + place * 12 * mm + 10 * mm, y) for place in range(3)]
            yield Lines(lines=tuple(dashes))

    def answer(self) -> str:
        sets = self.exercise.solve().sets
        return ",  ".join(sorted(_letters_of(triple, self.exercise.cards) for triple in sets))


class PrintedExplain(PrintedTask):
    height: ClassVar[float] = 38 * mm
    tell: ClassVar[Promise] = gettext_lazy("Check for each feature how it is on the three cards. Is it a SET?")

    def draw(self, top: float) -> Iterable[Item]:
        yield from self._faces(self.exercise.cards, _LEFT, top - 5 * mm, _EXPLAIN_CARD)
        left = _LEFT + 3 * (_EXPLAIN_CARD + _GAP) + 2 * mm
        first, column = left + 17 * mm, 18 * mm
        for place, make in enumerate(FeaturePattern):
            x = first + place * column + column / 2
            words = str(VERDICT_KINDS[make])
            yield Text(text=words, x=x, y=top - 3 * mm, size=8, anchor=Anchor.MIDDLE, room=column - 1 * mm)
        for row, feature in enumerate(Feature):
            y = top - 9.5 * mm - row * 6 * mm
            yield Text(text=str(FEATURES[feature]), x=left, y=y, size=10, room=16 * mm)
            for place in range(len(FeaturePattern)):
                x = first + place * column + (column - _BOX) / 2
                yield Box(x=x, y=y - 0.6 * mm, width=_BOX, height=_BOX)
        yield from _tick_box(_("It is a SET"), _LEFT, top - 31 * mm)

    def answer(self) -> str:
        makes = self.exercise.solve().makes
        why = listed(labeled(FEATURES[feature], VERDICT_KINDS[make]) for feature, make in makes.items())
        text = _("no SET (%(why)s)") if FeaturePattern.TWO_AND_ONE in makes.values() else _("a SET (%(why)s)")
        return text % {"why": why}


TASKS: Final[dict[ExerciseKind, type[PrintedTask]]] = {
    ExerciseKind.IS_SET: PrintedIsSet,
    ExerciseKind.EXPLAIN: PrintedExplain,
    ExerciseKind.THIRD_CARD: PrintedThirdCard,
    ExerciseKind.FIND_ALL: PrintedFindAll,
}


def board_places(count: int, top: float) -> list[tuple[float, float]]:
    """The upper left corner of each card of a board, row by row."""
    columns = 3 if count <= _SQUARE_BOARD else 4
    return [
        (_LEFT + place % columns * (_BOARD_CARD + _GAP), top - place // columns * _board_step())
        for place in range(count)
    ]


def _board_step() -> float:
    return card_height(_BOARD_CARD) + _LETTER + 1.5 * mm


def _letters(places: Sequence[tuple[float, float]], width: float) -> Iterable[Item]:
    """A letter under each card; `places` are the cards' upper left corners."""
    for letter, (x, y) in zip(ascii_uppercase, places, strict=False):
        middle, below = x + width / 2, y - card_height(width) - 4.2 * mm
        yield Text(text=letter, x=middle, y=below, size=11, bold=True, anchor=Anchor.MIDDLE)


def _tick_box(words: str, x: float, y: float) -> Iterable[Item]:
    yield Box(x=x, y=y, width=_BOX, height=_BOX)
    yield Text(text=words, x=x + _BOX + 2 * mm, y=y + 0.4 * mm, size=11)


def blank(words: str, x: float, y: float, end: float) -> Iterable[Item]:
    """A label and a line to write on."""
    label = Text(text=words, x=x, y=y, size=10, ink=SOFT)
    yield label
    start = x + (label.line.width if label.line else 0) + 2 * mm
    yield Lines(lines=((start, y - 1, end, y - 1),))


def _letters_of(cards: Sequence[Card], shown: Sequence[Card]) -> str:
    return " ".join(ascii_uppercase[place] for place in sorted(map(shown.index, cards)))
