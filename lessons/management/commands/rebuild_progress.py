"""`manage.py rebuild_progress`: make everybody's progress anew from their tries."""

from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand

from games.players import Player
from lessons.learning import rebuild
from lessons.models import Attempt, Progress


class Command(BaseCommand):
    help = "Throw the summaries of progress away and make them anew from the attempts."

    def handle(self, *args: Any, **options: Any) -> None:
        Progress.objects.all().delete()
        users = get_user_model().objects.filter(pk__in=Attempt.objects.values("user")).distinct()
        learners = [Player(name=str(user), user=user) for user in users]
        guests = Attempt.objects.exclude(guest="").order_by("guest").values_list("guest", flat=True).distinct()
        learners += [Player(name=guest, guest=guest) for guest in guests]
        for learner in learners:
            rebuild(learner)
        self.stdout.write(f"Progress of {len(learners)} learners rebuilt.")
