"""Whether processes of the site are at work: each holds a shared lock, and whoever replaces the data takes all of it.

The kernel lets go of a lock when its process ends, however it ends, so nothing stale is ever left behind. A mark says
that a restore has begun and isn't done: if it's interrupted the mark stays, and no process starts.
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
    """The data is being replaced, or was left half settled. Celery goes on after any `Exception` in a signal."""


def begin_serving() -> None:
    """Say that this process is at work, until it ends. Once is enough."""
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
    """Keep every process of the site from starting; raises `SiteIsServing` if one is running."""
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
    """Raise `DataIsReplaced` where a restore was interrupted, or is under way."""
    if is_restore_unfinished():
        raise DataIsReplaced(_UNFINISHED)


def is_restore_unfinished() -> bool:
    # Web processes start while the database is away; then only the file counts.
    return _mark().exists() or is_database_marked(if_away=False)


def is_database_marked(*, if_away: bool) -> bool:
    """Whether this database came out of a backup and isn't settled; only PostgreSQL knows.

    Asked on a connection of its own, which nobody inherits and no transaction is affected by.
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
    """From here on no process starts, even after a power cut."""
    for path, flags in ((_mark(), os.O_WRONLY | os.O_CREAT), (_mark().parent, os.O_RDONLY)):
        handle = os.open(path, flags | os.O_CLOEXEC, 0o600)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def unmark_restoring() -> None:
    """Everything is settled, or nothing was changed."""
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
