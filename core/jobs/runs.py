"""One run of a job: in a process of its own, so that it holds up nobody and can be stopped at once."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.utils import translation
from django.utils.translation import gettext as _

from core.jobs import queue
from core.jobs.kinds import Failure, Stopped, kind_of
from core.models import Job

LOOK_SECONDS = 0.25
_TERMINATE_SECONDS = 1.0
_NICENESS = 10

log = logging.getLogger(__name__)


_places = threading.BoundedSemaphore(settings.JOBS_AT_ONCE)


def run_waiting() -> None:
    """Run what waits, one after the other, unless as many run in this process as may.

    In the embedded setup jobs share a pool of threads with mail, letters and deletions: those always find one free.
    """
    while _places.acquire(blocking=False):
        try:
            job = queue.claim_next()
            if job is None:
                return
            _run(job)
        finally:
            _places.release()


def run(pk: UUID) -> None:
    """Run a certain job, if it's still waiting."""
    job = queue.claim(pk)
    if job is not None:
        _run(job)


def _run(job: Job) -> None:
    """Watch over the process that does a job, until it's over or its time is up."""
    seconds = kind_of(job.kind).seconds
    stop_at = time.monotonic() + seconds
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "run_job", str(job.pk), str(job.attempt)]
    environment = {**os.environ, **_environment()}
    process = subprocess.Popen(command, cwd=settings.BASE_DIR, env=environment)  # noqa: S603 (our own command)
    # Whoever plays goes first.
    os.setpriority(os.PRIO_PROCESS, process.pid, _NICENESS)
    is_late = False
    try:
        while process.poll() is None:
            if not queue.beat(job):
                queue.cancelled(job)
                break
            if time.monotonic() > stop_at:
                is_late = True
                break
            time.sleep(LOOK_SECONDS)
    finally:
        _end(process)
    if is_late:
        log.warning("job.too_long kind=%s seconds=%d", job.kind, seconds)
        queue.fail(job, _("That took too long, so we stopped it. Try something smaller."))
    elif process.returncode:
        queue.fail(job, _("Something went wrong. Try it again a little later."))


def do(pk: UUID, attempt: int) -> None:
    """The work itself, within its own process."""
    job = Job.objects.get(pk=pk, attempt=attempt)
    supervisor = os.getppid()

    def report(progress: float, so_far: Mapping[str, Any] | None = None) -> None:
        changes: dict[str, Any] = {"progress": min(1.0, max(0.0, progress))}
        if so_far is not None:
            changes["so_far"] = dict(so_far)
        # A process whose supervisor has died is nobody's, and must not do what a second run does as well.
        if os.getppid() != supervisor or not queue.beat(job, **changes):
            raise Stopped

    try:
        with translation.override(job.asked.get("language") or settings.LANGUAGE_CODE):
            made = kind_of(job.kind).work(job.asked, report)
    except Stopped:
        queue.cancelled(job)
    except Failure as failure:
        queue.fail(job, str(failure))
    else:
        queue.complete(job, made)


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_TERMINATE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _environment() -> dict[str, str]:
    """The same database as ours, also where tests have one of their own."""
    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite":
        return {"SETSITE_SQLITE": name}
    return {"SETSITE_DATABASE_NAME": name}
