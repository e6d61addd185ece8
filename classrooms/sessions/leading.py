"""What the teacher does with a session; the only writer of sessions, seats and activities, beside `joining`."""

from __future__ import annotations

import random
import secrets
from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _

from classrooms.models import Activity, Attendee, Classroom, Session, Stage, User
from classrooms.names import LONGEST, clean, is_unfit
from classrooms.sessions.activities import kind_of
from classrooms.sessions.changes import changed, locked
from classrooms.sessions.errors import NotNow
from games.matches import CODE_LETTERS

CODE_LENGTH = 6
MOST_ATTENDEES = 60
FEWEST_TEAMS = 2
FACTORS = (1.0, 1.5, 2.0, 3.0)
TARGETS = (1, 2, 3, 4)


def open_session(classroom: Classroom, *, by: User, allows_guests: bool = False) -> Session:
    """A new session of the class; one that is still open is ended."""
    with transaction.atomic():
        for other in Session.objects.filter(classroom=classroom, ended_at=None):
            end(other)
        session = Session.objects.create(
            classroom=classroom,
            code=_new_code(),
            made_by=by,
            language=classroom.language,
            edition=classroom.edition,
            allows_guests=allows_guests,
        )
        Classroom.objects.filter(pk=classroom.pk).update(used_at=timezone.now())
    return session


def pause(session: Session) -> None:
    """Eyes up: nothing is taken from devices, and clocks stand still."""
    with locked(session) as fresh:
        if not fresh.is_paused:
            if activity := present_activity(fresh):
                kind_of(activity).pause(activity)
            _write(fresh, is_paused=True)


def resume(session: Session) -> None:
    with locked(session) as fresh:
        if fresh.is_paused:
            if activity := present_activity(fresh):
                kind_of(activity).resume(activity)
            _write(fresh, is_paused=False)


def set_lock(session: Session, is_locked: bool) -> None:
    _set(session, is_locked=is_locked)


def set_scores(session: Session, shows_scores: bool) -> None:
    _set(session, shows_scores=shows_scores)


def end(session: Session) -> None:
    """The lesson is over: the present activity with it, nothing more is taken."""
    with locked(session) as fresh:
        if fresh.ended_at is None:
            _finish(fresh)
            _write(fresh, ended_at=timezone.now(), is_paused=False)


def _set(session: Session, **changes: Any) -> None:
    with locked(session) as fresh:
        if fresh.is_over:
            raise NotNow(_("This session is over."))
        _write(fresh, **changes)


def _write(session: Session, **changes: Any) -> None:
    for name, value in changes.items():
        setattr(session, name, value)
    session.save(update_fields=list(changes))
    changed(session)


# People


def rename(attendee: Attendee, name: str) -> None:
    name = clean(name)[:LONGEST]
    if not name or is_unfit(name):
        raise NotNow(_("Choose another name."))
    _change(attendee, name=name)


def remove(attendee: Attendee) -> None:
    """Send somebody out; the seat is theirs no more, and cannot be taken again with this session's code."""
    _change(attendee, removed_at=timezone.now(), is_connected=False)


def extend_time(attendee: Attendee, factor: float) -> None:
    """Give somebody more time for everything that has a time; nobody else sees it."""
    if factor not in FACTORS:
        raise NotNow(_("There is no such factor."))
    _change(attendee, time_factor=factor)


def set_target(attendee: Attendee, target: int | None) -> None:
    """Which SETs are credited to somebody: those that differ in so many features."""
    if target not in (None, *TARGETS):
        raise NotNow(_("There is no such target."))
    _change(attendee, target=target)


def set_team(attendee: Attendee, team: int | None) -> None:
    _change(attendee, team=team)


def make_teams(session: Session, number: int) -> None:
    """Deal everybody who is here into so many teams, by chance."""
    if not FEWEST_TEAMS <= number <= MOST_ATTENDEES // FEWEST_TEAMS:
        raise NotNow(_("Make at least two teams."))
    with locked(session) as fresh:
        here = list(present_attendees(fresh))
        random.SystemRandom().shuffle(here)
        for place, attendee in enumerate(here):
            attendee.team = place % number + 1
        Attendee.objects.bulk_update(here, ["team"])
        changed(fresh)


def add_paper_seats(session: Session) -> None:
    """A seat for every student of the class who has no device: the teacher taps their answers in."""
    with locked(session) as fresh:
        _seat_students(fresh)
        changed(fresh)


def _change(attendee: Attendee, **changes: Any) -> None:
    with locked(attendee.session) as fresh:
        Attendee.objects.filter(pk=attendee.pk).update(**changes)
        for name, value in changes.items():
            setattr(attendee, name, value)
        if activity := present_activity(fresh):
            kind_of(activity).attendee_changed(activity, attendee)
        changed(fresh)


def present_attendees(session: Session) -> Any:
    """Everybody who takes part, those without a device too."""
    return session.attendees.filter(removed_at=None).select_related("user")


# Activities


def present_activity(session: Session) -> Activity | None:
    """What is done now; None between activities."""
    activity = session.activities.last()
    if activity is None or activity.stage == Stage.DONE:
        return None
    activity.session = session
    return activity


def begin(session: Session, kind: str, options: Mapping[str, Any]) -> Activity:
    """Begin an activity; the one before is over. Starting with an activity starts the session."""
    with locked(session) as fresh:
        if fresh.is_over:
            raise NotNow(_("This session is over."))
        _finish(fresh)
        now = timezone.now()
        number = fresh.activities.count() + 1
        activity = Activity(
            session=fresh, number=number, kind=kind, options=dict(options), started_at=now, round_at=now
        )
        activity.state = kind_of(activity).begin(activity)
        activity.save()
        kind_of(activity).begun(activity)
        _write(fresh, started_at=fresh.started_at or now, is_paused=False)
    return activity


def steer(session: Session, order: str, form: QueryDict, *, round_seen: int) -> None:
    """Reveal, go on, finish: what the remote's buttons do. A button pressed twice does it once."""
    with locked(session) as fresh:
        activity = present_activity(fresh)
        if activity is None:
            raise NotNow(_("Nothing is on at the moment."))
        kind = kind_of(activity)
        if activity.round != round_seen or order not in {each.slug for each in kind.orders(activity)}:
            return
        kind.steer(activity, order, form)
        activity.save()
        changed(fresh)


def _finish(session: Session) -> None:
    activity = present_activity(session)
    if activity:
        kind_of(activity).finish(activity)
        activity.stage, activity.ended_at = Stage.DONE, timezone.now()
        activity.save()


def _new_code() -> str:
    while True:
        code = "".join(secrets.choice(CODE_LETTERS) for _letter in range(CODE_LENGTH))
        if not Session.objects.filter(code=code).exists() and not Classroom.objects.filter(code=code).exists():
            return code


def _seat_students(session: Session) -> None:
    """A seat on paper for every student of the class who has none; within the session's lock."""
    seated = set(session.attendees.values_list("user", flat=True))
    missing = [each for each in session.classroom.enrolments.present() if each.student_id not in seated]
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
        for number, each in enumerate(missing, first)
    )
