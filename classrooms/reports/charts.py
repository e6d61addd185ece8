"""Charts as plain numbers, for a template to draw as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from classrooms.reports.report import Week

BAR: Final = 44
GAP: Final = 20
HEIGHT: Final = 120
ROOM_ABOVE: Final = 24
"""For the label on a bar."""
ROOM_BELOW: Final = 26
"""For the day under it."""


@dataclass(frozen=True, slots=True)
class WeekBar:
    week: Week
    x: int
    top: int
    """The top of the bar of all tries; its bottom is on the ground."""
    height: int
    right_top: int
    right_height: int
    """The part of it that was right."""

    @property
    def middle(self) -> int:
        return self.x + BAR // 2


@dataclass(frozen=True, slots=True)
class Chart:
    bars: tuple[WeekBar, ...]
    width: int
    height: int
    ground: int
    bar_width: int = BAR


def week_chart(weeks: Sequence[Week]) -> Chart:
    """One bar per week: its height shows the tries, and its filled part those that were right."""
    most = max((week.tries for week in weeks), default=0) or 1
    ground = ROOM_ABOVE + HEIGHT
    bars = []
    for place, week in enumerate(weeks):
        height, right = round(HEIGHT * week.tries / most), round(HEIGHT * week.rights / most)
        bars.append(WeekBar(week, GAP + place * (BAR + GAP), ground - height, height, ground - right, right))
    return Chart(tuple(bars), GAP + len(weeks) * (BAR + GAP), ground + ROOM_BELOW, ground)
