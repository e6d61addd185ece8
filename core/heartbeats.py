"""Heartbeats of workers and beat: files that are touched, so that a supervisor can restart a stuck process."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from celery.beat import PersistentScheduler
from django.core.cache import cache

WORKER_KEY = "worker-is-alive"
WORKER_SECONDS = 30
"""A worker silent for this long counts as away; beat gives it something to do every five seconds."""


def file_of(name: str) -> Path:
    return Path(tempfile.gettempdir()) / f"setsite-{name}-is-alive"


def touch(name: str) -> None:
    file_of(name).touch()


class Scheduler(PersistentScheduler):
    """Celery beat that leaves a heartbeat at every tick."""

    # Tick at least this often, whatever is due next.
    max_interval = 5

    def tick(self, *args: Any, **more: Any) -> float:
        touch("beat")
        return float(super().tick(*args, **more))


def worker_is_alive() -> None:
    """Record in the cache that a worker has run, for the web processes to see."""
    cache.set(WORKER_KEY, time.time(), timeout=WORKER_SECONDS)


def has_seen_worker() -> bool:
    return cache.get(WORKER_KEY) is not None


def is_alive(name: str, *, seconds: float = 60.0) -> bool:
    """Whether there was a heartbeat recently."""
    try:
        return time.time() - file_of(name).stat().st_mtime < seconds
    except FileNotFoundError:
        return False


if __name__ == "__main__":
    # `python -m core.heartbeats worker` is a container's health check.
    sys.exit(0 if is_alive(sys.argv[1]) else 1)
