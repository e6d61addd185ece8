"""The only writer of jobs: asks for them, hands them to a run, and sees to it that none is left lying.

A job is claimed by raising its attempt, and every write of a run names the attempt: so a run that was given up writes
nothing more, and a message that is delivered twice starts nothing twice.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from setsite.jobs.kinds import Made, kind_of
from setsite.models import Job, JobState

MOST_ATTEMPTS = 2
SILENCE = timedelta(seconds=10)
"""A run that is not heard of for so long is dead."""
WAIT = timedelta(seconds=10)
"""A job that nobody has begun for so long has lost its message."""

log = logging.getLogger(__name__)
_starters: list[Callable[[UUID], None]] = []


def on_ask(starter: Callable[[UUID], None]) -> None:
    """Have a function called with the key of every job that is to be run."""
    _starters.append(starter)


def ask(kind: str, owner: Mapping[str, Any], asked: Mapping[str, Any]) -> Job:
    """Ask for work; `owner` is who may see it, as a player's key has it."""
    kind_of(kind)
    job = Job.objects.create(kind=kind, asked=dict(asked), **owner)
    transaction.on_commit(lambda: _start(job.pk))
    return job


def stop(job: Job) -> None:
    """Stop it as soon as can be; what has not begun is stopped at once."""
    now = timezone.now()
    if not Job.objects.filter(pk=job.pk, state=JobState.WAITING).update(state=JobState.CANCELLED, ended_at=now):
        Job.objects.filter(pk=job.pk, state=JobState.RUNNING).update(is_to_stop=True)
    job.refresh_from_db()


def claim(pk: UUID) -> Job | None:
    """Take a waiting job to run it; None where somebody else has it or it is not wanted any more."""
    changes = {"state": JobState.RUNNING, "attempt": F("attempt") + 1, "beat_at": timezone.now(), "progress": 0.0}
    if not Job.objects.filter(pk=pk, state=JobState.WAITING).update(**changes):
        return None
    return Job.objects.get(pk=pk)


def beat(job: Job, **changes: Any) -> bool:
    """Say that the run is alive, and how far; False where it should stop."""
    alive = _own(job).update(beat_at=timezone.now(), **changes)
    return bool(alive) and not Job.objects.filter(pk=job.pk, is_to_stop=True).exists()


def deliver(job: Job, made: Made) -> None:
    """Keep what came of it. The file is written first, so that a job that is done has it."""
    name = ""
    if made.file is not None:
        name = default_storage.save(f"jobs/{job.pk}-{job.attempt}", ContentFile(made.file))
    changes = {
        "state": JobState.DONE,
        "progress": 1.0,
        "result": dict(made.data),
        "file": name,
        "file_name": made.name,
        "ended_at": timezone.now(),
    }
    if not _own(job).update(**changes) and name:
        default_storage.delete(name)


def fail(job: Job, words: str) -> None:
    _own(job).update(state=JobState.FAILED, error=words[:300], ended_at=timezone.now())


def cancelled(job: Job) -> None:
    """It has stopped as it was asked to; a run that ended because nobody watched over it any more is for `mend`."""
    _own(job).filter(is_to_stop=True).update(state=JobState.CANCELLED, ended_at=timezone.now())


def mend(now: datetime) -> int:
    """Find jobs whose run has died or whose message was lost: run them again, or say that they failed."""
    dead = Job.objects.filter(state=JobState.RUNNING, beat_at__lt=now - SILENCE)
    dead.filter(is_to_stop=True).update(state=JobState.CANCELLED, ended_at=now)
    words = _("It was interrupted twice. Try it again a little later.")
    dead.filter(attempt__gte=MOST_ATTEMPTS).update(state=JobState.FAILED, error=words, ended_at=now)
    dead.update(state=JobState.WAITING, beat_at=None)
    lost = Job.objects.filter(Q(made_at__lt=now - WAIT) | Q(attempt__gt=0), state=JobState.WAITING)
    keys = list(lost.values_list("pk", flat=True))
    for pk in keys:
        _start(pk)
    return len(keys)


def forget(before: datetime) -> int:
    """Remove old jobs and their files."""
    return remove(Job.objects.filter(ended_at__lt=before))


def remove(jobs: QuerySet[Job]) -> int:
    """Remove jobs with their files; how many."""
    for name in jobs.exclude(file="").values_list("file", flat=True):
        default_storage.delete(name)
    return jobs.delete()[0]


def jobs_of(owner: Mapping[str, Any]) -> QuerySet[Job]:
    return Job.objects.filter(**owner)


def _own(job: Job) -> QuerySet[Job]:
    return Job.objects.filter(pk=job.pk, attempt=job.attempt, state=JobState.RUNNING)


def _start(pk: UUID) -> None:
    for starter in _starters:
        try:
            starter(pk)
        except Exception:
            # The queue is away: the job waits in the database, and `mend` finds it.
            log.exception("a job could not be put into the queue")
