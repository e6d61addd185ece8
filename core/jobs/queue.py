"""The job queue, and the only writer of jobs: enqueues them, hands them to runs, and requeues those that got lost.

Claiming a job increments its attempt, and every write of a run names the attempt. So a run that was given up can't
write any more, and a message delivered twice doesn't start a job twice.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection, transaction
from django.db.models import Case, F, Q, QuerySet, Value, When
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from core.actors import Actor
from core.db.chunks import chunks
from core.jobs.kinds import JobResult, kind_of
from core.limits import TooMany
from core.models import Job, JobState

MOST_ATTEMPTS = 2
SILENCE = timedelta(seconds=10)
"""A run with no heartbeat for this long is dead."""
WAIT = timedelta(seconds=10)
"""A job that hasn't been started after this long has lost its message."""

# How many may be waiting or running at once. Each of thirty guests behind one address can print something.
MOST_OF_OWNER = 10
MOST_OF_ADDRESS = 40
MOST_OF_GUESTS = 80
_FOLDER, _KEY_LETTERS = "jobs", 36
_UNDER_WAY = (JobState.WAITING, JobState.RUNNING)
_LOCK = 0x5E7_10B5
"""PostgreSQL's advisory lock for counting jobs."""

log = logging.getLogger(__name__)


class TooManyJobs(TooMany):
    """Too many jobs are waiting or running already."""


_starters: list[Callable[[UUID], object]] = []


def on_enqueue(starter: Callable[[UUID], object]) -> None:
    """Register a function to be called with the key of every job that's ready to run."""
    _starters.append(starter)


def enqueue(kind: str, owner: Mapping[str, Any], asked: Mapping[str, Any], *, address: str = "") -> Job:
    """Enqueue a job. `owner` is an actor's key and decides who may see it; `address` is a guest's network address.

    Raises `TooManyJobs` if too many are waiting or running.
    """
    kind_of(kind)
    client = salted_hmac("setsite.jobs", address).hexdigest()[:32] if owner.get("guest") and address else ""
    with _lock_job_counts():
        _check_room(owner, client)
        job = Job.objects.create(kind=kind, asked=dict(asked), client=client, **owner)
    transaction.on_commit(lambda: _start(job.pk))
    return job


def _check_room(owner: Mapping[str, Any], client: str) -> None:
    under_way = Job.objects.filter(state__in=_UNDER_WAY)
    if under_way.filter(**owner).count() >= MOST_OF_OWNER:
        raise TooManyJobs("jobs")
    if not owner.get("guest"):
        return
    # A guest gets a new identity by dropping a cookie, but not so easily a new address.
    guests = under_way.exclude(guest="")
    if guests.filter(client=client).count() >= MOST_OF_ADDRESS or guests.count() >= MOST_OF_GUESTS:
        raise TooManyJobs("jobs")


@contextmanager
def _lock_job_counts() -> Iterator[None]:
    """Open a transaction that counts jobs, one at a time, so that the count still holds at the write."""
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        yield


def cancel(job: Job) -> None:
    """Cancel a job: at once if it's waiting, otherwise when its run next checks."""
    is_waiting = Q(state=JobState.WAITING)
    # In one statement: between two, `requeue_stale` could turn a running job into a waiting one.
    Job.objects.filter(pk=job.pk, state__in=_UNDER_WAY).update(
        is_to_stop=True,
        state=Case(When(is_waiting, then=Value(JobState.CANCELLED)), default=F("state")),
        ended_at=Case(When(is_waiting, then=Value(timezone.now())), default=F("ended_at")),
    )
    job.refresh_from_db()


def claim(pk: UUID) -> Job | None:
    """Take a waiting job to run it; None if another run has it or it's no longer wanted."""
    changes = {"state": JobState.RUNNING, "attempt": F("attempt") + 1, "beat_at": timezone.now(), "progress": 0.0}
    if not Job.objects.filter(pk=pk, state=JobState.WAITING).update(**changes):
        return None
    return Job.objects.get(pk=pk)


def claim_next() -> Job | None:
    """Take the job that should run next: jobs of users first, then the oldest.

    The number of guest jobs running at once is limited, so that guests can't keep everyone else waiting.
    """
    with _lock_job_counts():
        waiting = Job.objects.filter(state=JobState.WAITING)
        running = Job.objects.filter(state=JobState.RUNNING, beat_at__gt=timezone.now() - SILENCE).exclude(guest="")
        if running.count() >= settings.GUEST_JOBS_AT_ONCE:
            waiting = waiting.filter(guest="")
        pk = waiting.order_by(Case(When(guest="", then=0), default=1), "made_at").values_list("pk", flat=True).first()
        return claim(pk) if pk else None


def beat(job: Job, **changes: Any) -> bool:
    """Record a heartbeat and progress; False if the run should stop."""
    return bool(_current_run(job).update(beat_at=timezone.now(), **changes)) and is_wanted(job)


def is_wanted(job: Job) -> bool:
    """Whether the run should go on: the job isn't cancelled, and no other run has it."""
    return _current_run(job).filter(is_to_stop=False).exists()


def complete(job: Job, made: JobResult) -> None:
    """Store the result. The file is written first, so that a job that's done always has it."""
    name = ""
    if made.file is not None:
        name = default_storage.save(f"{_FOLDER}/{job.pk}-{job.attempt}", ContentFile(made.file))
    changes = {
        "state": JobState.DONE,
        "progress": 1.0,
        "result": dict(made.data),
        "file": name,
        "file_name": made.name,
        "ended_at": timezone.now(),
    }
    if not _current_run(job).update(**changes) and name:
        default_storage.delete(name)


def fail(job: Job, words: str) -> None:
    _current_run(job).update(state=JobState.FAILED, error=words[:300], ended_at=timezone.now())


def mark_cancelled(job: Job) -> None:
    """Record that the run stopped as asked. One that ended because its supervisor died is left to `requeue_stale`."""
    _current_run(job).filter(is_to_stop=True).update(state=JobState.CANCELLED, ended_at=timezone.now())


def requeue_stale(now: datetime) -> int:
    """Find jobs whose run died or whose message was lost, and run them again or mark them failed."""
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


def delete_old(before: datetime) -> int:
    """Delete old jobs and their files."""
    count = remove(Job.objects.filter(ended_at__lt=before))
    _delete_lost_files()
    return count


def merge_guest(guest: Actor, user: Actor, now: float) -> None:
    """Transfer a guest's jobs to the user, whatever their state. A run goes on, and its result is the user's."""
    Job.objects.of(guest).give_to(user, client="")


def remove(jobs: QuerySet[Job], *, lock: Callable[[], object] | None = None) -> int:
    """Delete jobs with their files, in chunks. Returns how many. `lock` is called first in each transaction.

    Files are deleted after their rows, so that no transaction waits for a disk; `delete_old` cleans up after a crash.
    """
    count = 0
    for keys in chunks(list(jobs.order_by("pk").values_list("pk", flat=True))):
        with transaction.atomic():
            if lock:
                lock()
            # Locked, so that no run can finish meanwhile and leave a file without a row.
            still = jobs.order_by("pk").select_for_update(of=("self",)).filter(pk__in=keys)
            found = dict(still.values_list("pk", "file"))
            count += Job.objects.filter(pk__in=found).delete()[0]
        for name in filter(None, found.values()):
            default_storage.delete(name)
    return count


def _delete_lost_files() -> None:
    """Delete files whose job is gone, because a process died after deleting the row."""
    try:
        _folders, names = default_storage.listdir(_FOLDER)
    except FileNotFoundError:
        return
    for some in chunks(names):
        keys = {name[:_KEY_LETTERS]: name for name in some}
        known = {str(pk) for pk in Job.objects.filter(pk__in=filter(_is_key, keys)).values_list("pk", flat=True)}
        for key, name in keys.items():
            if key not in known:
                default_storage.delete(f"{_FOLDER}/{name}")


def _is_key(text: str) -> bool:
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False


def jobs_of(owner: Mapping[str, Any]) -> QuerySet[Job]:
    return Job.objects.filter(**owner)


def _current_run(job: Job) -> QuerySet[Job]:
    return Job.objects.filter(pk=job.pk, attempt=job.attempt, state=JobState.RUNNING)


def _start(pk: UUID) -> None:
    for starter in _starters:
        try:
            starter(pk)
        except Exception:
            # The broker is down: the job stays in the database, and `requeue_stale` finds it.
            log.exception("job.not_announced")
