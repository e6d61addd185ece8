"""`make load`: measure the grid and the two goals and write docs/load.jsonl, docs/load.md and docs/scaling.md.

`--quick` runs a little of everything in two minutes, for `make bench`: it prints its figures and writes no files.
Given names (cells, students, answers, lessons, bus), run only those, and replace only their lines in the results.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import resource
import signal
import sys
from functools import partial

from tools.load import report, runs
from tools.load.sites import Embedded, Scaled, Site

KINDS = ("cells", "students", "answers", "lessons", "bus")
_RUN = {"cells": "cell"}
GRID = [(1, 30), (1, 300), (1, 1_000), (1, 3_000), (10, 300), (10, 1_000), (10, 3_000), (100, 1_000), (100, 3_000)]
"""Numbers of matches and streams; each match has at least the streams of its four players."""
EMBEDDED_GRID = [(1, 30), (1, 300), (1, 1_000), (10, 300), (10, 1_000), (100, 1_000)]
STEPS = [300, 600, 1_000, 1_250, 1_500, 1_750, 2_000, 2_250, 2_500, 2_750, 3_000, 3_500, 4_000, 5_000]
DEVICES = 200
_FILES = 65_536


class Load:
    def __init__(self, kinds: list[str], *, is_quick: bool) -> None:
        self.kinds, self.is_quick = kinds, is_quick
        self.records: list[runs.Record] = []

    def add(self, record: runs.Record) -> None:
        self.records.append(record)
        if not self.is_quick:
            print(json.dumps(record), flush=True)

    def run(self) -> None:
        for start in (Scaled, Embedded):
            if start is Embedded and not {"cells", "students", "answers", "lessons"} & set(self.kinds):
                continue
            site = start()
            try:
                asyncio.run(self._on(site))
                if isinstance(site, Scaled) and "bus" in self.kinds:
                    self.add(runs.bus(site))
            finally:
                site.stop()

    async def _on(self, site: Site) -> None:
        for kind in self.kinds:
            work = getattr(self, f"_{kind}", None)
            if work:
                await work(site)

    async def _cells(self, site: Site) -> None:
        grid = GRID if isinstance(site, Scaled) else EMBEDDED_GRID
        if self.is_quick:
            grid = [(4, 100)]
        for webs in range(len(site.web) if self.is_quick else 1, len(site.web) + 1):
            for matches, streams in grid:
                # A few tables change too seldom to measure anything, so there people hurry.
                every = 5.0 if matches >= 100 else 1.0
                seconds = 5.0 if self.is_quick else 10.0
                self.add(
                    await runs.cell(site, webs=webs, matches=matches, streams=streams, every=every, seconds=seconds)
                )

    async def _students(self, site: Site) -> None:
        if self.is_quick and isinstance(site, Embedded):
            return
        steps, seconds = (STEPS[:1], 8.0) if self.is_quick else (STEPS, 12.0)
        several = len(site.web) > 1
        for is_spread in (True, False) if several and not self.is_quick else (False,):
            work = partial(runs.students, site, webs=len(site.web), is_spread=is_spread, report=self.add)
            await work(steps=steps, seconds=seconds)

    async def _answers(self, site: Site) -> None:
        if isinstance(site, Embedded):
            for within in (1.0,) if self.is_quick else (1.0, 0.0):
                rounds = 1 if self.is_quick else 5
                self.add(await runs.answers_at_once(site, devices=DEVICES, within=within, rounds=rounds))

    async def _lessons(self, site: Site) -> None:
        if self.is_quick and isinstance(site, Embedded):
            return
        rounds, within = (1, 2.0) if self.is_quick else (2, 10.0)
        for classes in (1,) if self.is_quick else (1, 10, 30):
            webs = len(site.web)
            self.add(await runs.lessons(site, webs=webs, classes=classes, devices=30, rounds=rounds, within=within))


def _raise_file_limit() -> None:
    """Raise the limit of open files, because each stream takes one in the client and one in the server."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = _FILES if hard == resource.RLIM_INFINITY else min(hard, _FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.load", description=__doc__)
    parser.add_argument("kinds", nargs="*", choices=[[], *KINDS], default=[])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--docs", action="store_true", help="only update the tables in docs/ from docs/load.jsonl")
    options = parser.parse_args()
    if options.docs:
        report.update_docs()
        return 0
    _raise_file_limit()
    # On SIGTERM, exit normally so that everything started here is stopped too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    load = Load(options.kinds or list(KINDS), is_quick=options.quick)
    load.add({"run": "machine", "cores": os.cpu_count(), "python": platform.python_version()})
    load.run()
    if not options.quick:
        report.save(load.records, {_RUN.get(kind, kind) for kind in load.kinds} | {"machine"})
        report.update_docs()
    for figure in report.goals(load.records):
        print(figure.as_json(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
