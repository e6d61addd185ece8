"""One run of a job: in a process of its own, so that it holds up nobody and can be stopped at once."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.utils import translation
from django.utils.translation import gettext as _

from setsite.jobs import desk
from setsite.jobs.kinds import Failure, Stopped, kind_of
from setsite.models import Job

LOOK_SECONDS = 0.25
_TERMINATE_SECONDS = 1.0


def run(pk: UUID) -> None:
    """Claim a job and watch over the process that does it, until it is over."""
    job = desk.claim(pk)
    if job is None:
        return
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "run_job", str(job.pk), str(job.attempt)]
    environment = {**os.environ, **_environment()}
    process = subprocess.Popen(command, cwd=settings.BASE_DIR, env=environment)  # noqa: S603 (our own command)
    try:
        while process.poll() is None:
            if not desk.beat(job):
                desk.cancelled(job)
                break
            time.sleep(LOOK_SECONDS)
    finally:
        _end(process)
    if process.returncode:
        desk.fail(job, _("Something went wrong. Try it again a little later."))


def do(pk: UUID, attempt: int) -> None:
    """The work itself, within its own process."""
    job = Job.objects.get(pk=pk, attempt=attempt)
    supervisor = os.getppid()

    def report(progress: float, so_far: Mapping[str, Any] | None = None) -> None:
        changes: dict[str, Any] = {"progress": min(1.0, max(0.0, progress))}
        if so_far is not None:
            changes["so_far"] = dict(so_far)
        # A process whose supervisor has died is nobody's, and must not do what a second run does as well.
        if os.getppid() != supervisor or not desk.beat(job, **changes):
            raise Stopped

    try:
        with translation.override(job.asked.get("language") or settings.LANGUAGE_CODE):
            made = kind_of(job.kind).work(job.asked, report)
    except Stopped:
        desk.cancelled(job)
    except Failure as failure:
        desk.fail(job, str(failure))
    else:
        desk.deliver(job, made)


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
