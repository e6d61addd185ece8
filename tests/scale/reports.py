"""All learning reports of a site as plain values, to compare before and after an upgrade."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from math import isclose
from typing import Any

from django.db.models import Model

from classrooms.live.debrief import debrief
from classrooms.live.report import session_csv, session_report
from classrooms.models import Attendee, Classroom, Session, User
from classrooms.reports.answers import shown_try
from classrooms.reports.exports import class_csv
from classrooms.reports.family import child_report
from classrooms.reports.ledger import ledger
from classrooms.reports.report import StudentReport, class_report, student_report
from games.players import Player
from games.rules import Card
from lessons.queries import about_me

KEYS = {"attempt", "event"}
"""The key of a slow board's answer, by its names."""
RENAMED = {"is_practiced": "is_practised", "last_practiced": "last_practised"}
"""Fields whose names were spelled differently in the previous release."""


def reports(now: float) -> dict[str, Any]:
    """Reports on every class, student, lesson and guest, as JSON values."""
    found: dict[str, Any] = {}
    for classroom in Classroom.objects.order_by("pk"):
        found |= _of_class(classroom, now)
    for session in Session.objects.order_by("pk"):
        report = session_report(session)
        found[f"lesson {session.code}"] = [session_csv(report).decode(), plain(report), plain(debrief(session))]
    for guest in sorted(set(Attendee.objects.exclude(guest="").values_list("guest", flat=True))):
        found[f"guest {guest}"] = plain(about_me(Player(name="guest", guest=guest), now=now))
    return json.loads(json.dumps(found))


def _of_class(classroom: Classroom, now: float) -> dict[str, Any]:
    report = class_report(classroom, now=now)
    found = {f"class {classroom.pk}": [class_csv(report).decode(), plain(report), plain(ledger(classroom))]}
    for enrolment in classroom.enrolments.present():
        user: User = enrolment.student
        student = student_report(enrolment, now=now)
        found[f"student {classroom.pk} {user.pk}"] = [
            plain([student.row, student.path, student.tally, student.weeks, student.standings]),
            [plain(shown_try(each)) for each in _tries(student)],
            plain(about_me(Player(name=user.display_name, user=user), now=now)),
            plain(child_report(user, datetime.fromtimestamp(now, UTC))),
        ]
    return found


def _tries(student: StudentReport) -> Iterable[Any]:
    return student.tries.paginator.object_list


def plain(value: Any) -> Any:
    """Data classes as dictionaries, rows, units and cards as what they're called, sets in order."""
    if isinstance(value, Card) or hasattr(value, "slug"):
        return value.index if isinstance(value, Card) else value.slug
    if is_dataclass(value):
        names = [each.name for each in fields(value) if each.name not in KEYS]
        return {RENAMED.get(name, name): plain(getattr(value, name)) for name in names}
    if isinstance(value, Model):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, Set):
        return sorted(map(str, value))
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def differences(before: Any, after: Any, at: str = "") -> Iterator[str]:
    """Yield the differences between two reports."""
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        for name in before:
            yield from differences(before[name], after[name], f"{at}.{name}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from differences(one, other, f"{at}[{number}]")
    elif isinstance(before, float) and isinstance(after, float) and isclose(before, after):
        # Databases add floats in any order, so allow rounding.
        return
    elif before != after:
        yield f"{at}: {before!r} is {after!r}"
