"""Celery, for the set-up with workers; without a broker the web process does the same work by itself."""

import os

from celery import Celery
from celery.signals import beat_init, heartbeat_sent, worker_init

from core.heartbeats import touch
from core.serving import begin_serving

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "setsite.settings")

app = Celery("setsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.set_default()
app.autodiscover_tasks()


@worker_init.connect
@beat_init.connect
def _say_that_we_serve(**_signal: object) -> None:
    """A backup isn't restored under a worker that writes."""
    begin_serving()


@heartbeat_sent.connect
def _live(**_signal: object) -> None:
    """Sent by the loop that takes jobs in, every two seconds while it runs and the broker hears it."""
    touch("worker")
