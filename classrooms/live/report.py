"""The teacher's report on a lesson: who was there and what each answered. One function makes all numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from io import BytesIO
from typing import Any

import xlsxwriter
from django.db.models import Count, Q, QuerySet
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from classrooms.live.activities import kinds
from classrooms.models import Activity, Answer, Attendee, Classroom, Enrolment, Session
from core.spreadsheets import Cell, table_csv, write_table
from games.rules import Feature
from games.words import FEATURES, labeled

_NOT_DELETED = Q(user=None) | Q(user__deleted_at=None)
_MINUTE = timedelta(minutes=1)
_LATEST = 10


@dataclass(frozen=True, slots=True)
class AnswerTally:
    """Counts of answers and, by feature, of mistakes in them."""

    answers: int = 0
    rights: int = 0
    missed: tuple[int, ...] = (0,) * len(Feature)
    """How often each feature was overlooked or wrongly blamed, in the order of `Feature`."""

    @property
    def wrongs(self) -> int:
        return self.answers - self.rights

    @property
    def missed_features(self) -> list[tuple[Feature, int]]:
        return [(feature, number) for feature, number in zip(Feature, self.missed, strict=True) if number]


@dataclass(frozen=True, slots=True)
class ActivitySummary:
    """An activity, and how the whole class did in it."""

    activity: Activity
    title: str
    tally: AnswerTally


@dataclass(frozen=True, slots=True)
class AttendanceLine:
    """Somebody who was in the lesson, or a student of the class who wasn't."""

    name: str
    """As on the screens."""
    real_name: str
    enrolment: Enrolment | None
    was_there: bool
    came_after: int | None
    """How many minutes after the session was opened."""
    was_sent_out: bool
    tallies: tuple[AnswerTally, ...]
    """One for each activity."""
    total: AnswerTally


@dataclass(frozen=True, slots=True)
class SessionReport:
    session: Session
    parts: tuple[ActivitySummary, ...]
    students: tuple[AttendanceLine, ...]
    """The students of the class and those who were students at the time, ordered by real name."""
    guests: tuple[AttendanceLine, ...]
    total: AnswerTally

    @property
    def there(self) -> tuple[AttendanceLine, ...]:
        return tuple(line for line in self.students if line.was_there)

    @property
    def missing(self) -> tuple[AttendanceLine, ...]:
        return tuple(line for line in self.students if not line.was_there)

    @property
    def minutes(self) -> int | None:
        session = self.session
        return (session.ended_at - session.opened_at) // _MINUTE if session.ended_at else None


def session_report(session: Session) -> SessionReport:
    """The numbers for both screen and files. The number of queries doesn't depend on the number of students."""
    activities = list(session.activities.all())
    attendees = list(session.attendees.filter(_NOT_DELETED).select_related("user").defer("user__pictures"))
    enrolments = list(session.classroom.enrolments.present())
    answers = list(Answer.objects.filter(activity__session=session, attendee__in=attendees))
    tallies = _tallies(activities, answers)
    enrolled: dict[int | None, Enrolment] = {each.student_id: each for each in enrolments}
    lines = {each: _line(session, each, enrolled.get(each.user_id), tallies[each.pk]) for each in attendees}
    seated = {each.user_id for each in attendees}
    absent = [_absent(each, len(activities)) for each in enrolments if each.student_id not in seated]
    students = [line for attendee, line in lines.items() if _is_student(attendee)] + absent
    return SessionReport(
        session=session,
        parts=tuple(
            ActivitySummary(
                activity, _title(activity), _tally(each for each in answers if each.activity_id == activity.pk)
            )
            for activity in activities
        ),
        students=tuple(sorted(students, key=lambda line: (line.real_name or line.name, line.name))),
        guests=tuple(line for attendee, line in lines.items() if not _is_student(attendee) and line.was_there),
        total=_tally(answers),
    )


def _is_student(attendee: Attendee) -> bool:
    """Whether a seat counts as a student's. A guest who signed in later but isn't in the class stays a guest."""
    return attendee.user is not None and not attendee.is_visitor


def _tallies(activities: Sequence[Activity], answers: Iterable[Answer]) -> dict[int, tuple[AnswerTally, ...]]:
    """By attendee, a tally for each activity."""
    given: dict[tuple[int, int], list[Answer]] = defaultdict(list)
    for each in answers:
        given[each.attendee_id, each.activity_id].append(each)
    whose = {attendee for attendee, _activity in given}
    none = (AnswerTally(),) * len(activities)
    found = {pk: tuple(_tally(given[pk, activity.pk]) for activity in activities) for pk in whose}
    return defaultdict(lambda: none, found)


def _tally(answers: Iterable[Answer]) -> AnswerTally:
    answers = list(answers)
    missed = [feature for each in answers for feature in each.missed]
    return AnswerTally(
        answers=len(answers),
        rights=sum(each.is_right for each in answers),
        missed=tuple(missed.count(feature.value) for feature in Feature),
    )


def _sum(tallies: Iterable[AnswerTally]) -> AnswerTally:
    tallies = list(tallies)
    return AnswerTally(
        answers=sum(each.answers for each in tallies),
        rights=sum(each.rights for each in tallies),
        missed=tuple(sum(each.missed[place] for each in tallies) for place in range(len(Feature))),
    )


def _line(
    session: Session, attendee: Attendee, enrolment: Enrolment | None, tallies: tuple[AnswerTally, ...]
) -> AttendanceLine:
    total = _sum(tallies)
    # A paper seat doesn't prove that the student was there: the teacher can add one for anybody. An answer does.
    was_there = not attendee.is_on_paper or total.answers > 0
    return AttendanceLine(
        name=attendee.name,
        real_name=enrolment.real_name if enrolment else "",
        enrolment=enrolment,
        was_there=was_there,
        came_after=(attendee.joined_at - session.opened_at) // _MINUTE if was_there else None,
        # A paper seat that was taken back was a mistake; nobody was sent out.
        was_sent_out=attendee.removed_at is not None and not attendee.is_on_paper,
        tallies=tallies,
        total=total,
    )


def _absent(enrolment: Enrolment, parts: int) -> AttendanceLine:
    return AttendanceLine(
        name=enrolment.student.display_name,
        real_name=enrolment.real_name,
        enrolment=enrolment,
        was_there=False,
        came_after=None,
        was_sent_out=False,
        tallies=(AnswerTally(),) * parts,
        total=AnswerTally(),
    )


def _title(activity: Activity) -> str:
    kind = kinds().get(activity.kind)
    return str(kind.title) if kind else activity.kind


def latest_sessions(classroom: Classroom) -> QuerySet[Session, Any]:
    """The last lessons of a class, each annotated with the number of students who were `there`."""
    took_part = Q(attendees__is_on_paper=False) | Q(attendees__answers__isnull=False)
    is_student = Q(attendees__user__isnull=False, attendees__is_visitor=False, attendees__user__deleted_at=None)
    there = Count("attendees", filter=is_student & took_part, distinct=True)
    return Session.objects.filter(classroom=classroom).annotate(there=there).order_by("-opened_at", "-pk")[:_LATEST]


# Files


def table(report: SessionReport) -> list[list[Cell]]:
    """Rows for the students, the guests and the total, with columns for the whole lesson and then each activity."""
    titles = [f"{part.activity.number} {part.title}" for part in report.parts]
    header: list[Cell] = [_("Name"), _("Name on screens"), _("Was there"), _("Minutes after the beginning")]
    header += _column_titles(_("Lesson"))
    for title in titles:
        header += _column_titles(title)
    lines = [header]
    for line in (*report.students, *report.guests):
        is_guest = line in report.guests
        there = _("guest") if is_guest else _("yes") if line.was_there else _("no")
        cells: list[Cell] = [line.real_name, line.name, there, line.came_after]
        for tally in (line.total, *line.tallies):
            cells += _cells(tally)
        lines.append(cells)
    everybody: list[Cell] = [_("All"), "", len(report.there), None]
    for tally in (report.total, *(part.tally for part in report.parts)):
        everybody += _cells(tally)
    return [*lines, everybody]


def _column_titles(title: str) -> list[Cell]:
    features = [_("missed: %(feature)s") % {"feature": FEATURES[feature]} for feature in Feature]
    names = (_("answers"), pgettext("answers", "right"), pgettext("answers", "wrong"), *features)
    return [labeled(title, name) for name in names]


def _cells(tally: AnswerTally) -> list[Cell]:
    return [tally.answers, tally.rights, tally.wrongs, *tally.missed]


def session_csv(report: SessionReport) -> bytes:
    return table_csv(table(report))


def session_xlsx(report: SessionReport) -> bytes:
    file = BytesIO()
    with xlsxwriter.Workbook(file, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}) as book:
        write_table(book, _("Lesson"), table(report))
    return file.getvalue()


def file_name(report: SessionReport, kind: str) -> str:
    name = slugify(report.session.classroom.name) or "class"
    return f"{name}-lesson-{report.session.opened_at:%Y-%m-%d}.{kind}"
