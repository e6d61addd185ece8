"""Remove guards one at a time in a copy of the source tree; each guard's test must then fail."""

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
    """A copy of the current source tree in its own folder, with its own database."""

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
        source = path.read_text(encoding="utf-8")
        path.write_text(guard.without_guard(source), encoding="utf-8")
        try:
            yield
        finally:
            path.write_text(source, encoding="utf-8")

    def run_test(self, guard: Guard) -> int:
        """Run the guard's test; return its exit code."""
        environment = {**os.environ, "SETSITE_DEBUG": "1", "SETSITE_VAR": str(self.folder / "var")}
        if guard.engines:
            environment["PYTEST_PLUGINS"] = "tests.on_engines"
        command = [sys.executable, "-m", "pytest", "-x", "-q", guard.test]
        run = subprocess.run(
            command, cwd=self.folder, env=environment, check=False, capture_output=True, timeout=_SECONDS
        )
        return run.returncode


def check(copy: Copy, guard: Guard, passed: set[str]) -> str:
    """What's wrong with the guard's test, or "" if nothing is. `passed` collects tests known to pass with the guard."""
    if guard.test not in passed:
        if copy.run_test(guard) != _PASSED:
            return "its test fails with the guard in place"
        passed.add(guard.test)
    with copy.without(guard):
        code = copy.run_test(guard)
    if code == _PASSED:
        return "SURVIVED: its test passes without it"
    return "" if code == _FAILED else f"its test couldn't run without it (exit code {code})"


def main() -> int:
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__)
    parser.add_argument("wanted", nargs="*", help="areas or parts of guard names (default: all)")
    parser.add_argument("--jobs", type=int, default=2, help="how many to run at the same time")
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

        def check_in_a_copy(guard: Guard) -> str:
            copy = copies.get()
            try:
                return check(copy, guard, passed)
            finally:
                copies.put(copy)

        failures = 0
        for guard, problem in zip(chosen, pool.map(check_in_a_copy, chosen), strict=True):
            print(f"{'ok  ' if not problem else 'FAIL'} {guard.area}: {guard.name} {problem}".rstrip(), flush=True)
            failures += bool(problem)
    print(f"{len(chosen) - failures} passed, {failures} failed")
    return 1 if failures or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
