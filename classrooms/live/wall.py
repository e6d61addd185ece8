"""The projector's own address. It shows the wall of one lesson, can't control anything, and ends with the lesson.

That way the computer at the projector needn't be signed in as the teacher. The key is short enough to type and too long
to guess: ten letters out of 28 make 3 x 10^14 keys, and a lesson is over within hours.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils.crypto import constant_time_compare, salted_hmac

from classrooms.models import Session
from games.codes import LETTERS as CODE_LETTERS

_SALT = "classrooms.sessions.wall"
_LETTERS = 10
LONGEST = timedelta(hours=12)
"""No lesson takes longer, even one that nobody ended."""
AFTERWARDS = timedelta(minutes=30)
"""Time to talk about the lesson after its end."""


def wall_key(session: Session) -> str:
    digest = salted_hmac(_SALT, f"{session.pk}:{session.code}:{session.wall_number}", algorithm="sha256").digest()
    number = int.from_bytes(digest)
    letters = []
    for _letter in range(_LETTERS):
        number, which = divmod(number, len(CODE_LETTERS))
        letters.append(CODE_LETTERS[which])
    return "".join(letters)


def is_on_wall(session: Session, key: str, *, now: datetime) -> bool:
    """Whether this key opens the lesson's wall now."""
    if not constant_time_compare(key.upper().replace("-", ""), wall_key(session)):
        return False
    if session.ended_at is not None and now > session.ended_at + AFTERWARDS:
        return False
    return now <= session.opened_at + LONGEST
