"""Run every pair of writing functions simultaneously, on a small world of their own, and report what broke.

`python -m tests.scale.pairs SEED` runs the pairs on the environment's database and prints a report as JSON. The seed
chooses a part of the pairs of functions about the same thing, and a smaller one of the others: as many consecutive
seeds as there are parts (see the report) run every pair. Both functions start behind a barrier; then one stops after
one of its statements, also chosen by the seed, until the other is done or waits for it. That's where races happen, and
chance alone would hardly ever hit it.

`python -m tests.scale.pairs SEED every WORD...` stops at every statement in turn, in the pairs with these words, to
look for races.
"""

from __future__ import annotations

import json
import os
import pickle
import random
import shutil
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from pathlib import Path
from queue import SimpleQueue
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.core.exceptions import ObjectDoesNotExist
from django.core.management import call_command
from django.db import connection

from tests.scale.writers import WRITERS, World, Writer  # before other models: it sets Django up

from classrooms import deletion_ledger as ledger  # isort: skip
from classrooms.classes import students  # isort: skip
from classrooms.classes.service import (  # isort: skip
    BadInvitation,
    LastTeacher,
    NoLongerTeaching,
    NotTeaching,
    OtherAddress,
    TaughtLonger,
)
from classrooms.accounts import guardians  # isort: skip
from classrooms.privacy import deleting  # isort: skip
from classrooms.live.errors import LessonRunning, LessonRefusal  # isort: skip
from classrooms.accounts.signing_in import BadLoginCard  # isort: skip
from core.db.fair_lock import lock_of  # isort: skip
from games.rules.errors import Refused  # isort: skip
from core import mail  # isort: skip
from core.jobs import queue  # isort: skip
from core.models import Job  # isort: skip
from tests.scale.invariants import broken  # isort: skip
from tests.scale.snapshots import Snapshot, tables_written  # isort: skip

PATIENCE = 60.0
_ROOT = f"{settings.BASE_DIR}{os.sep}"
LOOK = 0.002
"""Seconds after which a stopped writer checks whether the other one is waiting for it."""
PARTS_OF_SAME = {"postgresql": 2, "sqlite": 4}
"""How many runs share the pairs of functions about the same thing. SQLite allows one writer at a time, so there they
can get in each other's way only outside of a transaction.
"""
OTHERS = 300
"""The maximum number of pairs of functions about different things per run."""
REFUSALS = (
    LessonRefusal,
    LessonRunning,
    Refused,
    BadInvitation,
    OtherAddress,
    LastTeacher,
    NoLongerTeaching,
    NotTeaching,
    TaughtLonger,
    students.NameTaken,
    students.OfferGone,
    guardians.BadCode,
    guardians.LastGuardian,
    deleting.StillTeaching,
    deleting.TooLate,
    BadLoginCard,
    # The object was removed by the other one, which the middleware `ErrorsAsStatus` answers with 404.
    ObjectDoesNotExist,
)


@dataclass
class Turn:
    """One run of a function."""

    writer: Writer
    world: World
    barrier: threading.Barrier
    others_end: threading.Event
    waits_for_us: Callable[[], bool]
    """Whether the other one is blocked until this one goes on."""
    stop_at: int = 0
    """The statement after which it stops; 0 for none."""
    end: threading.Event = field(default_factory=threading.Event)
    statements: int = 0
    written: set[str] = field(default_factory=set)
    called: set[str] | None = None
    """The site's functions that ran, as file and name; None if not recorded."""
    refusal: str = ""
    error: str = ""

    def run(self) -> None:
        try:
            self.barrier.wait(PATIENCE)
            if self.called is not None:
                sys.setprofile(self._note_call)
            self.writer(self.world)
        except REFUSALS as refusal:
            self.refusal = repr(refusal)
        except BaseException:
            self.error = traceback.format_exc(limit=-8)
        finally:
            sys.setprofile(None)
            self.end.set()

    def _note_call(self, frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event == "call" and self.called is not None and code.co_filename.startswith(_ROOT):
            self.called.add(f"{code.co_filename.removeprefix(_ROOT)}:{code.co_qualname}")

    def after_statement(self, sql: str) -> None:
        self.written |= tables_written(sql)
        # SQLite allows only one writer once a transaction has begun.
        if connection.vendor == "sqlite" and (connection.in_atomic_block or sql.startswith("BEGIN")):
            return
        self.statements += 1
        if self.statements == self.stop_at:
            while not self.others_end.wait(LOOK) and not self.waits_for_us():
                pass


class Runner(threading.Thread):
    """A thread that keeps its connection and executes runs one by one."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._turns: SimpleQueue[Turn] = SimpleQueue()
        self._turn: Turn | None = None
        self.start()

    def take(self, turn: Turn) -> None:
        self._turns.put(turn)

    def run(self) -> None:
        connection.execute_wrappers.append(self._watch)
        while True:
            self._turn = self._turns.get()
            self._turn.run()

    def _watch(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        try:
            return execute(sql, params, many, context)
        finally:
            if self._turn:
                self._turn.after_statement(sql)


@dataclass(frozen=True)
class Pair:
    names: tuple[str, str]
    writers: tuple[Writer, Writer]


def writers() -> dict[str, Writer]:
    return {f"{group}: {name}": writer for group, some in WRITERS.items() for name, writer in some.items()}


def pairs(seed: int) -> tuple[list[Pair], int]:
    """The seed's part of the pairs about the same thing, then of the others; and the number of parts."""
    same, others = [], []
    for one, two in combinations_with_replacement(writers().items(), 2):
        pair = Pair((one[0], two[0]), (one[1], two[1]))
        (same if one[0].partition(":")[0] == two[0].partition(":")[0] else others).append(pair)
    # Use a fixed order, so that the parts are fixed too.
    random.Random(0).shuffle(same)
    random.Random(0).shuffle(others)
    parts, of_same = -(-len(others) // OTHERS), PARTS_OF_SAME[connection.vendor]
    return [*same[seed % of_same :: of_same], *others[seed % parts :: parts]], parts


class Races:
    """One world, restored before every race."""

    def __init__(self) -> None:
        # Don't enqueue: nobody reads the queue, so it's not part of the race.
        queue._starters.clear()
        mail._starters.clear()
        self._folder = Path(settings.MEDIA_ROOT)
        self._kept_files = self._folder.with_name("kept-files")
        for old in (self._folder, self._kept_files):
            shutil.rmtree(old, ignore_errors=True)
        # Other tests may have used the database, and some writers process everything in it.
        call_command("flush", interactive=False, verbosity=0)
        self._world = World()
        self._folder.mkdir(parents=True, exist_ok=True)
        shutil.copytree(self._folder, self._kept_files)
        self._record = pickle.dumps(self._world)
        self._snapshot = Snapshot()
        self._observer = connection.copy()
        self._observer.inc_thread_sharing()
        self._runners = Runner(), Runner()
        self._written: set[str] = set()
        connection.execute_wrappers.append(self._watch)

    def alone(self, writer: Writer) -> Turn:
        """Run a function alone, to count its statements and see whether it writes."""
        turn = Turn(writer, self._copy(), threading.Barrier(1), threading.Event(), lambda: True, called=set())
        self._runners[0].take(turn)
        turn.end.wait(PATIENCE)
        self._begin_anew(turn.written)
        return turn

    def run(self, pair: Pair, stops: tuple[int, int]) -> list[str]:
        """Run a pair; return what went wrong."""
        barrier = threading.Barrier(2)
        ends = threading.Event(), threading.Event()
        turns = [
            # Load separate objects, because two requests never share one.
            Turn(writer, self._copy(), barrier, ends[1 - place], self._waits, stop_at=stops[place], end=ends[place])
            for place, writer in enumerate(pair.writers)
        ]
        for runner, turn in zip(self._runners, turns, strict=True):
            runner.take(turn)
        if not all(turn.end.wait(PATIENCE) for turn in turns):
            raise TimeoutError(f"{' + '.join(pair.names)} never ended")
        troubles = [turn.error for turn in turns if turn.error]
        written = set().union(*(turn.written for turn in turns))
        troubles += broken(self._world, written)
        self._begin_anew(written)
        return troubles

    def _waits(self) -> bool:
        """Whether somebody is waiting for a lock."""
        if connection.vendor == "sqlite":
            return lock_of(os.path.realpath(connection.settings_dict["NAME"])).waiting > 0
        with self._observer.cursor() as cursor:
            cursor.execute("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)")
            return bool(cursor.fetchone()[0])

    def _copy(self) -> World:
        found: World = pickle.loads(self._record)  # noqa: S301 (our own)
        return found

    def _begin_anew(self, written: set[str]) -> None:
        self._snapshot.restore(written | self._written)
        self._written.clear()
        cache.clear()
        ledger.file().unlink(missing_ok=True)
        if Job._meta.db_table in written:
            shutil.rmtree(self._folder)
            shutil.copytree(self._kept_files, self._folder)

    def _watch(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        self._written |= tables_written(sql)
        return execute(sql, params, many, context)


def main(seed: int) -> dict[str, Any]:
    rng = random.Random(seed)
    races = Races()
    alone = {name: races.alone(writer) for name, writer in writers().items()}
    found = {name: turn.error or turn.refusal for name, turn in alone.items() if turn.error or turn.refusal}
    idle = [name for name, turn in alone.items() if not turn.written]
    troubles: dict[str, list[str]] = {}
    chosen, parts = pairs(seed)
    for pair in chosen:
        # Let one of the two stop, at some statement or none.
        stop = [0, 0]
        who = rng.randrange(2)
        stop[who] = rng.randint(0, alone[pair.names[who]].statements)
        if wrong := races.run(pair, (stop[0], stop[1])):
            troubles[f"{' + '.join(pair.names)}, {pair.names[who]} stopped at {stop[who]}"] = wrong
    called = sorted(set().union(*(turn.called or () for turn in alone.values())))
    return {
        "pairs": len(chosen),
        "parts": parts,
        "alone": found,
        "idle": idle,
        "called": called,
        "troubles": troubles,
    }


def every(seed: int, words: list[str]) -> None:
    """Look for races by stopping at every statement in turn."""
    races = Races()
    alone = {name: races.alone(writer) for name, writer in writers().items()}
    for pair in pairs(seed)[0]:
        if words and not any(word in name for word in words for name in pair.names):
            continue
        found: dict[str, list[str]] = {}
        for who in range(2):
            for stop in range(1, alone[pair.names[who]].statements + 1):
                for trouble in races.run(pair, (stop, 0) if who == 0 else (0, stop)):
                    found.setdefault(trouble, []).append(f"{pair.names[who]} stopped at {stop}")
        for trouble, where in found.items():
            sys.stdout.write(f"== {' + '.join(pair.names)}: {where}\n{trouble}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    if sys.argv[2:3] == ["every"]:
        every(int(sys.argv[1]), sys.argv[3:])
    else:
        sys.stdout.write(json.dumps(main(int(sys.argv[1]))))
