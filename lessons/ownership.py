"""What becomes of what somebody has learned, when a guest signs in and when an owner goes."""

from django.db.models import Q

from core.actors import Ownership, register
from lessons.models import HelpGiven, LearningEvent, Progress, StepDone
from lessons.progress.origins import Source
from lessons.progress.recording import merge_learning

register(
    Ownership(
        LearningEvent,
        exported_as="answers",
        exported=(
            *("at", "source", "unit", "step", "kind", "wanted", "seed", "cards", "answer", "is_right", "is_first"),
            "missed",
            *("evidence", "seconds", "hints"),
        ),
        # What was answered in live lessons of this class is exported with them.
        not_of_class=Q(source=Source.LESSON),
        last_seen="at",
        merge=merge_learning,
    ),
    Ownership(StepDone, exported_as="steps", exported=("unit", "step", "at"), last_seen="at", merge=merge_learning),
    # It follows from events, and so does the moment at which somebody was here.
    Ownership(Progress, exported_as="progress", exported=("states", "events", "last_at"), merge=merge_learning),
    Ownership(
        HelpGiven,
        exported_as="help",
        exported=("source", "unit", "step", "seed", "hints", "at"),
        last_seen="at",
        merge=merge_learning,
    ),
)
