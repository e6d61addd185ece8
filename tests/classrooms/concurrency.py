"""Run functions simultaneously, each in a thread with its own database connection."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from django.db import connections

PATIENCE_SECONDS = 30.0


def at_once(works: Sequence[Callable[[], object]]) -> list[object]:
    """Run all functions, starting behind one barrier; return each one's result or exception, in order."""
    barrier = threading.Barrier(len(works))

    def run(work: Callable[[], object]) -> object:
        try:
            # Connect before the start, so that nobody wins by connecting faster.
            connections["default"].ensure_connection()
            barrier.wait(PATIENCE_SECONDS)
            return work()
        except Exception as error:
            return error
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(works)) as threads:
        return list(threads.map(run, works))
