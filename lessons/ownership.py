"""What becomes of what somebody has learned, when a guest signs in and when an owner goes."""

from core.actors import Ownership, register
from lessons.models import Attempt, HelpGiven, Progress, StepDone
from lessons.progress.recording import merge_learning

register(
    Ownership(
        Attempt,
        exported_as="attempts",
        exported=(
            *("at", "place", "kind", "wanted", "seed", "cards", "answer", "is_right", "is_first", "missed"),
            *("evidence", "seconds", "hints"),
        ),
        last_seen="at",
        merge=merge_learning,
    ),
    Ownership(StepDone, exported_as="steps", exported=("unit", "step", "at"), last_seen="at", merge=merge_learning),
    # It follows from attempts, and so does the moment at which somebody was here.
    Ownership(Progress, exported_as="progress", exported=("skill", "state"), merge=merge_learning),
    Ownership(
        HelpGiven,
        exported_as="help",
        exported=("place", "seed", "hints", "at"),
        last_seen="at",
        merge=merge_learning,
    ),
)
