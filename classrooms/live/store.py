"""What every answer in a lesson reads, in plain SQL: building these queries takes longer than running them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection

from classrooms.models import Activity, Attendee, Session, Stage
from core.db.columns import Columns
from games.players import Player

_SEAT, _SESSION, _ACTIVITY = Columns(Attendee, "seat"), Columns(Session, "session"), Columns(Activity, "activity")
_ROW = Columns(
    Attendee,
    "seat",
    ["id", "number", "name", "joined_at", "is_connected", "team", "target", "time_factor", "is_on_paper"],
)
_WITH_ACTIVITY = f"""
    LEFT JOIN classrooms_activity activity ON activity.session_id = session.id AND activity.stage <> '{Stage.DONE}'
"""
_LATEST = " ORDER BY activity.number DESC LIMIT 1"
_PLACE = f"""
    SELECT {_SEAT.sql}, {_SESSION.sql}, {_ACTIVITY.sql} FROM classrooms_attendee seat
    JOIN classrooms_session session ON session.id = seat.session_id {_WITH_ACTIVITY}
"""
_OF_CLASS = """
    JOIN classrooms_classroom class ON class.id = session.classroom_id AND class.deleted_at IS NULL
    WHERE session.code = %s AND
"""
_OF_USER = """
    seat.user_id = %s AND EXISTS (SELECT 1 FROM classrooms_enrolment enrolment
        WHERE enrolment.student_id = seat.user_id AND enrolment.classroom_id = session.classroom_id)
"""
_OF_GUEST = "seat.guest = %s"
_LESSON = f"""
    SELECT {_SESSION.sql}, {_ACTIVITY.sql} FROM classrooms_session session {_WITH_ACTIVITY} WHERE session.code = %s
    {_LATEST}
"""
_PRESENT = f"""
    SELECT {_ROW.sql}, EXISTS (SELECT 1 FROM classrooms_answer answer
        WHERE answer.attendee_id = seat.id AND answer.activity_id = %s AND answer.round = %s)
    FROM classrooms_attendee seat WHERE seat.session_id = %s AND seat.removed_at IS NULL ORDER BY seat.number
"""
_WAITING = "SELECT id FROM classrooms_waitingguest WHERE session_id = %s ORDER BY id"


@dataclass(frozen=True, slots=True)
class LessonPlace:
    """A seat with what an answer from it depends on: its session and present activity."""

    seat: Attendee
    activity: Activity | None


class SeatRow(NamedTuple):
    """What the remote shows of a seat, and what counts depend on. In the order of `_ROW`."""

    pk: int
    number: int
    name: str
    joined_at: datetime
    is_connected: bool
    team: int | None
    target: int | None
    time_factor: float
    is_on_paper: bool


def place_of(code: str, player: Player) -> LessonPlace | None:
    """The player's place in the lesson with this code. A student who has left the class has none."""
    if player.user is None:
        return _read_place(_OF_CLASS + _OF_GUEST, [code, player.guest])
    place = _read_place(_OF_CLASS + _OF_USER, [code, player.user.pk])
    if place:
        place.seat.user = player.user  # type: ignore[assignment]
    return place


def place_at(seat: Attendee) -> LessonPlace:
    """Read the place of a seat from the database again."""
    place = _read_place("WHERE seat.id = %s", [seat.pk])
    if place is None:
        raise Attendee.DoesNotExist(seat.pk)
    if Attendee.user.is_cached(seat) and seat.user_id == place.seat.user_id:
        place.seat.user = seat.user
    return place


def _read_place(condition: str, values: Sequence[Any]) -> LessonPlace | None:
    rows = _rows(_PLACE + condition + _LATEST, values)
    if not rows:
        return None
    row = rows[0]
    seat = _SEAT.instance(row[: len(_SEAT)])
    seat.session, activity = _lesson(row[len(_SEAT) :])
    return LessonPlace(seat, activity)


def lesson_now(code: str) -> tuple[Session, Activity | None]:
    """A lesson and its present activity. Raises `Session.DoesNotExist`."""
    rows = _rows(_LESSON, [code])
    if not rows:
        raise Session.DoesNotExist(code)
    return _lesson(rows[0])


def _lesson(row: Sequence[Any]) -> tuple[Session, Activity | None]:
    session, values = _SESSION.instance(row[: len(_SESSION)]), row[len(_SESSION) :]
    if values[0] is None:
        return session, None
    activity = _ACTIVITY.instance(values)
    activity.session = session
    return session, activity


def present_seats(session: Session, activity: Activity | None) -> tuple[list[SeatRow], set[int]]:
    """Everybody who takes part, and the primary keys of those who have answered in the present round."""
    round_ = [activity.pk, activity.round] if activity else [None, None]
    rows = _rows(_PRESENT, [*round_, session.pk])
    return [SeatRow(*_ROW.values(row[:-1])) for row in rows], {row[0] for row in rows if row[-1]}


def waiting_guests(session: Session) -> tuple[int, ...]:
    """The primary keys of the guests who wait to be let in."""
    return tuple(pk for (pk,) in _rows(_WAITING, [session.pk]))


def _rows(sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return list(cursor.fetchall())
