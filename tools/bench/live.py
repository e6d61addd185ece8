"""How fast the live game is: the real server in its own process, each figure beside a minimal baseline on it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from dataclasses import dataclass
from functools import cache
from statistics import median, quantiles
from typing import Any, NamedTuple

from tools.bench.figures import Figure, Goal
from tools.bench.http_client import Audience, Table, Visitor
from tools.bench.site import running_site

TABLES = 16
SEATS = 8
ROUNDS = 11
SECONDS = 0.6
PUSHES = 40
FEW, MANY, CROWD = 30, 300, 1000
STEPS = 7


class Usage(NamedTuple):
    """CPU time and memory used by the server process."""

    seconds: float
    bytes: int


async def _usage(visitor: Visitor, query: str = "") -> Usage:
    return Usage(**json.loads((await visitor.ask("GET", f"/bench/usage/?{query}")).content))


# Calls


@dataclass(frozen=True, slots=True)
class Load:
    """One round of requests from all tables at once."""

    requests: int
    seconds: float
    server_seconds: float
    client_seconds: float

    @property
    def rate(self) -> float:
        return self.requests / self.seconds

    @property
    def server_ms(self) -> float:
        """Server CPU time per request."""
        return 1_000 * self.server_seconds / self.requests

    @property
    def client_ms(self) -> float:
        return 1_000 * self.client_seconds / self.requests


async def _load(tables: list[Table], ask: Callable[[Table], Awaitable[object]], observer: Visitor) -> Load:
    """Send as many requests as the server answers in one round, one at a time from each table."""
    before, start, client = await _usage(observer), time.perf_counter(), time.process_time()
    requests = 0

    async def keep_asking(table: Table) -> None:
        nonlocal requests
        while time.perf_counter() - start < SECONDS:
            await ask(table)
            requests += 1

    await asyncio.gather(*map(keep_asking, tables))
    seconds, client_seconds = time.perf_counter() - start, time.process_time() - client
    return Load(requests, seconds, (await _usage(observer)).seconds - before.seconds, client_seconds)


async def _read_row(table: Table) -> None:
    player, _ = table.next_move
    await player.visitor.ask("GET", "/bench/row/1/")


class Calls(NamedTuple):
    moves: list[Load]
    rows: list[Load]


async def _measure_calls(port: int) -> Calls:
    observer = await Visitor.to(port)
    tables = [await Table.open(port, SEATS) for _ in range(TABLES)]
    for table in tables:
        # So that there's somebody to publish to.
        await (await table.audience(port)).grow(1, table.version)
    for warm_up in (Table.move, _read_row):
        await _load(tables, warm_up, observer)
    calls = Calls([], [])
    for _ in range(ROUNDS):
        calls.moves.append(await _load(tables, Table.move, observer))
        calls.rows.append(await _load(tables, _read_row, observer))
    return calls


@cache
def _calls() -> Calls:
    site = running_site()
    return site.run(_measure_calls(site.port))


_ROW = "a view that reads one row, with the same server, middleware and sessions"


def calls_through_stack() -> Figure:
    calls = _calls()
    moves, rows = (median(load.rate for load in loads) for loads in (calls.moves, calls.rows))
    ratio = median(move.rate / row.rate for move, row in zip(calls.moves, calls.rows, strict=True))
    client, server = median(load.client_ms for load in calls.rows), median(load.server_ms for load in calls.rows)
    note = (
        f"calls and withdrawals sent the way a page with a stream does, {TABLES} at a time from {TABLES} tables of "
        f"{SEATS} guests, one stream per table; the move limit is raised; the client, in its own process, needs "
        f"{client:.2f} ms of CPU time per row, the server {server:.2f}"
    )
    return Figure("calls_through_stack", moves, "commands/s", _ROW, rows, ratio, Goal(at_least=0.5), note)


def cpu_of_a_call() -> Figure:
    """The same in server CPU time, which hardly depends on other processes; half the rate means twice the cost."""
    calls = _calls()
    moves, rows = (median(load.server_ms for load in loads) for loads in (calls.moves, calls.rows))
    return Figure("cpu_of_a_call", moves, "ms", _ROW, rows, moves / rows, Goal(at_most=2))


# Pushes


class Seconds(NamedTuple):
    """Seconds from sending a request until its answer, and until the last stream has received what it pushed."""

    answered: float
    pushed: float


class Push(NamedTuple):
    answered: float
    pushed: float
    server: float
    """Server CPU time."""


async def _time_push(request: Coroutine[Any, Any, object], pushed_to_all: asyncio.Future[float]) -> Seconds:
    async def answered() -> float:
        await request
        return time.perf_counter()

    start = time.perf_counter()
    first, last = await asyncio.gather(answered(), pushed_to_all)
    return Seconds(first - start, last - start)


class PushComparison:
    """A table with watchers, and the same number of baseline streams that receive the same number of bytes."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.pushed = 0

    async def open(self) -> None:
        self.table = await Table.open(self.port, SEATS)
        self.watchers = await self.table.audience(self.port)
        self.baseline = Audience(self.port, "/bench/stream/")
        self.visitor = await Visitor.to(self.port)

    async def grow(self, streams: int) -> None:
        await self.watchers.grow(streams, self.table.version)
        await self.baseline.grow(streams, None)

    async def move(self) -> Seconds:
        return await _time_push(self.table.move(), self.watchers.expect(self.table.version + 1))

    async def push(self) -> Seconds:
        self.pushed += 1
        path = f"/bench/push/?bytes={self.watchers.size}&version={self.pushed}"
        return await _time_push(self.visitor.ask("POST", path), self.baseline.expect(self.pushed))

    async def measured(self, push: Callable[[], Awaitable[Seconds]]) -> Push:
        before = await _usage(self.visitor)
        seconds = await push()
        return Push(*seconds, (await _usage(self.visitor)).seconds - before.seconds)


class Pushes(NamedTuple):
    moves: list[Push]
    baseline: list[Push]
    size: int

    @property
    def cpu_ms(self) -> tuple[float, float]:
        """Server CPU time for a pushed move and for a baseline push."""
        return _median_ms(push.server for push in self.moves), _median_ms(push.server for push in self.baseline)


def _median_ms(seconds: Iterable[float]) -> float:
    return 1_000 * median(seconds)


async def _measure_pushes(comparison: PushComparison, streams: int) -> Pushes:
    await comparison.grow(streams)
    for _ in range(4):
        await comparison.move()
        await comparison.push()
    pushes = Pushes([], [], comparison.watchers.size)
    for _ in range(PUSHES):
        pushes.moves.append(await comparison.measured(comparison.move))
        pushes.baseline.append(await comparison.measured(comparison.push))
    return pushes


@cache
def _comparison() -> PushComparison:
    site = running_site()
    comparison = PushComparison(site.port)
    site.run(comparison.open())
    return comparison


@cache
def _pushes(streams: int) -> Pushes:
    if streams > FEW:
        # Streams are only ever added, so measure the smaller number first.
        _pushes(FEW)
    return running_site().run(_measure_pushes(_comparison(), streams))


def _push_figure(streams: int) -> Figure:
    pushes = _pushes(streams)
    ratio = median(move.pushed / baseline.pushed for move, baseline in zip(pushes.moves, pushes.baseline, strict=True))
    ms, baseline_ms = (
        _median_ms(push.pushed for push in pushes.moves),
        _median_ms(push.pushed for push in pushes.baseline),
    )
    answer = _median_ms(push.answered for push in pushes.moves)
    slow = 1_000 * quantiles((push.pushed for push in pushes.moves), n=20)[-1]
    cpu, baseline_cpu = pushes.cpu_ms
    baseline = f"a minimal stream, pushed to by an empty POST: the same {pushes.size} bytes to as many clients"
    note = (
        f"from sending the POST of a call until the last of {streams} watchers has the table; "
        f"95 % within {slow:.3g} ms; the POST itself is answered in {answer:.3g} ms; "
        f"CPU time {cpu:.3g} ms against {baseline_cpu:.3g}"
    )
    return Figure(f"push_{streams}", ms, "ms", baseline, baseline_ms, ratio, Goal(at_most=1.5), note)


def push_30() -> Figure:
    return _push_figure(FEW)


def push_300() -> Figure:
    return _push_figure(MANY)


def watcher_cpu() -> Figure:
    few, many = _pushes(FEW), _pushes(MANY)
    us, baseline_us = ((more - less) / (MANY - FEW) * 1_000 for less, more in zip(few.cpu_ms, many.cpu_ms, strict=True))
    note = f"server CPU time per push for one more watcher, between {FEW} and {MANY}"
    baseline = "one more client of a minimal stream"
    return Figure("watcher_cpu", us, "us", baseline, baseline_us, us / baseline_us, None, note)


async def _measure_memory(comparison: PushComparison) -> tuple[float, float]:
    """Memory in kB for one more watcher and one more baseline stream, opened alternately and all kept open."""
    grown = [0, 0]
    streams = MANY
    for _ in range(STEPS):
        streams += (CROWD - MANY) // STEPS
        for which, grow in enumerate((comparison.watchers.grow, comparison.baseline.grow)):
            before = await _usage(comparison.visitor, "tidy")
            await grow(streams, None if which else comparison.table.version)
            await (comparison.push() if which else comparison.move())
            grown[which] += (await _usage(comparison.visitor, "tidy")).bytes - before.bytes
    watcher, baseline = (each / (CROWD - MANY) / 1_000 for each in grown)
    return watcher, baseline


def watcher_memory() -> Figure:
    _pushes(MANY)
    kb, baseline_kb = running_site().run(_measure_memory(_comparison()))
    note = f"growth of the server's memory from {MANY} to {CROWD} watchers of one table, after a push to each"
    goal = Goal(at_most=25, of="value")
    return Figure("watcher_memory", kb, "kB", "a minimal stream", baseline_kb, kb / baseline_kb, goal, note)


FIGURES = [calls_through_stack, cpu_of_a_call, push_30, push_300, watcher_cpu, watcher_memory]
