"""What each of the three screens shows for the session's present state."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit

from classrooms.live.activities import kind_of, kinds
from classrooms.live.activities.base import Screen, answered_by
from classrooms.live.debrief import debrief
from classrooms.live.joining import takes_part
from classrooms.live.leading import present_activity, present_attendees
from classrooms.live.seats import students_for_paper, taken_out
from classrooms.models import Activity, Attendee, Session
from core.links import absolute_url
from core.printing.qr import qr_drawing


class PlainScreen(StrEnum):
    """The template for a device while there's nothing to do on it."""

    OVER = "session/device_over.html"
    PAUSED = "session/device_paused.html"
    WAITING = "session/device_waiting.html"
    LATE = "session/device_late.html"


def plain_screen(session: Session, activity: Activity | None, attendee: Attendee) -> PlainScreen | None:
    """The device's plain screen, or None if there's something to do."""
    if session.is_over:
        return PlainScreen.OVER
    if session.is_paused:
        return PlainScreen.PAUSED
    if activity is None:
        return PlainScreen.WAITING
    return None if takes_part(activity, attendee) else PlainScreen.LATE


def device_screen(session: Session, activity: Activity | None, own: Hashable) -> Screen:
    """Only what a student needs now. `own` is the activity's key for their screen; see `ActivityType.own`."""
    context: dict[str, Any] = {"session": session, "activity": activity}
    if isinstance(own, PlainScreen) or activity is None:
        return Screen(str(own), context)
    shown = kind_of(activity).device(activity, own)
    return Screen(shown.template, {**context, **shown.context})


def projector_screen(session: Session) -> Screen:
    """One thing at a time, huge, with display names only and nothing private."""
    activity = present_activity(session)
    context: dict[str, Any] = {"session": session, "activity": activity}
    if session.is_paused:
        return Screen("session/projector_paused.html", context)
    if session.is_over:
        return Screen("session/projector_over.html", {**context, "debrief": debrief(session)})
    if activity is None:
        link = absolute_url("session:device", session.code)
        people = present_attendees(session)
        return Screen(
            "session/projector_lobby.html",
            {**context, "people": people, "host": urlsplit(link).netloc, "qr": qr_drawing(link)},
        )
    shown = kind_of(activity).projector(activity)
    return Screen(shown.template, {**context, "heading": "h1", **shown.context})


@dataclass(frozen=True, slots=True)
class RemotePerson:
    """A person on the remote."""

    code: str
    """The session's code."""
    number: int
    name: str
    real_name: str
    has_account: bool
    team: int | None
    target: int | None
    time_factor: float
    is_connected: bool
    is_on_paper: bool
    has_answered: bool


def remote_screen(session: Session) -> Screen:
    """Everything that the teacher can do, in the order of a lesson."""
    activity = present_activity(session)
    people = _people(session, present_attendees(session), activity)
    context: dict[str, Any] = {
        "session": session,
        "activity": activity,
        "people": people,
        "teams": max((each.team or 0 for each in people), default=0),
        "taken_out": _people(session, taken_out(session)),
        "waiting": list(session.waiting.all()),
        "for_paper": students_for_paper(session),
    }
    if activity is None:
        context["kinds"] = [(kind, kind.form(prefix=kind.slug)) for kind in kinds().values()]
        return Screen("session/remote_choose.html", context)
    kind = kind_of(activity)
    shown = kind.remote(activity)
    context |= {"kind": kind, "orders": kind.orders(activity), "shown": shown.template, "paper": kind.paper(activity)}
    # The projector's picture is embedded in this page, below its own headings.
    context["heading"] = "h3"
    return Screen("session/remote_activity.html", {**shown.context, **context})


def _people(session: Session, attendees: Iterable[Attendee], activity: Activity | None = None) -> list[RemotePerson]:
    answered = answered_by(activity) if activity else set()
    enrolments = session.classroom.enrolments.present().values_list("student", "real_name")
    real_names = dict(enrolments)
    return [
        RemotePerson(
            code=session.code,
            number=each.number,
            name=each.name,
            real_name=real_names.get(each.user_id or 0, ""),
            has_account=each.user_id is not None,
            team=each.team,
            target=each.target,
            time_factor=each.time_factor,
            is_connected=each.is_connected,
            is_on_paper=each.is_on_paper,
            has_answered=each.pk in answered,
        )
        for each in attendees
    ]
