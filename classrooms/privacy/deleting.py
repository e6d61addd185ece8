"""Deleting what one is entitled to, for everybody at once, and undoing it while it is kept.

What goes together has one moment of deletion, and by that it comes back together.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet

from classrooms.audit import note
from classrooms.models import Action, Classroom, User


class StillTeaching(ValueError):
    """Whose account is to go still has classes that nobody else teaches."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(", ".join(names))
        self.names = names


class TooLate(ValueError):
    """The time in which a deletion can be undone is over."""


def undo_ends_before(now: datetime) -> datetime:
    """What was deleted before this stays so."""
    return now - timedelta(days=settings.UNDO_DAYS)


def delete_child(child: User, *, by: User, now: datetime, classroom: Classroom | None = None) -> None:
    with transaction.atomic():
        _delete_users([child], by=by, now=now, classroom=classroom)


def delete_class(classroom: Classroom, *, by: User, now: datetime) -> int:
    """Delete a class with those of its students whom the school manages and who are in no other; how many they are."""
    with transaction.atomic():
        students = list(only_in(classroom))
        Classroom.objects.filter(pk=classroom.pk).update(deleted_at=now)
        note(by, Action.DELETED, classroom=classroom)
        _delete_users(students, by=by, now=now, classroom=classroom)
    return len(students)


def only_in(classroom: Classroom) -> QuerySet[User]:
    """The students who go with a class."""
    elsewhere = Classroom.objects.kept().exclude(pk=classroom.pk)
    mine = User.objects.filter(enrolments__classroom=classroom, deleted_at=None, is_home=False)
    return mine.exclude(enrolments__classroom__in=elsewhere)


def left_alone(user: User) -> tuple[QuerySet[Classroom], QuerySet[User]]:
    """The classes that nobody else teaches, and the home accounts that nobody else keeps."""
    others = User.objects.filter(deleted_at=None).exclude(pk=user.pk)
    classes = Classroom.objects.kept().filter(teachers=user).exclude(teachers__in=others).order_by("name")
    children = User.objects.filter(guardian_links__guardian=user, is_home=True, deleted_at=None)
    alone = children.exclude(guardian_links__guardian__in=others).order_by("display_name")
    return classes, alone


def delete_adult(user: User, *, now: datetime) -> None:
    """An adult's own account, with the home accounts that would be left to nobody and the archived classes likewise.

    Raises `StillTeaching` where a class that is in use would be left without a teacher.
    """
    with transaction.atomic():
        classes, children = left_alone(user)
        in_use = [classroom.name for classroom in classes if classroom.archived_at is None]
        if in_use:
            raise StillTeaching(in_use)
        # Before the account goes: then they would not be left alone by it, but be so already.
        going = list(children)
        for classroom in list(classes):
            delete_class(classroom, by=user, now=now)
        _delete_users([*going, user], by=user, now=now)


def _delete_users(users: Iterable[User], *, by: User, now: datetime, classroom: Classroom | None = None) -> None:
    for user in users:
        user.deleted_at, user.is_active = now, False
        user.save(update_fields=["deleted_at", "is_active"])
        note(by, Action.DELETED, person=user, classroom=classroom)


@dataclass(frozen=True, slots=True)
class Gone:
    """What somebody can bring back."""

    children: tuple[User, ...]
    students: tuple[tuple[User, Classroom], ...]
    classes: tuple[Classroom, ...]

    def __bool__(self) -> bool:
        return bool(self.children or self.students or self.classes)


def gone_things(user: User, *, now: datetime) -> Gone:
    """What this adult may bring back: home accounts, students of own classes, and own classes."""
    since = {"deleted_at__gt": undo_ends_before(now)}
    children = User.objects.filter(guardian_links__guardian=user, is_home=True, **since).order_by("display_name")
    taught = Classroom.objects.filter(teachers=user).order_by("name")
    students = [
        (enrolment.student, classroom)
        for classroom in taught.kept().prefetch_related("enrolments__student")
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
        _undelete_users([child], by=by, classroom=classroom)


def undo_class(classroom: Classroom, *, by: User, now: datetime) -> None:
    """The class again, with the students who went with it, or with another class of theirs."""
    if not _can_come_back(classroom, now):
        raise TooLate(classroom.pk)
    with transaction.atomic():
        students = User.objects.filter(enrolments__classroom=classroom)
        went_along = list(students.filter(classrooms_joined__deleted_at=F("deleted_at")).distinct())
        Classroom.objects.filter(pk=classroom.pk).update(deleted_at=None, used_at=now)
        note(by, Action.UNDELETED, classroom=classroom)
        _undelete_users(went_along, by=by, classroom=classroom)


def undo_adult(user: User, *, now: datetime) -> None:
    """The account again, with the home accounts and the classes that went with it."""
    if not _can_come_back(user, now):
        raise TooLate(user.pk)
    with transaction.atomic():
        children = User.objects.filter(is_home=True, guardian_links__guardian=user)
        went_along = list(children.filter(guardian_links__guardian__deleted_at=F("deleted_at")).distinct())
        for classroom in Classroom.objects.filter(teachers=user, deleted_at=user.deleted_at):
            undo_class(classroom, by=user, now=now)
        _undelete_users([user, *went_along], by=user)


def _undelete_users(users: Iterable[User], *, by: User, classroom: Classroom | None = None) -> None:
    for user in users:
        user.deleted_at, user.is_active = None, True
        user.save(update_fields=["deleted_at", "is_active"])
        note(by, Action.UNDELETED, person=user, classroom=classroom)
