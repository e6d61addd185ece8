"""Creating, changing, sharing and archiving classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django.core import signing
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from classrooms.accounts.guardians import end_codes
from classrooms.audit import note
from classrooms.classes.teacher_mail import tell_removed_teacher, tell_teacher_left
from classrooms.consents import declare_authority
from classrooms.live.errors import LessonRunning
from classrooms.live.leading import end, running_session
from classrooms.models import Action, AuditEntry, Classroom, GuardianCode, Session, TeacherInvitation, User
from classrooms.models.classes import InvitationQuerySet
from core.db.locks import LockLevel, lock_rows
from games import codes
from games.access import rights_changed

INVITATION_DAYS = 14
FIRST_DAY = timedelta(days=1)
"""How long students of a new class may sign in by pictures on any device."""
A_MOMENT = timedelta(hours=1)
"""How long a page that somebody has open may be out of date."""
_SALT = "classrooms.invitation"


class BadInvitation(ValueError):
    """Not one of our invitations, or one that's used, canceled or expired."""


class OtherAddress(BadInvitation):
    """The invitation is for an address that this account hasn't confirmed."""


class AlreadyTeaching(ValueError):
    """The invited person already teaches the class. `is_self` if a teacher invited their own address."""

    def __init__(self, email: str, *, is_self: bool) -> None:
        super().__init__(email)
        self.is_self = is_self


class LastTeacher(ValueError):
    """A class can't be without a teacher."""


class TaughtLonger(ValueError):
    """Only somebody who has taught the class longer can remove a teacher."""


class NotTeaching(ValueError):
    """The teacher to remove doesn't teach the class anymore, since somebody was faster."""


class NoLongerTeaching(ValueError):
    """The teacher who wants to remove somebody was removed meanwhile."""


def make_class(*, name: str, language: str, edition: str, authorised_by: str, by: User) -> Classroom:
    with transaction.atomic():
        now = timezone.now()
        classroom = Classroom.objects.create(
            name=name,
            code=codes.new_code(_is_taken),
            language=language,
            edition=edition,
            authorised_by=authorised_by,
            # Every device is new at first, so let them all in.
            new_devices_since=now,
            new_devices_until=now + FIRST_DAY,
        )
        classroom.teachers.add(by)
        declare_authority(classroom, by=by)
        note(by, Action.MADE_CLASS, classroom=classroom)
    return classroom


def change_class(classroom: Classroom, *, by: User, **changes: Any) -> None:
    """Change `name`, `language`, `edition` or `authorised_by`."""
    with transaction.atomic():
        now = _locked(classroom)
        has_new_authority = changes.get("authorised_by", now.authorised_by) != now.authorised_by
        for name, value in changes.items():
            setattr(classroom, name, value)
        classroom.save(update_fields=list(changes))
        if has_new_authority:
            declare_authority(classroom, by=by)
        note(by, Action.CHANGED_CLASS, classroom=classroom)


def new_code(classroom: Classroom, *, by: User) -> None:
    """Give a class a new code, in case the old one has spread."""
    change_class(classroom, by=by, code=codes.new_code(_is_taken))


def archive(classroom: Classroom, *, by: User | None, ending: str = "") -> None:
    """Archive a class: its students can't sign in through it anymore, but nothing is lost.

    Raises `LessonRunning` if the class has a lesson other than the one with the code `ending`, which the teacher was
    shown and agreed to end. If the site archives the class (`by` is None), any lesson is ended.
    """
    with transaction.atomic():
        # Starting a lesson takes the same lock, so an archived class never has one.
        _locked(classroom)
        running = running_session(classroom)
        if running and by and running.code != ending:
            raise LessonRunning(running)
        _set_archived(classroom, True, by)
        if running:
            end(running)


def restore(classroom: Classroom, *, by: User) -> None:
    _set_archived(classroom, False, by)


def _set_archived(classroom: Classroom, is_archived: bool, by: User | None) -> None:
    with transaction.atomic():
        # Under the lock, restoring a class that's about to be deleted either comes first or finds it gone.
        now = _locked(classroom)
        classroom.used_at = now.used_at if is_archived else timezone.now()
        classroom.archived_at = timezone.now() if is_archived else None
        # Earlier notices about its deletion don't count anymore.
        classroom.ends_at, classroom.notices = None, 0
        classroom.save(update_fields=["archived_at", "used_at", "ends_at", "notices"])
        note(by, Action.ARCHIVED_CLASS if is_archived else Action.RESTORED_CLASS, classroom=classroom)


def invite(classroom: Classroom, email: str, *, by: User) -> TeacherInvitation:
    """Invite the owner of an address to teach the class, too. This replaces an older invitation.

    Raises `AlreadyTeaching` if a teacher of the class has this address.
    """
    email, now = email.lower(), timezone.now()
    with transaction.atomic():
        # If two people invite the same colleague at once, the second invitation replaces the first.
        _locked(classroom)
        owner = _teacher_with(classroom, email)
        if owner:
            raise AlreadyTeaching(email, is_self=owner == by)
        classroom.invitations.open(now).filter(email=email).update(cancelled_at=now)
        invitation = classroom.invitations.create(
            email=email, made_by=by, expires_at=now + timedelta(days=INVITATION_DAYS)
        )
        note(by, Action.INVITED_TEACHER, classroom=classroom)
    return invitation


def _teacher_with(classroom: Classroom, email: str) -> User | None:
    has_it = Q(email=email) | Q(emailaddress__email__iexact=email)
    return classroom.teachers.filter(has_it, deleted_at=None).first()


def open_invitations(classroom: Classroom) -> InvitationQuerySet:
    return classroom.invitations.open(timezone.now()).order_by("-made_at")


def cancel_invitation(invitation: TeacherInvitation, *, by: User) -> None:
    with transaction.atomic():
        # Accepting takes the same lock, so it's either canceled or accepted, and never both.
        lock_rows(Classroom.objects.all(), LockLevel.CLASSROOM).get(pk=invitation.classroom_id)
        mine = TeacherInvitation.objects.filter(pk=invitation.pk, accepted_at=None, cancelled_at=None)
        if mine.update(cancelled_at=timezone.now()):
            note(by, Action.CANCELED_INVITATION, classroom=invitation.classroom)


def invitation_token(invitation: TeacherInvitation) -> str:
    return signing.dumps(invitation.pk, salt=_SALT)


def read_invitation(token: str) -> TeacherInvitation:
    try:
        pk = signing.loads(token, salt=_SALT)
    except signing.BadSignature as error:
        raise BadInvitation(str(error)) from error
    return _open_invitation(pk)


def _open_invitation(pk: int) -> TeacherInvitation:
    found = TeacherInvitation.objects.open(timezone.now()).filter(pk=pk).select_related("classroom", "made_by").first()
    if found is None:
        raise BadInvitation("not open")
    return found


def is_for(invitation: TeacherInvitation, user: User) -> bool:
    """Whether the user has confirmed the invited address. The link alone isn't enough, because mails get forwarded."""
    mine = EmailAddress.objects.filter(user=user, email__iexact=invitation.email, verified=True)
    return bool(mine.exists())


def accept(invitation: TeacherInvitation, user: User) -> None:
    """Let the invited user teach the class. Raises `OtherAddress` for anybody else."""
    if not is_for(invitation, user):
        raise OtherAddress(invitation.pk)
    with transaction.atomic():
        # Removing a teacher takes the same lock, so an invitation is either accepted or void.
        classroom = lock_rows(Classroom.objects.all(), LockLevel.CLASSROOM).get(pk=invitation.classroom_id)
        found = _open_invitation(invitation.pk)
        TeacherInvitation.objects.filter(pk=found.pk).update(accepted_at=timezone.now())
        classroom.teachers.add(user)
        note(user, Action.JOINED_AS_TEACHER, classroom=classroom)


def teachers_by_seniority(classroom: Classroom) -> list[User]:
    """The class's teachers in the order in which they joined. The first one created or inherited it."""
    taught = Classroom.teachers.through.objects.filter(classroom=classroom, user__deleted_at=None)
    return [each.user for each in taught.select_related("user").order_by("pk")]


def may_remove(teachers: Sequence[User], teacher: User, *, by: User) -> bool:
    """Whether `by` may remove `teacher`. Everybody may leave, and remove those who come later in `teachers`."""
    return by in teachers and teacher in teachers and teachers.index(by) <= teachers.index(teacher)


def remove_teacher(classroom: Classroom, teacher: User, *, by: User) -> None:
    """Remove a teacher from the class, or leave it.

    A removed teacher is told by mail; if a teacher leaves, the others are. Raises `LastTeacher` if nobody would be
    left, `TaughtLonger` if `by` joined after `teacher`, and `NoLongerTeaching` or `NotTeaching` if `by` or `teacher`
    doesn't teach the class anymore.
    """
    with transaction.atomic():
        # If two teachers remove each other at once, the second one waits here and then fails.
        lock_rows(Classroom.objects.all(), LockLevel.CLASSROOM).get(pk=classroom.pk)
        teachers = teachers_by_seniority(classroom)
        if by not in teachers:
            raise NoLongerTeaching(classroom.name)
        if teacher not in teachers:
            raise NotTeaching(classroom.name)
        if not may_remove(teachers, teacher, by=by):
            raise TaughtLonger(classroom.name)
        if teachers == [teacher]:
            raise LastTeacher(classroom.name)
        classroom.teachers.remove(teacher)
        _void_invitations_of(classroom, teacher)
        end_codes(GuardianCode.objects.filter(made_by=teacher, child__enrolments__classroom=classroom))
        Session.objects.filter(classroom=classroom, ended_at=None).update(wall_number=F("wall_number") + 1)
        # Check everybody's rights: a wall belongs to no user, and its address has changed.
        rights_changed()
        note(by, Action.REMOVED_TEACHER, person=teacher, classroom=classroom)
        # In the same transaction, so that mails are sent only if the removal is committed.
        if teacher == by:
            tell_teacher_left(classroom, teacher, staying=[each for each in teachers if each != teacher])
        else:
            tell_removed_teacher(classroom, teacher, by=by)


@dataclass(frozen=True, slots=True)
class Removal:
    """Somebody's removal from a class by a colleague or by themselves."""

    classroom: Classroom
    teacher: User
    by: User | None
    """None once their account is gone."""


def latest_removal(pk: int, teacher: int, *, now: datetime) -> Removal | None:
    """How a teacher (the primary key of a user) recently stopped teaching a class (a primary key, too).

    For pages that are still open, so that a class which somebody has just seen doesn't simply turn into a 404.
    """
    removals = AuditEntry.objects.filter(action=Action.REMOVED_TEACHER, classroom=pk, person=teacher)
    entry = removals.filter(at__gt=now - A_MOMENT).order_by("-pk").first()
    classroom = Classroom.objects.not_deleted().filter(pk=pk).first()
    person = User.objects.filter(pk=teacher, deleted_at=None).first()
    if entry is None or classroom is None or person is None or person in classroom.teachers.all():
        return None
    return Removal(classroom, person, User.objects.filter(pk=entry.actor or 0, deleted_at=None).first())


def _void_invitations_of(classroom: Classroom, teacher: User) -> None:
    """Cancel the open invitations of a teacher who leaves, since they'd be a way back in."""
    mine = classroom.invitations.filter(made_by=teacher, accepted_at=None, cancelled_at=None)
    mine.update(cancelled_at=timezone.now())


def _locked(classroom: Classroom) -> Classroom:
    """Lock the class until the transaction ends, and read it again. Raises `DoesNotExist` if it's deleted."""
    return lock_rows(Classroom.objects.not_deleted(), LockLevel.CLASSROOM).get(pk=classroom.pk)


def _is_taken(code: str) -> bool:
    return Classroom.objects.filter(code=code).exists()
