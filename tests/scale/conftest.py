"""PostgreSQL and Redis for these suites, and the whole scaled site as real processes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from tests.scale.engines import reading, run
from tests.scale.people import Person
from tools.scale.engines import PostgreSQL, Redis
from tools.scale.processes import ScaledSite


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    server = PostgreSQL()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def redis() -> Iterator[Redis]:
    server = Redis()
    yield server
    server.stop()


@pytest.fixture(scope="session", params=["sqlite", "postgresql"])
def database(request, tmp_path_factory) -> dict[str, str]:
    """The environment of a site with its own migrated database; recreated when the tests alternate."""
    environment = {"SETSITE_VAR": str(tmp_path_factory.mktemp("var"))}
    if request.param == "postgresql":
        environment["SETSITE_DATABASE"] = request.getfixturevalue("postgresql").new_database()
    run(["manage.py", "migrate", "--verbosity", "0"], environment)
    return environment


@pytest.fixture(scope="session")
def _scaled(tmp_path_factory) -> Iterator[ScaledSite]:
    folder = tmp_path_factory.mktemp("scaled")
    site = ScaledSite(folder, environment={"SETSITE_METRICS_TOKEN": "figures"})
    try:
        site.manage("migrate", "--verbosity", "0")
        site.manage("collectstatic", "--no-input", "--verbosity", "0")
        site.start()
        yield site
    finally:
        site.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def scaled_site(_scaled, django_db_blocker) -> Iterator[ScaledSite]:
    """Two web processes, a worker, a beat, PostgreSQL and Redis, all running; tests may kill any of them.

    In the test, Django's models read and write that site's database. The site isn't notified of such writes, so players
    must act over HTTP (`Person`).
    """
    _scaled.ensure_running()
    with django_db_blocker.unblock(), reading(_scaled.database_settings):
        yield _scaled


@pytest.fixture
def people() -> list[Person]:
    """Ann, Ben and Cleo, each with their own browser."""
    return [Person() for _person in range(3)]
