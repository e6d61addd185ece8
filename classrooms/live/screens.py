"""What each of the three screens shows, from the session as it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from classrooms.live.activities import kind_of, kinds
from classrooms.live.activities.base import Screen
from classrooms.live.debrief import debrief
from classrooms.live.joining import takes_part
from classrooms.live.leading import FACTORS, TARGETS, present_activity, present_attendees
from classrooms.live.seats import students_for_paper, taken_out
from classrooms.models import Activity, Attendee, Session
from core.links import absolute_url
from core.printing.qr import qr_drawing


def device_screen(session: Session, attendee: Attendee) -> Screen:
    """Only what this student needs now."""
    activity = present_activity(session)
    context: dict[str, Any] = {"session": session, "attendee": attendee, "activity": activity}
    if session.is_over:
        return Screen("session/device_over.html", context)
    if session.is_paused:
        return Screen("session/device_paused.html", context)
    if activity is None:
        return Screen("session/device_waiting.html", context)
    if not takes_part(activity, attendee):
        return Screen("session/device_late.html", context)
    own = kind_of(activity).device(activity, attendee)
    return Screen(own.template, {**context, **own.context})


def projector_screen(session: Session) -> Screen:
    """One thing at a time, huge; display names only, and nothing private."""
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
            "session/projector_lobby.html", {**context, "people": people, "link": link, "qr": qr_drawing(link)}
        )
    shown = kind_of(activity).projector(activity)
    return Screen(shown.template, {**context, "heading": "h1", **shown.context})


@dataclass(frozen=True, slots=True)
class RemotePerson:
    """Somebody on the remote."""

    attendee: Attendee
    real_name: str
    has_answered: bool


def remote_screen(session: Session) -> Screen:
    """Everything that the teacher can do, in the order of the lesson."""
    activity = present_activity(session)
    people = _people(session, present_attendees(session), activity)
    context: dict[str, Any] = {
        "session": session,
        "activity": activity,
        "people": people,
        "teams": range(1, max((each.attendee.team or 0 for each in people), default=0) + 1),
        "taken_out": _people(session, taken_out(session)),
        "waiting": list(session.waiting.all()),
        "for_paper": students_for_paper(session),
        "factors": FACTORS,
        "targets": TARGETS,
    }
    if activity is None:
        context["kinds"] = [(kind, kind.form(prefix=kind.slug)) for kind in kinds().values()]
        return Screen("session/remote_choose.html", context)
    kind = kind_of(activity)
    shown = kind.remote(activity)
    context |= {"kind": kind, "orders": kind.orders(activity), "shown": shown.template, "paper": kind.paper(activity)}
    # What the room sees is a part of this page.
    context["heading"] = "h3"
    return Screen("session/remote_activity.html", {**shown.context, **context})


def _people(session: Session, attendees: Iterable[Attendee], activity: Activity | None = None) -> list[RemotePerson]:
    answered = (
        set(activity.answers.filter(round=activity.round).values_list("attendee", flat=True)) if activity else set()
    )
    enrolments = session.classroom.enrolments.present().values_list("student", "real_name")
    real_names = dict(enrolments)
    return [RemotePerson(each, real_names.get(each.user_id or 0, ""), each.pk in answered) for each in attendees]
