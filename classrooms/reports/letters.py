"""The weekly letter to guardians about children who practiced, sent only if one did."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from classrooms.models import Guardianship, Letter, LetterKind, User
from classrooms.reports.activity import activity_of
from classrooms.reports.family import WEEK, ChildReport, child_reports
from classrooms.reports.mailings import send_once, write
from core.links import absolute_url

_LAST_DAY = timedelta(days=WEEK - 1)


def send_weekly_letters(now: datetime) -> int:
    """Send the letters about the week that's over; return how many went out."""
    week = week_before(now)
    waiting = _waiting(week, now)
    return sum(_send(guardian, children, week, now) for guardian, children in waiting.items())


def week_before(now: datetime) -> date:
    """The Monday of the last complete week."""
    today = timezone.localdate(now)
    return today - timedelta(days=today.weekday() + WEEK)


def _waiting(week: date, now: datetime) -> dict[User, list[User]]:
    """Guardians without a letter for the week yet, with their children who practiced in it."""
    links = Guardianship.objects.filter(
        wants_letter=True,
        guardian__is_active=True,
        guardian__deleted_at=None,
        child__deleted_at=None,
    ).exclude(guardian__in=Letter.objects.filter(week=week, kind=LetterKind.FAMILY).values("reader"))
    found = list(links.select_related("guardian", "child").order_by("child__display_name", "pk"))
    activity = activity_of({link.child for link in found}, now=now)
    waiting: dict[User, list[User]] = {}
    for link in found:
        if any(week <= day <= week + _LAST_DAY for day in activity[link.child_id].days):
            waiting.setdefault(link.guardian, []).append(link.child)
    return waiting


def _send(guardian: User, children: Sequence[User], week: date, now: datetime) -> bool:
    def make() -> EmailMultiAlternatives:
        with translation.override(_language(guardian, children)):
            return _mail(guardian, child_reports(children, now), week)

    return send_once(guardian, LetterKind.FAMILY, week, make)


def _language(guardian: User, children: Sequence[User]) -> str:
    """The guardian's own language, or else that of one of the children's classes."""
    if guardian.language:
        return guardian.language
    languages = (
        enrolment.classroom.language
        for child in children
        for enrolment in child.enrolments.filter(classroom__deleted_at=None).select_related("classroom")
    )
    return next(languages, str(settings.LANGUAGE_CODE))


def _mail(guardian: User, reports: Sequence[ChildReport], week: date) -> EmailMultiAlternatives:
    last = week + _LAST_DAY
    context = {
        "guardian": guardian,
        "first": week,
        "last": last,
        "children": [
            {
                "report": report,
                "child": report.child,
                "days": report.days_in_words(week, last),
                "link": absolute_url("family:child", report.child.pk),
            }
            for report in reports
        ],
    }
    names = ", ".join(report.child.display_name for report in reports)
    return write(
        guardian, LetterKind.FAMILY, _("A week with SET: %(names)s") % {"names": names}, "family/letter", context
    )
