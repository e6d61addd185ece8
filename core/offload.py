"""Run heavy work in child processes, with limits on time and memory.

A thread that computes holds the GIL, and every other thread waits. So a web process hands PDFs, spreadsheets, uploaded
lists, password hashes and jobs to children, which have low priority and little memory, and are killed when they take
too long. Functions and their arguments must be picklable; only jobs touch the database. Outside a web process, in a
job or a command, the function is simply called.
"""

from __future__ import annotations

import os
import queue
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any, TypeVar

import django
from django.conf import settings
from django.db import connection
from django.utils import translation

from core.spare_cores import spare_core

T = TypeVar("T")

SECONDS = 10.0
"""How long work may take, and also how long it may wait for a free child."""
START_SECONDS = 60.0
MOST_BYTES = 512 * 1024 * 1024
"""Memory that work may use beyond what the child has when it's ready."""
NICENESS = 5


class OffloadFailed(Exception):
    """The work took too long or too much memory, or no child was free in time."""


class NoChildFree(OffloadFailed):
    """Every child was busy; the work wasn't started."""


def child_environment() -> dict[str, str]:
    """Environment for a child process with the same settings and database, a test database included."""
    # Overridden settings don't know their module's name; the environment does.
    module = os.environ.get("DJANGO_SETTINGS_MODULE") or settings.SETTINGS_MODULE
    database = "SETSITE_SQLITE" if connection.vendor == "sqlite" else "SETSITE_DATABASE_NAME"
    name = str(connection.settings_dict["NAME"])
    return {**os.environ, "DJANGO_SETTINGS_MODULE": module, database: name}


class _Child:
    """A process that does one piece of work after another."""

    def __init__(self, *, has_django: bool, niceness: int) -> None:
        self._link, theirs = Pipe()
        mode = "django" if has_django else "bare"
        command = [sys.executable, "-m", "core.offload", str(theirs.fileno()), mode, str(niceness)]
        self._has_django = has_django
        self.used_at = time.monotonic()
        try:
            # Its own session: Ctrl+C should reach only the server, which ends its children.
            self._process = subprocess.Popen(  # noqa: S603 (our own module)
                command,
                cwd=settings.BASE_DIR,
                # A child needs only one core, and each thread of a numeric library uses memory from its limit.
                env=child_environment() | {"OPENBLAS_NUM_THREADS": "1"},
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        except OSError as error:
            raise OffloadFailed("no child can be started") from error
        finally:
            theirs.close()
        try:
            self._receive(START_SECONDS)
        except OffloadFailed:
            self.end()
            raise

    def do(self, function: Callable[..., T], arguments: tuple[Any, ...], seconds: float) -> T:
        try:
            self._link.send((function, arguments, translation.get_language() if self._has_django else None))
        except OSError as error:
            raise OffloadFailed("the child has ended") from error
        is_done, result = self._receive(seconds)
        if not is_done:
            raise result
        done: T = result
        return done

    def _receive(self, seconds: float) -> tuple[bool, Any]:
        try:
            if self._link.poll(seconds):
                heard: tuple[bool, Any] = self._link.recv()
                return heard
        except (EOFError, OSError) as error:
            raise OffloadFailed("the child has ended") from error
        raise OffloadFailed(f"not done within {seconds:.0f} seconds")

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._link.close()


class Offload:
    """A fixed number of children, each started when first needed, and again after it was killed."""

    def __init__(
        self,
        *,
        has_django: bool = True,
        niceness: int = NICENESS,
        spares_core: bool = True,
        is_inline_when_off: bool = True,
    ) -> None:
        self._has_django = has_django
        self._niceness = niceness
        self._spares_core = spares_core
        self._is_inline_when_off = is_inline_when_off
        self._slots: queue.LifoQueue[_Child | None] = queue.LifoQueue()
        self._children: set[_Child] = set()
        self._lock = threading.Lock()
        self.is_on = False

    def start(self, children: int) -> None:
        """From now on, run work in children."""
        self._slots = queue.LifoQueue()
        for _child in range(children):
            self._slots.put(None)
        self.is_on = True

    def stop(self) -> None:
        self.is_on = False
        with self._lock:
            for child in self._children:
                child.end()
            self._children.clear()

    def __call__(
        self, function: Callable[..., T], *arguments: Any, seconds: float | None = None, wait: float | None = None
    ) -> T:
        """Call a function in a child; `OffloadFailed` if it can't be done within the limits."""
        if not self.is_on and self._is_inline_when_off:
            return function(*arguments)
        limit = SECONDS if seconds is None else seconds
        child = self._take_slot(limit if wait is None else wait)
        try:
            child = child or self._start_child()
            with spare_core() if self._spares_core else nullcontext():
                return child.do(function, arguments, limit)
        except OffloadFailed:
            if child:
                self._end_child(child)
            child = None
            raise
        finally:
            if child:
                child.used_at = time.monotonic()
            self._slots.put(child)

    def end_idle(self, seconds: float) -> None:
        """End children that have been idle for this long, to free their memory."""
        is_idle_since = time.monotonic() - seconds
        with self._slots.mutex:
            idle = [child for child in self._slots.queue if child and child.used_at < is_idle_since]
            self._slots.queue[:] = [None if child in idle else child for child in self._slots.queue]
        for child in idle:
            self._end_child(child)

    def _take_slot(self, seconds: float) -> _Child | None:
        """Take a slot, with its child if one is running."""
        try:
            if self.is_on:
                return self._slots.get(timeout=seconds)
        except queue.Empty:
            pass
        raise NoChildFree("every child is busy")

    def _start_child(self) -> _Child:
        child = _Child(has_django=self._has_django, niceness=self._niceness)
        with self._lock:
            self._children.add(child)
        return child

    def _end_child(self, child: _Child) -> None:
        with self._lock:
            self._children.discard(child)
        child.end()


offload = Offload()
hashing = Offload(has_django=False)
"""For passwords only, so that no sign-in waits behind an upload."""


def _serve(link: Connection, *, has_django: bool, niceness: int) -> None:
    """The child's main loop: do the work received until the parent is gone."""
    if has_django:
        django.setup()
    os.nice(niceness)
    _limit_memory()
    link.send((True, None))
    while True:
        try:
            function, arguments, language = link.recv()
        except EOFError:
            return
        link.send(_outcome(function, arguments, language))


def _outcome(function: Callable[..., Any], arguments: tuple[Any, ...], language: str | None) -> tuple[bool, Any]:
    try:
        with translation.override(language) if language else nullcontext():
            return True, function(*arguments)
    except MemoryError:
        return False, OffloadFailed("it took too much memory")
    except Exception as error:
        return False, error


def _limit_memory() -> None:
    sizes = Path("/proc/self/statm")
    # Only Linux has this file, and a memory limit that works.
    if sizes.exists():
        now = int(sizes.read_text(encoding="ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (now + MOST_BYTES, now + MOST_BYTES))


if __name__ == "__main__":
    # Imported by its real name, so that exception classes are the same on both sides.
    from core.offload import _serve as serve

    serve(Connection(int(sys.argv[1])), has_django=sys.argv[2] == "django", niceness=int(sys.argv[3]))
