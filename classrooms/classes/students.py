"""Students' accounts and enrolments: adding, changing, moving and removing students."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from classrooms import deletion_ledger as ledger
from classrooms.accounts.guardians import end_codes
from classrooms.accounts.names import TakenNames, display_name_for
from classrooms.accounts.pictures import new_pictures
from classrooms.audit import note
from classrooms.classes.rosters.row_form import MOST_STUDENTS
from classrooms.consents import consent_to_child
from classrooms.deletion_ledger import LedgerEvent
from classrooms.live.seats import leave_lessons
from classrooms.models import (
    Action,
    Classroom,
    Enrolment,
    Group,
    GuardianCode,
    HandOver,
    PictureTry,
    StudentDevice,
    User,
)
from core.db.locks import LockLevel, lock_rows
from games.access import rights_changed

_RENEWED_AT_ONCE = 40
MOST_IN_CLASS = MOST_STUDENTS
"""This bounds pages, cards and reports, so that no class slows the others down."""
OFFERED_FOR = timedelta(days=14)
MOST_OFFERED, MOST_OFFERED_BY_ONE = 200, 60
"""Open offers to a class in total and by one teacher, so that one teacher's offers can't keep others' out."""


class OfferGone(Exception):
    """The offer was withdrawn, accepted or declined, or its student or one of its classes is gone."""


class TooManyOffers(Exception):
    """The class already has too many offers."""


class ClassFull(Exception):
    """The class has no room for this many more students."""

    def __init__(self, classroom: Classroom) -> None:
        super().__init__(classroom.name)
        self.classroom = classroom


class NameTaken(ValueError):
    """Somebody else in the class has taken this display name meanwhile."""


class NotManaged(Exception):
    """The school doesn't manage this account, because a guardian made it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewStudent:
    """A student to add to a class. A missing display name is made from the real name or generated."""

    real_name: str
    display_name: str = ""
    group: str = ""
    source_id: str = ""


def add_students(
    classroom: Classroom, students: Sequence[NewStudent], *, by: User, generated: bool = False
) -> list[Enrolment]:
    """Create accounts in a class, all or none. With `generated`, display names contain no part of real names.

    Raises `ClassFull` if there's no room for all of them.
    """
    with transaction.atomic():
        # Concurrent requests take turns; otherwise both could give out the same name.
        lock_rows(Classroom.objects.not_deleted(), LockLevel.CLASSROOM).get(pk=classroom.pk)
        _check_room(classroom, len(students))
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


def _check_room(classroom: Classroom, more: int) -> None:
    """Raise `ClassFull` if there's no room. Call with the class locked, so that two requests can't overfill it."""
    if more and classroom.enrolments.filter(student__deleted_at=None).count() + more > MOST_IN_CLASS:
        raise ClassFull(classroom)


def names_in(classroom: Classroom) -> TakenNames:
    """The display names in a class, including those of deleted students, who may come back."""
    return TakenNames(classroom.enrolments.values_list("student__display_name", flat=True))


def _free_source_ids(classroom: Classroom, ids: set[str]) -> None:
    """Clear these school ids of deleted students, because whoever comes with one now is a new student."""
    classroom.enrolments.filter(source_id__in=ids - {""}).exclude(student__deleted_at=None).update(source_id="")


def groups_of(classroom: Classroom, names: set[str]) -> dict[str, Group]:
    """The groups of a class by name; missing ones of these names are created."""
    names = {name for name in names if name}
    Group.objects.bulk_create([Group(classroom=classroom, name=name) for name in names], ignore_conflicts=True)
    return {group.name: group for group in classroom.groups.all()} if names else {}


def change_student(enrolment: Enrolment, *, by: User, **changes: Any) -> None:
    """Change a student's `real_name`, `display_name` or `group` (by its name).

    Raises `NameTaken` if somebody else in the class has this display name.
    """
    with _student_locked(enrolment.student_id):
        enrolment = Enrolment.objects.select_related("student", "classroom").get(pk=enrolment.pk)
        if "group" in changes:
            name = changes["group"]
            changes["group"] = groups_of(enrolment.classroom, {name}).get(name)
        display_name = changes.pop("display_name", enrolment.student.display_name)
        if display_name != enrolment.student.display_name:
            if enrolment.student.is_home:
                raise NotManaged(enrolment.student.display_name)
            if display_name in names_in(enrolment.classroom):
                raise NameTaken(display_name)
            enrolment.student.display_name = display_name
            enrolment.student.save(update_fields=["display_name"])
        for name, value in changes.items():
            setattr(enrolment, name, value)
        enrolment.save(update_fields=list(changes) or ["real_name"])
        note(by, Action.CHANGED_STUDENT, person=enrolment.student, classroom=enrolment.classroom)


def change_students(classroom: Classroom, enrolments: Sequence[Enrolment], *, by: User) -> None:
    """Save names, groups and ids that were set on many enrolments and their students."""
    if not enrolments:
        return
    with transaction.atomic():
        _free_source_ids(classroom, {each.source_id for each in enrolments})
        User.objects.bulk_update([each.student for each in enrolments], ["display_name"])
        Enrolment.objects.bulk_update(enrolments, ["real_name", "group", "source_id"])
        note(by, Action.CHANGED_STUDENT, classroom=classroom, amount=len(enrolments))


def reset_student(student: User, *, by: User, classroom: Classroom | None = None) -> None:
    """Give a student new pictures and a new card, and sign them out everywhere."""
    if classroom and student.is_home:
        raise NotManaged(student.display_name)
    with transaction.atomic():
        # If two people reset at once, the second one invalidates the first one's card, too.
        now = lock_rows(User.objects.all(), LockLevel.PERSON, str(student.pk)).get(pk=student.pk)
        student.pictures = new_pictures(instead_of=now.pictures)
        student.card_number = now.card_number + 1
        # Sessions depend on the password hash, so a new unusable password ends them.
        student.set_unusable_password()
        student.save(update_fields=["pictures", "card_number", "password"])
        # Wrong tries were at the old pictures, and whoever used those devices may have seen the pictures.
        student.devices.all().delete()
        student.picture_tries.all().delete()
        rights_changed(student.pk)
        note(by, Action.RESET_STUDENT, person=student, classroom=classroom)


def renew_cards(classroom: Classroom, *, by: User) -> int:
    """Give all students of a class whom the school manages new pictures and cards. Returns how many.

    For cards that may be in the wrong hands. It works in steps, so that a large class doesn't block other writers.
    """
    renewed = 0
    ids = list(classroom.enrolments.present().filter(student__is_home=False).values_list("student", flat=True))
    for start in range(0, len(ids), _RENEWED_AT_ONCE):
        with transaction.atomic():
            some = User.objects.filter(pk__in=ids[start : start + _RENEWED_AT_ONCE])
            students = list(lock_rows(some, LockLevel.PERSON))
            for student in students:
                student.pictures = new_pictures(instead_of=student.pictures)
                student.card_number += 1
                student.set_unusable_password()
            User.objects.bulk_update(students, ["pictures", "card_number", "password"])
            StudentDevice.objects.filter(student__in=students).delete()
            end_codes(GuardianCode.objects.filter(child__in=students))
            ledger.write_on_commit(ledger.about(LedgerEvent.CARD, student, at=timezone.now()) for student in students)
            PictureTry.objects.filter(student__in=students).delete()
            rights_changed(*(student.pk for student in students))
            renewed += len(students)
    note(by, Action.RENEWED_CARDS, classroom=classroom, amount=renewed)
    return renewed


def move_student(enrolment: Enrolment, to: Classroom, *, by: User) -> Enrolment:
    """Move a student to another class of the same teacher, with all their progress. Raises `ClassFull`."""
    with _student_locked(enrolment.student_id, to.pk):
        if not Classroom.objects.not_deleted().filter(pk=to.pk).exists():
            raise OfferGone(str(enrolment.pk))
        return _move(_present(enrolment), to, by=by)


def offer_student(enrolment: Enrolment, to: Classroom, *, by: User) -> HandOver:
    """Offer a student to a colleague's class. A second offer replaces the first."""
    with _student_locked(enrolment.student_id, to.pk):
        enrolment = _present(enrolment)
        offers = HandOver.objects.filter(to=to).exclude(enrolment=enrolment)
        if offers.count() >= MOST_OFFERED or offers.filter(made_by=by).count() >= MOST_OFFERED_BY_ONE:
            raise TooManyOffers(to.name)
        offer, _made = HandOver.objects.update_or_create(
            enrolment=enrolment, defaults={"to": to, "made_by": by, "made_at": timezone.now()}
        )
        note(by, Action.OFFERED_STUDENT, person=enrolment.student, classroom=enrolment.classroom)
    return offer


def accept_student(offer: HandOver, *, by: User) -> Enrolment:
    """Accept an offered student.

    Raises `OfferGone` if the offer was withdrawn meanwhile, and `ClassFull` if there's no room.
    """
    with _student_locked(_student_of(offer), offer.to_id):
        offer = _open_offer(offer)
        return _move(offer.enrolment, offer.to, by=by)


def decline_student(offer: HandOver, *, by: User) -> None:
    """Decline an offer, or withdraw one's own."""
    with _student_locked(_student_of(offer), offer.to_id):
        offer = _open_offer(offer)
        note(by, Action.DECLINED_STUDENT, person=offer.enrolment.student, classroom=offer.to)
        offer.delete()


def open_offers(now: datetime) -> QuerySet[HandOver]:
    """Offers that can still be accepted: not too old, and without anything deleted or archived meanwhile."""
    return HandOver.objects.filter(
        made_at__gt=now - OFFERED_FOR,
        enrolment__student__deleted_at=None,
        enrolment__classroom__deleted_at=None,
        to__deleted_at=None,
        to__archived_at=None,
    ).select_related("enrolment__student", "enrolment__classroom", "to", "made_by")


def _student_of(offer: HandOver) -> int:
    student = Enrolment.objects.filter(pk=offer.enrolment_id).values_list("student", flat=True).first()
    if student is None:
        raise OfferGone(str(offer.pk))
    return student


def _open_offer(offer: HandOver) -> HandOver:
    """Read the offer again, under the lock."""
    found = open_offers(timezone.now()).filter(pk=offer.pk, to=offer.to_id).first()
    # Whoever made the offer must still teach the student's class.
    if found is None or not found.enrolment.classroom.teachers.filter(pk=found.made_by_id).exists():
        raise OfferGone(str(offer.pk))
    return found


def _present(enrolment: Enrolment) -> Enrolment:
    """Read the enrolment again, under the lock. Raises `OfferGone` if the student was deleted or removed."""
    found = Enrolment.objects.filter(pk=enrolment.pk, student__deleted_at=None).first()
    if found is None:
        raise OfferGone(str(enrolment.pk))
    return found


@contextmanager
def _student_locked(student: int, *more: int) -> Iterator[None]:
    """Open a transaction and lock a student, their classes and the classes they would come to (`more`).

    Without the locks, two students who come at once could get the same name, two removals at once could leave an
    account without a class, and a student could be moved to a class that's just being deleted.
    """
    with transaction.atomic():
        here = Q(pk__in=Enrolment.objects.filter(student=student).values("classroom"))
        list(lock_rows(Classroom.objects.filter(here | Q(pk__in=more)), LockLevel.CLASSROOM))
        lock_rows(User.objects.filter(pk=student), LockLevel.PERSON, str(student)).first()
        yield


def _move(enrolment: Enrolment, to: Classroom, *, by: User) -> Enrolment:
    """Put a student into another class.

    If the display name is taken there, the student gets another one, because children tap on their names to sign in.
    Former teachers may have a copy of the login card, so the student gets a new one unless they all teach the new
    class, too.
    """
    student = enrolment.student
    moved = Enrolment.objects.filter(classroom=to, student=student).first()
    if moved is None:
        _check_room(to, 1)
        taken = names_in(to)
        if student.display_name in taken and not student.is_home:
            student.display_name = display_name_for(student.display_name, "", taken)
            student.save(update_fields=["display_name"])
        moved = Enrolment.objects.create(classroom=to, student=student, real_name=enrolment.real_name)
    note(by, Action.MOVED_STUDENT, person=student, classroom=enrolment.classroom)
    note(by, Action.MOVED_STUDENT, person=student, classroom=to)
    teachers_left_behind = enrolment.classroom.teachers.exclude(pk__in=to.teachers.all())
    if teachers_left_behind.exists() and not student.is_home:
        reset_student(student, by=by, classroom=to)
    end_codes(student.guardian_codes.filter(made_by__in=teachers_left_behind))
    enrolment.delete()
    leave_lessons([student.pk])
    return moved


def remove_student(enrolment: Enrolment, *, by: User) -> bool:
    """Remove a student from a class. If the school manages the account and it's in no other class, it's deleted.

    Returns whether it was. In that case the enrolment stays, so that undoing the deletion restores everything.
    """
    with _student_locked(enrolment.student_id):
        here = Enrolment.objects.select_related("student", "classroom")
        enrolment = here.get(pk=enrolment.pk, student__deleted_at=None)
        student = enrolment.student
        note(by, Action.REMOVED_STUDENT, person=student, classroom=enrolment.classroom)
        is_only_here = lives_only_in(enrolment)
        if not is_only_here:
            end_codes(student.guardian_codes.filter(made_by__in=enrolment.classroom.teachers.all()))
            enrolment.delete()
        else:
            student.deleted_at, student.is_active = timezone.now(), False
            student.save(update_fields=["deleted_at", "is_active"])
            note(by, Action.DELETED, person=student, classroom=enrolment.classroom)
        leave_lessons([student.pk])
    return is_only_here


def lives_only_in(enrolment: Enrolment) -> bool:
    """Whether the account is the school's and in no other class, so that removing the student deletes it."""
    others = enrolment.student.enrolments.exclude(pk=enrolment.pk).filter(classroom__deleted_at=None)
    return not enrolment.student.is_home and not others.exists()


def make_home_child(display_name: str, *, by: User) -> User:
    """Create a child's account without a school. The guardian who makes it consents to it by doing so."""
    with transaction.atomic():
        child = User.objects.create_student(display_name=display_name, pictures=new_pictures(), is_home=True)
        child.guardian_links.create(guardian=by)
        consent_to_child(child, by=by)
        note(by, Action.MADE_CHILD, person=child)
    return child
