"""The Celery app. Without a broker, the web process does the workers' work itself."""

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
def _hold_serving_lock(**_signal: object) -> None:
    """Keep a backup from being restored while a worker is running."""
    begin_serving()


@heartbeat_sent.connect
def _touch_heartbeat(**_signal: object) -> None:
    """Touch the heartbeat file. The worker's main loop sends this every two seconds while it can reach the broker."""
    touch("worker")
