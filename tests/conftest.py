"""Shared fixtures: the site on a real server, and a browser."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from django.conf import settings as site_settings
from django.core.cache import cache, caches
from django.db import connections
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.background import Background, Pause, watch_tasks
from tests.browser.console import CONSOLE, Console, watch_everything
from tests.seeds import choose_seed, how_to_repeat

choose_seed()

# Use the same examples on every run and no deadline, so that failures are reproducible.
hypothesis_settings.register_profile(
    "steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis_settings.load_profile("steady")

# Playwright's event loop runs in the main thread, which makes Django think that tests are async.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"

site_settings.VAR_DIR.mkdir(exist_ok=True)

# On a busy machine things may take longer than five seconds.
PATIENCE = 30_000
expect.set_options(timeout=PATIENCE)

CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--disable-dev-shm-usage",
]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(how_to_repeat())


@pytest.fixture(scope="session", autouse=True)
def _lanes() -> Iterator[None]:
    """Fail any test in which a request in the fast lane does heavy work."""
    from tests.lanes import lanes_are_watched  # noqa: PLC0415 (it needs Django to be set up)

    with lanes_are_watched():
        yield


@pytest.fixture(autouse=True)
def _nothing_counted_by_other_tests() -> None:
    """Reset the limits: all tests use the same address, so counts of other tests would get in the way."""
    caches["process"].clear()
    if not site_settings.REDIS_URL:
        return
    client = cache._cache.get_client(write=True)
    for pattern in ("*:limit:*", "*:rate:*"):
        for key in client.scan_iter(pattern, count=1000):
            client.delete(key)


@pytest.fixture
def clock_of_limits(monkeypatch) -> Iterator[SimpleNamespace]:
    """The clock of the limits: starts with nothing counted, and moves only when the test moves it."""
    clock = SimpleNamespace(now=1_800_000_000.0)
    clock.time = lambda: clock.now
    monkeypatch.setattr("games.limits.time", clock)
    monkeypatch.setattr("core.limits.time", clock)
    cache.clear()
    yield clock
    cache.clear()


class Site:
    """The site on its own port, run by the same server as `make run`."""

    def __init__(self) -> None:
        from classrooms.live.topic import hub as lessons  # noqa: PLC0415 (it needs Django to be set up)
        from games.live.topic import hub as tables  # noqa: PLC0415
        from setsite.server import server  # noqa: PLC0415

        self._pause = Pause(tables._pool, lessons._pool)
        listening = socket.socket()
        listening.bind(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        self.server = server(port=0)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [listening]}, daemon=True)
        self.thread.start()
        deadline = time.monotonic() + 60
        while not self.server.started:
            if time.monotonic() > deadline or not self.thread.is_alive():
                raise RuntimeError("the server did not start")
            time.sleep(0.01)

    def rest(self) -> None:
        """Wait until the site is idle, so that nothing is written into the next test's database."""
        from core.lanes.pools import in_use  # noqa: PLC0415 (it needs Django to be set up)

        # Work is finished even if its client has gone.
        deadline = time.monotonic() + PATIENCE / 1_000
        while self.server.server_state.tasks or any(lane.running for lane in in_use):
            if time.monotonic() > deadline:
                raise RuntimeError("the site goes on working long after its test")
            time.sleep(0.01)
        self._pause.begin()

    def go_on(self) -> None:
        self._pause.end()

    def stop(self) -> None:
        self.go_on()
        self.server.should_exit = True
        self.thread.join(timeout=60)
        if self.thread.is_alive():
            raise RuntimeError("the server did not stop")


@pytest.fixture(scope="session")
def _background() -> Iterator[Background]:
    from setsite.celery import app  # noqa: PLC0415 (it needs Django to be set up)

    watch_tasks(app)
    background = Background()
    yield background
    background.end()


@pytest.fixture
def background(_background: Background, transactional_db) -> Iterator[None]:
    """Let running workers execute tasks until the test is over."""
    with _background.opened():
        yield
        from core.jobs import queue  # noqa: PLC0415 (it needs Django to be set up)
        from core.models import Job  # noqa: PLC0415

        for job in Job.objects.all():
            queue.cancel(job)


@pytest.fixture(scope="session")
def _worker(django_db_setup, _background) -> Iterator[None]:
    """With a broker, start a worker process for jobs; without one the site runs them itself."""
    if site_settings.IS_BROKERLESS:
        yield
        return
    from core.offload import child_environment  # noqa: PLC0415 (it needs Django to be set up)

    # No beat: tests move the clocks of their matches themselves, so nothing may happen on its own.
    command = [sys.executable, "-m", "celery", "-A", "tests.worker", "worker"]
    options = ["--queues=people,heavy", "--concurrency=2", "--loglevel=error", "--without-gossip", "--without-mingle"]
    worker = subprocess.Popen([*command, *options], env=child_environment())
    yield
    worker.terminate()
    worker.wait(timeout=120)


@pytest.fixture(scope="session")
def _site(_worker) -> Iterator[Site]:
    site = Site()
    yield site
    site.stop()


@pytest.fixture
def site(_site: Site, background, settings) -> Iterator[str]:
    """The URL of the running site, with an empty database. Links on paper and in emails point there too."""
    settings.SITE_URL = _site.url
    _site.go_on()
    yield _site.url
    _site.rest()
    connections.close_all()


@pytest.fixture(scope="session")
def _browser() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        raise RuntimeError("chromium is missing; `make test` installs it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        watch_everything(browser)
        yield browser
        browser.close()


@pytest.fixture
def console(request: pytest.FixtureRequest) -> Iterator[Console]:
    """What pages log: an error fails the test, unless it's said to be expected."""
    CONSOLE.begin(pattern for mark in request.node.iter_markers("console_errors") for pattern in mark.args)
    yield CONSOLE
    CONSOLE.check()


@pytest.fixture
def new_context(_browser: Browser, console: Console):
    """Create separate browsers for separate people."""
    contexts: list[BrowserContext] = []

    def make(**options) -> BrowserContext:
        options = {
            "viewport": {"width": 1280, "height": 800},
            "locale": "en-US",
            "reduced_motion": "reduce",
            # Block service workers, except in the tests about them.
            "service_workers": "block",
            **options,
        }
        context = _browser.new_context(**options)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        return context

    yield make
    for context in contexts:
        context.close()


@pytest.fixture
def page(new_context) -> Page:
    return new_context().new_page()
