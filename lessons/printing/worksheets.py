"""Worksheets: the exercises of a sheet on paper, the way to them on screen, and the answers on a page of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from reportlab.lib.units import mm

from core.printing.page import SOFT, Anchor, Box, Code, Item, Lines, Page, Text
from core.printing.paper import Paper
from games.art.palettes import Palette, palette_named
from games.printing.cards import Face, card_height
from games.rules import Card, Feature
from games.rules.cards import Color, Number, Shading, Shape
from games.rules.triples import FeaturePattern as Make
from games.rules.triples import explain
from games.words import FEATURES, card_name, labelled, listed, verdict_words
from lessons.exercises import Exercise
from lessons.grading import solve
from lessons.sheets import Sheet, read_sheet
from lessons.skills import ExerciseKind, kind_skill
from lessons.words import SKILLS, VERDICT_KINDS, value_name

MARGIN = 15 * mm
CODE_SIZE = 26 * mm
_HEAD = 46 * mm
_NUMBER = 9 * mm
_GAP = 3 * mm
_BOX = 4 * mm
_TRIPLE_CARD, _EXPLAIN_CARD, _GIVEN_CARD, _CHOICE_CARD, _BOARD_CARD = 35 * mm, 29 * mm, 33 * mm, 25 * mm, 33 * mm
_LETTER = 5 * mm
_KEY_LINE = 7.5 * mm
_SQUARE_BOARD = 9

_HEIGHTS = {
    ExerciseKind.IS_SET: 30 * mm,
    ExerciseKind.THIRD_CARD: 54 * mm,
    ExerciseKind.FIND_ALL: 99 * mm,
    ExerciseKind.EXPLAIN: 38 * mm,
}
"""How much of the page a task takes."""
_TELL = {
    ExerciseKind.IS_SET: gettext_lazy("Check yes or no. If it is none, write down what breaks it."),
    ExerciseKind.THIRD_CARD: gettext_lazy("Which card makes it a SET? Circle its letter."),
    ExerciseKind.FIND_ALL: gettext_lazy("Find every SET, and write down the letters of its cards."),
    ExerciseKind.EXPLAIN: gettext_lazy("Check for each feature how it is on the three cards. Is it a SET?"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Worksheet:
    """What somebody wants to print."""

    sheet: Sheet
    address: str
    """Where the same exercises are on screen."""
    palette: Palette
    paper: Paper
    key: bool = True

    @classmethod
    def asked(cls, asked: Mapping[str, Any]) -> Worksheet:
        sheet = read_sheet(asked["kind"], asked["code"])
        if sheet is None:
            raise ValueError(f"no sheet has the number {asked['code']!r}")
        return cls(
            sheet=sheet,
            address=asked["address"],
            palette=palette_named(asked["palette"]),
            paper=Paper(asked["paper"]),
            key=asked["key"],
        )

    @property
    def title(self) -> str:
        return str(SKILLS[kind_skill(self.sheet.kind)])

    def pages(self) -> list[Page]:
        """The tasks on as many pages as they need, then the answers."""
        tasks = list(enumerate(self.sheet.exercises, 1))
        step = tasks_on_a_page(self.sheet.kind, self.paper)
        pages = [self._page(tasks[start : start + step]) for start in range(0, len(tasks), step)]
        return [*pages, self._key()] if self.key else pages

    def _page(self, tasks: Sequence[tuple[int, Exercise]]) -> Page:
        drawn = [
            item
            for (number, exercise), top in zip(tasks, task_tops(self.sheet.kind, self.paper), strict=False)
            for item in self._task(number, exercise, top)
        ]
        return Page(size=self.paper.size, items=(*self._head(), *drawn, *self._foot()))

    def _head(self) -> Iterable[Item]:
        width, height = self.paper.size
        top = height - MARGIN
        code_left = width - MARGIN - CODE_SIZE
        room = code_left - MARGIN - 8 * mm
        yield Text(text=self.title, x=MARGIN, y=top - 7 * mm, size=22, bold=True, room=room)
        yield Text(text=str(_TELL[self.sheet.kind]), x=MARGIN, y=top - 15 * mm, size=11, room=room)
        yield from _blank(_("Name"), MARGIN, top - 27 * mm, MARGIN + room * 0.64)
        yield from _blank(_("Date"), MARGIN + room * 0.68, top - 27 * mm, MARGIN + room)
        yield Code(text=self.address, x=code_left, y=top - CODE_SIZE, size=CODE_SIZE)
        yield Text(
            text=_("The same on screen"),
            x=width - MARGIN,
            y=top - CODE_SIZE - 4 * mm,
            size=8,
            anchor=Anchor.END,
            ink=SOFT,
            room=CODE_SIZE + 12 * mm,
        )
        if self.palette.marks:
            yield from self._legend(top - 38 * mm)

    def _legend(self, y: float) -> Iterable[Item]:
        """What the marks stand for, where all is black."""
        for place, color in enumerate(Color):
            x = MARGIN + place * 34 * mm
            card = Card(Number.ONE, color, Shading.OUTLINED, Shape.OVAL)
            yield Face(card=card, x=x, y=y, width=11 * mm, palette=self.palette)
            yield Text(text=value_name(color), x=x + 13 * mm, y=y + 2.5 * mm, size=10, room=19 * mm)

    def _foot(self) -> Iterable[Item]:
        width, _height = self.paper.size
        words = _("Setsite · sheet %(code)s") % {"code": self.sheet.code}
        yield Text(text=words, x=width - MARGIN, y=8 * mm, size=8, anchor=Anchor.END, ink=SOFT)

    def _task(self, number: int, exercise: Exercise, top: float) -> Iterable[Item]:
        yield Text(text=f"{number}.", x=MARGIN, y=top - 6 * mm, size=13, bold=True)
        yield from _TASKS[exercise.kind](self, exercise, top)

    def _faces(self, cards: Sequence[Card], x: float, top: float, width: float) -> Iterable[Item]:
        for place, card in enumerate(cards):
            left = x + place * (width + _GAP)
            yield Face(card=card, x=left, y=top - card_height(width), width=width, palette=self.palette)

    def _is_set(self, exercise: Exercise, top: float) -> Iterable[Item]:
        width, _height = self.paper.size
        yield from self._faces(exercise.cards, MARGIN + _NUMBER, top, _TRIPLE_CARD)
        x = MARGIN + _NUMBER + 3 * (_TRIPLE_CARD + _GAP) + 4 * mm
        yield from _tick_box(_("yes"), x, top - 9 * mm)
        yield from _tick_box(_("no"), x + 20 * mm, top - 9 * mm)
        yield from _blank(_("because"), x, top - 20 * mm, width - MARGIN)

    def _third_card(self, exercise: Exercise, top: float) -> Iterable[Item]:
        left = MARGIN + _NUMBER
        yield from self._faces(exercise.cards, left, top, _GIVEN_CARD)
        x, high = left + 2 * (_GIVEN_CARD + _GAP), card_height(_GIVEN_CARD)
        yield Box(x=x, y=top - high, width=_GIVEN_CARD, height=high, corner=2 * mm, dashes=(3, 2), ink=SOFT)
        yield Text(text="?", x=x + _GIVEN_CARD / 2, y=top - high / 2 - 3 * mm, size=22, anchor=Anchor.MIDDLE, ink=SOFT)
        below = top - high - 3 * mm
        yield from self._faces(exercise.choices, left, below, _CHOICE_CARD)
        yield from _letters(
            [(left + place * (_CHOICE_CARD + _GAP), below) for place in range(len(exercise.choices))], _CHOICE_CARD
        )

    def _find_all(self, exercise: Exercise, top: float) -> Iterable[Item]:
        places = board_places(len(exercise.cards), top)
        for card, (x, y) in zip(exercise.cards, places, strict=True):
            yield Face(card=card, x=x, y=y - card_height(_BOARD_CARD), width=_BOARD_CARD, palette=self.palette)
        yield from _letters(places, _BOARD_CARD)
        rows = len({y for _x, y in places})
        y = top - rows * _board_step() - 5 * mm
        for slot in range(len(solve(exercise).sets)):
            start = MARGIN + _NUMBER + slot * 42 * mm
            dashes = [(start + place * 12 * mm, y, start + place * 12 * mm + 10 * mm, y) for place in range(3)]
            yield Lines(lines=tuple(dashes))

    def _explain(self, exercise: Exercise, top: float) -> Iterable[Item]:
        yield from self._faces(exercise.cards, MARGIN + _NUMBER, top - 5 * mm, _EXPLAIN_CARD)
        left = MARGIN + _NUMBER + 3 * (_EXPLAIN_CARD + _GAP) + 2 * mm
        first, column = left + 17 * mm, 18 * mm
        for place, make in enumerate(Make):
            x = first + place * column + column / 2
            words = str(VERDICT_KINDS[make])
            yield Text(text=words, x=x, y=top - 3 * mm, size=8, anchor=Anchor.MIDDLE, room=column - 1 * mm)
        for row, feature in enumerate(Feature):
            y = top - 9.5 * mm - row * 6 * mm
            yield Text(text=str(FEATURES[feature]), x=left, y=y, size=10, room=16 * mm)
            for place in range(len(Make)):
                x = first + place * column + (column - _BOX) / 2
                yield Box(x=x, y=y - 0.6 * mm, width=_BOX, height=_BOX)
        yield from _tick_box(_("It is a SET"), MARGIN + _NUMBER, top - 31 * mm)

    def _key(self) -> Page:
        width, height = self.paper.size
        top = height - MARGIN
        items: list[Item] = [
            Text(text=_("Answers"), x=MARGIN, y=top - 7 * mm, size=22, bold=True),
            Text(text=self.title, x=MARGIN, y=top - 15 * mm, size=11),
        ]
        for number, exercise in enumerate(self.sheet.exercises, 1):
            y = top - 26 * mm - (number - 1) * _KEY_LINE
            items.append(Text(text=f"{number}.", x=MARGIN, y=y, size=11, bold=True))
            x = MARGIN + _NUMBER
            items.append(Text(text=answer_words(exercise), x=x, y=y, size=11, room=width - MARGIN - x))
        return Page(size=self.paper.size, items=(*items, *self._foot()))


def tasks_on_a_page(kind: ExerciseKind, paper: Paper) -> int:
    _width, height = paper.size
    return int((height - 2 * MARGIN - _HEAD) // _HEIGHTS[kind])


def task_tops(kind: ExerciseKind, paper: Paper) -> list[float]:
    """Where the tasks of a page begin, from the first down; what is left over is shared among them."""
    _width, height = paper.size
    count = tasks_on_a_page(kind, paper)
    step = (height - 2 * MARGIN - _HEAD) / count
    return [height - MARGIN - _HEAD - number * step for number in range(count)]


def board_places(count: int, top: float) -> list[tuple[float, float]]:
    """The upper left corner of each card of a board, row by row."""
    columns = 3 if count <= _SQUARE_BOARD else 4
    return [
        (MARGIN + _NUMBER + place % columns * (_BOARD_CARD + _GAP), top - place // columns * _board_step())
        for place in range(count)
    ]


def _board_step() -> float:
    return card_height(_BOARD_CARD) + _LETTER + 1.5 * mm


_TASKS: dict[ExerciseKind, Callable[[Worksheet, Exercise, float], Iterable[Item]]] = {
    ExerciseKind.IS_SET: Worksheet._is_set,
    ExerciseKind.THIRD_CARD: Worksheet._third_card,
    ExerciseKind.FIND_ALL: Worksheet._find_all,
    ExerciseKind.EXPLAIN: Worksheet._explain,
}


def _letters(places: Sequence[tuple[float, float]], width: float) -> Iterable[Item]:
    """A letter under each card, by their upper left corners."""
    for letter, (x, y) in zip(ascii_uppercase, places, strict=False):
        middle, below = x + width / 2, y - card_height(width) - 4.2 * mm
        yield Text(text=letter, x=middle, y=below, size=11, bold=True, anchor=Anchor.MIDDLE)


def _tick_box(words: str, x: float, y: float) -> Iterable[Item]:
    yield Box(x=x, y=y, width=_BOX, height=_BOX)
    yield Text(text=words, x=x + _BOX + 2 * mm, y=y + 0.4 * mm, size=11)


def _blank(words: str, x: float, y: float, end: float) -> Iterable[Item]:
    """A word, and a line to write on."""
    label = Text(text=words, x=x, y=y, size=10, ink=SOFT)
    yield label
    start = x + (label.line.width if label.line else 0) + 2 * mm
    yield Lines(lines=((start, y - 1, end, y - 1),))


def answer_words(exercise: Exercise) -> str:
    """The right answer as it stands on the key."""
    solution = solve(exercise)
    match exercise.kind:
        case ExerciseKind.IS_SET:
            if solution.yes:
                return _("yes")
            return _("no (%(why)s)") % {"why": verdict_words(explain(*exercise.cards).broken)}
        case ExerciseKind.THIRD_CARD if solution.card:
            return labelled(_letters_of([solution.card], exercise.choices), card_name(solution.card))
        case ExerciseKind.FIND_ALL:
            return ",  ".join(sorted(_letters_of(triple, exercise.cards) for triple in solution.sets))
    why = listed(labelled(FEATURES[feature], VERDICT_KINDS[make]) for feature, make in solution.makes.items())
    text = _("no SET (%(why)s)") if Make.TWO_AND_ONE in solution.makes.values() else _("a SET (%(why)s)")
    return text % {"why": why}


def _letters_of(cards: Sequence[Card], shown: Sequence[Card]) -> str:
    return " ".join(ascii_uppercase[place] for place in sorted(map(shown.index, cards)))
