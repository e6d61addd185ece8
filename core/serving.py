"""A lock against restoring a backup under a running site: each process holds it shared, a restore exclusively.

The kernel releases a lock when its process ends, however it ends, so no stale lock is ever left behind. A marker says
that a restore has started and isn't done: if it's interrupted the marker stays, and no process starts.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.conf import settings
from django.db import OperationalError, connection

MARK_DATABASE = "CREATE TABLE setsite_restoring ()"
"""Part of the transaction that replaces a PostgreSQL database, so that machines without our files see it too."""
_UNFINISHED = (
    "a restore isn't finished, so deleted people and given-up cards may be back;"
    " if it was interrupted, run `manage.py restore` again"
)
_CONNECT_SECONDS = 5
_held: list[int] = []


class SiteIsServing(Exception):
    """Web processes or workers are running on this data."""


class DataIsReplaced(SystemExit):
    """A restore is running or was left unfinished. A `SystemExit`, since Celery ignores any `Exception` in a signal."""


def begin_serving() -> None:
    """Hold the shared lock until this process ends. Further calls do nothing."""
    if _held:
        return
    lock = _open()
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(lock)
        raise DataIsReplaced("a backup is being restored; start the site when that is done") from error
    try:
        refuse_unfinished_restore()
    except DataIsReplaced:
        os.close(lock)
        raise
    _held.append(lock)


@contextmanager
def nobody_serves() -> Iterator[None]:
    """Hold the exclusive lock, so that no process of the site can start; raises `SiteIsServing` if one is running."""
    lock = _open()
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise SiteIsServing("the site is running; stop its web processes and workers first") from error
        yield
    finally:
        os.close(lock)


def refuse_unfinished_restore() -> None:
    """Raise `DataIsReplaced` if a restore was interrupted or is in progress."""
    if is_restore_unfinished():
        raise DataIsReplaced(_UNFINISHED)


def is_restore_unfinished() -> bool:
    # Web processes may start while the database is down; then only the file counts.
    return _mark().exists() or is_database_marked(if_away=False)


def is_database_marked(*, if_away: bool) -> bool:
    """Whether this database was restored from a backup that isn't settled yet (PostgreSQL only).

    Uses its own connection, which no forked process inherits and which is in no transaction. Returns `if_away` if the
    database is down.
    """
    if connection.vendor != "postgresql":
        return False
    parameters = {**connection.get_connection_params(), "connect_timeout": _CONNECT_SECONDS}
    try:
        with connection.wrap_database_errors, closing(connection.get_new_connection(parameters)) as asked:
            (found,) = asked.execute("SELECT to_regclass('setsite_restoring')").fetchone()
    except OperationalError:
        return if_away
    return found is not None


def mark_restoring() -> None:
    """Keep processes from starting from now on, even after a power failure."""
    for path, flags in ((_mark(), os.O_WRONLY | os.O_CREAT), (_mark().parent, os.O_RDONLY)):
        handle = os.open(path, flags | os.O_CLOEXEC, 0o600)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def unmark_restoring() -> None:
    """Let processes start again, once everything is settled or if nothing was changed."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE IF EXISTS setsite_restoring")
    _mark().unlink(missing_ok=True)


def _mark() -> Path:
    return Path(settings.VAR_DIR) / "restoring"


def _open() -> int:
    file = Path(settings.VAR_DIR) / "serving.lock"
    file.parent.mkdir(parents=True, exist_ok=True)
    return os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
