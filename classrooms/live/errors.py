"""Errors raised when something can't be done in a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from classrooms.models import Session


class LessonRefusal(Exception):
    """Refused, with the reason in words that a child can read."""


class GuestMustWait(LessonRefusal):
    """The guest has to wait until the teacher lets them in."""


class LessonRunning(Exception):
    """The class already has a running lesson, `session`."""

    def __init__(self, session: Session) -> None:
        super().__init__(session.code)
        self.session = session
