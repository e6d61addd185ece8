"""Learners with given skill probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from games.players import Player
from lessons.models import LearningEvent, Progress
from lessons.progress.mastery import new_states
from lessons.progress.records import state_record
from lessons.skills import Skill


def stand_at(player: Player, probabilities: Mapping[Skill, float], *, now: float) -> None:
    """Give the learner these probabilities, as if after one event."""
    at = datetime.fromtimestamp(now, UTC)
    event, _is_new = LearningEvent.objects.get_or_create(
        **player.key,
        source="practice",
        seed="standing",
        defaults={"at": at, "is_right": True, "is_first": True, "evidence": [["is-set", True]]},
    )
    before = new_states()
    states = {
        skill.value: state_record(
            replace(before[skill], probability=probability, seen_at=now, tries=1, path=(probability,))
        )
        for skill, probability in probabilities.items()
    }
    events = LearningEvent.objects.filter(**player.key).count()
    row = {"states": states, "events": events, "last_at": at, "last_event": event.pk}
    Progress.objects.update_or_create(**player.key, defaults=row)
