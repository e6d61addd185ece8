"""What an exercise needs on any page that shows one."""

from __future__ import annotations

from typing import Any

from core.http.requests import Request
from games.rules import Card, Feature, find_sets
from games.rules.triples import FeaturePattern as VerdictKind
from lessons.grading import Grade, help_stages
from lessons.skills import ExerciseKind
from lessons.ticket_owners import sealed_for
from lessons.tickets import Ticket


def exercise_context(request: Request, ticket: Ticket | None, grade: Grade | None) -> dict[str, Any]:
    """The exercise, the help asked for so far, and the grade if there is one."""
    if ticket is None:
        return {}
    exercise = ticket.exercise
    stages = help_stages(exercise)
    return {
        "exercise": exercise,
        "ticket": sealed_for(request, ticket),
        "features": list(Feature),
        "verdict_kinds": list(VerdictKind),
        "helps": stages[: ticket.hints],
        "has_more_help": ticket.hints < len(stages),
        "found": [tuple(map(Card.from_index, triple)) for triple in ticket.found],
        "sets_there": len(find_sets(exercise.cards)) if exercise.kind is ExerciseKind.FIND_ALL else 0,
        "grade": grade,
    }
