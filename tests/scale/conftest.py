"""The databases that these suites run on, each made once for a worker and filled with the site's tables."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.scale.engines import PostgreSQL, run


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    server = PostgreSQL()
    yield server
    server.stop()


@pytest.fixture(scope="session", params=["sqlite", "postgresql"])
def database(request, tmp_path_factory) -> dict[str, str]:
    """The environment of a site on a database of its own, with its tables; made anew when the tests alternate."""
    environment = {"SETSITE_VAR": str(tmp_path_factory.mktemp("var"))}
    if request.param == "postgresql":
        environment["SETSITE_DATABASE"] = request.getfixturevalue("postgresql").new_database()
    run(["manage.py", "migrate", "--verbosity", "0"], environment, seconds=120)
    return environment
