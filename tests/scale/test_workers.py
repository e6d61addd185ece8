"""Jobs on Redis with worker processes: done once, stopped in time, and taken over when a worker is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from kombu import Connection

from core.jobs import queue
from core.models import Job, JobState
from core.offload import child_environment
from core.tasks import run_next_job
from tools.scale.engines import wait_until
from tools.scale.processes import ROOT

OWNER = {"guest": "g" * 32}
GAMES = {"what": "games", "deck": "full", "cards": 12, "count": 100_000, "seed": 7}
ENDLESS = GAMES | {"count": 5_000_000}


class Worker:
    """A Celery worker on Redis, and the processes it starts."""

    def __init__(self, broker: str) -> None:
        environment = {**child_environment(), "SETSITE_REDIS": broker, "SETSITE_DEBUG": "1"}
        command = [
            sys.executable,
            "-m",
            "celery",
            "-A",
            "setsite",
            "worker",
            "--queues=people,heavy",
            "--concurrency=2",
            "--loglevel=error",
        ]
        self.process = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)

    def runs(self) -> list[int]:
        """The pool processes that run tasks."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(pid) for pid in children.read_text(encoding="ascii").split()]

    def kill(self) -> None:
        """Kill all processes at once, as in a power failure."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def on_redis(redis, transactional_db, monkeypatch) -> str:
    """Send jobs to the workers through Redis."""

    def start(pk) -> None:
        with Connection(redis.address) as connection:
            run_next_job.apply_async(connection=connection)

    monkeypatch.setattr(queue, "_starters", [start])
    return redis.address


@pytest.fixture
def worker(on_redis) -> Iterator[Worker]:
    worker = Worker(on_redis)
    yield worker
    if worker.process.poll() is None:
        worker.kill()


def now_as(job: Job) -> Job:
    return Job.objects.get(pk=job.pk)


def test_a_job_is_done_by_a_worker_and_a_message_that_comes_twice_does_nothing_more(worker):
    job = queue.enqueue("odds", OWNER, GAMES)
    queue._start(job.pk)
    wait_until(lambda: now_as(job).is_over, "it is over")
    assert (now_as(job).state, now_as(job).attempt) == (JobState.DONE, 1)
    assert now_as(job).result["games"] == GAMES["count"]


def test_stop_reaches_the_worker(worker):
    job = queue.enqueue("odds", OWNER, ENDLESS)
    wait_until(lambda: now_as(job).progress > 0, "it has begun")
    queue.cancel(job)
    wait_until(lambda: now_as(job).state == JobState.CANCELLED, "it is stopped")


def test_a_run_has_a_low_priority_and_ends_with_its_worker(worker):
    job = queue.enqueue("odds", OWNER, ENDLESS)
    wait_until(lambda: now_as(job).progress > 0, "it has begun")
    pids = worker.runs()
    assert max(os.getpriority(os.PRIO_PROCESS, pid) for pid in pids) >= 10, "whoever plays goes first"
    worker.process.kill()
    wait_until(lambda: not any(Path(f"/proc/{pid}/exe").exists() for pid in pids), "nobody works for nobody")
    assert now_as(job).state == JobState.RUNNING, "it's left to the next run"


def test_when_a_worker_is_killed_another_finishes_the_job_once(worker, on_redis):
    job = queue.enqueue("odds", OWNER, ENDLESS)
    wait_until(lambda: now_as(job).progress > 0, "it has begun")
    worker.kill()
    assert now_as(job).state == JobState.RUNNING
    Job.objects.filter(pk=job.pk).update(asked=GAMES)
    other = Worker(on_redis)
    try:
        queue.requeue_stale(timezone.now() + queue.SILENCE + timedelta(seconds=1))
        wait_until(lambda: now_as(job).is_over, "it is over")
    finally:
        other.kill()
    assert (now_as(job).state, now_as(job).attempt) == (JobState.DONE, 2)
    assert now_as(job).result["games"] == GAMES["count"]
