"""Why something cannot be done in a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from classrooms.models import Session


class LessonRefusal(Exception):
    """Refused, with the reason in words that a child can read."""


class GuestMustWait(LessonRefusal):
    """New guests wait before the door until the teacher lets them in."""


class LessonRunning(Exception):
    """The class has a lesson that nobody has ended; `session` is the one."""

    def __init__(self, session: Session) -> None:
        super().__init__(session.code)
        self.session = session
