"""`make scale`: everything that a district runs, on this machine, until Ctrl+C; the data stays in var/scale."""

from __future__ import annotations

import os
import secrets
import signal
import sys
import threading
from pathlib import Path
from types import FrameType

from tools.scale.engines import Missing, is_open
from tools.scale.processes import ROOT, ScaledSite

_LOOK_SECONDS = 0.5


def main() -> int:
    port = _number("PORT", 8000)
    webs = _number("WEBS", 2)
    ports = [port + number for number in range(1, webs + 1)]
    for wanted in (port, *ports):
        if is_open(wanted):
            return _complain(f"port {wanted} is taken; write PORT=9000 make scale for {webs + 1} others from 9000 on")
    folder = Path(os.environ.get("SETSITE_VAR") or ROOT / "var").absolute() / "scale"
    is_over = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        is_over.set()

    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, stop)
    _say("Starting PostgreSQL and Redis ...")
    token = secrets.token_urlsafe(12)
    try:
        site = ScaledSite(folder, ports=ports, proxy=port, keep=True, environment={"SETSITE_METRICS_TOKEN": token})
    except Missing as error:
        return _complain(str(error))
    try:
        if not is_over.is_set():
            _say(site.manage("prepare").rstrip("\n"))
            site.start()
            _say(_where(site, port, token))
        while not is_over.wait(_LOOK_SECONDS):
            for process in site.processes:
                if not process.is_running:
                    _say(f"  {process.name} has ended; it is started again")
                    process.start()
    finally:
        _say("Stopping ...")
        site.stop()
    return 0


def _where(site: ScaledSite, port: int, token: str) -> str:
    webs = "\n".join(
        f"    {web.name}     {web.url}   process {web.process.pid if web.process else '-'}" for web in site.web
    )
    return f"""
  Setsite is on http://127.0.0.1:{port}/ (stop it with Ctrl+C)

    proxy    nginx, before the web processes
{webs}
    worker, beat, PostgreSQL and Redis ({site.redis.address})

  Ready?     curl http://127.0.0.1:{port}/readyz/
  Figures:   curl -H "Authorization: Bearer {token}" {site.web[0].url}/metrics
  Logs:      {site.folder / "log"}
  Whatever you kill is started again.
"""


def _number(name: str, default: int) -> int:
    text = os.environ.get(name) or str(default)
    if not text.isascii() or not text.isdigit() or not int(text):
        raise SystemExit(f"{name} is {text!r}; it is a number")
    return int(text)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _complain(text: str) -> int:
    sys.stderr.write(f"{text}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
