"""Sessions in the database with a copy in the process's memory, for a site that is one process."""

from __future__ import annotations

from django.contrib.sessions.backends import cached_db

from setsite.sessions import TellsWhenItEnds


class SessionStore(TellsWhenItEnds, cached_db.SessionStore):
    """Keeps its name: Django seals sessions with it."""
