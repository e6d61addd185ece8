"""Celery tasks, as thin wrappers around services."""

from celery import shared_task
from django.utils import timezone

from classrooms.privacy import service as privacy
from classrooms.reports import letters, summary
from core.once import only_one


@shared_task(ignore_result=True)
def send_weekly_letters() -> int:
    """Send the letters about last week that haven't been sent yet."""
    return letters.send_weekly_letters(timezone.now())


@shared_task(ignore_result=True)
def send_friday_summaries() -> int:
    """Send teachers the summary of the week."""
    return summary.send_friday_summaries(timezone.now())


@shared_task(ignore_result=True)
def keep_privacy() -> None:
    """Purge what has been deleted or idle for long enough."""
    with only_one("keep-privacy") as is_ours:
        if is_ours:
            privacy.keep_promises(timezone.now())
