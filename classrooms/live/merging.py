"""What becomes of a guest's seat in a live lesson when the guest signs in."""

from __future__ import annotations

import secrets

from django.db.models import Q
from django.utils import timezone

from classrooms.live.activities import kind_of
from classrooms.live.changes import changed, close_seat
from classrooms.live.joining import may_attend
from classrooms.live.leading import present_activity
from classrooms.models import Answer, Attendee, Session, WaitingGuest
from core.actors import Actor
from core.db.locks import LockLevel, lock_rows


def merge_guest(guest: Actor, user: Actor, now: float) -> None:
    """Make a guest's seats in lessons the user's, with name and answers; whoever waited before a door doesn't now.

    Somebody who isn't a student of the class can't take part under their own name. They get up, and keep what they
    did there under the name that they had.
    """
    seats, waiting = Attendee.objects.of(guest), WaitingGuest.objects.filter(guest=guest.guest)
    lessons = Session.objects.filter(Q(pk__in=seats.values("session")) | Q(pk__in=waiting.values("session")))
    # All of them before the tables that are played at in one of them.
    for session in list(lock_rows(lessons.select_related("classroom"), LockLevel.SESSION)):
        waiting.filter(session=session).delete()
        if seat := seats.filter(session=session).first():
            seat.session = session
            _merge_seat(seat, user)
        if not session.is_over:
            changed(session)


def _merge_seat(seat: Attendee, user: Actor) -> None:
    own = Attendee.objects.of(user).filter(session=seat.session).first()
    is_student = may_attend(seat.session, user)
    if own or not is_student:
        # As long as the seat is the guest's, by whom the activity knows it.
        _get_up(seat)
    if own:
        _move_answers(seat, own)
        _empty(seat)
    else:
        name = user.name if is_student else seat.name
        Attendee.objects.filter(pk=seat.pk).give_to(user, name=name, is_visitor=not is_student)


def _get_up(seat: Attendee) -> None:
    session = seat.session
    if session.is_over or seat.removed_at:
        return
    seat.removed_at, seat.is_connected = timezone.now(), False
    seat.save(update_fields=["removed_at", "is_connected"])
    if activity := present_activity(session):
        kind_of(activity).attendee_changed(activity, seat)
    close_seat(session, seat.number)


def _move_answers(seat: Attendee, own: Attendee) -> None:
    """Of a question that was answered from both seats, the answer from the user's own stays."""
    known = set(own.answers.values_list("activity", "round", "key"))
    for answer in seat.answers.all():
        if (answer.activity_id, answer.round, answer.key) in known:
            answer.delete()
    Answer.objects.filter(attendee=seat).update(attendee=own)


def _empty(seat: Attendee) -> None:
    """Leave nobody in a seat. As long as the lesson runs its number stays taken, so that nobody else gets it."""
    if seat.session.is_over:
        seat.delete()
    else:
        # Like a seat on paper that was taken back, it's nobody's to come back to.
        changes = {"guest": secrets.token_hex(16), "is_on_paper": True, "removed_at": seat.removed_at or timezone.now()}
        Attendee.objects.filter(pk=seat.pk).update(**changes)
