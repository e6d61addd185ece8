"""How learning data is merged at sign-in, exported, and removed with its owner."""

from typing import Final

from django.db.models import Q

from core.actors import Ownership
from lessons.models import HelpGiven, LearningEvent, Progress, StepDone
from lessons.progress.origins import Source
from lessons.progress.recording import merge_learning

OWNERSHIPS: Final = (
    Ownership(
        LearningEvent,
        exported_as="answers",
        exported=(
            *("at", "source", "unit", "step", "kind", "wanted", "seed", "cards", "answer", "is_right", "is_first"),
            "missed",
            *("evidence", "seconds", "hints"),
        ),
        # Answers in the class's live lessons are exported with those lessons.
        not_of_class=Q(source=Source.LESSON),
        last_seen="at",
        merge=merge_learning,
    ),
    Ownership(StepDone, exported_as="steps", exported=("unit", "step", "at"), last_seen="at", merge=merge_learning),
    # No `last_seen`: progress is derived from events, which have it.
    Ownership(Progress, exported_as="progress", exported=("states", "events", "last_at"), merge=merge_learning),
    Ownership(
        HelpGiven,
        exported_as="help",
        exported=("source", "unit", "step", "seed", "hints", "at"),
        last_seen="at",
        merge=merge_learning,
    ),
)
