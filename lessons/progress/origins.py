"""Where a question was asked."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Final


class Source(StrEnum):
    COURSE = "course"
    PRACTICE = "practice"
    SHEET = "sheet"
    LESSON = "lesson"
    """A live lesson."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a question was asked; with a unit and a step if the course asked it."""

    source: Source
    unit: str = ""
    step: str = ""

    @classmethod
    def of_place(cls, place: str) -> Origin:
        """The origin that `place` names."""
        unit, slash, step = place.partition("/")
        return cls(Source.COURSE, unit, step) if slash else cls(Source(place))

    @property
    def place(self) -> str:
        """As URLs and the browser name it: "unit/step", "practice", or "sheet"."""
        return f"{self.unit}/{self.step}" if self.source is Source.COURSE else self.source.value

    @property
    def columns(self) -> dict[str, str]:
        """The model columns of what was asked there."""
        return asdict(self)


PRACTICE: Final = Origin(Source.PRACTICE)
SHEET: Final = Origin(Source.SHEET)
