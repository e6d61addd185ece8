"""Jobs are requested, run beside the site, stopped and requeued; none is lost and none runs twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core import mail as django_mail
from django.core.files.storage import default_storage
from django.db import connection
from django.test import Client
from django.utils import timezone

from core import mail
from core.jobs import kinds, queue, runs
from core.jobs.kinds import JobResult, Reporter, Stopped
from core.models import Job, JobState, OutgoingMail
from core.offload import Offload, OffloadFailed, child_environment
from core.tasks import run_next_job, send_mail
from games.odds.exact import exact_no_set
from games.printing.forms import PrintDeckForm
from setsite.embedded import Embedded
from tests.classrooms.people import make_adult

ROOT = Path(__file__).resolve().parents[2]
OWNER = {"guest": "g" * 32}
SMALL = {"what": "deals", "deck": "full", "cards": 12, "count": 200_000, "seed": 7}
ENDLESS = SMALL | {"what": "games", "count": 5_000_000}
PATIENCE = 120.0


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def now_as(job: Job) -> Job:
    return Job.objects.get(pk=job.pk)


@pytest.fixture(autouse=True)
def no_queue(monkeypatch):
    """Run no jobs automatically."""
    monkeypatch.setattr(queue, "_starters", [])


# The queue


@pytest.mark.django_db
def test_a_job_is_claimed_once():
    job = queue.enqueue("odds", OWNER, SMALL)
    first = queue.claim(job.pk)
    assert first.attempt == 1
    assert queue.claim(job.pk) is None


@pytest.mark.django_db
def test_what_waits_is_stopped_at_once_and_what_runs_is_asked_to():
    waiting, running = queue.enqueue("odds", OWNER, SMALL), queue.enqueue("odds", OWNER, SMALL)
    run = queue.claim(running.pk)
    queue.cancel(waiting)
    queue.cancel(running)
    assert waiting.state == JobState.CANCELLED
    assert not queue.beat(run)
    queue.mark_cancelled(run)
    assert now_as(running).state == JobState.CANCELLED


@pytest.mark.django_db
def test_a_run_that_was_given_up_writes_nothing_more(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    job = queue.enqueue("odds", OWNER, SMALL)
    dead = queue.claim(job.pk)
    queue.requeue_stale(timezone.now() + timedelta(minutes=1))
    alive = queue.claim(job.pk)
    assert (dead.attempt, alive.attempt) == (1, 2)
    assert not queue.beat(dead, progress=0.9)
    queue.complete(dead, JobResult({"found": "by the dead"}, b"a file", "a.pdf"))
    queue.fail(dead, "by the dead")
    assert now_as(job).state == JobState.RUNNING
    assert not list(tmp_path.glob("jobs/*")), "nor leaves a file behind"
    queue.complete(alive, JobResult({"found": "by the living"}))
    assert now_as(job).result == {"found": "by the living"}


@pytest.mark.django_db
def test_a_job_that_dies_twice_is_marked_in_words():
    job = queue.enqueue("odds", OWNER, SMALL)
    for _attempt in range(queue.MOST_ATTEMPTS):
        queue.claim(job.pk)
        queue.requeue_stale(timezone.now() + timedelta(minutes=1))
    job = now_as(job)
    assert job.state == JobState.FAILED
    assert "interrupted" in job.error


@pytest.mark.django_db
def test_a_job_whose_message_was_lost_is_begun_again(monkeypatch):
    begun = []
    job = queue.enqueue("odds", OWNER, SMALL)
    monkeypatch.setattr(queue, "_starters", [begun.append])
    assert queue.requeue_stale(timezone.now()) == 0, "it may just have been asked for"
    queue.requeue_stale(timezone.now() + timedelta(minutes=1))
    assert begun == [job.pk]


@pytest.mark.django_db
def test_a_queue_that_is_away_loses_nothing(monkeypatch, django_capture_on_commit_callbacks):
    def is_away(pk):
        raise ConnectionError

    monkeypatch.setattr(queue, "_starters", [is_away])
    with django_capture_on_commit_callbacks(execute=True):
        job = queue.enqueue("odds", OWNER, SMALL)
    assert now_as(job).state == JobState.WAITING


@pytest.mark.django_db
def test_old_jobs_and_their_files_are_removed(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    job = queue.enqueue("odds", OWNER, SMALL)
    queue.complete(queue.claim(job.pk), JobResult({}, b"a file", "a.pdf"))
    name = now_as(job).file
    assert default_storage.exists(name)
    assert queue.delete_old(timezone.now() - timedelta(days=1)) == 0
    queue.delete_old(timezone.now() + timedelta(days=1))
    assert not default_storage.exists(name)
    assert not Job.objects.exists()


# Too many


def guest(number: int) -> dict[str, str]:
    return {"guest": f"{number:032}"}


def ask_as_guest(number: int, address: str = "192.0.2.1") -> Job:
    return queue.enqueue("odds", guest(number), SMALL, address=address)


@pytest.mark.django_db
def test_a_guest_who_drops_the_cookie_each_time_is_counted_by_address(monkeypatch):
    monkeypatch.setattr(queue, "MOST_OF_ADDRESS", 3)
    for number in range(3):
        ask_as_guest(number)
    with pytest.raises(queue.TooManyJobs):
        ask_as_guest(4)
    ask_as_guest(5, address="192.0.2.2")
    queue.cancel(Job.objects.get(guest=guest(0)["guest"]))
    ask_as_guest(6)


@pytest.mark.django_db
def test_guests_of_all_addresses_together_are_counted_and_keep_nobody_with_an_account_out(monkeypatch):
    monkeypatch.setattr(queue, "MOST_OF_GUESTS", 3)
    for number in range(3):
        ask_as_guest(number, address=f"192.0.2.{number}")
    with pytest.raises(queue.TooManyJobs):
        ask_as_guest(4, address="192.0.2.4")
    queue.enqueue("odds", {"user": make_adult()}, SMALL, address="192.0.2.1")


@pytest.mark.django_db
def test_one_owner_has_a_handful_under_way():
    owner = {"user": make_adult()}
    for _job in range(queue.MOST_OF_OWNER):
        queue.enqueue("odds", owner, SMALL)
    with pytest.raises(queue.TooManyJobs):
        queue.enqueue("odds", owner, SMALL)


@pytest.mark.django_db
def test_who_has_an_account_goes_first_and_guests_never_take_every_place(settings):
    for number in range(settings.JOBS_AT_ONCE + 1):
        ask_as_guest(number)
    begun = [queue.claim_next() for _place in range(settings.JOBS_AT_ONCE)]
    assert [bool(job) for job in begun] == [True] * settings.GUEST_JOBS_AT_ONCE + [False]
    own = queue.enqueue("odds", {"user": make_adult()}, SMALL)
    assert queue.claim_next().pk == own.pk
    queue.complete(begun[0], JobResult({}))
    later = queue.enqueue("odds", {"user": make_adult()}, SMALL)
    assert queue.claim_next().pk == later.pk, "though guests have waited for longer"
    assert queue.claim_next().guest, "one of them has made room"


@pytest.mark.django_db
def test_a_refusal_is_told_with_the_form(client, monkeypatch):
    monkeypatch.setattr(queue, "MOST_OF_GUESTS", 0)
    response = client.post("/lab/", {"what": "deals", "deck": "full", "cards": 12, "count": 10_000, "seed": 7})
    assert response.status_code == 429
    assert "a lot going on" in response.content.decode()
    assert client.post("/print/deck/", PrintDeckForm.first()).status_code == 429
    assert not Job.objects.exists()


# The work


@pytest.mark.django_db
@pytest.mark.parametrize(("deck", "cards"), [("full", 12), ("full", 15), ("easy", 9)])
def test_a_simulation_agrees_with_the_exact_odds_within_its_own_interval(deck, cards):
    job = queue.claim(queue.enqueue("odds", OWNER, SMALL | {"deck": deck, "cards": cards, "count": 1_000_000}).pk)
    runs.perform(job)
    result = now_as(job).result
    assert result["low"] <= exact_no_set(deck, cards) <= result["high"]
    assert result["path"][-1][0] == result["trials"] == 1_000_000


@pytest.mark.django_db
def test_numbers_that_do_not_go_together_are_told_in_words():
    job = queue.claim(queue.enqueue("odds", OWNER, SMALL | {"cards": 500}).pk)
    runs.perform(job)
    job = now_as(job)
    assert job.state == JobState.FAILED
    assert "do not go together" in job.error


# Beside the site


@pytest.fixture
def embedded(transactional_db) -> Iterator[Embedded]:
    embedded = Embedded()
    yield embedded
    embedded.stop()


@pytest.fixture
def worker(embedded, background, monkeypatch) -> None:
    """Start the worker inside the web process."""
    monkeypatch.setattr(queue, "_starters", [lambda pk: run_next_job.delay()])
    embedded.start()


def test_a_job_runs_beside_the_site_and_its_progress_is_seen(worker):
    job = queue.enqueue("odds", OWNER, SMALL | {"what": "games", "count": 200_000})
    seen = set()
    wait_until(lambda: seen.add(now_as(job).progress) or now_as(job).is_over)
    assert now_as(job).state == JobState.DONE, now_as(job).error
    assert now_as(job).result["games"] == 200_000
    assert any(0 < progress < 1 for progress in seen)


def test_stop_ends_work_that_would_take_hours(worker):
    job = queue.enqueue("odds", OWNER, ENDLESS)
    wait_until(lambda: now_as(job).progress > 0)
    queue.cancel(job)
    wait_until(lambda: now_as(job).state == JobState.CANCELLED)


def test_mail_goes_out_beside_the_site(worker, settings, tmp_path, monkeypatch):
    settings.EMAIL_BACKEND, settings.EMAIL_FILE_PATH = "core.mail.OutboxBackend", str(tmp_path)
    monkeypatch.setattr(mail, "_starters", [send_mail.delay])
    django_mail.send_mail("Your code", "ABCD-EFGH", None, ["ada@school.example"])
    wait_until(lambda: not OutgoingMail.objects.exists())
    (file,) = tmp_path.iterdir()
    assert "ABCD-EFGH" in file.read_text(encoding="utf-8")


def test_jobs_run_in_processes_of_low_priority(worker):
    wanted = os.getpriority(os.PRIO_PROCESS, 0) + 10
    assert runs.children(os.getpriority, os.PRIO_PROCESS, 0) == min(19, wanted), "whoever plays goes first"


def test_a_flood_of_simulations_keeps_no_letter_waiting(worker, settings, tmp_path, monkeypatch):
    monkeypatch.setattr(mail, "_starters", [send_mail.delay])
    settings.EMAIL_BACKEND, settings.EMAIL_FILE_PATH = "core.mail.OutboxBackend", str(tmp_path)
    flood = [queue.enqueue("odds", {"user": make_adult()}, ENDLESS) for _job in range(12)]
    wait_until(lambda: Job.objects.filter(state=JobState.RUNNING).count() == settings.JOBS_AT_ONCE)
    django_mail.send_mail("Your code", "ABCD-EFGH", None, ["ada@school.example"])
    wait_until(lambda: not OutgoingMail.objects.exists())
    states = Counter(Job.objects.values_list("state", flat=True))
    assert states == {JobState.RUNNING: settings.JOBS_AT_ONCE, JobState.WAITING: len(flood) - settings.JOBS_AT_ONCE}
    for job in flood:
        queue.cancel(job)
    wait_until(lambda: not Job.objects.filter(state=JobState.RUNNING).exists())


# A run limits itself


def says_nothing(asked: Mapping[str, Any], report: Reporter) -> JobResult:
    time.sleep(PATIENCE)
    raise AssertionError("nobody has interrupted it")


def heeds_nothing(asked: Mapping[str, Any], report: Reporter) -> JobResult:
    while True:
        with suppress(Stopped):
            time.sleep(PATIENCE)


def run_brief(work: Callable[..., JobResult]) -> bool:
    """Replace the next job's work, and limit it to a second."""
    usual = kinds.kind_of("odds")
    kinds.declare(replace(usual, work=work, seconds=1.0))
    try:
        return runs.run_next()
    finally:
        kinds.declare(usual)


def assert_was_too_long(job: Job) -> None:
    assert now_as(job).state == JobState.FAILED
    assert "took too long" in now_as(job).error


def test_work_that_takes_too_long_is_ended_and_its_owner_told(transactional_db):
    job = queue.enqueue("odds", OWNER, SMALL)
    assert run_brief(says_nothing)
    assert_was_too_long(job)


def test_work_that_does_not_heed_its_end_is_ended_with_its_process(transactional_db):
    job = queue.enqueue("odds", OWNER, SMALL)
    aside = Offload()
    aside.start(children=1)
    try:
        with pytest.raises(OffloadFailed):
            aside(run_brief, heeds_nothing, seconds=PATIENCE)
    finally:
        aside.stop()
    assert_was_too_long(job)


def test_work_that_never_says_how_far_it_is_can_be_cancelled(transactional_db, monkeypatch):
    monkeypatch.setitem(kinds._kinds, "odds", replace(kinds.kind_of("odds"), work=says_nothing))
    job = queue.enqueue("odds", OWNER, SMALL)
    cancelled_at = []

    def cancel() -> None:
        wait_until(lambda: now_as(job).state == JobState.RUNNING)
        queue.cancel(job)
        cancelled_at.append(time.monotonic())
        connection.close()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    runs.run_next()
    canceller.join()
    assert time.monotonic() - cancelled_at[0] < 2
    assert now_as(job).state == JobState.CANCELLED


def test_work_that_fails_is_told_in_words(transactional_db, monkeypatch, caplog):
    monkeypatch.setitem(kinds._kinds, "odds", replace(kinds.kind_of("odds"), work=lambda asked, report: 1 / 0))
    job = queue.enqueue("odds", OWNER, SMALL)
    runs.run_next()
    assert now_as(job).state == JobState.FAILED
    assert "went wrong" in now_as(job).error
    assert [record.message for record in caplog.records] == ["job.failed"]


def test_no_kind_may_take_longer_than_any_run():
    kinds.kind_of("odds")
    assert max(kind.seconds for kind in kinds._kinds.values()) < runs.LONGEST_SECONDS


# A worker that is killed


RUN = "import django; django.setup(); from core.jobs.runs import run_next; run_next()"


def test_a_worker_that_is_killed_in_the_middle_leaves_a_job_that_is_finished_once(transactional_db):
    job = queue.enqueue("odds", OWNER, ENDLESS)
    worker = subprocess.Popen([sys.executable, "-c", RUN], cwd=ROOT, env=child_environment())
    wait_until(lambda: now_as(job).progress > 0)
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    assert now_as(job).state == JobState.RUNNING, "nobody has noticed yet"
    Job.objects.filter(pk=job.pk).update(asked=SMALL | {"what": "games", "count": 20_000})
    started = []
    queue.on_enqueue(started.append)
    queue.requeue_stale(timezone.now() + queue.SILENCE + timedelta(seconds=1))
    assert started == [job.pk]
    runs.run_next()
    job = now_as(job)
    assert (job.state, job.attempt, job.result["games"]) == (JobState.DONE, 2, 20_000)


def test_a_child_that_is_killed_is_replaced_and_its_job_finished_once(worker):
    job = queue.enqueue("odds", OWNER, ENDLESS)
    wait_until(lambda: now_as(job).progress > 0)
    Job.objects.filter(pk=job.pk).update(asked=SMALL | {"what": "games", "count": 20_000})
    (child,) = runs.children._children
    child._process.kill()
    wait_until(lambda: child not in runs.children._children)
    queue.requeue_stale(timezone.now() + queue.SILENCE + timedelta(seconds=1))
    wait_until(lambda: now_as(job).is_over)
    job = now_as(job)
    assert (job.state, job.attempt, job.result["games"]) == (JobState.DONE, 2, 20_000)


@pytest.mark.django_db
def test_work_whose_supervisor_was_killed_is_left_to_the_next_run(monkeypatch):
    job = queue.claim(queue.enqueue("odds", OWNER, SMALL).pk)
    parents = iter([1, 2])
    monkeypatch.setattr(runs.os, "getppid", lambda: next(parents))
    runs.perform(job)
    assert now_as(job).state == JobState.RUNNING


# Pages


@pytest.mark.django_db
def test_a_job_is_its_owners_only(client):
    client.post("/learn/cards/four-features/")
    job = queue.enqueue("odds", {"guest": client.session["guest"]["key"]}, SMALL)
    page = client.get(f"/jobs/{job.pk}/")
    assert "It begins soon" in page.text
    stranger = Client()
    stranger.post("/learn/cards/four-features/")
    for other in (Client(), stranger):
        assert other.get(f"/jobs/{job.pk}/").status_code == 404
        assert other.post(f"/jobs/{job.pk}/stop/").status_code == 404
        assert other.get(f"/jobs/{job.pk}/file/").status_code == 404
    assert "Stopped." in client.post(f"/jobs/{job.pk}/stop/", follow=True).text
    assert str(job.pk) in client.get("/jobs/").text


@pytest.mark.django_db
def test_a_page_without_scripts_can_look_again_until_it_is_done(client):
    client.post("/learn/cards/four-features/")
    job = queue.enqueue("odds", {"guest": client.session["guest"]["key"]}, SMALL)
    assert "Reload" in client.get(f"/jobs/{job.pk}/").text
    queue.cancel(job)
    assert "Reload" not in client.get(f"/jobs/{job.pk}/").text
