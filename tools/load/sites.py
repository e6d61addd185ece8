"""The two setups as real processes, and the CPU time each part used."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from tools.load.client import Browser
from tools.scale.engines import free_port
from tools.scale.processes import ROOT, ScaledSite, Web

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Usage:
    """CPU seconds used by each part, and the wall-clock time."""

    web: float
    database: float
    redis: float
    others: float
    """Worker and beat."""
    client: float
    machine: float
    """All processes on the machine."""
    wall: float

    @property
    def elsewhere(self) -> float:
        """CPU time of unrelated processes, which we didn't get."""
        return self.machine - self.web - self.database - self.redis - self.others - self.client

    def __sub__(self, earlier: Usage) -> Usage:
        return Usage(*(getattr(self, each.name) - getattr(earlier, each.name) for each in fields(self)))


class Site(ABC):
    """Web processes with their own data, all deleted at the end."""

    name: str
    folder: Path
    web: list[Web]
    environment: dict[str, str]

    @property
    def ports(self) -> list[int]:
        return [web.port for web in self.web if web.is_running]

    def restart(self, webs: int) -> None:
        """Stop all web processes and start `webs` new ones."""
        for web in self.web:
            web.stop()
        for web in self.web[:webs]:
            web.start()
        for web in self.web[:webs]:
            web.wait()

    def usage(self) -> Usage:
        web = sum(cpu_of([web.process.pid]) for web in self.web if web.process)
        return Usage(web, *self._engines(), time.process_time(), _machine(), time.perf_counter())

    def check(self, codes: list[str], sessions: Iterable[str] = ()) -> dict[str, Any]:
        """Check what the database holds: see `tools.load.check`."""
        asked = json.dumps({"matches": codes, "sessions": list(sessions)})
        command = [sys.executable, "-m", "tools.load.check"]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, input=asked, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(done.stderr)
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    @abstractmethod
    def stop(self) -> None: ...

    @abstractmethod
    def _engines(self) -> tuple[float, float, float]:
        """CPU seconds of the database, Redis and everything else."""


class Scaled(Site):
    """PostgreSQL, Redis, a worker, a beat and web processes; clients go to the web processes directly."""

    name = "scaled"

    def __init__(self, webs: int = 2, environment: Mapping[str, str] | None = None) -> None:
        self.folder = _folder()
        self.site = ScaledSite(self.folder, webs=webs, environment=environment)
        self.web, self.environment = self.site.web, self.site.environment
        for web in self.web:
            web.command = _command(web.port)
        try:
            self.site.manage("prepare")
            self.site.start()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        self.site.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _engines(self) -> tuple[float, float, float]:
        lock = next(self.site.postgresql.sockets.glob(".s.PGSQL.*.lock"))
        redis = self.site.redis.process
        others = [each.process.pid for each in (self.site.worker, self.site.heavy, self.site.beat) if each.process]
        postmaster = int(lock.read_text(encoding="ascii").split()[0])
        return cpu_of([postmaster]), cpu_of([redis.pid] if redis else []), cpu_of(others)


class Embedded(Site):
    """SQLite and one process."""

    name = "embedded"

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self.folder = _folder()
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("SETSITE_", "DJANGO_"))}
        self.environment = {**inherited, "SETSITE_DEMO": "1", "SETSITE_VAR": str(self.folder), **(environment or {})}
        port = free_port()
        web = Web(1, port, self.environment, self.folder)
        web.command = _command(port)
        self.web = [web]
        prepare = [sys.executable, "manage.py", "prepare"]
        subprocess.run(prepare, cwd=ROOT, env=self.environment, check=True, stdout=subprocess.DEVNULL)
        self.restart(1)

    def stop(self) -> None:
        for web in self.web:
            web.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _engines(self) -> tuple[float, float, float]:
        return 0.0, 0.0, 0.0


def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="setsite-load-"))
    # The postgres user needs access.
    folder.chmod(0o755)
    return folder


def _command(port: int) -> list[str]:
    return [sys.executable, "-m", "tools.load.server", str(port)]


def cpu_of(roots: Iterable[int]) -> float:
    """CPU seconds of these processes and all their children, including those that have ended."""
    stats = {int(path.name): stat for path in Path("/proc").glob("[0-9]*") if (stat := _stat(path))}
    total, waiting = 0, list(roots)
    while waiting:
        pid = waiting.pop()
        if pid in stats:
            total += sum(map(int, stats[pid][11:15]))
            waiting += [child for child, stat in stats.items() if int(stat[1]) == pid]
    return total / _TICKS


def _machine() -> float:
    with Path("/proc/stat").open(encoding="ascii") as stat:
        user, nice, system, _idle, _waiting, *interrupts = map(int, stat.readline().split()[1:8])
    return (user + nice + system + sum(interrupts)) / _TICKS


def _stat(process: Path) -> list[str]:
    """The fields of /proc/PID/stat after the name, beginning with the state."""
    try:
        return (process / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


async def memory_of(ports: list[int]) -> int:
    """Memory of the web processes in bytes, after garbage collection."""
    total = 0
    for port in ports:
        browser = await Browser.at(port, 0)
        total += json.loads((await browser.ask("GET", "/bench/usage/?tidy")).content)["bytes"]
        browser.close()
    return total
