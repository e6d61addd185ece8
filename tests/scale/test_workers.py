"""Jobs on Redis with workers of their own: done once, stopped in time, and taken over when a worker is killed."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from kombu import Connection

from setsite.jobs import desk, runs
from setsite.models import Job, JobState
from setsite.tasks import run_job

ROOT = Path(__file__).resolve().parents[2]
OWNER = {"guest": "g" * 32}
GAMES = {"what": "games", "deck": "full", "cards": 12, "count": 100_000, "seed": 7}
PATIENCE = 60.0


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="module")
def redis(tmp_path_factory) -> Iterator[str]:
    port = free_port()
    command = [shutil.which("redis-server") or "redis-server", "--port", str(port), "--save", "", "--bind", "127.0.0.1"]
    server = subprocess.Popen(command, cwd=tmp_path_factory.mktemp("redis"), stdout=subprocess.DEVNULL)
    wait_until(lambda: is_open(port))
    yield f"redis://127.0.0.1:{port}/0"
    server.terminate()
    server.wait()


class Worker:
    """A Celery worker on Redis, and the processes it starts."""

    def __init__(self, broker: str) -> None:
        environment = {**os.environ, **runs._environment(), "SETSITE_BROKER": broker, "SETSITE_DEBUG": "1"}
        command = [sys.executable, "-m", "celery", "-A", "setsite", "worker", "--concurrency=2", "--loglevel=error"]
        self.process = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)

    def kill(self) -> None:
        """All of it at once, as when the machine loses its power."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def on_redis(redis, transactional_db, monkeypatch) -> str:
    """Jobs are handed to the workers on Redis."""

    def start(pk) -> None:
        with Connection(redis) as connection:
            run_job.apply_async([str(pk)], connection=connection)

    monkeypatch.setattr(desk, "_starters", [start])
    return redis


@pytest.fixture
def worker(on_redis) -> Iterator[Worker]:
    worker = Worker(on_redis)
    yield worker
    if worker.process.poll() is None:
        worker.kill()


def now_as(job: Job) -> Job:
    return Job.objects.get(pk=job.pk)


def test_a_job_is_done_by_a_worker_and_a_message_that_comes_twice_does_nothing_more(worker):
    job = desk.ask("odds", OWNER, GAMES)
    desk._start(job.pk)
    wait_until(lambda: now_as(job).is_over)
    assert (now_as(job).state, now_as(job).attempt) == (JobState.DONE, 1)
    assert now_as(job).result["games"] == GAMES["count"]


def test_stop_reaches_the_worker(worker):
    job = desk.ask("odds", OWNER, GAMES | {"count": 50_000_000})
    wait_until(lambda: now_as(job).progress > 0)
    desk.stop(job)
    wait_until(lambda: now_as(job).state == JobState.CANCELLED)


def test_when_a_worker_is_killed_another_finishes_the_job_once(worker, on_redis):
    job = desk.ask("odds", OWNER, GAMES | {"count": 400_000})
    wait_until(lambda: now_as(job).progress > 0)
    worker.kill()
    assert now_as(job).state == JobState.RUNNING
    other = Worker(on_redis)
    try:
        desk.mend(timezone.now() + desk.SILENCE + timedelta(seconds=1))
        wait_until(lambda: now_as(job).is_over)
    finally:
        other.kill()
    assert (now_as(job).state, now_as(job).attempt) == (JobState.DONE, 2)
    assert now_as(job).result["games"] == 400_000
