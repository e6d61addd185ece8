"""Everything that the site keeps, in one file and back again: PostgreSQL by its own tools, SQLite by its own copy.

Files of jobs are not in it: they are kept for a week, and are made again when somebody asks.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from django.db import connection

_SQLITE_MAGIC = b"SQLite format 3\x00"
_POSTGRESQL_MAGIC = b"PGDMP"


class BackupFailed(Exception):
    """Why there is no backup, or why it was not taken back."""


def back_up(file: Path) -> None:
    """Write the whole database into a new file, as it is at one moment, while the site goes on."""
    if file.exists():
        raise BackupFailed(f"{file} is there already; a backup never writes over another")
    # It has its name once it is whole.
    part = file.with_name(f"{file.name}.part")
    try:
        part.unlink(missing_ok=True)
        part.touch(mode=0o600)
    except OSError as error:
        raise BackupFailed(f"{part} cannot be written") from error
    try:
        if connection.vendor == "sqlite":
            with closing(sqlite3.connect(_sqlite())) as source, closing(sqlite3.connect(part)) as target:
                source.backup(target)
            _check_sqlite(part)
        else:
            _tool("pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={part}")
            _tool("pg_restore", "--list", str(part), with_database=False)
        part.rename(file)
    finally:
        part.unlink(missing_ok=True)


def restore(file: Path) -> None:
    """Put back what a backup holds, all of it or nothing; whatever came since is gone."""
    try:
        with file.open("rb") as content:
            beginning = content.read(len(_SQLITE_MAGIC))
    except OSError as error:
        raise BackupFailed(f"{file} cannot be read") from error
    magic = _SQLITE_MAGIC if connection.vendor == "sqlite" else _POSTGRESQL_MAGIC
    if not beginning.startswith(magic):
        raise BackupFailed(f"{file} is no backup of a database like this one ({connection.vendor})")
    if connection.vendor == "sqlite":
        _check_sqlite(file)
        connection.close()
        with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(_sqlite())) as target:
            source.backup(target)
    else:
        connection.close()
        _tool("pg_restore", "--clean", "--if-exists", "--no-owner", "--single-transaction", str(file))


def _sqlite() -> str:
    return str(connection.settings_dict["NAME"])


def _check_sqlite(file: Path) -> None:
    try:
        with closing(sqlite3.connect(file)) as kept:
            (said,) = kept.execute("PRAGMA integrity_check").fetchone()
            kept.execute("SELECT 1 FROM django_migrations").fetchone()
    except sqlite3.DatabaseError as error:
        raise BackupFailed(f"{file} is damaged: {error}") from error
    if said != "ok":
        raise BackupFailed(f"{file} is damaged: {said}")


def _tool(program: str, *arguments: str, with_database: bool = True) -> None:
    """Run a program of PostgreSQL on our database; the password goes where no list of processes shows it."""
    path = shutil.which(program)
    if path is None:
        raise BackupFailed(f"{program} is missing; it comes with the client of PostgreSQL")
    ours = connection.settings_dict
    names = {"PGHOST": "HOST", "PGPORT": "PORT", "PGUSER": "USER", "PGPASSWORD": "PASSWORD", "PGDATABASE": "NAME"}
    given = {variable: str(ours[name]) for variable, name in names.items() if ours[name]}
    command = [path, *arguments]
    if with_database and program == "pg_restore":
        command.append(f"--dbname={ours['NAME']}")
    done = subprocess.run(  # noqa: S603 (our own command)
        command, env={**os.environ, **given}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise BackupFailed(f"{program} failed: {done.stderr.strip()}")
