"""Keep background work inside its test, so that one test's worker or beat can't touch another test's data.

The site started for browser tests runs until the end, with its worker and beat, which would send the mail of whichever
test comes next. So every task holds a shared lock while it runs, and is skipped while no test wants it; between tests
only the test process holds the lock. It's a file, because with a broker the worker is a separate process.

The site's hubs record who's connected in their own threads, even if nobody waits for that any more. `Pause` pauses
those threads before the tables are emptied.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import cache, wraps
from pathlib import Path
from typing import Any

from celery import Celery, Task
from django.conf import settings

SECONDS = 60.0


@cache
def _lock_file() -> Path:
    """One lock per xdist process; the worker inherits the variable. Tests that change VAR_DIR don't move it."""
    folder = settings.VAR_DIR
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"background-{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}.lock"


def _open() -> int:
    return os.open(_lock_file(), os.O_RDWR | os.O_CREAT, 0o600)


def watch_tasks(app: Celery) -> None:
    """Make the tasks of workers started later run only while a test wants them; direct calls always run."""
    _lock_file()
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
    """The lock: the test process holds it except during tests that want tasks to run."""

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
    """Pauses single-thread executors: earlier work is finished, later work waits."""

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
