"""The only writer of jobs: asks for them, hands them to a run, and sees to it that none is left lying.

A job is claimed by raising its attempt, and every write of a run names the attempt: so a run that was given up writes
nothing more, and a message that is delivered twice starts nothing twice.
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
"""A run that is not heard of for so long is dead."""
WAIT = timedelta(seconds=10)
"""A job that nobody has begun for so long has lost its message."""

# What may wait and run at the same time. A class of thirty guests behind one address can each print something.
MOST_OF_OWNER = 10
MOST_OF_ADDRESS = 40
MOST_OF_GUESTS = 80
_FOLDER, _KEY_LETTERS = "jobs", 36
_UNDER_WAY = (JobState.WAITING, JobState.RUNNING)
_LOCK = 0x5E7_10B5
"""PostgreSQL's number for the lock by which jobs are counted."""

log = logging.getLogger(__name__)


class TooManyJobs(TooMany):
    """So many are waiting or running already that another would keep the others waiting."""


_starters: list[Callable[[UUID], object]] = []


def on_enqueue(starter: Callable[[UUID], object]) -> None:
    """Have a function called with the key of every job that is to be run."""
    _starters.append(starter)


def enqueue(kind: str, owner: Mapping[str, Any], asked: Mapping[str, Any], *, address: str = "") -> Job:
    """Ask for work; `owner` is who may see it, as a player's key has it, and `address` where a guest asks from.

    Raises `TooManyJobs` where too many are under way.
    """
    kind_of(kind)
    client = salted_hmac("setsite.jobs", address).hexdigest()[:32] if owner.get("guest") and address else ""
    with _counting():
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
    # A guest gets a new name by dropping a cookie, and a new address not as easily.
    guests = under_way.exclude(guest="")
    if guests.filter(client=client).count() >= MOST_OF_ADDRESS or guests.count() >= MOST_OF_GUESTS:
        raise TooManyJobs("jobs")


@contextmanager
def _counting() -> Iterator[None]:
    """One at a time, so that what was counted still holds when it's written."""
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        yield


def cancel(job: Job) -> None:
    """Stop a run as soon as it looks, and at once what hasn't begun."""
    is_waiting = Q(state=JobState.WAITING)
    # In one statement: between two, `requeue_stale` may have made a job that runs one that waits.
    Job.objects.filter(pk=job.pk, state__in=_UNDER_WAY).update(
        is_to_stop=True,
        state=Case(When(is_waiting, then=Value(JobState.CANCELLED)), default=F("state")),
        ended_at=Case(When(is_waiting, then=Value(timezone.now())), default=F("ended_at")),
    )
    job.refresh_from_db()


def claim(pk: UUID) -> Job | None:
    """Take a waiting job to run it; None where somebody else has it or it is not wanted any more."""
    changes = {"state": JobState.RUNNING, "attempt": F("attempt") + 1, "beat_at": timezone.now(), "progress": 0.0}
    if not Job.objects.filter(pk=pk, state=JobState.WAITING).update(**changes):
        return None
    return Job.objects.get(pk=pk)


def claim_next() -> Job | None:
    """Take the job that should run next: those of people with an account first, then in order of asking.

    Guests never get every place, so that they can't keep anybody else waiting for long.
    """
    with _counting():
        waiting = Job.objects.filter(state=JobState.WAITING)
        running = Job.objects.filter(state=JobState.RUNNING, beat_at__gt=timezone.now() - SILENCE).exclude(guest="")
        if running.count() >= settings.GUEST_JOBS_AT_ONCE:
            waiting = waiting.filter(guest="")
        pk = waiting.order_by(Case(When(guest="", then=0), default=1), "made_at").values_list("pk", flat=True).first()
        return claim(pk) if pk else None


def beat(job: Job, **changes: Any) -> bool:
    """Say that the run is alive, and how far; False where it should stop."""
    return bool(_own(job).update(beat_at=timezone.now(), **changes)) and is_wanted(job)


def is_wanted(job: Job) -> bool:
    """Whether the run should go on: it's neither cancelled nor given to another one."""
    return _own(job).filter(is_to_stop=False).exists()


def complete(job: Job, made: JobResult) -> None:
    """Keep what came of it. The file is written first, so that a job that is done has it."""
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
    if not _own(job).update(**changes) and name:
        default_storage.delete(name)


def fail(job: Job, words: str) -> None:
    _own(job).update(state=JobState.FAILED, error=words[:300], ended_at=timezone.now())


def mark_cancelled(job: Job) -> None:
    """It has stopped as it was asked to; a run that ended because its supervisor died is for `requeue_stale`."""
    _own(job).filter(is_to_stop=True).update(state=JobState.CANCELLED, ended_at=timezone.now())


def requeue_stale(now: datetime) -> int:
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


def delete_old(before: datetime) -> int:
    """Remove old jobs and their files."""
    count = remove(Job.objects.filter(ended_at__lt=before))
    _delete_lost_files()
    return count


def merge_guest(guest: Actor, user: Actor, now: float) -> None:
    """Make a guest's jobs the user's, whatever their state: a run goes on, and its result is the user's."""
    Job.objects.of(guest).give_to(user, client="")


def remove(jobs: QuerySet[Job], *, lock: Callable[[], object] | None = None) -> int:
    """Remove jobs with their files, some at a time; how many. `lock` is called first in each transaction.

    A file goes once its row is gone, so that no transaction waits for a disk; `delete_old` finds what a crash left.
    """
    count = 0
    for keys in chunks(list(jobs.order_by("pk").values_list("pk", flat=True))):
        with transaction.atomic():
            if lock:
                lock()
            # Locked, so that nobody delivers a file meanwhile that would be left without its row.
            still = jobs.order_by("pk").select_for_update(of=("self",)).filter(pk__in=keys)
            found = dict(still.values_list("pk", "file"))
            count += Job.objects.filter(pk__in=found).delete()[0]
        for name in filter(None, found.values()):
            default_storage.delete(name)
    return count


def _delete_lost_files() -> None:
    """Files whose job is gone: a process died after it had removed the row."""
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


def _own(job: Job) -> QuerySet[Job]:
    return Job.objects.filter(pk=job.pk, attempt=job.attempt, state=JobState.RUNNING)


def _start(pk: UUID) -> None:
    for starter in _starters:
        try:
            starter(pk)
        except Exception:
            # The queue is away: the job waits in the database, and `requeue_stale` finds it.
            log.exception("job.not_announced")
