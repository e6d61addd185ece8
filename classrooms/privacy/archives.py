"""Deletes archived classes in the end, so that real names aren't kept forever, but with notice.

The teachers get an email a month before the end and another a week before. Unarchiving the class stops it. Then the
class is deleted as if by a teacher, with the usual time to undo it.
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
    """Tell teachers which archived classes will be deleted, and delete those whose time is up; return how many."""
    archived = Classroom.objects.not_deleted().exclude(archived_at=None)
    old = archived.filter(archived_at__lte=now - timedelta(days=settings.ARCHIVED_CLASS_DAYS) + FIRST_NOTICE)
    for pk in list(old.filter(notices=0).values_list("pk", flat=True)):
        _notify_teachers(pk, 1, now)
    for pk in list(archived.filter(notices=1, ends_at__lte=now + SECOND_NOTICE).values_list("pk", flat=True)):
        _notify_teachers(pk, 2, now)
    is_over = Q(notices=2, ends_at__lte=now, archived_at__isnull=False)
    over = list(archived.filter(is_over))
    for classroom in over:
        # A teacher may be unarchiving it right now.
        delete_class(classroom, by=None, now=now, if_still=is_over)
    ended = Classroom.objects.filter(pk__in=[each.pk for each in over], deleted_at=now)
    # If it's undone, everything starts over, emails included.
    return ended.update(notices=0, ends_at=None)


def _notify_teachers(pk: int, number: int, now: datetime) -> None:
    """Email the teachers and record it, in one transaction."""
    with transaction.atomic():
        still_due = Q(pk=pk, notices=number - 1, deleted_at=None, archived_at__isnull=False)
        classroom = lock_rows(Classroom.objects.filter(still_due), LockLevel.CLASSROOM).first()
        if classroom is None or classroom.archived_at is None:
            return
        planned = classroom.ends_at or classroom.archived_at + timedelta(days=settings.ARCHIVED_CLASS_DAYS)
        # A late email, say after downtime, postpones the end, so that there's always time to respond.
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
