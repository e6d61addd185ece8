"""A backup, a disaster, and everything as it was: on SQLite and on PostgreSQL, by the commands that operators use."""

from __future__ import annotations

import json

import pytest

from tests.scale.engines import run


def manage(environment: dict[str, str], *arguments: str) -> str:
    return run(["manage.py", *arguments], environment)


def everything(environment: dict[str, str]) -> list[dict]:
    """Every row of every table, in an order of its own."""
    rows = json.loads(manage(environment, "dumpdata", "--natural-foreign"))
    return sorted(rows, key=lambda row: json.dumps(row, sort_keys=True))


@pytest.fixture
def filled(database, tmp_path) -> dict[str, str]:
    """A site with the people and the games of the demo."""
    run(["-c", _FILL], database)
    return database


_SETUP = "import os, django; os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'setsite.settings'); django.setup()\n"
_FILL = f"{_SETUP}from classrooms.demo import fill_demo; fill_demo()"
_WRECK = f"""{_SETUP}
from django.db import connection
from classrooms.models import User
from games.models import Match, Seat
Seat.objects.all().delete()
Match.objects.update(version=0, snapshot={{}})
User.objects.update(display_name="nobody")
with connection.cursor() as cursor:
    cursor.execute("DROP TABLE games_event")
"""


def test_what_was_wrecked_is_as_it_was(filled, tmp_path):
    file = tmp_path / "backup"
    before = everything(filled)
    assert {"classrooms.user", "games.match", "games.event", "lessons.attempt"} <= {row["model"] for row in before}
    manage(filled, "backup", str(file))
    assert file.stat().st_mode & 0o077 == 0
    run(["-c", _WRECK], filled)
    with pytest.raises(RuntimeError, match="games_event"):
        everything(filled)
    manage(filled, "restore", str(file), "--no-input")
    assert everything(filled) == before
    # It is a site again, not only rows: a new row gets a number of its own.
    run(["-c", f"{_SETUP}from tests.scale.race import opened, CALLED_BY_ALL; opened(CALLED_BY_ALL, seats=2)"], filled)


_TRY_WRONG_FILES = f"""{_SETUP}
import io, sys
from pathlib import Path
from django.core.management import call_command
from setsite.backups import BackupFailed, restore

def everything():
    rows = io.StringIO()
    call_command("dumpdata", stdout=rows)
    return rows.getvalue()

before, file = everything(), Path(sys.argv[1])
for content in (b"", b"not a backup", b"SQLite format 3\\x00" + b"\\x00" * 500, b"PGDMP" + b"\\x00" * 500):
    file.write_bytes(content)
    try:
        restore(file)
    except BackupFailed as error:
        print("refused", error)
assert everything() == before
"""


def test_a_file_that_is_no_backup_changes_nothing(database, tmp_path):
    said = run(["-c", _TRY_WRONG_FILES, str(tmp_path / "wrong")], database)
    assert said.count("refused") == 4
    with pytest.raises(RuntimeError, match=r"CommandError: .* cannot be read"):
        manage(database, "restore", str(tmp_path / "nowhere"), "--no-input")


def test_a_backup_writes_over_nothing_and_leaves_no_half_of_one(database, tmp_path):
    file = tmp_path / "backup"
    manage(database, "backup", str(file))
    kept = file.read_bytes()
    with pytest.raises(RuntimeError, match="there already"):
        manage(database, "backup", str(file))
    with pytest.raises(RuntimeError, match="CommandError"):
        manage(database, "backup", str(tmp_path / "no such folder" / "backup"))
    assert (file.read_bytes(), list(tmp_path.iterdir())) == (kept, [file])


def test_a_restore_asks_first(database, tmp_path):
    file = tmp_path / "backup"
    manage(database, "backup", str(file))
    with pytest.raises(RuntimeError, match="nothing was changed"):
        manage(database, "restore", str(file))
