"""The teacher's Friday summary: what each class did this week, and who needs a hand on Monday.

It's sent by email, so it only has display names.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from django.core.mail import EmailMultiAlternatives
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from classrooms.models import Letter, LetterKind, User
from classrooms.reports.mailings import send_once, write
from classrooms.reports.report import ClassReport, class_report
from core.links import absolute_url


def send_friday_summaries(now: datetime) -> int:
    """Send every teacher who wants it a summary of their classes that were active this week; return how many."""
    monday = week_of(now)
    done = Letter.objects.filter(week=monday, kind=LetterKind.CLASS).values("reader")
    teachers = User.objects.filter(
        classrooms_taught__deleted_at=None,
        classrooms_taught__archived_at=None,
        classrooms_taught__isnull=False,
        wants_summary=True,
        is_active=True,
    )
    return sum(_send(teacher, monday, now) for teacher in teachers.exclude(pk__in=done).distinct())


def week_of(now: datetime) -> date:
    """The Monday of the current week."""
    today = timezone.localdate(now)
    return today - timedelta(days=today.weekday())


def set_summary(teacher: User, wants: bool) -> None:
    User.objects.filter(pk=teacher.pk).update(wants_summary=wants)


def _send(teacher: User, monday: date, now: datetime) -> bool:
    classes = teacher.classrooms_taught.not_deleted().filter(archived_at=None).order_by("name")
    reports = [class_report(classroom, now=now.timestamp()) for classroom in classes]
    busy = [report for report in reports if _count_active(report, monday)]
    if not busy:
        return False
    language = teacher.language or busy[0].classroom.language

    def make() -> EmailMultiAlternatives:
        with translation.override(language):
            return _mail(teacher, busy, monday)

    return send_once(teacher, LetterKind.CLASS, monday, make)


def _count_active(report: ClassReport, monday: date) -> int:
    """How many students did something this week."""
    return sum(any(day >= monday for day in row.activity.days) for row in report.rows)


def _mail(teacher: User, reports: Sequence[ClassReport], monday: date) -> EmailMultiAlternatives:
    context = {
        "teacher": teacher,
        "monday": monday,
        "classes": [
            {
                "report": report,
                "practiced": _count_active(report, monday),
                "of": len(report.rows),
                "link": absolute_url("teach:class", report.classroom.pk),
            }
            for report in reports
        ],
    }
    names = ", ".join(report.classroom.name for report in reports)
    return write(teacher, LetterKind.CLASS, _("The week of %(names)s") % {"names": names}, "teach/summary", context)
