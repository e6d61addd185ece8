"""One run of a job, in a process that can be stopped: a Celery worker, or a child of the web process.

The run supervises itself: a thread sends heartbeats, checks that the run is still wanted and within its time, and
interrupts the work if not. A run that dies silently (killed, out of memory) is noticed by its missing heartbeat and
run once more.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Any, Never

from django.conf import settings
from django.db import connection
from django.utils import translation
from django.utils.translation import gettext as _

from core.jobs import queue
from core.jobs.kinds import Failure, Stopped, kind_of
from core.models import Job
from core.offload import NoChildFree, Offload, OffloadFailed

LOOK_SECONDS = 0.25
"""How often a run checks whether it's cancelled."""
BEAT_SECONDS = 2.0
_GRACE_SECONDS = 1.0
"""How long interrupted work has to end."""
LONGEST_SECONDS = 900.0
"""Longer than any kind of job may take, for a run that fails to enforce its own deadline."""
_NICENESS = 10

log = logging.getLogger(__name__)
children = Offload(niceness=_NICENESS, spares_core=False, is_inline_when_off=False)
"""Without a broker, the web process runs jobs in these."""


def run_one() -> bool:
    """Run the next job if this process has a child free for it. Returns whether there may be another to run."""
    if not settings.IS_BROKERLESS:
        # Games go first.
        os.nice(max(0, _NICENESS - os.nice(0)))
        return run_next()
    try:
        return children(run_next, seconds=LONGEST_SECONDS, wait=0)
    except NoChildFree:
        return False
    except OffloadFailed as error:
        log.warning("job.run_lost", extra={"reason": str(error)})
        return True


def run_next() -> bool:
    """Run the next job in this process, in its main thread; False if none is waiting."""
    job = queue.claim_next()
    if job is None:
        return False
    perform(job, _Watch(job))
    return True


def perform(job: Job, watch: AbstractContextManager[object] | None = None) -> None:
    """Do the work of a claimed job and record the outcome."""
    supervisor = os.getppid()

    def report(progress: float, partial_result: Mapping[str, Any] | None = None) -> None:
        changes: dict[str, Any] = {"progress": min(1.0, max(0.0, progress))}
        if partial_result is not None:
            changes["partial_result"] = dict(partial_result)
        # An orphaned process must stop, since a second run will do the same work.
        if os.getppid() != supervisor or not queue.beat(job, **changes):
            raise Stopped

    with translation.override(_language(job)):
        try:
            with watch or nullcontext():
                result = kind_of(job.kind).work(job.asked, report)
        except Stopped:
            queue.mark_cancelled(job)
        except Failure as failure:
            queue.fail(job, str(failure))
        except Exception:
            log.exception("job.failed", extra={"kind": job.kind})
            queue.fail(job, _("Something went wrong. Try it again a little later."))
        else:
            queue.complete(job, result)


class _Watch:
    """Context manager around a run's work, in the main thread: raises `Stopped` in the work when it has to end."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._supervisor = os.getppid()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watch", daemon=True)
        self._has_interrupted = False

    def __enter__(self) -> None:
        self._handler = signal.signal(signal.SIGALRM, self._interrupt)
        self._thread.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._is_over.set()
        self._thread.join()
        signal.signal(signal.SIGALRM, self._handler)
        if self._has_interrupted:
            # The interrupt may have come in the middle of a query.
            connection.close()

    def _interrupt(self, *_signal: object) -> None:
        if not self._is_over.is_set():
            self._has_interrupted = True
            raise Stopped

    # In the thread.

    def _watch(self) -> None:
        try:
            with translation.override(_language(self._job)):
                self._wait()
        finally:
            connection.close()
            if not self._is_over.is_set():
                self._end()

    def _wait(self) -> None:
        """Wait until the work is over or has to be interrupted, and record the reason."""
        seconds = kind_of(self._job.kind).seconds
        begun_at = beat_at = time.monotonic()
        while not self._is_over.wait(LOOK_SECONDS):
            now = time.monotonic()
            if os.getppid() != self._supervisor:
                _exit()
            if not queue.is_wanted(self._job):
                queue.mark_cancelled(self._job)
                return
            if now - begun_at > seconds:
                log.warning("job.too_long", extra={"kind": self._job.kind, "seconds": seconds})
                queue.fail(self._job, _("That took too long, so we stopped it. Try something smaller."))
                return
            if now - beat_at > BEAT_SECONDS:
                beat_at = now
                queue.beat(self._job)

    def _end(self) -> None:
        main = threading.main_thread().ident
        if main is not None:
            signal.pthread_kill(main, signal.SIGALRM)
        if not self._is_over.wait(_GRACE_SECONDS):
            _exit()


def _language(job: Job) -> str:
    return str(job.asked.get("language") or settings.LANGUAGE_CODE)


def _exit() -> Never:
    """End this process at once, from any thread."""
    os._exit(1)
