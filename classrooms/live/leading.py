"""What a teacher can do with a session: run it, manage the people in it, and steer its activities."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _

from classrooms.accounts.names import LONGEST, clean, is_unfit
from classrooms.live.activities import kind_of
from classrooms.live.changes import changed, close_seat, locked
from classrooms.live.errors import LessonRefusal, LessonRunning
from classrooms.live.wall import LONGEST as LONGEST_LESSON
from classrooms.models import Activity, Attendee, Classroom, Session, Stage, User
from core.db.locks import LockLevel, lock_rows
from games.codes import new_code

MOST_ATTENDEES = 60
FEWEST_TEAMS = 2
MOST_TEAMS = MOST_ATTENDEES // FEWEST_TEAMS
FACTORS = (1.0, 1.5, 2.0, 3.0)
TARGETS = (1, 2, 3, 4)
_OF_SEAT = ["name", "team", "target", "time_factor", "is_connected", "is_on_paper", "removed_at"]


def running_session(classroom: Classroom) -> Session | None:
    """The class's running lesson, with the teacher who opened it."""
    return Session.objects.filter(classroom=classroom, ended_at=None).select_related("made_by").first()


def open_session(classroom: Classroom, *, by: User, allows_guests: bool = False, instead_of: str = "") -> Session:
    """Open a session for the class.

    Raises `Classroom.DoesNotExist` if the class was archived or deleted meanwhile, and `LessonRunning` if it already
    has a lesson, unless that's the one with the code `instead_of`, which the teacher was shown and agreed to end.
    """
    with transaction.atomic():
        # Two teachers who start at once take turns, so the second one finds the first one's lesson.
        lock_rows(Classroom.objects.not_deleted().filter(archived_at=None), LockLevel.CLASSROOM).get(pk=classroom.pk)
        running = running_session(classroom)
        if running and running.code != instead_of:
            raise LessonRunning(running)
        if running:
            end(running)
        session = Session.objects.create(
            classroom=classroom,
            code=new_code(_is_taken),
            made_by=by,
            language=classroom.language,
            edition=classroom.edition,
            allows_guests=allows_guests,
        )
        Classroom.objects.filter(pk=classroom.pk).update(used_at=timezone.now())
    return session


def pause(session: Session) -> None:
    """Eyes up: take nothing from devices, and stop the clocks."""
    with locked(session) as fresh:
        if not fresh.is_paused:
            if activity := present_activity(fresh):
                kind_of(activity).pause(activity)
            _save_changes(fresh, is_paused=True)


def resume(session: Session) -> None:
    with locked(session) as fresh:
        if fresh.is_paused:
            if activity := present_activity(fresh):
                kind_of(activity).resume(activity)
            _save_changes(fresh, is_paused=False)


def set_lock(session: Session, is_locked: bool) -> None:
    _change_running(session, is_locked=is_locked)


def set_scores(session: Session, shows_scores: bool) -> None:
    _change_running(session, shows_scores=shows_scores)


def end(session: Session) -> None:
    """End the lesson and its present activity; nothing more is taken from devices."""
    with locked(session) as fresh:
        if fresh.ended_at is None:
            _finish_activity(fresh)
            fresh.waiting.all().delete()
            _save_changes(fresh, ended_at=timezone.now(), is_paused=False)


def end_forgotten(now: datetime) -> int:
    """End lessons that ran longer than any lesson does because nobody ended them. Returns how many."""
    forgotten = list(Session.objects.filter(ended_at=None, opened_at__lte=now - LONGEST_LESSON))
    for session in forgotten:
        end(session)
    return len(forgotten)


def _change_running(session: Session, **changes: Any) -> None:
    with locked(session) as fresh:
        if fresh.is_over:
            raise LessonRefusal(_("This lesson is over."))
        _save_changes(fresh, **changes)


def _save_changes(session: Session, **changes: Any) -> None:
    for name, value in changes.items():
        setattr(session, name, value)
    session.save(update_fields=list(changes))
    changed(session)


# People


def rename(attendee: Attendee, name: str) -> None:
    name = clean(name)[:LONGEST]
    if not name or is_unfit(name):
        raise LessonRefusal(_("Choose another name."))
    change_seat(attendee, name=name)


def remove(attendee: Attendee) -> None:
    """Take somebody out of the lesson, or a paper seat back. Their answers stay.

    They come back only when the teacher lets them in. From now on new guests have to wait, too; otherwise, signing out
    or dropping a cookie would be enough to come back in as somebody else.
    """
    with locked(attendee.session) as fresh:
        change_seat(attendee, removed_at=timezone.now(), is_connected=False)
        if not attendee.is_on_paper:
            Session.objects.filter(pk=fresh.pk).update(guests_wait=True)
        close_seat(fresh, attendee.number)


def extend_time(attendee: Attendee, factor: float) -> None:
    """Give somebody more time wherever time is limited; nobody else sees it."""
    if factor not in FACTORS:
        raise LessonRefusal(_("There is no such factor."))
    change_seat(attendee, time_factor=factor)


def set_target(attendee: Attendee, target: int | None) -> None:
    """Set in how many features SETs must differ to be credited to somebody."""
    if target not in (None, *TARGETS):
        raise LessonRefusal(_("There is no such target."))
    change_seat(attendee, target=target)


def set_team(attendee: Attendee, team: int | None) -> None:
    if team not in (None, *range(1, MOST_TEAMS + 1)):
        raise LessonRefusal(_("There is no such team."))
    change_seat(attendee, team=team)


def make_teams(session: Session, number: int) -> None:
    """Deal everybody who's here into this many teams at random."""
    if not FEWEST_TEAMS <= number <= MOST_TEAMS:
        raise LessonRefusal(_("Make at least two teams."))
    with locked(session) as fresh:
        here = list(present_attendees(fresh))
        random.SystemRandom().shuffle(here)
        for place, attendee in enumerate(here):
            attendee.team = place % number + 1
        Attendee.objects.bulk_update(here, ["team"])
        changed(fresh)


def set_guests(session: Session, allows_guests: bool) -> None:
    """Allow guests to join, or stop allowing it; those who are in stay in."""
    with locked(session) as fresh:
        if not allows_guests:
            fresh.waiting.all().delete()
        _change_running(fresh, allows_guests=allows_guests)


def change_seat(attendee: Attendee, **changes: Any) -> None:
    """Update a seat, and notify the present activity and all screens."""
    with locked(attendee.session) as fresh:
        Attendee.objects.filter(pk=attendee.pk).update(**changes)
        # Read it again under the lock, so that a rename doesn't seat somebody who was taken out a moment ago.
        attendee.refresh_from_db(fields=_OF_SEAT)
        if activity := present_activity(fresh):
            kind_of(activity).attendee_changed(activity, attendee)
        changed(fresh)


def present_attendees(session: Session) -> Any:
    """Everybody who takes part, including those without a device."""
    return session.attendees.filter(removed_at=None).select_related("user")


# Activities


def present_activity(session: Session) -> Activity | None:
    """The activity that's on now, if any."""
    activity = session.activities.last()
    if activity is None or activity.stage == Stage.DONE:
        return None
    activity.session = session
    return activity


def begin(session: Session, kind: str, options: Mapping[str, Any]) -> Activity:
    """Finish the present activity and begin a new one. The first one starts the session."""
    with locked(session) as fresh:
        if fresh.is_over:
            raise LessonRefusal(_("This lesson is over."))
        _finish_activity(fresh)
        now = timezone.now()
        number = fresh.activities.count() + 1
        activity = Activity(
            session=fresh, number=number, kind=kind, options=dict(options), started_at=now, round_at=now
        )
        activity.state = kind_of(activity).begin(activity)
        activity.save()
        kind_of(activity).begun(activity)
        _save_changes(fresh, started_at=fresh.started_at or now, is_paused=False)
    return activity


def steer(session: Session, order: str, form: QueryDict, *, round_seen: int) -> None:
    """Apply a button of the remote, such as reveal, next or finish. Pressing it twice applies it once."""
    with locked(session) as fresh:
        activity = present_activity(fresh)
        if activity is None:
            raise LessonRefusal(_("Nothing is on at the moment."))
        kind = kind_of(activity)
        if activity.round != round_seen or order not in {each.slug for each in kind.orders(activity)}:
            return
        kind.steer(activity, order, form)
        activity.save()
        changed(fresh)


def _finish_activity(session: Session) -> None:
    activity = present_activity(session)
    if activity:
        kind_of(activity).finish(activity)
        activity.stage, activity.ended_at = Stage.DONE, timezone.now()
        activity.save()


def _is_taken(code: str) -> bool:
    return Session.objects.filter(code=code).exists() or Classroom.objects.filter(code=code).exists()
