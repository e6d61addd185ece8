"""How students come to a session, stay connected, and answer."""

from __future__ import annotations

import time
from copy import deepcopy

from django.http import QueryDict
from django.utils.translation import gettext as _

from classrooms.models import Activity, Attendee, Session, Stage
from classrooms.names import generated_name
from classrooms.sessions.activities import kind_of
from classrooms.sessions.changes import changed, locked
from classrooms.sessions.errors import NotNow
from classrooms.sessions.leading import MOST_ATTENDEES, present_activity
from games.players import Player


def own_seat(session: Session, player: Player | None) -> Attendee | None:
    """The player's seat, also where they were sent out."""
    return session.attendees.filter(**player.key).first() if player else None


def may_attend(session: Session, player: Player | None) -> bool:
    """Whether somebody may take a seat: a student of the class, or a guest where guests may."""
    if player is None or player.user is None:
        return session.allows_guests
    return session.classroom.enrolments.present().filter(student_id=player.user.pk).exists()


def attend(session: Session, player: Player) -> Attendee:
    """Take a seat, or come back to one's own."""
    with locked(session) as fresh:
        seat = own_seat(fresh, player)
        if seat and seat.removed_at:
            raise NotNow(_("Your teacher has taken you out of this session."))
        if seat:
            return seat
        if fresh.is_over:
            raise NotNow(_("This session is over."))
        if not may_attend(fresh, player):
            raise NotNow(_("This session is for the students of the class."))
        if fresh.is_locked:
            raise NotNow(_("The door is closed. Ask your teacher."))
        seats = list(fresh.attendees.all())
        if len(seats) >= MOST_ATTENDEES:
            raise NotNow(_("The session is full."))
        taken = {each.name for each in seats}
        name = player.name if player.user else generated_name(taken)
        number = max((each.number for each in seats), default=0) + 1
        seat = Attendee.objects.create(session=fresh, number=number, name=name, **player.key)
        seat.session = fresh
        activity = present_activity(fresh)
        if activity:
            kind_of(activity).attendee_changed(activity, seat)
        changed(fresh, devices=False)
    return seat


def set_connected(code: str, number: int, is_connected: bool) -> bool:
    """A device has come or gone; "everybody has answered" counts those who are there. Whether it has a seat."""
    session = Session.objects.filter(code=code).first()
    # By the row itself and not through a join: PostgreSQL looks again at a row that somebody else is just removing.
    seats = Attendee.objects.filter(session=session, number=number, removed_at=None, is_on_paper=False)
    if session and seats.exclude(is_connected=is_connected).update(is_connected=is_connected):
        with locked(session) as fresh:
            if activity := present_activity(fresh):
                kind_of(activity).came_or_went(activity, seats.get())
            changed(fresh, devices=False)
    return seats.exists()


def takes_part(activity: Activity, attendee: Attendee) -> bool:
    """Whether somebody is in this round: who comes while it is open comes in at the next."""
    kind = kind_of(activity)
    return not kind.has_rounds or activity.stage != Stage.OPEN or attendee.joined_at <= activity.round_at


def act(attendee: Attendee, form: QueryDict, *, by_teacher: bool = False) -> Session:
    """Take what a device sends to the present activity. What came too late, or twice, is refused in words.

    Gives the session as it is then.
    """
    with locked(attendee.session) as session:
        activity = present_activity(session)
        if session.is_over or activity is None:
            raise NotNow(_("Nothing is on at the moment."))
        if session.is_paused:
            raise NotNow(_("Eyes up! Your teacher has paused."))
        if Attendee.objects.filter(pk=attendee.pk).exclude(removed_at=None).exists():
            raise NotNow(_("Your teacher has taken you out of this session."))
        if form.get("activity") != str(activity.number) or form.get("round") != str(activity.round):
            raise NotNow(_("That was for the round before. Look again."))
        if not by_teacher and not takes_part(activity, attendee):
            raise NotNow(_("You come in at the next round."))
        before = _values(activity)
        devices = kind_of(activity).act(activity, attendee, form, time.time())
        if _values(activity) != before:
            activity.save()
        changed(session, devices=devices)
    return session


def _values(activity: Activity) -> list[object]:
    return [deepcopy(getattr(activity, field.attname)) for field in Activity._meta.concrete_fields]
