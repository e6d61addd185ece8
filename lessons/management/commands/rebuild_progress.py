"""`manage.py rebuild_progress`: rebuild everybody's progress from their events, one learner at a time."""

from collections.abc import Iterator
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand

from core.actors import NoSuchActor
from games.players import Player
from lessons.models import LearningEvent, Progress
from lessons.progress.recording import rebuild


class Command(BaseCommand):
    help = "Rebuild every learner's progress from the learning events. The site can keep running."

    def handle(self, *args: Any, **options: Any) -> None:
        count = 0
        for learner in _learners():
            try:
                rebuild(learner)
            except NoSuchActor:
                # Purged since the command started.
                continue
            count += LearningEvent.objects.filter(**learner.key).exists()
        self.stdout.write(f"Progress of {count} learners rebuilt.")


def _learners() -> Iterator[Player]:
    """Everybody who has events, or progress that no events may be left for."""
    users = _keys("user") - {None}
    for user in get_user_model()._base_manager.filter(pk__in=users).order_by("pk"):
        yield Player(name=str(user), user=user)
    for guest in sorted(_keys("guest") - {""}):
        yield Player(name=guest, guest=guest)


def _keys(field: str) -> set[Any]:
    return {key for rows in (LearningEvent, Progress) for key in rows.objects.order_by().values_list(field, flat=True)}
