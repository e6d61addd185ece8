"""Backup and restore on SQLite and PostgreSQL, with the commands operators use."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from django.conf import settings as site_settings
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

import setsite.backups
from classrooms import deletion_ledger as ledger
from classrooms.accounts.guardians import BadCode, make_code, use_code
from classrooms.accounts.signing_in import BadLoginCard, card_token, read_card
from classrooms.classes.service import BadInvitation, invitation_token, invite, read_invitation
from classrooms.classes.students import reset_student
from classrooms.models import Classroom, Enrolment, User
from classrooms.privacy.purging import purge
from classrooms.privacy.service import delete_child, delete_class, undo_child
from core.sealed_files import CannotOpen, new_keys, private_key, public_key, seal, unseal
from core.serving import DataIsReplaced, begin_serving
from setsite.backups import BackupFailed, back_up, back_up_into, kept_of, restore
from tests.classrooms.people import enrol, make_adult, make_classroom, signed_in
from tests.scale.engines import inherited, reading, run
from tools.scale.processes import ROOT


def manage(environment: dict[str, str], *arguments: str) -> str:
    return run(["manage.py", *arguments], environment)


def everything(environment: dict[str, str]) -> list[dict]:
    """Every row of every table, sorted. Encrypted fields differ each time."""
    rows = json.loads(manage(environment, "dumpdata", "--natural-foreign", "--exclude", "sessions"))
    for row in rows:
        row["fields"].pop("pictures", None)
    return sorted(rows, key=lambda row: json.dumps(row, sort_keys=True))


@pytest.fixture
def filled(database, tmp_path) -> dict[str, str]:
    """A site with the demo's data, whatever other tests left there."""
    manage(database, "flush", "--no-input", "--verbosity", "0")
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
    manage(filled, "backup", str(tmp_path / "earlier"))
    pictures = run(["-c", _SHOW_PICTURES], filled)
    manage(filled, "backup", str(file))
    before = everything(filled)
    assert {"classrooms.user", "games.match", "games.event", "lessons.learningevent"} <= {
        row["model"] for row in before
    }
    assert file.stat().st_mode & 0o077 == 0
    run(["-c", _WRECK], filled)
    with pytest.raises(RuntimeError, match="games_event"):
        everything(filled)
    manage(filled, "restore", str(file), "--no-input")
    assert everything(filled) == before
    assert run(["-c", _SHOW_PICTURES], filled) == pictures
    # It's a working site again: a new row gets a number of its own.
    run(["-c", f"{_SETUP}from tests.scale.race import opened, CALLED_BY_ALL; opened(CALLED_BY_ALL, seats=2)"], filled)


_SHOW_PICTURES = f"""{_SETUP}
from classrooms.models import User
print([user.pictures for user in User.objects.order_by("pk")])
"""

# What a backup doesn't restore


@pytest.fixture
def site(database, tmp_path, settings, django_db_blocker) -> Iterator[list[Enrolment]]:
    """Four students of a class, on a database that this process backs up and restores."""
    settings.VAR_DIR = tmp_path / "var"
    ours = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(Path(database["SETSITE_VAR"]) / "setsite.sqlite3")}
    if address := database.get("SETSITE_DATABASE"):
        url = urlsplit(address)
        ours = {"ENGINE": "django.db.backends.postgresql", "NAME": url.path.strip("/"), "HOST": unquote(url.netloc)}
        ours = {**ours, "USER": "setsite", "HOST": ours["HOST"].partition("@")[2], "PASSWORD": "", "PORT": ""}
        ours["OPTIONS"] = {}
    with django_db_blocker.unblock(), reading(ours):
        yield enrol(make_classroom(make_adult("Rivera")), "Mia Okafor", "Noah Lind", "Lina Sol", "Theo Bay")


def works(card: str) -> bool:
    try:
        return bool(read_card(card))
    except BadLoginCard:
        return False


def test_a_restore_brings_back_no_card_no_session_and_nobody_who_was_deleted(site, tmp_path):
    lost, gone, back, other = [enrolment.student for enrolment in site]
    teacher = site[0].classroom.teachers.get()
    key = signed_in(lost).cookies["sessionid"].value
    back_up(tmp_path / "earlier")
    code = make_code(other, by=teacher)
    cards = [card_token(lost), card_token(other)]
    back_up(tmp_path / "backup")
    assert key.encode() not in (tmp_path / "backup").read_bytes()
    pictures = other.pictures
    reset_student(lost, by=teacher)
    for student in (gone, back):
        delete_child(student, by=teacher, now=timezone.now())
    undo_child(User.objects.get(pk=back.pk), by=teacher, now=timezone.now())
    use_code(code, by=make_adult("Ada"))
    User.objects.update(display_name="wrecked")

    settled = restore(tmp_path / "backup")

    assert (settled.deleted, settled.new_cards, settled.is_ledger_whole) == (1, 1, True)
    assert User.objects.get(pk=other.pk).display_name == "Theo"
    assert User.objects.get(pk=gone.pk).deleted_at
    assert User.objects.get(pk=back.pk).deleted_at is None
    assert not works(cards[0]), "the card that was given up"
    assert works(card_token(lost)), "the newest one"
    assert works(cards[1])
    assert User.objects.get(pk=other.pk).pictures == pictures
    assert not Session.objects.exists()
    with pytest.raises(BadCode):
        use_code(code, by=make_adult("Bea"))


def test_a_class_that_was_deleted_since_is_deleted_again_with_its_students(site, tmp_path):
    back_up(tmp_path / "backup")
    classroom = site[0].classroom
    delete_class(classroom, by=classroom.teachers.get(), now=timezone.now())
    moment = type(classroom).objects.get(pk=classroom.pk).deleted_at
    restore(tmp_path / "backup")
    assert type(classroom).objects.get(pk=classroom.pk).deleted_at == moment
    students = User.objects.filter(enrolments__classroom=classroom)
    assert {student.deleted_at for student in students} == {moment}, "so that they come back together"


def test_a_new_student_who_has_the_number_of_one_who_was_deleted_stays(site, tmp_path):
    teacher = site[0].classroom.teachers.get()
    back_up(tmp_path / "first")
    (newcomer,) = enrol(site[0].classroom, "Ida Roe")
    delete_child(newcomer.student, by=teacher, now=timezone.now())
    restore(tmp_path / "first")
    # The sequences went back with the restore.
    (another,) = enrol(site[0].classroom, "Udo Fay")
    assert another.student.pk == newcomer.student.pk
    back_up(tmp_path / "second")
    restore(tmp_path / "second")
    assert User.objects.get(pk=another.student.pk).deleted_at is None


@pytest.mark.parametrize("has_copy_beside", [True, False])
def test_without_its_ledger_a_restore_makes_every_card_worthless(site, tmp_path, has_copy_beside):
    lost, other = site[0].student, site[1].student
    back_up(tmp_path / "backup")
    old, others = card_token(lost), card_token(other)
    reset_student(lost, by=site[0].classroom.teachers.get())
    # The disk with the site's own files is lost.
    (site_settings.VAR_DIR / "ledger.jsonl").unlink()
    if not has_copy_beside:
        (tmp_path / "ledger.jsonl").unlink()
    User.objects.all().update(card_number=1)
    settled = restore(tmp_path / "backup")
    assert not settled.is_ledger_whole
    assert settled.new_cards >= 4
    assert not [card for card in (old, others, card_token(lost)) if works(card)]


def test_who_was_removed_for_good_since_the_backup_is_not_even_brought_back_as_deleted(site, tmp_path):
    (elsewhere,) = enrol(make_classroom(make_adult("Lund"), "Class 3A"), "Ida Roe")
    earlier, since, other, stays = [enrolment.student for enrolment in (*site[:2], elsewhere, site[2])]
    teacher, classroom, now = site[0].classroom.teachers.get(), elsewhere.classroom, timezone.now()
    delete_child(earlier, by=teacher, now=now)
    back_up(tmp_path / "backup")
    delete_child(since, by=teacher, now=now)
    delete_class(classroom, by=classroom.teachers.get(), now=now)
    purge(now + timedelta(days=site_settings.UNDO_DAYS, seconds=1))
    restore(tmp_path / "backup")
    assert list(User.objects.filter(pk__in=[earlier.pk, since.pk, other.pk, stays.pk])) == [stays]
    assert not Classroom.objects.filter(pk=classroom.pk).exists()


def test_who_was_deleted_so_long_ago_that_it_cannot_be_undone_is_removed_for_good(site, tmp_path):
    back_up(tmp_path / "backup")
    long_ago = timezone.now() - timedelta(days=site_settings.UNDO_DAYS, seconds=1)
    delete_child(site[0].student, by=site[0].classroom.teachers.get(), now=long_ago)
    restore(tmp_path / "backup")
    assert not User.objects.filter(pk=site[0].student.pk).exists()


def test_an_invitation_that_was_open_is_void_after_a_restore(site, tmp_path):
    classroom = site[0].classroom
    token = invitation_token(invite(classroom, "lund@people.example", by=classroom.teachers.get()))
    back_up(tmp_path / "backup")
    assert read_invitation(token)
    restore(tmp_path / "backup")
    with pytest.raises(BadInvitation):
        read_invitation(token)


def test_what_the_ledger_lost_with_a_crash_is_taken_from_the_database_that_is_replaced(site, tmp_path):
    lost, gone = site[0].student, site[1].student
    teacher = site[0].classroom.teachers.get()
    back_up(tmp_path / "backup")
    known, card = ledger.file().read_bytes(), card_token(lost)
    reset_student(lost, by=teacher)
    delete_child(gone, by=teacher, now=timezone.now())
    # The process died between the commit and writing the ledger line.
    ledger.file().write_bytes(known)
    settled = restore(tmp_path / "backup")
    assert (settled.deleted, settled.new_cards, settled.is_ledger_whole) == (1, 1, True)
    assert not works(card)
    assert User.objects.get(pk=gone.pk).deleted_at


# Interrupted restores

STEPS = ["_put_back", "call_command", "settle", "unmark_restoring"]


def starts(monkeypatch) -> bool:
    """Whether a process of the site can start now."""
    held: list[int] = []
    monkeypatch.setattr("core.serving._held", held)
    try:
        begin_serving()
    except DataIsReplaced:
        return False
    finally:
        for lock in held:
            os.close(lock)
    return True


def interrupted(step: Callable[..., Any], *, is_done: bool) -> Callable[..., None]:
    """The step, with an operator pressing Ctrl+C right before or right after it."""

    def run_step(*arguments: Any, **options: Any) -> None:
        if is_done:
            step(*arguments, **options)
        raise KeyboardInterrupt

    return run_step


@pytest.mark.parametrize("is_done", [False, True])
@pytest.mark.parametrize("step", STEPS)
def test_after_an_interrupted_restore_the_site_does_not_start_until_it_is_done_again(
    site, tmp_path, monkeypatch, step, is_done
):
    lost, gone = site[0].student, site[1].student
    teacher = site[0].classroom.teachers.get()
    back_up(tmp_path / "backup")
    card = card_token(lost)
    reset_student(lost, by=teacher)
    delete_child(gone, by=teacher, now=timezone.now())
    with monkeypatch.context() as patched:
        patched.setattr(setsite.backups, step, interrupted(getattr(setsite.backups, step), is_done=is_done))
        with pytest.raises(KeyboardInterrupt):
            restore(tmp_path / "backup")
    # Everything is right only once the last step is done.
    is_finished = step == "unmark_restoring" and is_done
    assert starts(monkeypatch) is is_finished
    if not is_finished:
        with pytest.raises(DataIsReplaced, match="restore"):
            call_command("prepare")
        with pytest.raises(BackupFailed, match="interrupted"):
            back_up(tmp_path / "of what is not settled")

    settled = restore(tmp_path / "backup")

    assert starts(monkeypatch)
    assert settled.is_ledger_whole
    assert not works(card)
    assert User.objects.get(pk=gone.pk).deleted_at
    back_up(tmp_path / "afterwards")


def test_machines_that_share_only_the_database_do_not_start_after_an_interrupted_restore(site, tmp_path, monkeypatch):
    back_up(tmp_path / "backup")
    with monkeypatch.context() as patched:
        patched.setattr(setsite.backups, "settle", interrupted(setsite.backups.settle, is_done=False))
        with pytest.raises(KeyboardInterrupt):
            restore(tmp_path / "backup")
    # Another machine has its own folder.
    (site_settings.VAR_DIR / "restoring").unlink()
    assert starts(monkeypatch) is (connection.vendor == "sqlite"), "a file that only one machine has"
    restore(tmp_path / "backup")
    assert starts(monkeypatch)


@pytest.mark.parametrize("is_first", [True, False])
def test_a_restore_that_fails_and_changed_nothing_keeps_the_site_from_nothing(site, tmp_path, monkeypatch, is_first):
    back_up(tmp_path / "backup")
    with monkeypatch.context() as patched:
        patched.setattr(setsite.backups, "settle", interrupted(setsite.backups.settle, is_done=False))
        if not is_first:
            with pytest.raises(KeyboardInterrupt):
                restore(tmp_path / "backup")

    def full(*_arguments: Any, **_options: Any) -> None:
        raise BackupFailed("no space is left")

    with monkeypatch.context() as patched:
        patched.setattr(setsite.backups, "_put_back", full)
        with pytest.raises(BackupFailed, match="no space"):
            restore(tmp_path / "backup")
    assert starts(monkeypatch) is is_first, "what an earlier one left unfinished still is"
    restore(tmp_path / "backup")
    assert starts(monkeypatch)


# What is refused


@contextmanager
def beside(program: str, database: dict[str, str]) -> Iterator[None]:
    """Run a program of the site in the meantime, and kill it afterwards."""
    environment = {**inherited(), "SETSITE_DEMO": "1", **database}
    command = [sys.executable, "-c", program]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdin=pipe, stdout=pipe) as process:
        try:
            assert process.stdout.readline()
            yield
        finally:
            process.kill()


_SERVING = f"""{_SETUP}
from core.serving import begin_serving
begin_serving()
print(1, flush=True)
input()
"""
_CONNECTED = f"""{_SETUP}
from django.db import connection
connection.ensure_connection()
print(1, flush=True)
input()
"""


def test_a_restore_is_refused_while_the_site_serves(site, database, tmp_path):
    back_up(tmp_path / "backup")
    serving = beside(_SERVING, {**database, "SETSITE_VAR": str(site_settings.VAR_DIR)})
    with serving, pytest.raises(BackupFailed, match="the site is running"):
        restore(tmp_path / "backup")
    # After being killed, it holds no lock.
    restore(tmp_path / "backup")


def test_a_restore_is_refused_while_somebody_elsewhere_is_connected(site, database, tmp_path):
    back_up(tmp_path / "backup")
    if connection.vendor == "postgresql":
        with beside(_CONNECTED, database), pytest.raises(BackupFailed, match="other connections"):
            restore(tmp_path / "backup")
    else:
        assert connection.vendor == "sqlite", "whose file only processes of this machine have open; they hold the lock"


def test_a_backup_of_a_newer_version_is_refused_and_changes_nothing(site, tmp_path):
    recorder = MigrationRecorder(connection)
    recorder.record_applied("games", "9999_holograms")
    back_up(tmp_path / "backup")
    recorder.record_unapplied("games", "9999_holograms")
    User.objects.filter(pk=site[0].student.pk).update(display_name="since")
    with pytest.raises(BackupFailed, match=r"newer version of the site.*games\.9999_holograms"):
        restore(tmp_path / "backup")
    assert User.objects.get(pk=site[0].student.pk).display_name == "since"


def test_a_file_that_is_no_backup_changes_nothing(site, tmp_path):
    before, file = people_now(), tmp_path / "wrong"
    for content in (b"", b"not a backup", b"SQLite format 3\x00" + b"\x00" * 500, b"PGDMP" + b"\x00" * 500):
        file.write_bytes(content)
        with pytest.raises(BackupFailed):
            restore(file)
    with pytest.raises(BackupFailed, match="cannot be read"):
        restore(tmp_path / "nowhere")
    assert people_now() == before


def people_now() -> list[tuple[object, ...]]:
    return list(User.objects.order_by("pk").values_list("pk", "display_name", "card_number", "deleted_at"))


def test_a_backup_writes_over_nothing_and_leaves_no_half_of_one(site, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    file = folder / "backup"
    back_up(file)
    kept = file.read_bytes()
    with pytest.raises(BackupFailed, match="there already"):
        back_up(file)
    with pytest.raises(BackupFailed, match="cannot be written"):
        back_up(folder / "no such folder" / "backup")
    assert (file.read_bytes(), sorted(folder.iterdir())) == (kept, [file, folder / "ledger.jsonl"])
    assert not list(site_settings.VAR_DIR.glob("backup-*")), "no copy is left in the workshop"


def test_a_restore_asks_first(database, tmp_path):
    file = tmp_path / "backup"
    manage(database, "backup", str(file))
    with pytest.raises(RuntimeError, match="nothing was changed"):
        manage(database, "restore", str(file))


# Encrypted backups


def test_a_sealed_backup_gives_nothing_away_and_opens_with_its_key_only(site, tmp_path, settings):
    said = StringIO()
    for name in ("key", "other"):
        call_command("backup_key", str(tmp_path / name), stdout=said, stderr=StringIO())
    settings.BACKUP_KEY = said.getvalue().splitlines()[0].removeprefix("SETSITE_BACKUP_KEY=")
    assert (tmp_path / "key").stat().st_mode & 0o077 == 0
    with pytest.raises(CommandError, match="there already"):
        call_command("backup_key", str(tmp_path / "key"))
    file = tmp_path / "backup"
    back_up(file)
    content = file.read_bytes()
    assert b"Okafor" not in content
    assert b"classrooms_user" not in content
    key, other = ((tmp_path / name).read_text() for name in ("key", "other"))
    User.objects.filter(pk=site[0].student.pk).update(display_name="since")
    for wrong in ("", other, "not a key"):
        with pytest.raises(BackupFailed):
            restore(file, key=wrong)
    damaged = tmp_path / "damaged"
    middle = len(content) // 2
    for bent in (content[:-1], content[:100], content[:middle] + b"!" + content[middle + 1 :], content + b"more"):
        damaged.write_bytes(bent)
        with pytest.raises(BackupFailed, match="damaged"):
            restore(damaged, key=key)
    assert User.objects.get(pk=site[0].student.pk).display_name == "since"
    restore(file, key=key)
    assert User.objects.get(pk=site[0].student.pk).display_name == "Mia"
    assert not list(site_settings.VAR_DIR.glob("backup-*")), "no copy in clear is left behind"


def test_a_sealed_file_of_any_length_opens_again_and_a_shortened_one_does_not():
    private, public = new_keys()
    for length in (0, 1, 65_535, 65_536, 65_537, 131_072, 200_000):
        content, sealed, opened = bytes(length), BytesIO(), BytesIO()
        seal(BytesIO(content), sealed, public_key(public))
        unseal(BytesIO(sealed.getvalue()), opened, private_key(private))
        assert opened.getvalue() == content
        # Whole chunks are missing at the end.
        cut = sealed.getvalue()[: -(65_536 + 16)]
        with pytest.raises(CannotOpen):
            unseal(BytesIO(cut), BytesIO(), private_key(private))


# Rotation


def test_one_backup_a_day_and_one_a_week_are_kept():
    first = datetime(2026, 11, 16, 3, tzinfo=UTC)
    made = {Path(str(hour)): first - timedelta(hours=hour) for hour in range(0, 24 * 60, 12)}
    kept = sorted(made[file] for file in kept_of(made, daily=3, weekly=2))
    assert kept == [
        datetime(2026, 11, 15, 15, tzinfo=UTC) - timedelta(days=1),
        datetime(2026, 11, 15, 15, tzinfo=UTC),
        first,
    ]
    assert kept_of(made, daily=0, weekly=0) == {Path("0")}
    assert len(kept_of(made, daily=7, weekly=4)) <= 11
    assert kept_of({}, daily=7, weekly=4) == set()


def test_a_folder_is_rotated_and_other_files_in_it_stay(site, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    for name in ("setsite-notes.txt", "setsite-20200101-030000.backup", "setsite-20200102-030000.backup"):
        (folder / name).write_text("old")
    now = timezone.now()
    made = back_up_into(folder, daily=1, weekly=1, now=now)
    assert sorted(folder.iterdir()) == sorted([made, folder / "ledger.jsonl", folder / "setsite-notes.txt"])
