"""Celery's worker and beat in threads of the web process, so that nothing else needs to be started."""

from __future__ import annotations

import logging
import threading
from typing import Any

from celery.beat import EmbeddedService
from django.conf import settings

from core.jobs import runs
from setsite.celery import app

log = logging.getLogger(__name__)
_POOL = settings.JOBS_AT_ONCE + 2
"""Two threads more than heavy jobs can use, for mail, letters and deletions."""


class Embedded:
    """The embedded worker and beat. Does nothing if there's a broker, since real workers do this then."""

    def __init__(self) -> None:
        self._worker: Any = None
        self._beat: Any = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        if self._thread or not settings.IS_BROKERLESS:
            return
        settings.VAR_DIR.mkdir(parents=True, exist_ok=True)
        runs.children.start(settings.JOBS_AT_ONCE)
        self._worker = app.WorkController(
            pool_cls="threads",
            concurrency=_POOL,
            queues=["people", "heavy"],
            without_heartbeat=True,
            without_mingle=True,
            without_gossip=True,
        )
        self._thread = threading.Thread(target=self._worker.start, name="worker", daemon=True)
        self._thread.start()
        self._beat = EmbeddedService(app, thread=True, schedule_filename=str(settings.VAR_DIR / "beat"))
        self._beat.start()

    def stop(self) -> None:
        if self._thread is None:
            return
        self._beat.stop()
        # Before the worker, which waits for running tasks.
        runs.children.stop()
        self._worker.stop()
        self._thread.join(timeout=3)
        self._thread = None


embedded = Embedded()
