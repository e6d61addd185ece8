"""The end of archived classes: their real names aren't kept for ever, and nobody is taken by surprise.

The teachers get a letter a month before the end and another a week before. Bringing the class back from the archive
stops it. Then the class is deleted as a teacher would delete it, and that can be undone as always.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import Q
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from classrooms.models import Classroom
from classrooms.privacy.deleting import delete_class
from core.db.locks import LockLevel, lock_rows
from core.links import absolute_url

FIRST_NOTICE = timedelta(days=30)
SECOND_NOTICE = timedelta(days=7)


def end_archived_classes(now: datetime) -> int:
    """Tell teachers which archived classes will end, and delete those whose time is up; how many were deleted."""
    archived = Classroom.objects.kept().exclude(archived_at=None)
    old = archived.filter(archived_at__lte=now - timedelta(days=settings.ARCHIVED_CLASS_DAYS) + FIRST_NOTICE)
    for pk in list(old.filter(notices=0).values_list("pk", flat=True)):
        _tell(pk, 1, now)
    for pk in list(archived.filter(notices=1, ends_at__lte=now + SECOND_NOTICE).values_list("pk", flat=True)):
        _tell(pk, 2, now)
    is_over = Q(notices=2, ends_at__lte=now, archived_at__isnull=False)
    over = list(archived.filter(is_over))
    for classroom in over:
        # A teacher may bring it back at this moment.
        delete_class(classroom, by=None, now=now, if_still=is_over)
    ended = Classroom.objects.filter(pk__in=[each.pk for each in over], deleted_at=now)
    # If it's undone, everything begins anew, letters included.
    return ended.update(notices=0, ends_at=None)


def _tell(pk: int, number: int, now: datetime) -> None:
    """Write to the teachers, and remember it, both or neither."""
    with transaction.atomic():
        still_due = Q(pk=pk, notices=number - 1, deleted_at=None, archived_at__isnull=False)
        classroom = lock_rows(Classroom.objects.filter(still_due), LockLevel.CLASSROOM).first()
        if classroom is None or classroom.archived_at is None:
            return
        planned = classroom.ends_at or classroom.archived_at + timedelta(days=settings.ARCHIVED_CLASS_DAYS)
        # A letter that comes late, say after the site was away, moves the end: there's always time to answer it.
        classroom.ends_at = max(planned, now + (FIRST_NOTICE if number == 1 else SECOND_NOTICE))
        classroom.notices = number
        classroom.save(update_fields=["ends_at", "notices"])
        for teacher in classroom.teachers.filter(deleted_at=None).exclude(email=None):
            with translation.override(teacher.language or classroom.language):
                context = {
                    "user": teacher,
                    "classroom": classroom,
                    "day": date_format(classroom.ends_at, "DATE_FORMAT"),
                    "link": absolute_url("teach:settings", classroom.pk),
                    "days": settings.UNDO_DAYS,
                }
                text = render_to_string("privacy/class_ends.txt", context)
                subject = _("Your class %(name)s will be deleted on %(day)s") % {
                    "name": classroom.name,
                    "day": context["day"],
                }
                send_mail(subject, text, None, [str(teacher.email)])
