"""Background work of one test doesn't touch the next."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from celery import Celery

from tests import background
from tests.background import Background, Pause, watch_tasks


@pytest.fixture
def place(settings, tmp_path) -> Background:
    settings.VAR_DIR = tmp_path
    place = Background()
    yield place
    place.end()


@pytest.fixture
def app() -> Celery:
    app = Celery("a test", set_as_current=False)
    app.conf.task_always_eager = True
    return app


def test_a_task_runs_only_while_a_test_wants_it(place, app):
    ran = []

    @app.task(shared=False)
    def work() -> None:
        ran.append(True)

    watch_tasks(app)
    work.delay()
    assert not ran
    with place.opened():
        work.delay()
    assert len(ran) == 1
    work()
    assert len(ran) == 2, "what a test calls itself is its own"


def test_a_test_is_over_when_its_tasks_are(place, app):
    begun, over = threading.Event(), []

    @app.task(shared=False)
    def work() -> None:
        begun.set()
        time.sleep(0.2)
        over.append(True)

    watch_tasks(app)
    with place.opened():
        thread = threading.Thread(target=work.delay)
        thread.start()
        begun.wait()
    assert over
    thread.join()


def test_a_task_that_does_not_end_is_told(place, app, monkeypatch):
    monkeypatch.setattr(background, "SECONDS", 0.05)
    begun, may_end = threading.Event(), threading.Event()

    @app.task(shared=False)
    def work() -> None:
        begun.set()
        may_end.wait()

    watch_tasks(app)
    thread = threading.Thread(target=work.delay)

    def run_the_test() -> None:
        with place.opened():
            thread.start()
            begun.wait()

    with pytest.raises(RuntimeError, match="long after its test"):
        run_the_test()
    may_end.set()
    thread.join()


def test_a_thread_of_the_site_finishes_its_work_and_begins_none_until_the_next_test():
    done = []
    with ThreadPoolExecutor(1) as pool:
        pause = Pause(pool)
        pool.submit(lambda: (time.sleep(0.1), done.append("before")))
        pause.begin()
        later = pool.submit(done.append, "later")
        time.sleep(0.05)
        assert done == ["before"]
        pause.end()
        later.result(timeout=10)
    assert done == ["before", "later"]


def test_a_thread_that_does_not_come_to_rest_is_told(monkeypatch):
    monkeypatch.setattr(background, "SECONDS", 0.05)
    may_end = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(may_end.wait)
        pause = Pause(pool)
        with pytest.raises(RuntimeError, match="long after its test"):
            pause.begin()
        pause.end()
        may_end.set()
