"""Mails to teachers when somebody stops teaching a class, queued in the same transaction as the change."""

from __future__ import annotations

from collections.abc import Iterable

from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext as _

from classrooms.models import Classroom, User


def tell_removed_teacher(classroom: Classroom, teacher: User, *, by: User) -> None:
    """Tell a teacher, in their own language, that a colleague took them out of a class."""
    if not teacher.email:
        return
    with translation.override(teacher.language or classroom.language):
        subject = _("You don't teach %(name)s anymore") % {"name": classroom.name}
        context = {"classroom": classroom, "teacher": teacher, "by": by}
        send_mail(subject, render_to_string("teach/removed_teacher.txt", context), None, [teacher.email])


def tell_teacher_left(classroom: Classroom, teacher: User, *, staying: Iterable[User]) -> None:
    """Tell the remaining teachers, each in their own language, that a colleague has left the class."""
    for each in staying:
        if not each.email:
            continue
        with translation.override(each.language or classroom.language):
            subject = _("A colleague has left %(name)s") % {"name": classroom.name}
            context = {"classroom": classroom, "teacher": teacher}
            send_mail(subject, render_to_string("teach/teacher_left.txt", context), None, [each.email])
