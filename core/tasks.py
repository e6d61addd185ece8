"""Celery tasks: thin wrappers around services."""

from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from core import mail
from core.heartbeats import worker_is_alive
from core.jobs import queue, runs

IDLE_CHILD_SECONDS = 60.0


@shared_task(ignore_result=True, acks_late=True)
def run_next_job() -> None:
    """Run the next job, then schedule another task, since there's room for one now."""
    if runs.run_one():
        run_next_job.delay()


@shared_task(ignore_result=True)
def send_mail() -> int:
    """Send the mail waiting in the outbox."""
    return mail.send_waiting()


@shared_task(ignore_result=True)
def requeue_stale_jobs() -> int:
    """Requeue jobs left behind by a dead worker. Running this is also the sign that a worker is alive."""
    worker_is_alive()
    runs.children.end_idle(IDLE_CHILD_SECONDS)
    return queue.requeue_stale(timezone.now())


@shared_task(ignore_result=True)
def delete_old_jobs() -> int:
    return queue.delete_old(timezone.now() - timedelta(days=settings.JOB_DAYS))
