"""Run the suites on PostgreSQL and Redis: `PYTEST_PLUGINS=tests.on_engines pytest`, as `make test` does.

The engines run as long as the tests. Tests that use no database, or start their own engines, are skipped here. So are
browser tests, except those marked `on_engines`: what a page does in a browser doesn't depend on the database.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys

import pytest

from core.cache import shared
from tools.scale.engines import PostgreSQL, Redis

_OWN_ENGINES = "tests/scale/"
_BROWSER = "tests/browser/"
_EMBEDDED = "tests/core/test_jobs.py"
"""Tests whose `worker` fixture is the one inside the web process, which a broker replaces."""
_DATABASE = {"db", "transactional_db", "django_db_reset_sequences", "live_server"}


def _start() -> None:
    # Stop the engines when the run ends.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    redis = Redis()
    atexit.register(redis.stop)
    postgresql = PostgreSQL()
    atexit.register(postgresql.stop)
    os.environ["SETSITE_DATABASE"] = postgresql.database("setsite")
    os.environ["SETSITE_REDIS"] = redis.address


def _take_part(worker: str) -> None:
    """Give each xdist worker its own Redis database by number; pytest-django gives it its own database."""
    address, _slash, _number = os.environ["SETSITE_REDIS"].rpartition("/")
    os.environ["SETSITE_REDIS"] = f"{address}/{int(worker.removeprefix('gw')) + 1}"


if worker := os.environ.get("PYTEST_XDIST_WORKER"):
    _take_part(worker)
else:
    _start()


def pytest_configure(config: pytest.Config) -> None:
    # The server is deleted with its databases, so don't wait for connections to close.
    config.option.reuse_db = True
    # For the same reason, threads of a stopped site may leave their connections to the garbage collector.
    config.addinivalue_line("filterwarnings", "ignore:.*was deleted while still open:ResourceWarning")
    config.addinivalue_line("filterwarnings", "ignore:.*BaseConnection.__del__:pytest.PytestUnraisableExceptionWarning")
    # Count Redis as away only if it was stopped, not if it's slow on a busy machine.
    shared._SOCKET_SECONDS = 60.0


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    wanted = [item for item in items if _is_wanted(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(wanted)])
    items[:] = wanted


def _is_wanted(item: pytest.Item) -> bool:
    fixtures = set(getattr(item, "fixturenames", ()))
    needs_database = item.get_closest_marker("django_db") is not None or bool(_DATABASE & fixtures)
    is_embedded = item.nodeid.startswith(_EMBEDDED) and "worker" in fixtures
    is_left_out = item.nodeid.startswith(_BROWSER) and item.get_closest_marker("on_engines") is None
    return needs_database and not (is_embedded or is_left_out or item.nodeid.startswith(_OWN_ENGINES))
