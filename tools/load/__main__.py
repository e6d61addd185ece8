"""`make load`: the grid and the two goals, one JSON line each, into docs/load.jsonl, docs/load.md and docs/scaling.md.

`--quick` tries a little of everything in two minutes, for `make bench`: it prints only its figures and writes no file.
With names (cells, students, answers, lessons, words) only those are run, and take the place of their older lines.
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

KINDS = ("cells", "students", "answers", "lessons", "words")
_RUN = {"cells": "cell"}
GRID = [(1, 30), (1, 300), (1, 1_000), (1, 3_000), (10, 300), (10, 1_000), (10, 3_000), (100, 1_000), (100, 3_000)]
"""Matches and streams; a match has at least the streams of its four players."""
ALONE = [(1, 30), (1, 300), (1, 1_000), (10, 300), (10, 1_000), (100, 1_000)]
STEPS = [300, 600, 1_000, 1_250, 1_500, 1_750, 2_000, 2_250, 2_500, 2_750, 3_000, 3_500, 4_000, 5_000]
DEVICES = 200
_FILES = 65_536


class Load:
    def __init__(self, kinds: list[str], *, is_quick: bool) -> None:
        self.kinds, self.is_quick = kinds, is_quick
        self.records: list[runs.Record] = []

    def say(self, record: runs.Record) -> None:
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
                if isinstance(site, Scaled) and "words" in self.kinds:
                    self.say(runs.words(site))
            finally:
                site.stop()

    async def _on(self, site: Site) -> None:
        for kind in self.kinds:
            work = getattr(self, f"_{kind}", None)
            if work:
                await work(site)

    async def _cells(self, site: Site) -> None:
        grid = GRID if isinstance(site, Scaled) else ALONE
        if self.is_quick:
            grid = [(4, 100)]
        for webs in range(len(site.web) if self.is_quick else 1, len(site.web) + 1):
            for matches, streams in grid:
                # One table alone changes too seldom to measure anything: there people are in a hurry.
                every = 5.0 if matches >= 100 else 1.0
                seconds = 5.0 if self.is_quick else 10.0
                self.say(
                    await runs.cell(site, webs=webs, matches=matches, streams=streams, every=every, seconds=seconds)
                )

    async def _students(self, site: Site) -> None:
        if self.is_quick and isinstance(site, Embedded):
            return
        steps, seconds = (STEPS[:1], 8.0) if self.is_quick else (STEPS, 12.0)
        several = len(site.web) > 1
        for is_spread in (True, False) if several and not self.is_quick else (False,):
            work = partial(runs.students, site, webs=len(site.web), is_spread=is_spread, say=self.say)
            await work(steps=steps, seconds=seconds)

    async def _answers(self, site: Site) -> None:
        if isinstance(site, Embedded):
            for within in (1.0,) if self.is_quick else (1.0, 0.0):
                rounds = 1 if self.is_quick else 5
                self.say(await runs.answers_at_once(site, devices=DEVICES, within=within, rounds=rounds))

    async def _lessons(self, site: Site) -> None:
        if self.is_quick and isinstance(site, Embedded):
            return
        rounds, within = (1, 2.0) if self.is_quick else (2, 10.0)
        for classes in (1,) if self.is_quick else (1, 10, 30):
            webs = len(site.web)
            self.say(await runs.lessons(site, webs=webs, classes=classes, devices=30, rounds=rounds, within=within))


def _raise_limit() -> None:
    """Each stream is a file of the client and one of the server."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _FILES if hard == resource.RLIM_INFINITY else min(hard, _FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.load", description=__doc__)
    parser.add_argument("kinds", nargs="*", choices=[[], *KINDS], default=[])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--papers", action="store_true", help="only fill the tables of docs/ from docs/load.jsonl")
    asked = parser.parse_args()
    if asked.papers:
        report.fill()
        return 0
    _raise_limit()
    # Whoever is told to stop stops what it has started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    load = Load(asked.kinds or list(KINDS), is_quick=asked.quick)
    load.say({"run": "machine", "cores": os.cpu_count(), "python": platform.python_version()})
    load.run()
    if not asked.quick:
        report.keep(load.records, {_RUN.get(kind, kind) for kind in load.kinds} | {"machine"})
        report.fill()
    for figure in report.goals(load.records):
        print(figure.as_json(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
