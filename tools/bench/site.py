"""The site in a process and a folder of its own, started once for all figures that need it."""

from __future__ import annotations

import asyncio
import atexit
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Coroutine
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from tools.bench.loads import HOST

T = TypeVar("T")
_START_SECONDS = 60.0
_PATIENCE_SECONDS = 180.0
"""After which a load that stands still is given up."""


class Site:
    """The site in a process and a folder of its own, and a loop for its clients in this process."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="setsite-bench-"))
        atexit.register(self.stop)
        with socket.socket() as free:
            free.bind((HOST, 0))
            self.port: int = free.getsockname()[1]
        # As `make run` serves it: templates and static files are not looked up anew for each page.
        environment = {"SETSITE_DEMO": "1", "SETSITE_DEBUG": "0", "SETSITE_VAR": str(self.folder)}
        kept = {name: value for name, value in os.environ.items() if not name.startswith("SETSITE_")}
        self.log = self.folder / "server.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tools.bench.server", str(self.port)],
                env=kept | environment,
                stdout=log,
                stderr=log,
            )
        self.loop = asyncio.new_event_loop()
        self._wait_until_it_serves()

    def _wait_until_it_serves(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while True:
            try:
                socket.create_connection((HOST, self.port), timeout=1).close()
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise RuntimeError(f"the server did not start: {self.log.read_text()}") from None
                time.sleep(0.05)
            else:
                return

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(asyncio.wait_for(work, _PATIENCE_SECONDS))

    def stop(self) -> None:
        # It has open streams and nothing to lose.
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


@cache
def running_site() -> Site:
    return Site()
