"""`make scale`: run the complete scaled setup on this machine until Ctrl+C. The data stays in var/scale."""

from __future__ import annotations

import os
import secrets
import signal
import sys
import threading
from pathlib import Path
from types import FrameType

from tools.scale.engines import MissingProgram, is_open
from tools.scale.processes import ROOT, ScaledSite

_CHECK_SECONDS = 0.5


def main() -> int:
    port = _number("PORT", 8000)
    webs = _number("WEBS", 2)
    ports = [port + number for number in range(1, webs + 1)]
    for wanted in (port, *ports):
        if is_open(wanted):
            return _fail(f"port {wanted} is taken; PORT=9000 make scale uses {webs + 1} ports from 9000 on")
    folder = Path(os.environ.get("SETSITE_VAR") or ROOT / "var").absolute() / "scale"
    is_stopped = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        is_stopped.set()

    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, stop)
    _print("Starting PostgreSQL and Redis ...")
    token = secrets.token_urlsafe(12)
    try:
        site = ScaledSite(folder, ports=ports, proxy=port, keep=True, environment={"SETSITE_METRICS_TOKEN": token})
    except MissingProgram as error:
        return _fail(str(error))
    try:
        if not is_stopped.is_set():
            _print(site.manage("prepare").rstrip("\n"))
            site.start()
            _print(_overview(site, port, token))
        while not is_stopped.wait(_CHECK_SECONDS):
            for process in site.processes:
                if not process.is_running:
                    _print(f"  {process.name} has ended; restarting it")
                    process.start()
    finally:
        _print("Stopping ...")
        site.stop()
    return 0


def _overview(site: ScaledSite, port: int, token: str) -> str:
    webs = "\n".join(
        f"    {web.name}     {web.url}   process {web.process.pid if web.process else '-'}" for web in site.web
    )
    return f"""
  Setsite is on http://127.0.0.1:{port}/ (stop it with Ctrl+C)

    proxy    nginx, in front of the web processes
{webs}
    worker, beat, PostgreSQL and Redis ({site.redis.address})

  Ready?     curl http://127.0.0.1:{port}/readyz/
  Metrics:   curl -H "Authorization: Bearer {token}" {site.web[0].url}/metrics
  Logs:      {site.folder / "log"}
  Killed processes are restarted.
"""


def _number(name: str, default: int) -> int:
    text = os.environ.get(name) or str(default)
    if not text.isascii() or not text.isdigit() or not int(text):
        raise SystemExit(f"{name} is {text!r}, but must be a positive number")
    return int(text)


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _fail(text: str) -> int:
    sys.stderr.write(f"{text}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
