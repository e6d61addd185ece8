"""Back up the whole database into one file, and restore it, with PostgreSQL's own tools or SQLite's backup API.

Sessions and unsent mail are left out, since they should never come back, as are the files of jobs, which are kept for a
week and can be made again. With a public key in the settings a backup is sealed for its private key.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from classrooms import deletion_ledger as ledger
from classrooms.audit import note_backup
from classrooms.privacy.after_restore import Settled, settle
from core.sealed_files import CannotOpen, is_sealed, private_key, public_key, seal, unseal
from core.serving import (
    MARK_DATABASE,
    SiteIsServing,
    is_database_marked,
    is_restore_unfinished,
    mark_restoring,
    nobody_serves,
    unmark_restoring,
)

log = logging.getLogger(__name__)

_SQLITE_MAGIC = b"SQLite format 3\x00"
_POSTGRESQL_MAGIC = b"PGDMP"
_LEFT_OUT = ("sessions.Session", "setsite.OutgoingMail")
_OPTIONAL_APPS = {"socialaccount"}
"""Apps that a site may have had before and no longer has; their tables do no harm."""
_NAME = re.compile(r"^setsite-(\d{8}-\d{6})\.backup$")
_STAMP = "%Y%m%d-%H%M%S"
_MIGRATIONS = re.compile(r"^COPY \S*django_migrations \(([^)]*)\) FROM stdin;\n(.*?)^\\\.$", re.MULTILINE | re.DOTALL)
"""The rows of django_migrations in a dump by PostgreSQL."""
_DROP_ALL = """
DO $$ DECLARE ours regclass; BEGIN
    FOR ours IN
        SELECT oid FROM pg_class
        WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace
            AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')
    LOOP EXECUTE format('DROP TABLE IF EXISTS %s CASCADE', ours); END LOOP;
END $$;
"""
"""Drops every table except those of PostgreSQL's extensions."""


class BackupFailed(Exception):
    """The backup or the restore failed; the message says why."""


def back_up(file: Path) -> None:
    """Write a consistent copy of the database into a new file, while the site keeps running."""
    if file.exists():
        raise BackupFailed(f"{file} is there already; a backup never writes over another")
    if is_restore_unfinished():
        raise BackupFailed("a restore isn't finished; if it was interrupted, run it again before you make a backup")
    # Renamed when it's complete.
    part = file.with_name(f"{file.name}.part")
    try:
        part.unlink(missing_ok=True)
        part.touch(mode=0o600)
    except OSError as error:
        raise BackupFailed(f"{part} cannot be written") from error
    try:
        ledger.catch_up(timezone.now())
        note_backup()
        with _plain_copy() as copy:
            if settings.BACKUP_KEY:
                with copy.open("rb") as source, part.open("wb") as target:
                    seal(source, target, public_key(settings.BACKUP_KEY))
            else:
                shutil.copyfile(copy, part)
        part.rename(file)
    finally:
        part.unlink(missing_ok=True)
    # A copy next to the backups, in case the site's own disk is lost.
    shutil.copyfile(ledger.file(), _ledger_beside(file))


def back_up_into(folder: Path, *, daily: int, weekly: int, now: datetime) -> Path:
    """Make a backup in a folder and delete older ones, keeping one per day and one per week, this many of each."""
    file = folder / f"setsite-{now:{_STAMP}}.backup"
    back_up(file)
    made = {each: found for each in folder.iterdir() if (found := _made_at(each))}
    for old in made.keys() - kept_of(made, daily=daily, weekly=weekly):
        old.unlink()
    return file


def kept_of(made: dict[Path, datetime], *, daily: int, weekly: int) -> set[Path]:
    """The backups to keep: the newest of each of the last days that have one, and likewise for weeks."""
    kept: set[Path] = set()
    for most, period in ((daily, "%Y%m%d"), (weekly, "%G%V")):
        newest = {moment.strftime(period): file for file, moment in sorted(made.items(), key=lambda each: each[1])}
        kept.update(newest[name] for name in sorted(newest)[-most:] if most)
    return kept | ({max(made, key=lambda file: made[file])} if made else set())


def restore(file: Path, *, key: str = "") -> Settled:
    """Replace the database with a backup, all or nothing. Everything newer is lost.

    Refused while the site is running, and for a backup made by a newer version of the site. Later deletions and new
    login cards are applied to it, and everyone is signed out. If it's interrupted, the site won't start until a restore
    completes.
    """
    try:
        with nobody_serves(), _plain_backup(file, key) as plain:
            _check_kind(plain)
            _check_schema(plain)
            _check_nobody_connected()
            _update_ledger()
            own, beside = list(ledger.read(ledger.file())), list(ledger.read(_ledger_beside(file)))
            _mark_and_put_back(plain)
            call_command("migrate", verbosity=0)
            settled = settle(own, beside, now=timezone.now())
            unmark_restoring()
            return settled
    except SiteIsServing as error:
        raise BackupFailed(str(error)) from error
    except CannotOpen as error:
        raise BackupFailed(f"{file}: {error}") from error


def _update_ledger() -> None:
    """Update the ledger from the database that's about to be replaced, if it can still be read."""
    try:
        ledger.catch_up(timezone.now())
    except DatabaseError as error:
        log.warning("restore.database_unreadable", extra={"error": type(error).__name__})
        connection.close()


def _mark_and_put_back(plain: Path) -> None:
    """Replace the data, keeping the site from starting until the restore is done or has failed without a change."""
    is_first = not is_restore_unfinished()
    mark_restoring()
    try:
        _put_back(plain)
    except Exception:
        if is_first and not is_database_marked(if_away=True):
            unmark_restoring()
        raise


def _put_back(plain: Path) -> None:
    connection.close()
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(plain)) as source, closing(sqlite3.connect(_sqlite())) as target:
            source.backup(target)
    else:
        _put_back_postgresql(plain)


def _put_back_postgresql(plain: Path) -> None:
    """Drop all tables first, in the same transaction, since an older backup doesn't know newer tables."""
    with _temporary_file() as script:
        with script.open("w", encoding="utf-8") as target:
            target.write(f"{_DROP_ALL}{MARK_DATABASE};\n")
        restored = script.with_name("restored")
        options = ["--clean", "--if-exists", "--no-owner", f"--file={restored}"]
        _tool("pg_restore", *options, str(plain), with_database=False)
        options = ["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null", "--single-transaction"]
        _tool("psql", *options, f"--file={script}", f"--file={restored}")


@contextmanager
def _plain_copy() -> Iterator[Path]:
    """A checked copy of the database in a temporary file, without what backups leave out."""
    with _temporary_file() as copy:
        if connection.vendor == "sqlite":
            with closing(sqlite3.connect(_sqlite())) as source, closing(sqlite3.connect(copy)) as target:
                source.backup(target)
                for table in _tables_left_out():
                    target.execute(f"DELETE FROM {table}")  # noqa: S608 (our own tables)
                target.commit()
                # Otherwise deleted rows would still be in the file.
                target.execute("VACUUM")
            _check_sqlite(copy)
        else:
            left_out = [f"--exclude-table-data={table}" for table in _tables_left_out()]
            _tool("pg_dump", "--format=custom", "--no-owner", "--no-privileges", *left_out, f"--file={copy}")
            _tool("pg_restore", "--list", str(copy), with_database=False)
        yield copy


@contextmanager
def _plain_backup(file: Path, key: str) -> Iterator[Path]:
    """The backup, unsealed if necessary, for the database's own tools."""
    try:
        with file.open("rb") as content:
            beginning = content.read(64)
    except OSError as error:
        raise BackupFailed(f"{file} cannot be read") from error
    if not is_sealed(beginning):
        yield file
        return
    if not key:
        raise BackupFailed(f"{file} is sealed; give the private key with --key")
    with _temporary_file() as plain:
        with file.open("rb") as source, plain.open("wb") as target:
            unseal(source, target, private_key(key))
        yield plain


@contextmanager
def _temporary_file() -> Iterator[Path]:
    """The path of a temporary file, in a folder that's allowed to hold the data and is deleted afterwards."""
    settings.VAR_DIR.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=settings.VAR_DIR, prefix="backup-") as folder:
        yield Path(folder) / "plain"


def _tables_left_out() -> list[str]:
    """The tables to leave out that exist; before an upgrade some may not."""
    there = set(connection.introspection.table_names())
    return [table for label in _LEFT_OUT if (table := apps.get_model(label)._meta.db_table) in there]


def _ledger_beside(file: Path) -> Path:
    return file.parent / ledger.NAME


def _made_at(file: Path) -> datetime | None:
    found = _NAME.match(file.name)
    return timezone.make_aware(datetime.strptime(found[1], _STAMP)) if found else None  # noqa: DTZ007


def _check_kind(file: Path) -> None:
    magic = _SQLITE_MAGIC if connection.vendor == "sqlite" else _POSTGRESQL_MAGIC
    with file.open("rb") as content:
        if not content.read(len(magic)).startswith(magic):
            raise BackupFailed(f"this is no backup of a database like this one ({connection.vendor})")
    if connection.vendor == "sqlite":
        _check_sqlite(file)


def _check_schema(file: Path) -> None:
    """Refuse a backup of a newer version, which has tables that this one doesn't know."""
    known = set(MigrationLoader(None, ignore_no_migrations=True).disk_migrations or ())
    unknown = {each for each in _migrations_in(file) if each not in known and each[0] not in _OPTIONAL_APPS}
    if unknown:
        names = ", ".join(sorted(f"{app}.{name}" for app, name in unknown))
        raise BackupFailed(f"the backup was made by a newer version of the site, which this one doesn't know: {names}")


def _migrations_in(file: Path) -> Iterable[tuple[str, str]]:
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(file)) as database:
            return [(app, name) for app, name in database.execute("SELECT app, name FROM django_migrations")]
    listed = _tool("pg_restore", "--data-only", "--table=django_migrations", "--file=-", str(file), with_database=False)
    found = _MIGRATIONS.search(listed)
    if found is None:
        raise BackupFailed("the backup doesn't say which version of the site made it")
    columns = found[1].split(", ")
    rows = [dict(zip(columns, line.split("\t"), strict=True)) for line in found[2].splitlines()]
    return [(row["app"], row["name"]) for row in rows]


def _check_nobody_connected() -> None:
    """Refuse while others are connected: processes on other machines don't hold our lock file."""
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            " AND backend_type = 'client backend'"
        )
        others = cursor.fetchone()[0]
    if others:
        raise BackupFailed(f"{others} other connections to the database are open; stop the site first")


def _sqlite() -> str:
    return str(connection.settings_dict["NAME"])


def _check_sqlite(file: Path) -> None:
    try:
        with closing(sqlite3.connect(file)) as database:
            (said,) = database.execute("PRAGMA integrity_check").fetchone()
            database.execute("SELECT 1 FROM django_migrations").fetchone()
    except sqlite3.DatabaseError as error:
        raise BackupFailed(f"{file} is damaged: {error}") from error
    if said != "ok":
        raise BackupFailed(f"{file} is damaged: {said}")


def _tool(program: str, *arguments: str, with_database: bool = True) -> str:
    """Run a PostgreSQL program on our database, with the password in the environment, not in the process list."""
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
    return done.stdout
