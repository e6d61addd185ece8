"""Hand a guest's seat in a live lesson to the account that the guest signs in to."""

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
    """Give a guest's lesson seats to the user, with name and answers, and drop the guest's places in waiting rooms.

    A user who isn't a student of the class can't take part under their own name: they leave the lesson, and their
    answers stay under the guest name.
    """
    seats, waiting = Attendee.objects.of(guest), WaitingGuest.objects.filter(guest=guest.guest)
    lessons = Session.objects.filter(Q(pk__in=seats.values("session")) | Q(pk__in=waiting.values("session")))
    # Lock every lesson before any match that's played in one of them.
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
        # Before the seat changes owner, because the activity knows it by the guest.
        _take_out(seat)
    if own:
        _move_answers(seat, own)
        _retire_seat(seat)
    else:
        name = user.name if is_student else seat.name
        Attendee.objects.filter(pk=seat.pk).give_to(user, name=name, is_visitor=not is_student)


def _take_out(seat: Attendee) -> None:
    session = seat.session
    if session.is_over or seat.removed_at:
        return
    seat.removed_at, seat.is_connected = timezone.now(), False
    seat.save(update_fields=["removed_at", "is_connected"])
    if activity := present_activity(session):
        kind_of(activity).attendee_changed(activity, seat)
    close_seat(session, seat.number)


def _move_answers(seat: Attendee, own: Attendee) -> None:
    """Move the guest's answers to the user's own seat, whose answer wins where both answered a question."""
    known = set(own.answers.values_list("activity", "round", "key"))
    for answer in seat.answers.all():
        if (answer.activity_id, answer.round, answer.key) in known:
            answer.delete()
    Answer.objects.filter(attendee=seat).update(attendee=own)


def _retire_seat(seat: Attendee) -> None:
    """Delete a seat or, while the lesson runs, keep it without an owner so that nobody else gets its number."""
    if seat.session.is_over:
        seat.delete()
    else:
        # It looks like a paper seat that was taken back, with a random guest so that nobody can return to it.
        changes = {"guest": secrets.token_hex(16), "is_on_paper": True, "removed_at": seat.removed_at or timezone.now()}
        Attendee.objects.filter(pk=seat.pk).update(**changes)
