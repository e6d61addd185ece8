"""Databases of the tests' own: a SQLite file, or a PostgreSQL server that lives in a folder to be thrown away."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_DEBIAN = Path("/usr/lib/postgresql")
_SERVER = [
    "-c listen_addresses=''",
    "-c fsync=off",
    "-c synchronous_commit=off",
    "-c full_page_writes=off",
    "-c max_connections=100",
]


class Missing(Exception):
    """A program that the tests need is not on this machine."""


class PostgreSQL:
    """A server that only this folder's socket leads to; what it holds is gone when it stops."""

    def __init__(self) -> None:
        # A socket's path has room for some hundred characters, so the folder is not one of pytest's.
        self.folder = Path(tempfile.mkdtemp(prefix="setsite-pg-"))
        self._data = self.folder / "data"
        self._databases = 0
        # The server refuses to be root's: root lends it the user that its package brings.
        self._is_root = os.geteuid() == 0
        if self._is_root:
            shutil.chown(self.folder, "postgres", "postgres")
        try:
            self._run("initdb", "-D", self._data, "-U", "setsite", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
            options = " ".join([*_SERVER, f"-k {self.folder}"])
            self._run("pg_ctl", "start", "-w", "-D", self._data, "-l", self.folder / "log", "-o", options)
        except BaseException:
            self.stop()
            raise

    def new_database(self) -> str:
        """A database of its own, as SETSITE_DATABASE names it."""
        self._databases += 1
        name = f"setsite_{self._databases}"
        self._run("createdb", "-h", self.folder, "-U", "setsite", name)
        return f"postgresql://setsite@{str(self.folder).replace('/', '%2F')}/{name}"

    def stop(self) -> None:
        if (self._data / "postmaster.pid").exists():
            self._run("pg_ctl", "stop", "-w", "-m", "immediate", "-D", self._data)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str | Path) -> None:
        lent = {"user": "postgres", "group": "postgres", "extra_groups": []} if self._is_root else {}
        command = [_program(program), *map(str, arguments)]
        # To a file and not a pipe: a server that goes on running would keep the pipe open.
        with tempfile.TemporaryFile() as said:
            done = subprocess.run(command, cwd=self.folder, stdout=said, stderr=said, check=False, timeout=60, **lent)
            if done.returncode:
                said.seek(0)
                raise RuntimeError(f"{program} failed: {said.read().decode(errors='replace')}")


def _program(name: str) -> str:
    """Debian keeps the programs of each version in a folder of its own, and some of them only there."""
    versions = sorted(_DEBIAN.glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]))
    found = str(versions[-1]) if versions else shutil.which(name)
    if found is None:
        raise Missing(f"{name} of PostgreSQL is missing; scripts/test-tools installs it")
    return found


def run(arguments: list[str], environment: dict[str, str], *, seconds: float) -> str:
    """Run a Python program of the site as a process of its own; what it printed."""
    command = [sys.executable, *arguments]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("SETSITE_")}
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**inherited, "SETSITE_DEMO": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds,
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)} failed:\n{done.stdout}\n{done.stderr}")
    return done.stdout
