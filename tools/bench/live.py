"""How fast the live game is, on the real server in a process of its own, each figure beside something bare on it."""

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
from tools.bench.loads import Audience, Table, Visitor
from tools.bench.site import running_site

TABLES = 16
SEATS = 8
ROUNDS = 11
SECONDS = 0.6
PUSHES = 40
FEW, MANY, CROWD = 30, 300, 1000
STEPS = 7


class Usage(NamedTuple):
    """What the server's process has used."""

    seconds: float
    bytes: int


async def _usage(visitor: Visitor, how: str = "") -> Usage:
    return Usage(**json.loads((await visitor.ask("GET", f"/bench/usage/?{how}")).content))


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
        """Of the server's processor time, for one request."""
        return 1_000 * self.server_seconds / self.requests

    @property
    def client_ms(self) -> float:
        return 1_000 * self.client_seconds / self.requests


async def _load(tables: list[Table], ask: Callable[[Table], Awaitable[object]], watch: Visitor) -> Load:
    """As many requests as the server answers in a round, one at a time from each table."""
    before, start, client = await _usage(watch), time.perf_counter(), time.process_time()
    requests = 0

    async def keep_asking(table: Table) -> None:
        nonlocal requests
        while time.perf_counter() - start < SECONDS:
            await ask(table)
            requests += 1

    await asyncio.gather(*map(keep_asking, tables))
    seconds, client_seconds = time.perf_counter() - start, time.process_time() - client
    return Load(requests, seconds, (await _usage(watch)).seconds - before.seconds, client_seconds)


async def _read_row(table: Table) -> None:
    player, _ = table.next_move
    await player.visitor.ask("GET", "/bench/row/1/")


class Calls(NamedTuple):
    moves: list[Load]
    rows: list[Load]


async def _measure_calls(port: int) -> Calls:
    watch = await Visitor.to(port)
    tables = [await Table.open(port, SEATS) for _ in range(TABLES)]
    for table in tables:
        # Somebody to publish to.
        await (await table.audience(port)).grow(1, table.version)
    for warm_up in (Table.move, _read_row):
        await _load(tables, warm_up, watch)
    calls = Calls([], [])
    for _ in range(ROUNDS):
        calls.moves.append(await _load(tables, Table.move, watch))
        calls.rows.append(await _load(tables, _read_row, watch))
    return calls


@cache
def _calls() -> Calls:
    site = running_site()
    return site.run(_measure_calls(site.port))


_ROW = "a view that reads one row, same server, middleware and sessions"


def calls_through_stack() -> Figure:
    calls = _calls()
    moves, rows = (median(load.rate for load in loads) for loads in (calls.moves, calls.rows))
    ratio = median(move.rate / row.rate for move, row in zip(calls.moves, calls.rows, strict=True))
    client, server = median(load.client_ms for load in calls.rows), median(load.server_ms for load in calls.rows)
    note = (
        f"calls and withdrawals as a page with a stream sends them, {TABLES} at a time from {TABLES} tables of {SEATS} "
        "guests, one stream a table; the limit of moves is raised; the client, in a process of its own, needs "
        f"{client:.2f} ms of processor for a row where the server needs {server:.2f}"
    )
    return Figure("calls_through_stack", moves, "commands/s", _ROW, rows, ratio, Goal(at_least=0.5), note)


def cpu_of_a_call() -> Figure:
    """The same in the server's processor time, which busy neighbours hardly change: half as many are twice the cost."""
    calls = _calls()
    moves, rows = (median(load.server_ms for load in loads) for loads in (calls.moves, calls.rows))
    return Figure("cpu_of_a_call", moves, "ms", _ROW, rows, moves / rows, Goal(at_most=2))


# Pushes


class Seconds(NamedTuple):
    """From before a request until it is answered, and until the last stream has what it pushed."""

    answered: float
    seen: float


class Push(NamedTuple):
    answered: float
    seen: float
    server: float
    """Of the server's processor."""


async def _seconds(request: Coroutine[Any, Any, object], all_have_it: asyncio.Future[float]) -> Seconds:
    async def answered() -> float:
        await request
        return time.perf_counter()

    start = time.perf_counter()
    first, last = await asyncio.gather(answered(), all_have_it)
    return Seconds(first - start, last - start)


class Hall:
    """A table with watchers, and as many bare streams that are sent as much."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.pushed = 0

    async def open(self) -> None:
        self.table = await Table.open(self.port, SEATS)
        self.watchers = await self.table.audience(self.port)
        self.bare = Audience(self.port, "/bench/stream/")
        self.visitor = await Visitor.to(self.port)

    async def grow(self, streams: int) -> None:
        await self.watchers.grow(streams, self.table.version)
        await self.bare.grow(streams, None)

    async def move(self) -> Seconds:
        return await _seconds(self.table.move(), self.watchers.expect(self.table.version + 1))

    async def push(self) -> Seconds:
        self.pushed += 1
        path = f"/bench/push/?bytes={self.watchers.size}&version={self.pushed}"
        return await _seconds(self.visitor.ask("POST", path), self.bare.expect(self.pushed))

    async def measured(self, push: Callable[[], Awaitable[Seconds]]) -> Push:
        before = await _usage(self.visitor)
        seconds = await push()
        return Push(*seconds, (await _usage(self.visitor)).seconds - before.seconds)


class Pushes(NamedTuple):
    moves: list[Push]
    bare: list[Push]
    size: int

    @property
    def cpu_ms(self) -> tuple[float, float]:
        """Of the server, for a push of a move and for a bare one."""
        return _median_ms(push.server for push in self.moves), _median_ms(push.server for push in self.bare)


def _median_ms(seconds: Iterable[float]) -> float:
    return 1_000 * median(seconds)


async def _measure_pushes(hall: Hall, streams: int) -> Pushes:
    await hall.grow(streams)
    for _ in range(4):
        await hall.move()
        await hall.push()
    pushes = Pushes([], [], hall.watchers.size)
    for _ in range(PUSHES):
        pushes.moves.append(await hall.measured(hall.move))
        pushes.bare.append(await hall.measured(hall.push))
    return pushes


@cache
def _hall() -> Hall:
    site = running_site()
    hall = Hall(site.port)
    site.run(hall.open())
    return hall


@cache
def _pushes(streams: int) -> Pushes:
    if streams > FEW:
        # Streams are only ever added.
        _pushes(FEW)
    return running_site().run(_measure_pushes(_hall(), streams))


def _push_figure(streams: int) -> Figure:
    pushes = _pushes(streams)
    ratio = median(move.seen / bare.seen for move, bare in zip(pushes.moves, pushes.bare, strict=True))
    ms, bare_ms = _median_ms(push.seen for push in pushes.moves), _median_ms(push.seen for push in pushes.bare)
    answer = _median_ms(push.answered for push in pushes.moves)
    slow = 1_000 * quantiles((push.seen for push in pushes.moves), n=20)[-1]
    cpu, bare_cpu = pushes.cpu_ms
    baseline = f"a bare stream, pushed to by an empty POST: the same {pushes.size} bytes to as many clients"
    note = (
        f"from before the POST of a call until the last of {streams} watchers has the table; 95 % in {slow:.3g} ms; "
        f"the POST itself is answered in {answer:.3g} ms; the processor works {cpu:.3g} ms against {bare_cpu:.3g}"
    )
    return Figure(f"push_{streams}", ms, "ms", baseline, bare_ms, ratio, Goal(at_most=1.5), note)


def push_30() -> Figure:
    return _push_figure(FEW)


def push_300() -> Figure:
    return _push_figure(MANY)


def watcher_cpu() -> Figure:
    few, many = _pushes(FEW), _pushes(MANY)
    us, bare_us = ((more - less) / (MANY - FEW) * 1_000 for less, more in zip(few.cpu_ms, many.cpu_ms, strict=True))
    note = f"of the server's processor, for one more watcher of a push, between {FEW} and {MANY}"
    return Figure("watcher_cpu", us, "us", "one more client of a bare stream", bare_us, us / bare_us, None, note)


async def _measure_memory(hall: Hall) -> tuple[float, float]:
    """What one more watcher and one more bare stream take, in kB, opened in turns and all kept open."""
    grown = [0, 0]
    streams = MANY
    for _ in range(STEPS):
        streams += (CROWD - MANY) // STEPS
        for which, grow in enumerate((hall.watchers.grow, hall.bare.grow)):
            before = await _usage(hall.visitor, "tidy")
            await grow(streams, None if which else hall.table.version)
            await (hall.push() if which else hall.move())
            grown[which] += (await _usage(hall.visitor, "tidy")).bytes - before.bytes
    watcher, bare = (each / (CROWD - MANY) / 1_000 for each in grown)
    return watcher, bare


def watcher_memory() -> Figure:
    _pushes(MANY)
    kb, bare_kb = running_site().run(_measure_memory(_hall()))
    note = f"growth of the server's memory from {MANY} to {CROWD} watchers of one table, each having been pushed to"
    goal = Goal(at_most=25, of="value")
    return Figure("watcher_memory", kb, "kB", "a bare stream", bare_kb, kb / bare_kb, goal, note)


FIGURES = [calls_through_stack, cpu_of_a_call, push_30, push_300, watcher_cpu, watcher_memory]
