"""Database sessions cached in memory, for a site with one process."""

from __future__ import annotations

from django.contrib.sessions.backends import cached_db

from setsite.sessions import TellsWhenItEnds


class SessionStore(TellsWhenItEnds, cached_db.SessionStore):
    """Must be called SessionStore, since Django salts its session signatures with the class name."""
