"""Thin shells around services, for workers to run."""

from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from core import mail
from core.heartbeats import worker_is_alive
from core.jobs import queue, runs


@shared_task(ignore_result=True, acks_late=True)
def run_jobs() -> None:
    """Run what waits; each job that is asked for sends this once."""
    runs.run_waiting()


@shared_task(ignore_result=True)
def send_mail() -> int:
    """Send what waits in the outbox."""
    return mail.send_waiting()


@shared_task(ignore_result=True)
def mend_jobs() -> int:
    """Find what a worker that died has left lying; that somebody does is the sign that a worker lives."""
    worker_is_alive()
    return queue.requeue_stale(timezone.now())


@shared_task(ignore_result=True)
def forget_jobs() -> int:
    return queue.delete_old(timezone.now() - timedelta(days=settings.JOB_DAYS))
