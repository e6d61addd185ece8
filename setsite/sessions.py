"""Sessions in the database, read in plain SQL: every page of several processes begins with one."""

from __future__ import annotations

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db import connections, router

_FIELDS = ("session_key", "session_data", "expire_date")
_LIVING = f"SELECT {', '.join(_FIELDS)} FROM django_session WHERE session_key = %s AND expire_date > CURRENT_TIMESTAMP"  # noqa: S608


class SessionStore(db.SessionStore):
    def _get_session_from_db(self) -> Session | None:
        connection = connections[router.db_for_read(self.model)]
        with connection.cursor() as cursor:
            cursor.execute(_LIVING, [self.session_key])
            found = cursor.fetchone()
        if found is None:
            self._session_key = None
            return None
        return Session.from_db(connection.alias, _FIELDS, found)
