"""The only writer of classes: making, changing, teaching together, archiving."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Any

from django.core import signing
from django.db import transaction
from django.utils import timezone

from classrooms.audit import note
from classrooms.models import Action, Classroom, TeacherInvitation, User
from games.matches import CODE_LETTERS

CODE_LENGTH = 6
INVITATION_DAYS = 14
_SALT = "classrooms.invitation"


class BadInvitation(ValueError):
    """Not an invitation of ours, or one that is used up or too old."""


class LastTeacher(ValueError):
    """A class cannot be without a teacher."""


def make_class(*, name: str, language: str, edition: str, authorised_by: str, by: User) -> Classroom:
    with transaction.atomic():
        classroom = Classroom.objects.create(
            name=name, code=_new_code(), language=language, edition=edition, authorised_by=authorised_by
        )
        classroom.teachers.add(by)
        note(by, Action.MADE_CLASS, classroom=classroom)
    return classroom


def change_class(classroom: Classroom, *, by: User, **changes: Any) -> None:
    """Change `name`, `language`, `edition` or `authorised_by`."""
    for name, value in changes.items():
        setattr(classroom, name, value)
    with transaction.atomic():
        classroom.save(update_fields=list(changes))
        note(by, Action.CHANGED_CLASS, classroom=classroom)


def new_code(classroom: Classroom, *, by: User) -> None:
    """A new class code, where the old one has gone around."""
    change_class(classroom, by=by, code=_new_code())


def archive(classroom: Classroom, *, by: User | None) -> None:
    """Put a class away: its students cannot sign in by it, and nothing is lost."""
    _set_archived(classroom, True, by)


def restore(classroom: Classroom, *, by: User) -> None:
    _set_archived(classroom, False, by)


def _set_archived(classroom: Classroom, is_archived: bool, by: User | None) -> None:
    classroom.archived_at = timezone.now() if is_archived else None
    classroom.used_at = classroom.used_at if is_archived else timezone.now()
    with transaction.atomic():
        classroom.save(update_fields=["archived_at", "used_at"])
        note(by, Action.ARCHIVED_CLASS if is_archived else Action.RESTORED_CLASS, classroom=classroom)


def touch(classroom: Classroom) -> None:
    """The class is in use."""
    Classroom.objects.filter(pk=classroom.pk).update(used_at=timezone.now())


def invite(classroom: Classroom, email: str, *, by: User) -> TeacherInvitation:
    """Invite somebody to teach the class too; whoever has the link that goes to the address may."""
    with transaction.atomic():
        invitation = classroom.invitations.create(
            email=email.lower(), made_by=by, expires_at=timezone.now() + timedelta(days=INVITATION_DAYS)
        )
        note(by, Action.INVITED_TEACHER, classroom=classroom)
    return invitation


def invitation_token(invitation: TeacherInvitation) -> str:
    return signing.dumps(invitation.pk, salt=_SALT)


def read_invitation(token: str) -> TeacherInvitation:
    try:
        pk = signing.loads(token, salt=_SALT)
    except signing.BadSignature as error:
        raise BadInvitation(str(error)) from error
    open_ones = TeacherInvitation.objects.filter(accepted_at=None, expires_at__gt=timezone.now())
    invitation = open_ones.filter(pk=pk, classroom__deleted_at=None).select_related("classroom", "made_by").first()
    if invitation is None:
        raise BadInvitation("used up")
    return invitation


def accept(invitation: TeacherInvitation, user: User) -> None:
    with transaction.atomic():
        taken = TeacherInvitation.objects.filter(pk=invitation.pk, accepted_at=None).update(accepted_at=timezone.now())
        if not taken:
            raise BadInvitation("used up")
        invitation.classroom.teachers.add(user)
        note(user, Action.JOINED_AS_TEACHER, classroom=invitation.classroom)


def remove_teacher(classroom: Classroom, teacher: User, *, by: User) -> None:
    with transaction.atomic():
        if not classroom.teachers.exclude(pk=teacher.pk).exists():
            raise LastTeacher(classroom.name)
        classroom.teachers.remove(teacher)
        note(by, Action.REMOVED_TEACHER, person=teacher, classroom=classroom)


def _new_code() -> str:
    while True:
        code = "".join(secrets.choice(CODE_LETTERS) for _letter in range(CODE_LENGTH))
        if not Classroom.objects.filter(code=code).exists():
            return code
