"""How jobs are exported, merged and purged."""

from typing import Final

from core.actors import Ownership
from core.jobs import queue
from core.models import Job

OWNERSHIPS: Final = (
    Ownership(
        Job,
        exported_as="jobs",
        exported=("kind", "asked", "state", "result", "error", "file_name", "made_at", "ended_at"),
        last_seen="made_at",
        merge=queue.merge_guest,
        purge=queue.remove,
    ),
)
