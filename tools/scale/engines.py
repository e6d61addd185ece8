"""Run PostgreSQL and Redis as child processes that can be stopped, killed and restarted."""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

_DEBIAN = Path("/usr/lib/postgresql")
# Safe if the server crashes, because committed data has left the process, but not if the machine does.
_UNSAFE_BUT_FAST = ["-c fsync=off", "-c full_page_writes=off"]
PATIENCE = 180.0
_OWN_PORTS = (11_000, 32_000)


class MissingProgram(Exception):
    """A required program isn't installed on this machine."""


class PostgreSQL:
    """A server reachable only by its Unix socket. Without a folder, its data is deleted when it stops for good."""

    def __init__(self, folder: Path | None = None) -> None:
        # A socket's path is limited to about a hundred characters, so use a folder with a short name.
        self.sockets = Path(tempfile.mkdtemp(prefix="setsite-pg-"))
        self._is_temporary = folder is None
        self._data = (folder or self.sockets) / "data"
        self._databases = 0
        # PostgreSQL refuses to run as root, so root runs it as the user of its package.
        self._is_root = os.geteuid() == 0
        self._data.parent.mkdir(parents=True, exist_ok=True)
        for own in {self.sockets, self._data.parent} if self._is_root else ():
            shutil.chown(own, "postgres", "postgres")
        try:
            if not self._data.exists():
                self._run("initdb", "-D", self._data, "-U", "setsite", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
            self.start()
        except BaseException:
            self.stop()
            raise

    def start(self) -> None:
        """Start it, with the data it had before."""
        options = ["-c listen_addresses=''", "-c max_connections=200", f"-k {self.sockets}"]
        if self._is_temporary:
            options += _UNSAFE_BUT_FAST
        self._run("pg_ctl", "start", "-w", "-D", self._data, "-l", self._data.parent / "log", "-o", " ".join(options))

    @property
    def is_running(self) -> bool:
        return (self._data / "postmaster.pid").exists()

    def halt(self, *, mode: str = "fast") -> None:
        """Stop it for a while: "fast" like an operator, "immediate" like a crash."""
        if self.is_running:
            self._run("pg_ctl", "stop", "-w", "-m", mode, "-D", self._data)

    def restart(self, *, mode: str = "fast") -> None:
        self.halt(mode=mode)
        self.start()

    def stop(self) -> None:
        """Stop it for good."""
        self.halt(mode="immediate" if self._is_temporary else "fast")
        shutil.rmtree(self.sockets, ignore_errors=True)

    def new_database(self) -> str:
        """Create a new database; return its URL for SETSITE_DATABASE."""
        self._databases += 1
        return self.database(f"setsite_{self._databases}")

    def database(self, name: str) -> str:
        """The URL of a database, which is created if it doesn't exist."""
        address = ["-h", str(self.sockets), "-U", "setsite"]
        there = self._run("psql", *address, "-d", "postgres", "-Atc", "SELECT datname FROM pg_database")
        if name not in there.split():
            self._run("createdb", *address, name)
        return f"postgresql://setsite@{str(self.sockets).replace('/', '%2F')}/{name}"

    def _run(self, program: str, *arguments: str | Path) -> str:
        as_postgres: dict[str, Any] = {}
        if self._is_root:
            as_postgres = {"user": "postgres", "group": "postgres", "extra_groups": []}
        command = [_postgresql(program), *map(str, arguments)]
        # Write output to a file, because a server that keeps running would keep a pipe open.
        with tempfile.TemporaryFile() as output:
            done = subprocess.run(
                command, cwd="/", stdout=output, stderr=output, check=False, timeout=PATIENCE, **as_postgres
            )
            output.seek(0)
            text = output.read().decode(errors="replace")
        if done.returncode:
            raise RuntimeError(f"{program} failed: {text}")
        return text


class Redis:
    """A server on a local port that stores nothing on disk."""

    def __init__(self) -> None:
        self.port = free_port()
        self.address = f"redis://127.0.0.1:{self.port}/0"
        self._folder = Path(tempfile.mkdtemp(prefix="setsite-redis-"))
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        program = shutil.which("redis-server")
        if program is None:
            raise MissingProgram("redis-server is missing; scripts/test-tools installs it")
        command = [program, "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self.process = subprocess.Popen(command, cwd=self._folder, stdout=subprocess.DEVNULL, start_new_session=True)
        wait_until(lambda: is_open(self.port), "Redis accepts connections")

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def halt(self, *, how: signal.Signals = signal.SIGTERM) -> None:
        """Stop it for a while; its data is lost."""
        if self.process:
            self.process.send_signal(how)
            self.process.wait(PATIENCE)
            self.process = None

    def restart(self, *, how: signal.Signals = signal.SIGTERM) -> None:
        self.halt(how=how)
        self.start()

    def stop(self) -> None:
        self.halt()
        shutil.rmtree(self._folder, ignore_errors=True)


def free_port() -> int:
    """A free port below the ephemeral range, so that no outgoing connection takes it before a server listens on it."""
    while True:
        port = random.SystemRandom().randrange(*_OWN_PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def is_open(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_until(condition: Callable[[], object], what: str, *, seconds: float = PATIENCE) -> None:
    """Wait until a condition holds, polling often."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"timed out after {seconds:.0f} seconds: {what}")
        time.sleep(0.02)


def _postgresql(name: str) -> str:
    """Find a PostgreSQL program. Debian has a folder of programs for each version, and some are only there."""
    versions = sorted(_DEBIAN.glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]))
    found = str(versions[-1]) if versions else shutil.which(name)
    if found is None:
        raise MissingProgram(f"{name} of PostgreSQL is missing; scripts/test-tools installs it")
    return found
