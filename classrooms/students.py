"""The only writer of students' accounts and of their places in classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from classrooms.audit import note
from classrooms.models import Action, Classroom, Enrolment, Group, User
from classrooms.names import display_name_for
from classrooms.pictures import new_pictures


class NotManaged(Exception):
    """An account that the school does not manage: its guardians made it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewStudent:
    """A student who is to come into a class. Without a display name, one is made from the real name or generated."""

    real_name: str
    display_name: str = ""
    group: str = ""
    source_id: str = ""


def add_students(
    classroom: Classroom, students: Sequence[NewStudent], *, by: User, generated: bool = False
) -> list[Enrolment]:
    """New accounts in a class, all or none; with `generated` no part of a real name goes into a display name."""
    with transaction.atomic():
        taken = names_in(classroom)
        _free_source_ids(classroom, {each.source_id for each in students})
        groups = groups_of(classroom, {each.group for each in students})
        users = []
        for each in students:
            name = display_name_for(each.display_name, each.real_name, taken, generated=generated)
            taken.add(name)
            user = User(kind="student", display_name=name, pictures=new_pictures())
            user.set_unusable_password()
            users.append(user)
        User.objects.bulk_create(users)
        enrolments = Enrolment.objects.bulk_create(
            Enrolment(
                classroom=classroom,
                student=user,
                real_name=each.real_name,
                source_id=each.source_id,
                group=groups.get(each.group),
            )
            for user, each in zip(users, students, strict=True)
        )
        if students:
            note(by, Action.ADDED_STUDENT, classroom=classroom, amount=len(students))
    return enrolments


def names_in(classroom: Classroom) -> set[str]:
    """The display names of a class, with those of students who were deleted and may come back."""
    return set(classroom.enrolments.values_list("student__display_name", flat=True))


def _free_source_ids(classroom: Classroom, ids: set[str]) -> None:
    """Take the school's ids from students who were deleted: whoever comes with one now is a new student."""
    classroom.enrolments.filter(source_id__in=ids - {""}).exclude(student__deleted_at=None).update(source_id="")


def groups_of(classroom: Classroom, names: set[str]) -> dict[str, Group]:
    """The groups of these names, made where they are missing."""
    names = {name for name in names if name}
    Group.objects.bulk_create([Group(classroom=classroom, name=name) for name in names], ignore_conflicts=True)
    return {group.name: group for group in classroom.groups.all()} if names else {}


def change_student(enrolment: Enrolment, *, by: User, **changes: Any) -> None:
    """Rename a student or put them into a group, by its name: `real_name`, `display_name`, `group`."""
    with transaction.atomic():
        if "group" in changes:
            name = changes["group"]
            changes["group"] = groups_of(enrolment.classroom, {name}).get(name)
        display_name = changes.pop("display_name", enrolment.student.display_name)
        if display_name != enrolment.student.display_name:
            if enrolment.student.is_home:
                raise NotManaged(enrolment.student.display_name)
            enrolment.student.display_name = display_name
            enrolment.student.save(update_fields=["display_name"])
        for name, value in changes.items():
            setattr(enrolment, name, value)
        enrolment.save(update_fields=list(changes) or ["real_name"])
        note(by, Action.CHANGED_STUDENT, person=enrolment.student, classroom=enrolment.classroom)


def change_students(classroom: Classroom, enrolments: Sequence[Enrolment], *, by: User) -> None:
    """Write the names, groups and ids of many students at once, as they were set on their places and accounts."""
    if not enrolments:
        return
    with transaction.atomic():
        _free_source_ids(classroom, {each.source_id for each in enrolments})
        User.objects.bulk_update([each.student for each in enrolments], ["display_name"])
        Enrolment.objects.bulk_update(enrolments, ["real_name", "group", "source_id"])
        note(by, Action.CHANGED_STUDENT, classroom=classroom, amount=len(enrolments))


def reset_student(student: User, *, by: User, classroom: Classroom | None = None) -> None:
    """New pictures and a new card; wherever the student is signed in, they are not any more."""
    if classroom and student.is_home:
        raise NotManaged(student.display_name)
    student.pictures = new_pictures()
    student.card_number += 1
    # Sessions hang on the password, so a new unusable one ends them.
    student.set_unusable_password()
    with transaction.atomic():
        student.save(update_fields=["pictures", "card_number", "password"])
        note(by, Action.RESET_STUDENT, person=student, classroom=classroom)


def move_student(enrolment: Enrolment, to: Classroom, *, by: User) -> Enrolment:
    """Hand a student over to another class, with everything that was learned.

    Where somebody there has the same display name, the one who comes gets another, for children tap on their names.
    """
    student = enrolment.student
    with transaction.atomic():
        moved = Enrolment.objects.filter(classroom=to, student=student).first()
        if moved is None:
            taken = names_in(to)
            if student.display_name in taken and not student.is_home:
                student.display_name = display_name_for(student.display_name, "", taken)
                student.save(update_fields=["display_name"])
            moved = Enrolment.objects.create(classroom=to, student=student, real_name=enrolment.real_name)
        note(by, Action.MOVED_STUDENT, person=student, classroom=enrolment.classroom)
        note(by, Action.MOVED_STUDENT, person=student, classroom=to)
        enrolment.delete()
    return moved


def remove_student(enrolment: Enrolment, *, by: User) -> bool:
    """Take a student out of a class. An account that is nowhere else and that the school manages is deleted.

    Says whether it was; then the place in the class stays, so that undoing brings everything back.
    """
    student = enrolment.student
    with transaction.atomic():
        note(by, Action.REMOVED_STUDENT, person=student, classroom=enrolment.classroom)
        is_only_here = lives_only_in(enrolment)
        if not is_only_here:
            enrolment.delete()
        else:
            student.deleted_at, student.is_active = timezone.now(), False
            student.save(update_fields=["deleted_at", "is_active"])
            note(by, Action.DELETED, person=student, classroom=enrolment.classroom)
    return is_only_here


def lives_only_in(enrolment: Enrolment) -> bool:
    """Whether the account is the school's and in no other class, so that to remove the student is to delete it."""
    others = enrolment.student.enrolments.exclude(pk=enrolment.pk).filter(classroom__deleted_at=None)
    return not enrolment.student.is_home and not others.exists()


def make_home_child(display_name: str, *, by: User) -> User:
    """A child's account without any school, kept by the guardian who makes it."""
    with transaction.atomic():
        child = User.objects.create_student(display_name=display_name, pictures=new_pictures(), is_home=True)
        child.guardian_links.create(guardian=by)
        note(by, Action.MADE_CHILD, person=child)
    return child
