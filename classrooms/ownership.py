"""What happens to seats in live lessons when a guest signs in, and when their owner is exported or deleted."""

from typing import Final

from classrooms.live.merging import merge_guest
from classrooms.models import Attendee, WaitingGuest
from core.actors import Ownership
from core.db.locks import LockLevel

OWNERSHIPS: Final = (
    Ownership(
        Attendee,
        exported_as="lessons_attended",
        exported=(
            *("session__classroom__name", "session__code", "number", "name", "joined_at", "removed_at", "team"),
            *("target", "time_factor", "is_on_paper", "is_visitor"),
        ),
        of_class="session__classroom",
        last_seen="joined_at",
        merge=merge_guest,
        level=LockLevel.SESSION,
    ),
    Ownership(WaitingGuest, last_seen="asked_at", merge=merge_guest, level=LockLevel.SESSION),
)
