"""Signs of life of workers and beat, for whoever restarts processes that stand still: a file that is touched."""

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
"""A worker that has done nothing for so long is away; beat gives it something every five."""


def file_of(name: str) -> Path:
    return Path(tempfile.gettempdir()) / f"setsite-{name}-is-alive"


def touch(name: str) -> None:
    file_of(name).touch()


class Scheduler(PersistentScheduler):
    """Beat, with a sign of life at each look at the clock."""

    # So that a look comes at least this often, whatever is due next.
    max_interval = 5

    def tick(self, *args: Any, **more: Any) -> float:
        touch("beat")
        return float(super().tick(*args, **more))


def worker_is_alive() -> None:
    """Said by whoever does the workers' work, so that web processes hear of it."""
    cache.set(WORKER_KEY, time.time(), timeout=WORKER_SECONDS)


def has_seen_worker() -> bool:
    return cache.get(WORKER_KEY) is not None


def is_alive(name: str, *, seconds: float = 60.0) -> bool:
    """Whether there was a sign of life lately."""
    try:
        return time.time() - file_of(name).stat().st_mtime < seconds
    except FileNotFoundError:
        return False


if __name__ == "__main__":
    # `python -m core.heartbeats worker`: for the health check of a container.
    sys.exit(0 if is_alive(sys.argv[1]) else 1)
