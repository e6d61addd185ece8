"""How students join a session, stay connected and answer."""

from __future__ import annotations

import time
from collections.abc import Collection
from copy import deepcopy
from enum import StrEnum

from django.db import transaction
from django.http import QueryDict
from django.utils.translation import gettext as _

from classrooms.live import seats
from classrooms.live.activities import kind_of
from classrooms.live.activities.base import ActivityType
from classrooms.live.changes import announce, changed, count_answer, locked
from classrooms.live.errors import GuestMustWait, LessonRefusal
from classrooms.live.leading import present_activity
from classrooms.live.store import LessonPlace, place_at
from classrooms.models import Activity, Attendee, Session, Stage
from games.players import Player


def own_seat(session: Session, player: Player | None) -> Attendee | None:
    """The player's seat, even if they were taken out. A student who has left the class has none."""
    if player is None:
        return None
    seats = session.attendees.filter(**player.key)
    if player.user:
        seats = seats.filter(user__enrolments__classroom=session.classroom_id)
    return seats.first()


def may_attend(session: Session, player: Player | None) -> bool:
    """Whether somebody may take a seat: a student of the class, or a guest if guests are allowed."""
    if player is None or player.user is None:
        return session.allows_guests
    return session.classroom.enrolments.present().filter(student_id=player.user.pk).exists()


def attend(session: Session, player: Player) -> Attendee:
    """Take a seat, or return to one's own.

    Raises `GuestMustWait` if a guest has to wait for the teacher, and `LessonRefusal` if the player can't come in.
    """
    with locked(session) as fresh:
        seat = own_seat(fresh, player)
        if seat and seat.removed_at and not seat.is_on_paper:
            raise LessonRefusal(_("Your teacher has taken you out of this lesson."))
        if seat and not seat.is_on_paper:
            return seat
        if fresh.is_over:
            raise LessonRefusal(_("This lesson is over."))
        if not may_attend(fresh, player):
            raise LessonRefusal(_("This lesson is only for the students of this class."))
        if seat is None or seat.removed_at:
            _check_door(fresh, player)
        if seat:
            seat.session = fresh
            seats.take_over(seat)
        else:
            seat = seats.take_seat(fresh, player, player.name if player.user else seats.free_name(fresh))
            # A guest who was waiting for room may find the door open now.
            fresh.waiting.filter(guest=player.guest).delete()
        changed(fresh, devices=False)
    return seat


def _check_door(session: Session, player: Player) -> None:
    """Raise `LessonRefusal` if a newcomer can't come in now. Call with the session locked."""
    if session.is_locked:
        raise LessonRefusal(_("The door is closed. Ask your teacher."))
    if player.user is None and session.guests_wait:
        raise GuestMustWait(_("Your teacher will let you in."))
    seats.check_room(session, for_guest=player.user is None)


class Door(StrEnum):
    """Whether somebody can enter a session now, and if not, why."""

    OPEN = "open"
    """They can come in, or already have a seat."""
    CLOSED = "closed"
    FULL = "full"
    WAITING = "waiting"
    """A guest who's waiting for the teacher to let them in."""
    TAKEN_OUT = "taken out"
    OVER = "over"
    STUDENTS_ONLY = "students only"


def door_for(session: Session, player: Player | None) -> Door:
    """The door as somebody finds it now. This takes no lock; `attend` checks everything again under the lock."""
    seat = own_seat(session, player)
    if seat and seat.removed_at and not seat.is_on_paper:
        return Door.TAKEN_OUT
    if session.is_over:
        return Door.OVER
    if seat and not seat.removed_at:
        return Door.OPEN
    if not may_attend(session, player):
        return Door.STUDENTS_ONLY
    if session.is_locked:
        return Door.CLOSED
    is_guest = player is None or player.user is None
    if is_guest and player and session.waiting.filter(guest=player.guest).exists():
        return Door.WAITING
    return Door.OPEN if seats.has_room(session, for_guest=is_guest) else Door.FULL


def set_connected(code: str, number: int, is_connected: bool) -> None:
    """Record that a device has connected or disconnected; only connected seats count for "everybody has answered"."""
    connect(code, [number], is_connected=is_connected)


def connect(code: str, numbers: Collection[int], *, is_connected: bool = True) -> None:
    """Record that several devices have connected, or disconnected, at once."""
    session = Session.objects.filter(code=code).first()
    # Filter on columns of the seat itself, not through a join, so that PostgreSQL checks the condition again on a row
    # that another transaction is updating.
    seats = Attendee.objects.filter(session=session, removed_at=None, is_on_paper=False)
    other = seats.filter(number__in=numbers).exclude(is_connected=is_connected)
    changing = list(other.values_list("pk", flat=True))
    if session and changing and other.filter(pk__in=changing).update(is_connected=is_connected):
        with locked(session) as fresh:
            if activity := present_activity(fresh):
                # Read them again: the teacher may have taken some out since.
                for seat in seats.filter(pk__in=changing):
                    kind_of(activity).came_or_went(activity, seat)
            changed(fresh, devices=False)


def takes_part(activity: Activity, attendee: Attendee) -> bool:
    """Whether somebody is in this round. Whoever joins while it's open starts with the next one."""
    kind = kind_of(activity)
    return not kind.has_rounds or activity.stage != Stage.OPEN or attendee.joined_at <= activity.round_at


def act(place: LessonPlace, form: QueryDict, *, by_teacher: bool = False) -> LessonPlace:
    """Pass what a device sends to the present activity, and return the place as it is now.

    Raises `LessonRefusal`, with the reason in words, if it comes too late or twice.
    """
    with transaction.atomic():
        kind = kind_of(place.activity) if place.activity else None
        if not count_answer(place.seat.session, kind):
            place = place_at(place.seat)
        attendee, activity = place.seat, place.activity
        session = attendee.session
        if session.is_over or activity is None:
            raise LessonRefusal(_("Nothing is on at the moment."))
        if session.is_paused:
            raise LessonRefusal(_("Eyes up! Your teacher has paused."))
        if attendee.removed_at:
            raise LessonRefusal(_("Your teacher has taken you out of this lesson."))
        sent_for = form.get("activity"), form.get("round")
        if kind is not kind_of(activity) or sent_for != (str(activity.number), str(activity.round)):
            raise LessonRefusal(_("That was for the round before. Look again."))
        if not by_teacher and not takes_part(activity, attendee):
            raise LessonRefusal(_("You come in at the next round."))
        _act(kind, activity, attendee, form)
    return place


def _act(kind: ActivityType, activity: Activity, attendee: Attendee, form: QueryDict) -> None:
    before = _field_values(activity)
    kind.act(activity, attendee, form, time.time())
    if kind.changes_by_answers and _field_values(activity) != before:
        activity.save()
    announce(activity.session, devices=kind.answers_reach_devices)


def _field_values(activity: Activity) -> list[object]:
    return [deepcopy(getattr(activity, field.attname)) for field in Activity._meta.concrete_fields]
