"""Worksheets: a sheet's exercises on paper, a QR code that opens them on screen, and a separate page of answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from reportlab.lib.units import mm

from core.printing.page import SOFT, Anchor, Code, Item, Page, Text
from core.printing.paper import Paper
from games.art.palettes import Palette, palette_named
from games.printing.cards import Face
from games.rules import Card
from games.rules.cards import Color, Number, Shading, Shape
from lessons.printing.tasks import MARGIN, TASKS, PrintedTask, blank
from lessons.questions import Exercise
from lessons.sheets import Sheet, read_sheet
from lessons.skills import ExerciseKind, kind_skill
from lessons.words import SKILLS, value_name

CODE_SIZE = 26 * mm
_HEAD = 46 * mm
_NUMBER = 9 * mm
_KEY_LINE = 7.5 * mm


@dataclass(frozen=True, slots=True, kw_only=True)
class Worksheet:
    """A worksheet to print."""

    sheet: Sheet
    address: str
    """The URL of the same exercises on screen."""
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
        yield Text(text=str(TASKS[self.sheet.kind].tell), x=MARGIN, y=top - 15 * mm, size=11, room=room)
        yield from blank(_("Name"), MARGIN, top - 27 * mm, MARGIN + room * 0.64)
        yield from blank(_("Date"), MARGIN + room * 0.68, top - 27 * mm, MARGIN + room)
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
        """What the marks stand for when all colors are printed black."""
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
        yield from self._printed(exercise).draw(top)

    def _printed(self, exercise: Exercise) -> PrintedTask:
        return TASKS[exercise.kind](exercise, self.palette, self.paper)

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
            items.append(Text(text=self._printed(exercise).answer(), x=x, y=y, size=11, room=width - MARGIN - x))
        return Page(size=self.paper.size, items=(*items, *self._foot()))


def tasks_on_a_page(kind: ExerciseKind, paper: Paper) -> int:
    _width, height = paper.size
    return int((height - 2 * MARGIN - _HEAD) // TASKS[kind].height)


def task_tops(kind: ExerciseKind, paper: Paper) -> list[float]:
    """The top of each task on a page, from the first one down; leftover space is shared among them."""
    _width, height = paper.size
    count = tasks_on_a_page(kind, paper)
    step = (height - 2 * MARGIN - _HEAD) / count
    return [height - MARGIN - _HEAD - number * step for number in range(count)]
