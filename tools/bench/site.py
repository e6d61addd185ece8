"""The site in its own process and folder, started once for all figures that need it."""

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

from tools.bench.http_client import HOST

T = TypeVar("T")
_START_SECONDS = 60.0
_PATIENCE_SECONDS = 180.0
"""How long a measurement may take before it's given up as stuck."""


class Site:
    """The site in its own process and folder, and an event loop for its clients in this process."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="setsite-bench-"))
        atexit.register(self.stop)
        with socket.socket() as probe:
            probe.bind((HOST, 0))
            self.port: int = probe.getsockname()[1]
        # As `make run` serves it: templates and static files aren't looked up again for each page.
        environment = {"SETSITE_DEMO": "1", "SETSITE_DEBUG": "0", "SETSITE_VAR": str(self.folder)}
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("SETSITE_")}
        self.log = self.folder / "server.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tools.bench.server", str(self.port)],
                env=inherited | environment,
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
                    raise RuntimeError(f"the server didn't start: {self.log.read_text()}") from None
                time.sleep(0.05)
            else:
                return

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(asyncio.wait_for(work, _PATIENCE_SECONDS))

    def stop(self) -> None:
        # Kill it: a clean stop would wait for open streams, and there's no data to lose.
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


@cache
def running_site() -> Site:
    return Site()
