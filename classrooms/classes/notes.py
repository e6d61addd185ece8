"""The notices at the top of a class's pages about who can sign in and who tried to."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from classrooms.accounts.devices import OPEN_FOR, has_lesson
from classrooms.accounts.picture_guard import class_notice, guessing_notices
from classrooms.classes.students import open_offers
from classrooms.models import Classroom
from games.codes import is_short


def class_notes(classroom: Classroom) -> dict[str, Any]:
    """The context of `teach/_notes.html`."""
    now = timezone.now()
    until = classroom.new_devices_until
    return {
        "new_devices_until": until if until and until > now else None,
        "is_open_for_long": until and until > now + OPEN_FOR,
        "has_lesson": has_lesson(classroom, now),
        "guessing": guessing_notices(classroom, now),
        "class_guessing": class_notice(classroom, now),
        "has_short_code": is_short(classroom.code),
        "hand_overs": open_offers(now).filter(to=classroom).order_by("made_at"),
    }
