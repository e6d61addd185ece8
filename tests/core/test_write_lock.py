"""The fair write lock of our SQLite backend: who waits, in which order, and that it's always released."""

from __future__ import annotations

import gc
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import connection, connections, transaction
from django.db.utils import ConnectionHandler, IntegrityError, OperationalError, ProgrammingError

from classrooms.live import leading
from classrooms.models import User
from core.db.fair_lock import FairLock, lock_of
from core.db.sqlite import base
from games.matches import service as matches
from games.models import Match, Way
from games.players import Player
from games.rules import Options
from games.rules import commands as ask
from tests.classrooms.people import make_adult, make_classroom

PATIENCE = 60.0


class Writer(threading.Thread):
    """A thread with its own connection; `finish` raises its error."""

    def __init__(self, work: Callable[[], object]) -> None:
        super().__init__(daemon=True)
        self._work = work
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self._work()
        except BaseException as error:
            self.error = error
        finally:
            connections.close_all()

    def finish(self) -> None:
        self.join(PATIENCE)
        assert not self.is_alive()
        if self.error:
            raise self.error

    def wait_until_blocked(self) -> None:
        """Wait until the kernel has seen the thread asleep fifty times in a row, so it's waiting for a lock."""
        state = Path(f"/proc/self/task/{self.native_id}/stat")
        deadline = time.monotonic() + PATIENCE
        asleep = 0
        while asleep < 50:
            assert time.monotonic() < deadline
            asleep = asleep + 1 if state.read_text().rpartition(")")[2].split()[0] == "S" else 0
            time.sleep(0.001)


@pytest.fixture
def sqlite(transactional_db) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL queues writers by itself")


def test_a_call_and_a_lesson_that_is_reopened_never_wait_for_each_other(sqlite):
    teacher = make_adult()
    classroom = make_classroom(teacher)
    session = leading.open_session(classroom, by=teacher)
    player = Player(name="Ann", guest="a" * 32)
    code = matches.open_match(way=Way.TOGETHER, options=Options(), player=player, now=0.0).code
    call = Writer(lambda: matches.command(code, ask.Deal(0), now=1.0))
    started = time.monotonic()
    with transaction.atomic():
        call.start()
        call.wait_until_blocked()
        leading.end(session)
    call.finish()
    assert time.monotonic() - started < 4, "it waited for SQLite's own timeout"
    assert Match.objects.get(code=code).state.table


def test_thirty_lessons_that_are_reopened_beside_a_table_that_plays_lose_no_move(sqlite):
    teacher = make_adult()
    classroom = make_classroom(teacher)
    player = Player(name="Ann", guest="a" * 32)
    code = matches.open_match(way=Way.TOGETHER, options=Options(window=None), player=player, now=0.0).code
    matches.command(code, ask.Deal(0), now=1.0)
    is_over = threading.Event()
    moves = 0

    def play() -> None:
        nonlocal moves
        while not is_over.is_set():
            for order in (ask.Call(0), ask.Withdraw(0)):
                matches.command(code, order, now=time.time())
                moves += 1

    table = Writer(play)
    table.start()
    for _restart in range(30):
        leading.end(leading.open_session(classroom, by=teacher))
    is_over.set()
    table.finish()
    assert moves > 10


# Queueing and release


def own_lock() -> FairLock:
    return lock_of(os.path.realpath(connection.settings_dict["NAME"]))


def make_user(name: str) -> User:
    return User.objects.create_student(display_name=name, pictures="")


def test_a_write_outside_of_a_transaction_queues_up_too(sqlite):
    lock = own_lock()
    user = make_user("Mia")
    writer = Writer(lambda: User.objects.filter(pk=user.pk).update(display_name="Max"))
    with transaction.atomic():
        writer.start()
        deadline = time.monotonic() + PATIENCE
        while not lock.waiting:
            assert time.monotonic() < deadline, "it didn't queue"
            time.sleep(0.001)
    writer.finish()
    assert User.objects.get(pk=user.pk).display_name == "Max"
    assert lock.owner is None


def test_reading_waits_for_nobody(sqlite):
    user = make_user("Mia")
    reader = Writer(lambda: User.objects.get(pk=user.pk))
    with transaction.atomic():
        reader.start()
        reader.finish()


def test_nested_transactions_take_it_once_and_give_it_back_at_the_end(sqlite):
    lock = own_lock()
    with transaction.atomic():
        held = lock.owner
        assert held is not None
        with transaction.atomic():
            make_user("Mia")
        assert lock.owner is held
    assert lock.owner is None


def test_it_is_given_back_after_every_kind_of_failure(sqlite):
    lock = own_lock()
    user = make_user("Mia")
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create(pk=user.pk)
    assert lock.owner is None
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("INSERT INTO classrooms_user (id) VALUES (%s)", [user.pk])
    assert lock.owner is None
    with pytest.raises(IntegrityError), connection.cursor() as cursor:
        cursor.execute("INSERT INTO classrooms_user (id) VALUES (%s)", [user.pk])
    assert lock.owner is None
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        # SQLite checks this at COMMIT, and leaves the transaction open on failure.
        cursor.execute(
            "INSERT INTO classrooms_guardianship (guardian_id, child_id, made_at) VALUES (0, %s, '2026-01-01')",
            [user.pk],
        )
    assert lock.owner is None
    make_user("Max")


def test_a_begin_that_fails_gives_it_back(sqlite, monkeypatch):
    lock = own_lock()
    other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA busy_timeout = 10")
        with pytest.raises(OperationalError), transaction.atomic():
            pass
        assert lock.owner is None
        other.execute("ROLLBACK")
        make_user("Mia")
    finally:
        other.close()
        connection.close()


def test_a_connection_that_is_closed_within_its_transaction_gives_it_back(sqlite):
    lock = own_lock()

    def close_and_go_on() -> None:
        connection.close()
        assert lock.owner is None
        make_user("Mia")

    with pytest.raises(ProgrammingError), transaction.atomic():
        close_and_go_on()
    make_user("Max")


def test_a_thread_that_ends_within_its_transaction_gives_it_back(sqlite):
    lock = own_lock()

    def begin_and_end() -> None:
        connections["default"].ensure_connection()
        connections["default"]._start_transaction_under_autocommit()

    thread = threading.Thread(target=begin_and_end)
    thread.start()
    thread.join()
    gc.collect()
    assert lock.owner is None
    make_user("Mia")


def test_whoever_waits_too_long_is_told_and_leaves_the_queue(sqlite, monkeypatch):
    monkeypatch.setattr(base, "LONGEST_WAIT", 0.05)
    writer = Writer(lambda: make_user("Mia"))
    with transaction.atomic():
        writer.start()
        writer.join(PATIENCE)
    assert isinstance(writer.error, OperationalError)
    assert own_lock().waiting == 0
    make_user("Max")


def test_two_database_files_have_a_lock_each(sqlite, tmp_path):
    settings = {**connections.settings["default"], "NAME": str(tmp_path / "other.sqlite3")}
    other = ConnectionHandler({"default": settings})["default"]
    try:
        with transaction.atomic(), other.cursor() as cursor:
            cursor.execute("CREATE TABLE thing (number integer)")
    finally:
        other.close()


# The lock by itself


def test_newcomers_do_not_overtake_those_who_wait():
    lock, heard = FairLock(), []
    first = object()
    assert lock.acquire(first, 1)

    def queue(name: int) -> None:
        owner = object()
        lock.acquire(owner, PATIENCE)
        heard.append(name)
        lock.release(owner)

    threads = [threading.Thread(target=queue, args=(number,)) for number in range(20)]
    for place, thread in enumerate(threads, 1):
        thread.start()
        while lock.waiting < place:
            time.sleep(0.001)
    lock.release(first)
    # Later arrivals are behind all of them.
    late = object()
    lock.acquire(late, PATIENCE)
    for thread in threads:
        thread.join()
    assert heard == list(range(20))


def test_only_its_owner_can_release_it():
    lock, owner = FairLock(), object()
    lock.acquire(owner, 1)
    lock.release(object())
    assert lock.owner is owner
    with pytest.raises(RuntimeError):
        lock.acquire(owner, 1)


def test_a_write_that_returns_something_is_done_before_its_rows_are_read(sqlite):
    """SQLite commits such a write when its last row is read, possibly after the lock was released."""
    table = User._meta.db_table
    make_adult()
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE {table} SET is_active = is_active RETURNING id, is_active")
        elsewhere = sqlite3.connect(connection.settings_dict["NAME"], timeout=0, uri=True)
        try:
            elsewhere.execute("BEGIN IMMEDIATE")
        finally:
            elsewhere.close()
        (pk, is_active) = cursor.fetchone()
        assert (pk, bool(is_active)) == (User.objects.get().pk, True)
        assert cursor.fetchone() is None


@pytest.mark.parametrize("read", ["fetchall", "fetchmany", "iter"])
def test_what_a_write_returns_is_read_in_any_way(sqlite, read):
    keys = sorted(make_adult(name).pk for name in ("Ann", "Ben", "Cleo"))
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE {User._meta.db_table} SET is_active = is_active RETURNING id")
        if read == "fetchmany":
            rows = [*cursor.fetchmany(2), *cursor.fetchmany(2)]
        else:
            rows = list(cursor) if read == "iter" else cursor.fetchall()
        assert sorted(pk for (pk,) in rows) == keys
        cursor.execute("SELECT 7")
        assert cursor.fetchall() == [(7,)]
