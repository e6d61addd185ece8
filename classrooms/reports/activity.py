"""When students were here and how long they worked, queried for many at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final

from django.db.models import F, FloatField, Max, QuerySet, Sum, Value
from django.db.models.functions import Least, TruncDate

from classrooms.models import User
from games.models import PuzzleResult, Seat
from lessons.models import LearningEvent, StepDone

PERIOD_DAYS: Final = 28
LONGEST_TRY: Final = 180.0
"""At most this many seconds of a try count as work; in a longer one the student most likely looked away."""


@dataclass(frozen=True, slots=True)
class StudentActivity:
    """What a student did in the last four weeks."""

    days: frozenset[date] = frozenset()
    """Days on which they answered, finished a step, played or did the daily puzzle."""
    seconds: float = 0.0
    """Time spent on exercises, by the server's clock; a try counts for three minutes at most.

    Excludes course questions, which aren't timed, and games.
    """
    last_seen: datetime | None = None
    """When they last answered or played, however long ago."""


def activity_of(students: Iterable[User], *, now: datetime) -> dict[int, StudentActivity]:
    """By the student's key. Takes as many queries for a whole school as for one student."""
    users = [student.pk for student in students]
    since = now - timedelta(days=PERIOD_DAYS)
    days: dict[int, set[date]] = {user: set() for user in users}
    seen: dict[int, datetime] = {}
    for rows, moment in _activity_rows(users):
        for user, day in rows.filter(**{f"{moment}__gt": since}).values_list("user", TruncDate(moment)).distinct():
            days[user].add(day)
        for user, last in rows.values_list("user").annotate(Max(moment)).order_by("user"):
            seen[user] = max(last, seen.get(user, last))
    worked = LearningEvent.objects.filter(user__in=users, at__gt=since, seconds__isnull=False)
    capped = Sum(Least(F("seconds"), Value(LONGEST_TRY), output_field=FloatField()))
    seconds = dict(worked.values_list("user").annotate(seconds_of_work=capped).order_by("user"))
    return {user: StudentActivity(frozenset(days[user]), seconds.get(user, 0.0), seen.get(user)) for user in users}


def _activity_rows(users: Collection[int]) -> list[tuple[QuerySet[Any], str]]:
    """Rows that show that a student was here, with the name of their timestamp field."""
    return [
        (LearningEvent.objects.tries().filter(user__in=users).order_by(), "at"),
        (StepDone.objects.filter(user__in=users), "at"),
        (Seat.objects.filter(user__in=users).order_by(), "match__touched_at"),
        (PuzzleResult.objects.filter(user__in=users), "started_at"),
    ]
