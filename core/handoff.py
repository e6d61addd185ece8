"""Background work that a request hands to a thread and never waits for."""

from __future__ import annotations

import logging
import os
import queue
import threading
from collections.abc import Callable

log = logging.getLogger(__name__)

Work = Callable[[], object]


class HandOff:
    """A thread that does the work it's given, in order. What doesn't fit into its queue is dropped.

    For work that's recovered elsewhere if it's lost, such as telling a worker about a job in the database.
    """

    def __init__(self, name: str, *, most_waiting: int = 1_000) -> None:
        self._name = name
        self._most_waiting = most_waiting
        self._reset()
        # A fork copies the queue but not the thread.
        os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._waiting: queue.Queue[Work] = queue.Queue(self._most_waiting)
        self._thread: threading.Thread | None = None

    def put(self, work: Work) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
        try:
            self._waiting.put_nowait(work)
        except queue.Full:
            log.warning("handoff.full", extra={"queue": self._name})

    def wait(self) -> None:
        """Block until all work is done."""
        self._waiting.join()

    def _run(self) -> None:
        waiting = self._waiting
        while True:
            work = waiting.get()
            try:
                work()
            except Exception:
                log.exception("handoff.failed", extra={"queue": self._name})
            finally:
                waiting.task_done()
