"""Thin shells around services, for workers to run."""

import time

from celery import shared_task

from games.matches import service as matches


@shared_task(ignore_result=True)
def keep_time() -> int:
    """Enforce what is due in any match, so that nobody has to look for it to happen."""
    return matches.catch_up_all(now=time.time())
