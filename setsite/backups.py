"""Everything that the site keeps, in one file and back again: PostgreSQL by its own tools, SQLite by its own copy.

Left out: sessions and mail that waits to be sent, which nobody should get back, and files of jobs, which are kept for
a week and made again when somebody asks. With a public key in the settings a backup is sealed for its private key.
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
from classrooms.audit import note
from classrooms.models import Action
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
"""Apps that a site may have had and doesn't have now; their tables are in nobody's way."""
_NAME = re.compile(r"^setsite-(\d{8}-\d{6})\.backup$")
_STAMP = "%Y%m%d-%H%M%S"
_COPIED = re.compile(r"^COPY \S*django_migrations \(([^)]*)\) FROM stdin;\n(.*?)^\\\.$", re.MULTILINE | re.DOTALL)
"""How PostgreSQL writes down the rows of that table."""
_DROP_ALL = """
DO $$ DECLARE ours regclass; BEGIN
    FOR ours IN
        SELECT oid FROM pg_class
        WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace
            AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')
    LOOP EXECUTE format('DROP TABLE IF EXISTS %s CASCADE', ours); END LOOP;
END $$;
"""
"""Every table but those of PostgreSQL's extensions."""


class BackupFailed(Exception):
    """Why there is no backup, or why it was not taken back."""


def back_up(file: Path) -> None:
    """Write the database into a new file, as it is at one moment, while the site goes on."""
    if file.exists():
        raise BackupFailed(f"{file} is there already; a backup never writes over another")
    if is_restore_unfinished():
        raise BackupFailed("a restore isn't finished; if it was interrupted, run it again before you make a backup")
    # It has its name once it is whole.
    part = file.with_name(f"{file.name}.part")
    try:
        part.unlink(missing_ok=True)
        part.touch(mode=0o600)
    except OSError as error:
        raise BackupFailed(f"{part} cannot be written") from error
    try:
        ledger.catch_up(timezone.now())
        note(None, Action.BACKED_UP)
        with _plain_copy() as copy:
            if settings.BACKUP_KEY:
                with copy.open("rb") as source, part.open("wb") as target:
                    seal(source, target, public_key(settings.BACKUP_KEY))
            else:
                shutil.copyfile(copy, part)
        part.rename(file)
    finally:
        part.unlink(missing_ok=True)
    # Beside the backups, for the day on which the site's own disk is gone.
    shutil.copyfile(ledger.file(), _beside(file))


def back_up_into(folder: Path, *, daily: int, weekly: int, now: datetime) -> Path:
    """A new backup in a folder, from which older ones then go: one a day and one a week are kept, so many of each."""
    file = folder / f"setsite-{now:{_STAMP}}.backup"
    back_up(file)
    made = {each: found for each in folder.iterdir() if (found := _made_at(each))}
    for old in made.keys() - kept_of(made, daily=daily, weekly=weekly):
        old.unlink()
    return file


def kept_of(made: dict[Path, datetime], *, daily: int, weekly: int) -> set[Path]:
    """Which backups stay: the newest of each of the last days that have one, and of each of the last weeks likewise."""
    kept: set[Path] = set()
    for most, period in ((daily, "%Y%m%d"), (weekly, "%G%V")):
        newest = {moment.strftime(period): file for file, moment in sorted(made.items(), key=lambda each: each[1])}
        kept.update(newest[name] for name in sorted(newest)[-most:] if most)
    return kept | ({max(made, key=lambda file: made[file])} if made else set())


def restore(file: Path, *, key: str = "") -> Settled:
    """Put back what a backup holds, all of it or nothing; whatever came since is gone.

    Refused while the site serves, and for a backup that a newer version of the site made. Deletions and new cards
    since then are applied to it, and nobody is signed in. If it's interrupted the site doesn't start until a restore
    is done.
    """
    try:
        with nobody_serves(), _opened(file, key) as plain:
            _check_kind(plain)
            _check_schema(plain)
            _check_nobody_connected()
            _remember()
            own, beside = list(ledger.read(ledger.file())), list(ledger.read(_beside(file)))
            _mark_and_put_back(plain)
            call_command("migrate", verbosity=0)
            settled = settle(own, beside, now=timezone.now())
            unmark_restoring()
            return settled
    except SiteIsServing as error:
        raise BackupFailed(str(error)) from error
    except CannotOpen as error:
        raise BackupFailed(f"{file}: {error}") from error


def _remember() -> None:
    """Have the ledger take what the database that is about to go still knows. A wrecked one knows nothing any more."""
    try:
        ledger.catch_up(timezone.now())
    except DatabaseError as error:
        log.warning("restore.database_unreadable", extra={"error": type(error).__name__})
        connection.close()


def _mark_and_put_back(plain: Path) -> None:
    """Keep the site from starting until the restore is done, unless it fails before anything has changed."""
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
    """An older backup doesn't know the tables that came since, so all of them go first, in the same transaction."""
    with _workshop() as script:
        with script.open("w", encoding="utf-8") as target:
            target.write(f"{_DROP_ALL}{MARK_DATABASE};\n")
        restored = script.with_name("restored")
        options = ["--clean", "--if-exists", "--no-owner", f"--file={restored}"]
        _tool("pg_restore", *options, str(plain), with_database=False)
        options = ["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null", "--single-transaction"]
        _tool("psql", *options, f"--file={script}", f"--file={restored}")


@contextmanager
def _plain_copy() -> Iterator[Path]:
    """The database in a file of our own, checked, without what is left out of backups."""
    with _workshop() as copy:
        if connection.vendor == "sqlite":
            with closing(sqlite3.connect(_sqlite())) as source, closing(sqlite3.connect(copy)) as target:
                source.backup(target)
                for table in _tables_left_out():
                    target.execute(f"DELETE FROM {table}")  # noqa: S608 (our own tables)
                target.commit()
                # What was deleted would still be in the file.
                target.execute("VACUUM")
            _check_sqlite(copy)
        else:
            left_out = [f"--exclude-table-data={table}" for table in _tables_left_out()]
            _tool("pg_dump", "--format=custom", "--no-owner", "--no-privileges", *left_out, f"--file={copy}")
            _tool("pg_restore", "--list", str(copy), with_database=False)
        yield copy


@contextmanager
def _opened(file: Path, key: str) -> Iterator[Path]:
    """The backup as the database's own tools read it."""
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
    with _workshop() as plain:
        with file.open("rb") as source, plain.open("wb") as target:
            unseal(source, target, private_key(key))
        yield plain


@contextmanager
def _workshop() -> Iterator[Path]:
    """A new file where the database itself may be, gone afterwards."""
    settings.VAR_DIR.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=settings.VAR_DIR, prefix="backup-") as folder:
        yield Path(folder) / "plain"


def _tables_left_out() -> list[str]:
    """Those of them that are there: before an upgrade some aren't yet."""
    there = set(connection.introspection.table_names())
    return [table for label in _LEFT_OUT if (table := apps.get_model(label)._meta.db_table) in there]


def _beside(file: Path) -> Path:
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
    """A backup of a newer version has tables that this one doesn't know."""
    known = set(MigrationLoader(None, ignore_no_migrations=True).disk_migrations or ())
    unknown = {each for each in _migrations_in(file) if each not in known and each[0] not in _OPTIONAL_APPS}
    if unknown:
        names = ", ".join(sorted(f"{app}.{name}" for app, name in unknown))
        raise BackupFailed(f"the backup was made by a newer version of the site, which this one doesn't know: {names}")


def _migrations_in(file: Path) -> Iterable[tuple[str, str]]:
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(file)) as kept:
            return [(app, name) for app, name in kept.execute("SELECT app, name FROM django_migrations")]
    listed = _tool("pg_restore", "--data-only", "--table=django_migrations", "--file=-", str(file), with_database=False)
    found = _COPIED.search(listed)
    if found is None:
        raise BackupFailed("the backup doesn't say which version of the site made it")
    columns = found[1].split(", ")
    rows = [dict(zip(columns, line.split("\t"), strict=True)) for line in found[2].splitlines()]
    return [(row["app"], row["name"]) for row in rows]


def _check_nobody_connected() -> None:
    """Processes on other machines hold no lock of ours, but connections to the database."""
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
        with closing(sqlite3.connect(file)) as kept:
            (said,) = kept.execute("PRAGMA integrity_check").fetchone()
            kept.execute("SELECT 1 FROM django_migrations").fetchone()
    except sqlite3.DatabaseError as error:
        raise BackupFailed(f"{file} is damaged: {error}") from error
    if said != "ok":
        raise BackupFailed(f"{file} is damaged: {said}")


def _tool(program: str, *arguments: str, with_database: bool = True) -> str:
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
    return done.stdout
