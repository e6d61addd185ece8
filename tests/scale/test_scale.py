"""`make scale` runs everything behind its proxy, and leaves nothing running after Ctrl+C."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scale.people import Person, fetch
from tools.scale.engines import free_port, is_open, wait_until
from tools.scale.processes import ROOT, answers


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the postgres user can access, unlike pytest's own."""
    made = Path(tempfile.mkdtemp(prefix="setsite-scale-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture
def running(folder):
    """The running process, its first port and its output."""
    port = next(port for port in iter(free_port, None) if not any(is_open(port + more) for more in (1, 2)))
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("SETSITE_")}
    said = folder / "said"
    with said.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "tools.scale"],
            cwd=ROOT,
            env={**inherited, "PORT": str(port), "SETSITE_VAR": str(folder)},
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        wait_until(
            lambda: process.poll() is not None or answers(f"http://127.0.0.1:{port}/readyz/"), "it runs", seconds=180
        )
        assert process.poll() is None, said.read_text()
        yield process, port, said
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.wait(60)


def children_of(folder: Path) -> list[str]:
    """Processes with this folder in their environment or command line."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            words = (each / "environ").read_bytes() + (each / "cmdline").read_bytes()
            is_zombie = b"\nState:\tZ" in (each / "status").read_bytes()
        except OSError:
            continue
        if str(folder).encode() in words and int(each.name) != os.getpid() and not is_zombie:
            found.append((each / "cmdline").read_bytes().replace(b"\0", b" ").decode())
    return found


def streams_of(port: int, token: str) -> int:
    """The number of open table streams at one process."""
    figures = fetch(f"http://127.0.0.1:{port}/metrics", headers={"Authorization": f"Bearer {token}"}).text
    return int(float(re.search(r'^setsite_streams\{of="match"\} (\S+)$', figures, re.MULTILINE)[1]))


def test_a_game_is_played_through_the_proxy_and_ctrl_c_stops_it_all(running, folder):
    process, port, said = running
    site = f"http://127.0.0.1:{port}"
    ann, ben = Person(), Person()
    code = ann.open_table(site)
    ben.join(site, code)
    ann.do(site, code, "deal")
    with ann.watch(site, code) as near, ben.watch(site, code) as far:
        ben.do(site, code, "call")
        for screen in (near, far):
            screen.table(lambda shown: shown.control == 1)

    # All players of a table reach the same process, wherever other tables are.
    token = re.search(r"Bearer ([^\"]+)", said.read_text())[1]
    for table in (code, Person().open_table(site), Person().open_table(site)):
        with Person().watch(site, table), Person().watch(site, table), Person().watch(site, table):
            wait_until(lambda: sorted(streams_of(port + web, token) for web in (1, 2)) == [0, 3], "they are together")

    sheet = re.search(r'href="(/static/[^"]+\.css)"', ann.get(site, "/").text)[1]
    assert "immutable" in ann.get(site, sheet).headers["Cache-Control"]
    assert ann.get(site, "/metrics").status == 404

    # A killed web process is restarted, and nobody is refused in the meantime.
    first = int(re.search(r"web1 .* process (\d+)", said.read_text())[1])
    os.kill(first, signal.SIGKILL)
    assert ann.get(site, f"/play/{code}/").status == 200
    wait_until(lambda: "web1 has ended" in said.read_text(), "it is noticed")
    wait_until(lambda: answers(f"http://127.0.0.1:{port + 1}/healthz/"), "it is back")

    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
    assert children_of(folder) == []
    assert not any(is_open(port + more) for more in range(3))
