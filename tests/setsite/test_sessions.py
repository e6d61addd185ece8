"""Reading sessions in plain SQL gives the same result as Django's models."""

from __future__ import annotations

import pytest
from django.contrib.sessions.backends import db

from setsite.sessions import SessionStore

pytestmark = pytest.mark.django_db


def stored_session(*, expiry: int = 3600) -> str:
    """Create a session that holds something and expires in some seconds, or has expired; return its key."""
    session = db.SessionStore()
    session["guest"] = {"name": "Ann"}
    session.set_expiry(expiry)
    session.save()
    return session.session_key


def test_a_session_is_read_as_it_was_written():
    key = stored_session()
    assert dict(SessionStore(key).items()) == dict(db.SessionStore(key).items())
    assert SessionStore(key)["guest"] == {"name": "Ann"}


@pytest.mark.parametrize("key", ["a" * 32, "' OR 1=1 --", None])
def test_a_session_that_is_not_there_is_empty_and_gets_a_key_of_its_own(key):
    session = SessionStore(key)
    assert not dict(session.items())
    session["guest"] = {"name": "Ben"}
    session.save()
    assert session.session_key not in (key, None)


def test_a_session_that_is_over_is_not_there():
    assert SessionStore(stored_session(expiry=-5)).get("guest") is None


def test_a_session_that_somebody_has_ended_meanwhile_is_not_there():
    key = stored_session()
    db.SessionStore(key).flush()
    assert SessionStore(key).get("guest") is None
