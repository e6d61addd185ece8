"""What happens to seats and daily puzzles when a guest signs in, data is exported, or an owner goes."""

from typing import Final

from core.actors import Ownership
from core.db.locks import LockLevel
from games import puzzles
from games.matches import service as matches
from games.models import PuzzleResult, Seat

OWNERSHIPS: Final = (
    Ownership(
        Seat,
        exported_as="games",
        exported=(
            *("number", "name", "match_id", "match__code", "match__way", "match__phase", "match__opened_at"),
            "match__touched_at",
        ),
        last_seen="match__touched_at",
        merge=matches.merge_guest,
        purge=matches.forget_players,
        level=LockLevel.MATCH,
    ),
    Ownership(
        PuzzleResult,
        exported_as="puzzles",
        exported=("day", "deck", "found", "wrong", "started_at", "finished_at"),
        last_seen="started_at",
        merge=puzzles.merge_guest,
    ),
)
