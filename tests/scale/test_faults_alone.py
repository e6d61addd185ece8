"""Faults on a single machine: a full disk and a jumping clock."""

from __future__ import annotations

import resource
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from games.models import Match
from games.rules import events as did
from games.rules.records import event_from
from games.rules.state import Failing
from tests.scale.engines import inherited, reading, run
from tests.scale.faults import (
    SORRY,
    Follower,
    assert_nothing_is_lost_or_done_twice,
    playing,
    soon,
    wait_for_moves,
    wait_until_right,
)
from tests.scale.people import Person, seated
from tools.scale.engines import MissingProgram, free_port, wait_until
from tools.scale.processes import Web

HOUR = 3600
DISK_MB = 4
DATABASE = "setsite.sqlite3"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory) -> Path:
    """The folder of a migrated site that was never started."""
    folder = tmp_path_factory.mktemp("prepared")
    for command in (["migrate"], ["collectstatic", "--no-input"]):
        run(["manage.py", *command, "--verbosity", "0"], {"SETSITE_VAR": str(folder)})
    return folder


@pytest.fixture
def start(prepared, tmp_path, django_db_blocker) -> Iterator[Callable[..., Web]]:
    """Starts a single-process site on SQLite, whose database Django's models then read."""
    with ExitStack() as ends:

        def begin(*before: str, database: Path | None = None, **environment: str) -> Web:
            shutil.copytree(prepared, tmp_path / "var")
            own = {"SETSITE_DEMO": "1", "SETSITE_VAR": str(tmp_path / "var"), **environment}
            web = Web(1, free_port(), {**inherited(), **own}, tmp_path)
            web.command = [*before, *web.command]
            web.start()
            ends.callback(web.kill)
            web.wait()
            sqlite = {"ENGINE": "core.db.sqlite", "NAME": database or tmp_path / "var" / DATABASE}
            ends.enter_context(django_db_blocker.unblock())
            ends.enter_context(reading(sqlite))
            return web

        yield begin


# The disk


class SmallDisk:
    """A small disk visible only to the process started on it; needs no root and disappears with it."""

    ALONE = ("unshare", "--user", "--map-root-user", "--mount")
    SAYS = "database or disk is full"

    def __init__(self, prepared: Path, folder: Path, start: Callable[..., Web]) -> None:
        own, self._copy = folder / "disk", folder / "copy"
        own.mkdir()
        mount = f'mount -t tmpfs -o size={DISK_MB}m small "{own}" && cp "{prepared / DATABASE}" "{own}" && exec "$@"'
        before = [*self.ALONE, "sh", "-c", mount, "sh"]
        self.web = start(*before, database=self._copy / DATABASE, SETSITE_SQLITE=str(own / DATABASE))
        self._seen_from_here = Path(f"/proc/{self.web.process.pid}/root{own}")
        self._filler = self._seen_from_here / "filler"

    @classmethod
    def is_allowed(cls) -> bool:
        command = [*cls.ALONE, "mount", "-t", "tmpfs", "small", "/mnt"]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    def fill(self) -> None:
        with self._filler.open("wb", buffering=0) as filling, suppress(OSError):
            while True:
                filling.write(bytes(4096))

    def make_room(self) -> None:
        self._filler.unlink()

    def read(self) -> None:
        """Let Django's models read its current content, while nobody writes."""
        shutil.copytree(self._seen_from_here, self._copy)


class FilesThatMayNotGrow:
    """A file size limit, which works on any Linux: a write beyond it fails as on a full disk."""

    SAYS = "disk I/O error"

    def __init__(self, folder: Path, start: Callable[..., Web]) -> None:
        self.web = start()
        self._database = folder / "var" / DATABASE

    def fill(self) -> None:
        """Limit files to the current size of the database's log: its next write fails, others work."""
        log = self._database.with_name(f"{DATABASE}-wal")
        self._limit(log.stat().st_size)

    def make_room(self) -> None:
        self._limit(resource.RLIM_INFINITY)

    def _limit(self, size: int) -> None:
        resource.prlimit(self.web.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def read(self) -> None:
        """Let Django's models read the database itself."""


@pytest.fixture
def small_disk(prepared, tmp_path, start) -> SmallDisk | FilesThatMayNotGrow:
    """If mounting a disk isn't allowed, the same test uses a file size limit."""
    return SmallDisk(prepared, tmp_path, start) if SmallDisk.is_allowed() else FilesThatMayNotGrow(tmp_path, start)


@pytest.fixture
def small_files(tmp_path, start) -> FilesThatMayNotGrow:
    return FilesThatMayNotGrow(tmp_path, start)


def test_on_a_full_disk_nothing_is_half_written_and_play_goes_on_when_there_is_room(small_disk, people):
    play_while_the_disk_is_full(small_disk, people)


def test_when_files_may_not_grow_nothing_is_half_written_and_play_goes_on_when_they_may(small_files, people):
    play_while_the_disk_is_full(small_files, people)


def play_while_the_disk_is_full(disk: SmallDisk | FilesThatMayNotGrow, people: list[Person]) -> None:
    site = disk.web.url
    code = seated(people, site)
    with playing(people, code, site) as (players, screens):
        wait_for_moves(players, 6)
        disk.fill()
        wait_until(lambda: any(player.failures for player in players), "somebody has met the page that says sorry")
        assert people[0].get(site, f"/play/{code}/").status == 200, "what is there can be looked at"
        disk.make_room()
        wait_for_moves(players, 6)
        for player in players:
            player.close()
        disk.read()
        wait_until_right(screens)
    assert_nothing_is_lost_or_done_twice(code, players)
    assert all(SORRY in page for player in players for page in player.failures)
    assert disk.SAYS in disk.web.log_text()


# The clock


class Clock:
    """A process's clock, which can be set while it runs; its monotonic clock continues."""

    def __init__(self, folder: Path) -> None:
        found = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
        if not found:
            raise MissingProgram("libfaketime is missing; scripts/test-tools installs it")
        self._file = folder / "clock"
        self.environment = {
            "LD_PRELOAD": str(found[0]),
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "NO_FAKE_STAT": "1",
        }
        self.set(0)

    def set(self, ahead: float) -> None:
        """Replace the file, so that nobody reads half of one."""
        new = self._file.with_suffix(".new")
        new.write_text(f"{ahead:+}\n")
        new.rename(self._file)


@pytest.fixture
def clock(tmp_path) -> Clock:
    return Clock(tmp_path)


def log(code: str) -> list[did.Event]:
    return [event_from(row.record) for row in Match.objects.get(code=code).events.all()]


def test_when_the_clock_jumps_a_window_stays_as_long_as_it_is(start, clock, people):
    web = start(**clock.environment)
    ann, ben, _cleo = people
    code = seated([ann, ben], web.url, window="3")
    screens = [Follower(person, code, web.url) for person in (ann, ben)]
    try:
        for caller, ahead in ((ann, HOUR), (ben, 0)):
            wait_until_right(screens)
            streams = [screen.streams for screen in screens]
            assert caller.do(web.url, code, "call").status == 200
            clock.set(ahead)
            wait_until(lambda: Match.objects.get(code=code).state.control is None, "it closes", seconds=3 + soon())
            wait_until_right(screens)
            for screen, before in zip(screens, streams, strict=True):
                wait_until(lambda screen=screen, old=before: screen.streams > old, "it has asked for the new time")
    finally:
        for screen in screens:
            screen.close()
    assert_nothing_is_lost_or_done_twice(code, [])
    timed = [event for event in log(code) if isinstance(event, did.Called | did.Paused | did.Resumed | did.CallFailed)]
    for jump, (called, paused, resumed, failed) in zip((HOUR, -HOUR), (timed[:4], timed[4:]), strict=True):
        assert resumed.at - paused.at == pytest.approx(jump, abs=soon())
        assert (paused.at - called.at) + (failed.at - resumed.at) == pytest.approx(3)
        assert failed.why is Failing.LATE
