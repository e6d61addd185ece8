"""Celery, for the set-up with workers; without a broker the web process does the same work by itself."""

import os

from celery import Celery
from celery.signals import worker_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "setsite.settings")

app = Celery("setsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.set_default()
app.autodiscover_tasks()


@worker_init.connect
def _tell_sessions(**_signal: object) -> None:
    """A worker that keeps the time of a match has no hub, which would have its session's screens hear of it."""
    from classrooms.sessions.playing import match_changed  # noqa: PLC0415 (models are there now)
    from games import matches  # noqa: PLC0415

    matches.on_change(match_changed)
