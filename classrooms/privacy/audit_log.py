"""Reading the audit log of a class, with names where they still exist."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.core.paginator import Page, Paginator
from django.db.models import Q
from django.utils.translation import gettext as _

from classrooms.models import AuditEntry, Classroom, User

_A_PAGE = 50


@dataclass(frozen=True, slots=True)
class AuditLine:
    at: datetime
    actor: str
    action: str
    person: str
    amount: int


def log_page(classroom: Classroom, number: str) -> tuple[list[AuditLine], Page[AuditEntry]]:
    """What was done to the class, and to its students outside of any class: the lines of a page, and the page."""
    students = classroom.enrolments.values("student")
    found = AuditEntry.objects.filter(Q(classroom=classroom.pk) | Q(classroom=None, person__in=students))
    page = Paginator(found, _A_PAGE).get_page(number)
    entries = list(page)
    names = _names({key for entry in entries for key in (entry.actor, entry.person) if key is not None})
    lines = [
        AuditLine(
            at=entry.at,
            actor=_("the site itself") if entry.actor is None else names.get(entry.actor, _("somebody who is gone")),
            action=entry.get_action_display(),
            person="" if entry.person is None else names.get(entry.person, _("somebody who is gone")),
            amount=entry.amount,
        )
        for entry in entries
    ]
    return lines, page


def _names(keys: set[int]) -> dict[int, str]:
    return dict(User.objects.filter(pk__in=keys, deleted_at=None).values_list("pk", "display_name"))
