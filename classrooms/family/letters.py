"""The weekly letter to guardians: about the children who practised, and only then.

A letter's row is claimed before it is sent, so that of any number of workers one sends it, and no guardian ever gets
two for one week. A worker that dies between the claim and the sending leaves that one letter unsent: a letter too few
is better than one too many. A mail server that refuses gives the claim back, and the next run tries again.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import date, datetime, timedelta

from django.conf import settings
from django.core import signing
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from classrooms.family.report import WEEK, ChildReport, child_reports
from classrooms.models import Guardianship, Letter, User
from classrooms.reports.activity import activity_of

_SALT = "classrooms.family.letters-stop"
_LAST_DAY = timedelta(days=WEEK - 1)

log = logging.getLogger(__name__)


def send_weekly_letters(now: datetime) -> int:
    """Send what there is to say about the week that is over; how many letters went out."""
    week = week_before(now)
    waiting = _waiting(week, now)
    return sum(_send(guardian, children, week, now) for guardian, children in waiting.items())


def week_before(now: datetime) -> date:
    """The Monday of the last week that is over."""
    today = timezone.localdate(now)
    return today - timedelta(days=today.weekday() + WEEK)


def _waiting(week: date, now: datetime) -> dict[User, list[User]]:
    """Who has no letter for the week yet, with the children who practised in it."""
    links = Guardianship.objects.filter(
        wants_letter=True,
        guardian__is_active=True,
        guardian__deleted_at=None,
        child__deleted_at=None,
    ).exclude(guardian__in=Letter.objects.filter(week=week).values("guardian"))
    found = list(links.select_related("guardian", "child").order_by("child__display_name", "pk"))
    activity = activity_of({link.child for link in found}, now=now)
    waiting: dict[User, list[User]] = {}
    for link in found:
        if any(week <= day <= week + _LAST_DAY for day in activity[link.child_id].days):
            waiting.setdefault(link.guardian, []).append(link.child)
    return waiting


def _send(guardian: User, children: Sequence[User], week: date, now: datetime) -> bool:
    letter, is_ours = Letter.objects.get_or_create(guardian=guardian, week=week)
    if not is_ours:
        return False
    try:
        with translation.override(_language(guardian, children)):
            _mail(guardian, child_reports(children, now), week).send()
    except Exception:
        # Whatever it was, the other guardians get theirs.
        log.exception("the letter of %s to guardian %s could not be sent", week, guardian.pk)
        letter.delete()
        return False
    Letter.objects.filter(pk=letter.pk).update(sent_at=timezone.now())
    return True


def _language(guardian: User, children: Sequence[User]) -> str:
    """The guardian's own, or else that of a class of the children."""
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
    stop = _absolute("family:letters-stop", stop_token(guardian))
    context = {
        "guardian": guardian,
        "first": week,
        "last": last,
        "stop": stop,
        "children": [
            {
                "report": report,
                "child": report.child,
                "days": report.days_in_words(week, last),
                "link": _absolute("family:child", report.child.pk),
            }
            for report in reports
        ],
    }
    names = ", ".join(report.child.display_name for report in reports)
    message = EmailMultiAlternatives(
        subject=_("A week with SET: %(names)s") % {"names": names},
        body=render_to_string("family/letter.txt", context),
        to=[str(guardian.email)],
        headers={"List-Unsubscribe": f"<{stop}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"},
    )
    message.attach_alternative(render_to_string("family/letter.html", context), "text/html")
    return message


def _absolute(name: str, *args: object) -> str:
    return str(settings.SITE_URL) + reverse(name, args=args)


def stop_token(guardian: User) -> str:
    """What stops the letters of this guardian without signing in; it does nothing else."""
    return signing.dumps(guardian.pk, salt=_SALT)


def read_stop_token(token: str) -> User | None:
    try:
        return User.objects.filter(pk=signing.loads(token, salt=_SALT), deleted_at=None).first()
    except signing.BadSignature:
        return None
