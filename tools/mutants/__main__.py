"""Take out one guard after the other in a copy of the tree; the named test must fail each time."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue

from tools.mutants import ROOT, Guard, guards

_PASSED, _FAILED = 0, 1
_SECONDS = 600


class Copy:
    """The tree as it is now, in a folder of its own with its own database."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
        for name in filter(None, tracked.stdout.split("\0")):
            if (ROOT / name).is_file():
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, target)

    @contextmanager
    def without(self, guard: Guard) -> Iterator[None]:
        path = self.folder / guard.file
        whole = path.read_text(encoding="utf-8")
        path.write_text(guard.weakened(whole), encoding="utf-8")
        try:
            yield
        finally:
            path.write_text(whole, encoding="utf-8")

    def run_test(self, guard: Guard) -> int:
        """The exit code of the guard's test."""
        environment = {**os.environ, "SETSITE_DEBUG": "1", "SETSITE_VAR": str(self.folder / "var")}
        if guard.engines:
            environment["PYTEST_PLUGINS"] = "tests.on_engines"
        command = [sys.executable, "-m", "pytest", "-x", "-q", guard.test]
        run = subprocess.run(
            command, cwd=self.folder, env=environment, check=False, capture_output=True, timeout=_SECONDS
        )
        return run.returncode


def judge(copy: Copy, guard: Guard, passed: set[str]) -> str:
    """What is wrong with the guard's test; empty where it does its work. `passed` are the tests known to pass."""
    if guard.test not in passed:
        if copy.run_test(guard) != _PASSED:
            return "its test fails with the guard in place"
        passed.add(guard.test)
    with copy.without(guard):
        code = copy.run_test(guard)
    if code == _PASSED:
        return "SURVIVED: its test passes without it"
    return "" if code == _FAILED else f"its test could not be run without it (exit code {code})"


def main() -> int:
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__)
    parser.add_argument("wanted", nargs="*", help="areas, or parts of names; all unless given")
    parser.add_argument("--jobs", type=int, default=2, help="how many run at the same time")
    options = parser.parse_args()
    chosen = [
        guard
        for guard in guards()
        if not options.wanted or any(word == guard.area or word in guard.name for word in options.wanted)
    ]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        copies: SimpleQueue[Copy] = SimpleQueue()
        passed: set[str] = set()
        for number in range(options.jobs):
            copies.put(Copy(Path(folder) / str(number)))

        def judge_in_a_copy(guard: Guard) -> str:
            copy = copies.get()
            try:
                return judge(copy, guard, passed)
            finally:
                copies.put(copy)

        troubles = 0
        for guard, trouble in zip(chosen, pool.map(judge_in_a_copy, chosen), strict=True):
            print(f"{'ok  ' if not trouble else 'FAIL'} {guard.area}: {guard.name} {trouble}".rstrip(), flush=True)
            troubles += bool(trouble)
    print(f"{len(chosen) - troubles} passed, {troubles} failed")
    return 1 if troubles or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
