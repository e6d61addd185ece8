"""Seats in a session: room for attendees, paper seats, guests who wait to be let in, and readmission."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from classrooms.accounts.names import generated_name
from classrooms.live.activities import kind_of
from classrooms.live.changes import changed, close_seat, locked
from classrooms.live.errors import LessonRefusal
from classrooms.live.leading import MOST_ATTENDEES, change_seat, present_activity, present_attendees, remove
from classrooms.models import Attendee, Enrolment, Session, WaitingGuest
from classrooms.models.classes import EnrolmentQuerySet
from games.access import rights_changed
from games.players import Player

MOST_WAITING = 30
"""Waiting guests: more than a teacher would look through, but few enough that a script can't fill the remote."""


def has_room(session: Session, *, for_guest: bool) -> bool:
    """Whether there's room for one more. Call with the session locked. Absent students' places are kept from guests."""
    there = present_attendees(session)
    if for_guest:
        return bool(there.count() + absent_students(session).count() < MOST_ATTENDEES)
    # Guests don't keep out a student who joins the class later, either.
    return bool(there.filter(user__isnull=False).count() < MOST_ATTENDEES)


def check_room(session: Session, *, for_guest: bool) -> None:
    if not has_room(session, for_guest=for_guest):
        raise LessonRefusal(_("This lesson is full."))


def absent_students(session: Session) -> EnrolmentQuerySet:
    """The students of the class who have no seat now."""
    there = session.attendees.filter(removed_at=None, user__isnull=False).values("user")
    return session.classroom.enrolments.present().exclude(student__in=there)


def take_seat(session: Session, player: Player, name: str) -> Attendee:
    """Add a seat. Call with the session locked, after checking that there's room."""
    number = (session.attendees.aggregate(last=Max("number"))["last"] or 0) + 1
    seat = Attendee.objects.create(session=session, number=number, name=name, **player.key)
    seat.session = session
    if activity := present_activity(session):
        kind_of(activity).attendee_changed(activity, seat)
    return seat


def free_name(session: Session) -> str:
    """A generated name that no attendee or waiting guest has."""
    taken = {*session.attendees.values_list("name", flat=True), *session.waiting.values_list("name", flat=True)}
    return generated_name(taken)


def taken_out(session: Session) -> QuerySet[Attendee]:
    """Those whom the teacher took out and may let back in. This excludes paper seats that were taken back."""
    out = session.attendees.filter(removed_at__isnull=False, is_on_paper=False)
    return out.exclude(pk__in=departed().filter(session=session))


def readmit(attendee: Attendee) -> None:
    """Let somebody who was taken out back in, to the same seat with all its answers."""
    with locked(attendee.session) as fresh:
        _check_running(fresh)
        if departed().filter(pk=attendee.pk).exists():
            raise LessonRefusal(_("This lesson is only for the students of this class."))
        attendee.refresh_from_db(fields=["is_on_paper", "removed_at"])
        if attendee.removed_at:
            check_room(fresh, for_guest=attendee.user_id is None)
            change_seat(attendee, removed_at=None, is_connected=attendee.is_on_paper)


# Leaving the class


def leave_lessons(students: Collection[int]) -> None:
    """Take students (primary keys of users) who just left a class out of its lesson after the commit.

    Every stream that they have open as students of the class ends.
    """
    rights_changed(*students)
    transaction.on_commit(partial(take_out_departed, user__in=students), robust=True)


def take_out_departed(**of: Any) -> None:
    """Take everybody who isn't in the class any more out of running lessons. `of` filters the seats."""
    there = departed().filter(removed_at=None, session__ended_at=None, **of)
    for attendee in there.select_related("session", "user"):
        remove(attendee)


def departed() -> QuerySet[Attendee]:
    """Seats whose owners aren't students of the class any more, and all seats of a class that was deleted."""
    student_of_class = Enrolment.objects.present().filter(
        classroom=OuterRef("session__classroom"), student=OuterRef("user")
    )
    has_left = Q(user__isnull=False) & ~Exists(student_of_class)
    return Attendee.objects.filter(has_left | Q(session__classroom__deleted_at__isnull=False))


# Seats on paper


def students_for_paper(session: Session) -> list[Enrolment]:
    """Who may get a paper seat: absent students, except those whom the teacher took out."""
    out = taken_out(session).filter(user__isnull=False).values("user")
    return list(absent_students(session).exclude(student__in=out))


def add_paper_seats(session: Session, students: Collection[int]) -> None:
    """Seat students (primary keys of users) who have no device; the teacher taps in their answers."""
    with locked(session) as fresh:
        _check_running(fresh)
        chosen = [each for each in students_for_paper(fresh) if each.student_id in students]
        if not chosen:
            raise LessonRefusal(_("Choose who doesn't have a device."))
        if present_attendees(fresh).count() + len(chosen) > MOST_ATTENDEES:
            raise LessonRefusal(_("This lesson is full."))
        # Reuse a paper seat that was taken back, with its answers.
        known = fresh.attendees.filter(is_on_paper=True, user__in=[each.student_id for each in chosen])
        seated = set(known.values_list("user", flat=True))
        known.update(removed_at=None, is_connected=True)
        _seat_on_paper(fresh, [each for each in chosen if each.student_id not in seated])
        changed(fresh)


def _seat_on_paper(session: Session, enrolments: Collection[Enrolment]) -> None:
    first = (session.attendees.aggregate(last=Max("number"))["last"] or 0) + 1
    Attendee.objects.bulk_create(
        Attendee(
            session=session,
            number=number,
            user=each.student,
            name=each.student.display_name,
            is_on_paper=True,
            is_connected=True,
        )
        for number, each in enumerate(enrolments, first)
    )


def put_on_paper(attendee: Attendee) -> None:
    """Have a student work on paper from now on, in the same seat, because their device fails or distracts.

    When they open the lesson on a device again, they take the seat over like a late student.
    """
    with locked(attendee.session) as fresh:
        _check_running(fresh)
        # A guest couldn't return to the seat, and whoever was taken out stays out.
        if not Attendee.objects.filter(pk=attendee.pk, removed_at=None, user__isnull=False).exists():
            raise LessonRefusal(_("Only students who are here can work on paper."))
        change_seat(attendee, is_on_paper=True, is_connected=True)
        close_seat(fresh, attendee.number)


# Waiting guests


def wait(session: Session, player: Player) -> None:
    """Add a guest to those who wait until the teacher lets them in."""
    with locked(session) as fresh:
        _check_running(fresh)
        if fresh.waiting.filter(guest=player.guest).exists() or fresh.attendees.filter(guest=player.guest).exists():
            return
        if fresh.waiting.count() >= MOST_WAITING:
            raise LessonRefusal(_("Too many guests are waiting. Ask your teacher."))
        WaitingGuest.objects.create(session=fresh, guest=player.guest, name=free_name(fresh))
        changed(fresh, devices=False)


@dataclass(frozen=True, slots=True)
class Admitted:
    """How many guests came in, and how many still wait because there's no room."""

    came_in: int
    still_wait: int


def admit(session: Session, waiting: int | None = None) -> Admitted:
    """Admit one waiting guest (the primary key of their row), or as many as there's room for, first come, first served.

    Raises `LessonRefusal` if there's no room for anybody.
    """
    with locked(session) as fresh:
        _check_running(fresh)
        rows = list(fresh.waiting.all() if waiting is None else fresh.waiting.filter(pk=waiting))
        admitted = _admit_while_room(fresh, rows)
        if rows and not admitted.came_in:
            raise LessonRefusal(_("This lesson is full."))
        changed(fresh)
    return admitted


def admit_freely(session: Session) -> Admitted:
    """Admit as many waiting guests as there's room for, and let new ones in without asking from now on."""
    with locked(session) as fresh:
        _check_running(fresh)
        Session.objects.filter(pk=fresh.pk).update(guests_wait=False)
        admitted = _admit_while_room(fresh, list(fresh.waiting.all()))
        changed(fresh)
    return admitted


def _admit_while_room(session: Session, rows: Sequence[WaitingGuest]) -> Admitted:
    for number, row in enumerate(rows):
        if not has_room(session, for_guest=True):
            return Admitted(number, len(rows) - number)
        take_seat(session, Player(name=row.name, guest=row.guest), row.name)
        row.delete()
    return Admitted(len(rows), 0)


def _check_running(session: Session) -> None:
    if session.is_over:
        raise LessonRefusal(_("This lesson is over."))


def take_over(seat: Attendee) -> Attendee:
    """Turn the paper seat of a student who comes late with a device into a normal one, with its answers."""
    changes = {"is_on_paper": False, "removed_at": None, "is_connected": False}
    Attendee.objects.filter(pk=seat.pk).update(**changes)
    for name, value in changes.items():
        setattr(seat, name, value)
    if activity := present_activity(seat.session):
        kind_of(activity).attendee_changed(activity, seat)
    return seat
