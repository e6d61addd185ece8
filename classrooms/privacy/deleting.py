"""Soft deletion of people and classes by those entitled to it, and undoing it while they're kept.

What's deleted together shares one `deleted_at`, and by that it's restored together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet

from classrooms.audit import note, note_each
from classrooms.live.seats import leave_lessons, take_out_departed
from classrooms.models import Action, AuditEntry, Classroom, User
from core.db.chunks import ROWS
from core.db.locks import LockLevel, lock_rows
from games.access import rights_changed


class StillTeaching(ValueError):
    """The account can't be deleted yet, since nobody else teaches some of its classes."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(", ".join(names))
        self.names = names


class TooLate(ValueError):
    """It's too late to undo a deletion."""


def undo_ends_before(now: datetime) -> datetime:
    """What was deleted before this moment can't be restored."""
    return now - timedelta(days=settings.UNDO_DAYS)


def delete_child(child: User, *, by: User, now: datetime, classroom: Classroom | None = None) -> None:
    with transaction.atomic():
        _delete_users([child.pk], by=by.pk, now=now, classroom=classroom)
    child.deleted_at, child.is_active = now, False


def delete_class(classroom: Classroom, *, by: User | None, now: datetime, if_still: Q | None = None) -> int:
    """Delete a class with its school-managed students who are in no other class; return how many students.

    The class is gone at once. Its students follow in chunks, so that a large class doesn't hold up every table.
    With `if_still`, the class is only deleted if that condition still holds.
    """
    with transaction.atomic():
        _mark_class(classroom, by=by, now=now, if_still=if_still)
    return _delete_students(classroom, by=by.pk if by else None, now=now)


def _mark_class(classroom: Classroom, *, by: User | None, now: datetime, if_still: Q | None = None) -> None:
    # Deleting it twice, with a second click, must not change the `deleted_at` that everything shares.
    kept = Classroom.objects.not_deleted().filter(if_still or Q(), pk=classroom.pk)
    if not lock_rows(kept, LockLevel.CLASSROOM).first():
        return
    Classroom.objects.filter(pk=classroom.pk).update(deleted_at=now)
    rights_changed()
    transaction.on_commit(partial(take_out_departed, session__classroom=classroom.pk), robust=True)
    note(by, Action.DELETED, classroom=classroom)


def _delete_students(classroom: Classroom, *, by: int | None, now: datetime) -> int:
    """Delete the students of a class that was deleted at `now`, until somebody undoes that; return how many."""
    count = 0
    while some := _delete_some_students(classroom, by=by, now=now):
        count += some
    return count


def _delete_some_students(classroom: Classroom, *, by: int | None, now: datetime) -> int:
    with transaction.atomic():
        # Undoing the deletion takes the same lock.
        if not lock_rows(Classroom.objects.filter(pk=classroom.pk, deleted_at=now), LockLevel.CLASSROOM).first():
            return 0
        # A student who was restored individually stays.
        back = AuditEntry.objects.filter(action=Action.UNDELETED, at__gt=now, person__isnull=False).values("person")
        students = list(only_in(classroom).exclude(pk__in=back).order_by("pk").values_list("pk", flat=True)[:ROWS])
        _delete_users(students, by=by, now=now, classroom=classroom)
    return len(students)


def finish_deletions() -> int:
    """Resume interrupted deletions of classes with the students who are left; return how many."""
    count = 0
    for classroom in Classroom.objects.filter(deleted_at__isnull=False).order_by("pk"):
        entries = AuditEntry.objects.filter(action=Action.DELETED, classroom=classroom.pk, person=None)
        by = entries.order_by("-at").values_list("actor", flat=True).first()
        count += _delete_students(classroom, by=by, now=classroom.deleted_at) if classroom.deleted_at else 0
    return count


def only_in(classroom: Classroom) -> QuerySet[User]:
    """The students who are deleted along with a class."""
    elsewhere = Classroom.objects.not_deleted().exclude(pk=classroom.pk)
    mine = User.objects.filter(enrolments__classroom=classroom, deleted_at=None, is_home=False)
    return mine.exclude(enrolments__classroom__in=elsewhere)


def left_alone(user: User) -> tuple[QuerySet[Classroom], QuerySet[User]]:
    """The user's classes that nobody else teaches, and home accounts that have no other guardian."""
    others = User.objects.filter(deleted_at=None).exclude(pk=user.pk)
    classes = Classroom.objects.not_deleted().filter(teachers=user).exclude(teachers__in=others).order_by("name")
    children = User.objects.filter(guardian_links__guardian=user, is_home=True, deleted_at=None)
    alone = children.exclude(guardian_links__guardian__in=others).order_by("display_name")
    return classes, alone


def delete_adult(user: User, *, now: datetime) -> None:
    """Delete an adult's own account, with the home accounts and archived classes that would be left to nobody.

    Raises `StillTeaching` if a class in use would be left without a teacher.
    """
    with transaction.atomic():
        # So that nobody else leaves these classes while we check whether somebody stays.
        list(lock_rows(Classroom.objects.filter(teachers=user), LockLevel.CLASSROOM))
        classes, children = left_alone(user)
        in_use = [classroom.name for classroom in classes if classroom.archived_at is None]
        if in_use:
            raise StillTeaching(in_use)
        archived = list(classes)
        for classroom in archived:
            _mark_class(classroom, by=user, now=now)
        # If two guardians delete their accounts at once, the second one takes the child along.
        mine = User.objects.filter(is_home=True, guardian_links__guardian=user).values("pk")
        list(lock_rows(User.objects.filter(Q(pk=user.pk) | Q(pk__in=mine)), LockLevel.PERSON))
        # Read before the account is deleted, so that these are the children it's about to leave alone.
        going = [*children.values_list("pk", flat=True), user.pk]
        _delete_users(going, by=user.pk, now=now)
    user.deleted_at, user.is_active = now, False
    for classroom in archived:
        _delete_students(classroom, by=user.pk, now=now)


def _delete_users(users: Sequence[int], *, by: int | None, now: datetime, classroom: Classroom | None = None) -> None:
    _set_deleted(users, now, Action.DELETED, by, classroom)


def _set_deleted(
    users: Sequence[int], at: datetime | None, action: Action, by: int | None, classroom: Classroom | None
) -> None:
    """Set or clear `deleted_at`, with an audit entry for each user.

    Users who are already deleted keep theirs, by which everything is restored together.
    """
    others = User.objects.filter(pk__in=users, deleted_at__isnull=at is not None)
    known = list(lock_rows(others, LockLevel.PERSON).values_list("pk", flat=True))
    User.objects.filter(pk__in=known).update(deleted_at=at, is_active=at is None)
    if known and at is not None:
        leave_lessons(known)
    note_each(by, action, known, classroom=classroom)


@dataclass(frozen=True, slots=True)
class Gone:
    """What somebody can restore."""

    children: tuple[User, ...]
    students: tuple[tuple[User, Classroom], ...]
    classes: tuple[Classroom, ...]

    def __bool__(self) -> bool:
        return bool(self.children or self.students or self.classes)


def gone_things(user: User, *, now: datetime) -> Gone:
    """What this adult may restore: home accounts, students of their classes, and their classes."""
    since = {"deleted_at__gt": undo_ends_before(now)}
    children = User.objects.filter(guardian_links__guardian=user, is_home=True, **since).order_by("display_name")
    taught = Classroom.objects.filter(teachers=user).order_by("name")
    students = [
        (enrolment.student, classroom)
        for classroom in taught.not_deleted().prefetch_related("enrolments__student")
        for enrolment in classroom.enrolments.all()
        if not enrolment.student.is_home and _can_come_back(enrolment.student, now)
    ]
    return Gone(tuple(children), tuple(students), tuple(taught.filter(**since)))


def _can_come_back(thing: User | Classroom, now: datetime) -> bool:
    return thing.deleted_at is not None and thing.deleted_at > undo_ends_before(now)


def undo_child(child: User, *, by: User, now: datetime, classroom: Classroom | None = None) -> None:
    if not _can_come_back(child, now):
        raise TooLate(child.pk)
    with transaction.atomic():
        _check_undo_time(child, now)
        _undelete_users([child.pk], by=by, classroom=classroom)
    child.deleted_at, child.is_active = None, True


def undo_class(classroom: Classroom, *, by: User, now: datetime) -> None:
    """Restore a class, with the students who were deleted along with it or with another class of theirs.

    The students come first, in chunks: if that's interrupted, the class is still deleted, and can be restored again.
    """
    if not _can_come_back(classroom, now):
        raise TooLate(classroom.pk)
    while _undo_some_students(classroom, by=by, now=now):
        pass
    with transaction.atomic():
        found = lock_rows(
            Classroom.objects.filter(pk=classroom.pk, deleted_at__isnull=False), LockLevel.CLASSROOM
        ).first()
        if found is None:
            # Somebody else has restored it, or it was removed for good.
            return
        if not _can_come_back(found, now):
            raise TooLate(found.pk)
        _undelete_users(_deleted_along(found), by=by, classroom=found)
        Classroom.objects.filter(pk=found.pk).update(deleted_at=None, used_at=now)
        note(by, Action.UNDELETED, classroom=found)


def _check_undo_time(user: User, now: datetime) -> None:
    """Lock the account, and raise `TooLate` if it has become too late, since it may just have been removed for good."""
    found = lock_rows(User.objects.filter(pk=user.pk), LockLevel.PERSON).first()
    if found is None or (found.deleted_at and not _can_come_back(found, now)):
        raise TooLate(user.pk)


def _undo_some_students(classroom: Classroom, *, by: User, now: datetime) -> bool:
    """Restore one full chunk of students; False if fewer are left, who come back in the class's own transaction."""
    with transaction.atomic():
        found = lock_rows(Classroom.objects.filter(pk=classroom.pk), LockLevel.CLASSROOM).first()
        if found is None or (found.deleted_at and not _can_come_back(found, now)):
            raise TooLate(classroom.pk)
        students = _deleted_along(classroom)
        if len(students) < ROWS:
            return False
        _undelete_users(students, by=by, classroom=classroom)
    return True


def _deleted_along(classroom: Classroom) -> list[int]:
    """Students of the class who were deleted along with a class of theirs; at most one chunk."""
    students = User.objects.filter(enrolments__classroom=classroom)
    deleted_along = students.filter(classrooms_joined__deleted_at=F("deleted_at")).order_by("pk").distinct()
    return list(deleted_along.values_list("pk", flat=True)[:ROWS])


def undo_adult(user: User, *, now: datetime) -> None:
    """Restore an account, with the home accounts and classes that were deleted along with it.

    The classes come first: as long as one is missing, the account is still deleted and can be restored again.
    """
    if not _can_come_back(user, now):
        raise TooLate(user.pk)
    for classroom in Classroom.objects.filter(teachers=user, deleted_at=user.deleted_at):
        undo_class(classroom, by=user, now=now)
    with transaction.atomic():
        children = User.objects.filter(is_home=True, guardian_links__guardian=user)
        # Adult and children in one query, so that they're locked in the order of their keys.
        list(lock_rows(User.objects.filter(Q(pk=user.pk) | Q(pk__in=children.values("pk"))), LockLevel.PERSON))
        _check_undo_time(user, now)
        deleted_along = children.filter(guardian_links__guardian__deleted_at=F("deleted_at")).distinct()
        _undelete_users([user.pk, *deleted_along.values_list("pk", flat=True)], by=user)
    user.deleted_at, user.is_active = None, True


def _undelete_users(users: Sequence[int], *, by: User, classroom: Classroom | None = None) -> None:
    _set_deleted(users, None, Action.UNDELETED, by.pk, classroom)
