"""Background work of a test ends with it: no worker or beat of another test touches what this one looks at.

The site that browser tests start stays up for the rest of the run, and so do its worker and beat. They would send the
mail of whichever test comes next. So every task holds a shared lock while it runs, and isn't run at all while no test
wants it; between tests the lock is ours alone. A file, since with a broker the worker is a process of its own.

The hubs of that site keep who is there in a thread of their own, whether or not anybody still waits for it. `Pause`
holds those threads up before the tables are emptied.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import wraps
from typing import Any

from celery import Celery, Task
from django.conf import settings

SECONDS = 60.0


def _open() -> int:
    # One for each process of xdist, whose worker inherits the variable.
    name = f"background-{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}.lock"
    return os.open(settings.VAR_DIR / name, os.O_RDWR | os.O_CREAT, 0o600)


def watch_tasks(app: Celery) -> None:
    """Have every task of a worker that starts later look whether a test wants it; calls by hand are the test's own."""
    app.loader.import_default_modules()
    app.finalize()
    for task in app.tasks.values():
        if not task.name.startswith("celery."):
            task.run = _watched(task, task.run)


def _watched(task: Task[..., Any], run: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(run)
    def watched(*arguments: Any, **more: Any) -> Any:
        if task.request.called_directly:
            return run(*arguments, **more)
        handle = _open()
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return None
        else:
            return run(*arguments, **more)
        finally:
            os.close(handle)

    return watched


class Background:
    """Who runs the tests holds it closed, but for the tests that want tasks to run."""

    def __init__(self) -> None:
        self._handle = _open()
        self._close()

    def _close(self) -> None:
        deadline = time.monotonic() + SECONDS
        while True:
            try:
                fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise RuntimeError("a task goes on long after its test") from None
                time.sleep(0.01)
            else:
                return

    @contextmanager
    def opened(self) -> Iterator[None]:
        fcntl.flock(self._handle, fcntl.LOCK_UN)
        try:
            yield
        finally:
            self._close()

    def end(self) -> None:
        os.close(self._handle)


class Pause:
    """Holds up executors of one thread each: what they were given before is done, what comes later waits."""

    def __init__(self, *pools: Executor) -> None:
        self._pools = pools
        self._over = threading.Event()
        self._over.set()

    def begin(self) -> None:
        self._over = threading.Event()
        for pool in self._pools:
            stands = threading.Event()
            pool.submit(self._stand, stands, self._over)
            if not stands.wait(SECONDS):
                raise RuntimeError("a thread goes on long after its test")

    def end(self) -> None:
        self._over.set()

    @staticmethod
    def _stand(stands: threading.Event, over: threading.Event) -> None:
        stands.set()
        over.wait()
