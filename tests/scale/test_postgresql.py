"""A PostgreSQL connection is reused without a check query, and reopened once the server has closed it."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

import pytest
from django.db.backends.base.base import BaseDatabaseWrapper

from core.db.postgresql.base import DatabaseWrapper


@pytest.fixture
def connection(postgresql, django_db_blocker) -> Iterator[BaseDatabaseWrapper]:
    url = urlsplit(postgresql.new_database())
    defaults = {"ATOMIC_REQUESTS": False, "AUTOCOMMIT": True, "OPTIONS": {}, "TIME_ZONE": None, "TEST": {}}
    own = {
        "NAME": url.path.strip("/"),
        "USER": url.username or "",
        "PASSWORD": url.password or "",
        "HOST": unquote(url.hostname or ""),
        "PORT": url.port or "",
        "CONN_MAX_AGE": None,
        "CONN_HEALTH_CHECKS": True,
    }
    with django_db_blocker.unblock():
        connection = DatabaseWrapper({**defaults, **own})
        yield connection
        connection.close()


def backend(connection: BaseDatabaseWrapper) -> int:
    """The server process of a connection."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return cursor.fetchone()[0]


def begin_page(connection: BaseDatabaseWrapper) -> None:
    """Do what Django does when a request begins."""
    connection.health_check_done = False
    connection.close_if_unusable_or_obsolete()


def test_a_page_goes_on_with_the_connection_of_the_last_without_a_word_to_the_server(connection, monkeypatch):
    first = backend(connection)
    asked: list[str] = []
    monkeypatch.setattr(DatabaseWrapper.__bases__[0], "is_usable", lambda self: asked.append("usable?"))
    begin_page(connection)
    assert backend(connection) == first
    assert not asked


def test_a_connection_that_the_server_has_ended_is_made_anew(connection, postgresql):
    first = backend(connection)
    postgresql.halt()
    postgresql.start()
    begin_page(connection)
    assert backend(connection) != first
