"""A sheet of exercises, the same on paper and on screen. Its kind and code determine everything on it. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import Final

from lessons.questions import EXERCISES, Exercise, make_exercise
from lessons.skills import ExerciseKind, Wanted

KINDS: Final = tuple(kind for kind, each in EXERCISES.items() if each.on_sheets)
MOST_TASKS: Final = 24
SEED: Final = r"[a-z0-9]{1,12}"
DIFFICULTIES: Final = {"easy": (1, 2), "fair": (2, 3), "hard": (3, 4)}
"""The difficulties of each level, taken in turn. The easy level uses the 27 solid cards."""
_CODE = re.compile(rf"({SEED})-([1-9][0-9]?)-({'|'.join(DIFFICULTIES)})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    kind: ExerciseKind
    seed: str
    tasks: int
    level: str

    @property
    def code(self) -> str:
        """The code on the paper and in the URL. With the kind, it makes the same sheet again."""
        return f"{self.seed}-{self.tasks}-{self.level}"

    @property
    def exercises(self) -> tuple[Exercise, ...]:
        return _exercises(self)


def read_sheet(kind: str, code: str) -> Sheet | None:
    """The sheet with this code; None if the code isn't valid."""
    match = _CODE.fullmatch(code)
    if kind not in KINDS or match is None or int(match[2]) > MOST_TASKS:
        return None
    return Sheet(kind=ExerciseKind(kind), seed=match[1], tasks=int(match[2]), level=match[3])


@lru_cache(maxsize=64)
def _exercises(sheet: Sheet) -> tuple[Exercise, ...]:
    """The sheet's exercises, no two with the same cards."""
    made: list[Exercise] = []
    for task in range(sheet.tasks):
        seed = f"{sheet.kind}-{sheet.code}-{task + 1}"
        shown = [set(each.cards) for each in made]
        drawn = (make_exercise(_wanted(sheet, task), f"{seed}.{turn}" if turn else seed) for turn in count())
        made.append(next(each for each in drawn if set(each.cards) not in shown))
    return tuple(made)


def _wanted(sheet: Sheet, task: int) -> Wanted:
    choices = DIFFICULTIES[sheet.level]
    difficulty, is_easy = choices[task % len(choices)], sheet.level == "easy"
    return EXERCISES[sheet.kind].for_sheet(Wanted(sheet.kind, difficulty, easy=is_easy))
