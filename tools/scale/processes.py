"""The processes of the site itself: web, worker, beat, and the proxy in front."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from string import Template

from tools.scale.engines import MissingProgram, PostgreSQL, Redis, free_port, wait_until

ROOT = Path(__file__).resolve().parents[2]
GRACE_SECONDS = 20.0


class Process:
    """A program of the site with its child processes; its output goes to a log file."""

    def __init__(self, name: str, command: list[str], environment: Mapping[str, str], log: Path) -> None:
        self.name = name
        self.command = command
        self.environment = environment
        self.log = log
        self.process: subprocess.Popen[bytes] | None = None
        self._was_told_to_stop = False

    def start(self) -> None:
        self._was_told_to_stop = False
        with self.log.open("ab") as log:
            # A new session, so that Ctrl+C reaches only the parent, and children can be killed as a group.
            self.process = subprocess.Popen(
                self.command, cwd=ROOT, env={**self.environment}, stdout=log, stderr=log, start_new_session=True
            )

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def tell_to_stop(self) -> None:
        if self.process and not self._was_told_to_stop:
            self._was_told_to_stop = True
            self.process.terminate()

    def stop(self) -> None:
        """Stop it like an operator: it may finish its work."""
        if self.process is None:
            return
        self.tell_to_stop()
        try:
            self.process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
        self.process = None

    def kill(self) -> None:
        """Kill it and its children at once, like a power failure."""
        if self.process:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None

    def log_text(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")


class Web(Process):
    """A process that serves pages and streams on its own port."""

    def __init__(self, number: int, port: int, environment: Mapping[str, str], folder: Path) -> None:
        command = [sys.executable, "manage.py", "web", "--port", str(port)]
        super().__init__(f"web{number}", command, environment, folder / f"web{number}.log")
        self.port = port
        self.url = f"http://127.0.0.1:{port}"

    def wait(self) -> None:
        """Wait until it answers."""
        wait_until(lambda: not self.is_running or answers(f"{self.url}/healthz/"), f"{self.name} answers")
        if not self.is_running:
            raise RuntimeError(f"{self.name} did not start:\n{self.log_text()}")


class ScaledSite:
    """The complete setup: PostgreSQL, Redis, web processes, two workers, a beat, and a proxy if given a port."""

    def __init__(
        self,
        folder: Path,
        *,
        webs: int = 2,
        ports: list[int] | None = None,
        proxy: int | None = None,
        keep: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        logs = folder / "log"
        logs.mkdir(exist_ok=True)
        self.postgresql = PostgreSQL(folder / "postgresql" if keep else None)
        try:
            self.redis = Redis()
        except BaseException:
            self.postgresql.stop()
            raise
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("SETSITE_", "DJANGO_"))}
        database = self.postgresql.database("setsite")
        self.database_settings = {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": "setsite",
            "USER": "setsite",
            "PASSWORD": "",
            "HOST": str(self.postgresql.sockets),
            "PORT": "",
            "OPTIONS": {},
        }
        """Settings for another Django process to use the same database."""
        self.environment = {
            **inherited,
            "SETSITE_DEMO": "1",
            "SETSITE_VAR": str(folder),
            "SETSITE_DATABASE": database,
            "SETSITE_REDIS": self.redis.address,
            "SETSITE_LOG": "json",
            **({"PORT": str(proxy)} if proxy else {}),
            **(environment or {}),
        }
        ports = ports or [free_port() for _web in range(webs)]
        self.web = [Web(number, port, self.environment, logs) for number, port in enumerate(ports, 1)]
        celery = [sys.executable, "-m", "celery", "-A", "setsite"]
        options = ["--loglevel=warning", "--without-gossip", "--without-mingle"]
        worker = [*celery, "worker", "--queues=people", "--concurrency=2", *options]
        heavy = [*celery, "worker", "--queues=heavy", "--concurrency=3", *options]
        beat = [*celery, "beat", "--loglevel=warning", "--pidfile=", f"--schedule={folder / 'beat'}"]
        self.worker = Process("worker", worker, self.environment, logs / "worker.log")
        self.heavy = Process("heavy", heavy, self.environment, logs / "heavy.log")
        self.beat = Process("beat", beat, self.environment, logs / "beat.log")
        self.proxy = _proxy(folder, proxy, self.web, self.environment) if proxy else None

    @property
    def processes(self) -> list[Process]:
        """All processes in start order; they're stopped in reverse."""
        return [self.worker, self.heavy, self.beat, *self.web, *([self.proxy] if self.proxy else [])]

    def manage(self, *arguments: str) -> str:
        """Run a management command on the site's data; return its output."""
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False, timeout=300
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(arguments)} failed:\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def start(self) -> None:
        for process in self.processes:
            process.start()
        for web in self.web:
            web.wait()

    def ensure_running(self) -> None:
        """Restart what isn't running, and wait until every web process is connected to its database and the bus."""
        if not self.postgresql.is_running:
            self.postgresql.start()
        if not self.redis.is_running:
            self.redis.start()
        for process in self.processes:
            if not process.is_running:
                process.start()
        for web in self.web:
            web.wait()
            for need in ("database", "bus"):
                wait_until(partial(answers, f"{web.url}/readyz/{need}/"), f"{web.name} has its {need}")

    def stop(self) -> None:
        # Tell all to stop before waiting for any.
        for process in reversed(self.processes):
            process.tell_to_stop()
        for process in reversed(self.processes):
            process.stop()
        self.redis.stop()
        self.postgresql.stop()


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=2) as response:  # noqa: S310 (our own address)
            return bool(response.status == 200)  # noqa: PLR2004
    except (OSError, urllib.error.HTTPError):
        return False


def _proxy(folder: Path, port: int, web: list[Web], environment: Mapping[str, str], *, trusted: str = "") -> Process:
    """nginx in front of the web processes; `trusted` has a `set_real_ip_from` for each proxy in front of it."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        raise MissingProgram("nginx is missing; scripts/test-tools installs it")
    # Fill in the template the way the nginx container does.
    site = Template((ROOT / "deploy" / "nginx.conf.template").read_text(encoding="utf-8")).safe_substitute(
        SETSITE_LISTEN=f"127.0.0.1:{port}",
        SETSITE_WEB=" ".join(f"server 127.0.0.1:{each.port} max_fails=1 fail_timeout=1s;" for each in web),
        SETSITE_STATIC=str(folder / "static"),
        SETSITE_AWAY=str(ROOT / "deploy" / "away.html"),
        SETSITE_TRUSTED_PROXIES=trusted,
    )
    proxy_folder = folder / "proxy"
    (proxy_folder / "conf.d").mkdir(parents=True, exist_ok=True)
    (proxy_folder / "conf.d" / "default.conf").write_text(site, encoding="utf-8")
    # Run by root, nginx would switch its workers to a user without access to our folder.
    user = "user root;\n" if os.geteuid() == 0 else ""
    main = (ROOT / "deploy" / "nginx.main.conf").read_text(encoding="utf-8")
    (proxy_folder / "nginx.conf").write_text(user + main.replace(" /tmp/", f" {proxy_folder}/"), encoding="utf-8")
    command = [program, "-p", str(proxy_folder), "-c", str(proxy_folder / "nginx.conf"), "-g", "daemon off;"]
    return Process("proxy", command, environment, folder / "log" / "proxy.log")
