"""The measurements: a cell of the grid, growing numbers of students, a class answering at once, lessons, the bus."""

from __future__ import annotations

import asyncio
import gc
import json
import time
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from statistics import median
from typing import Any, TypeVar

from redis import Redis

from tools.load.client import Browser, Measurements, percentile
from tools.load.lessons import Lesson
from tools.load.sites import Scaled, Site, Usage, memory_of
from tools.load.tables import EVERY, SEATS, BareTable, Table

Record = dict[str, Any]
T = TypeVar("T")
GOAL_MS = 300.0
_AT_ONCE = 12
_FEWEST_FOR_MEMORY = 200
_BUS_MESSAGES = 20_000


async def _run_all(tasks: Iterable[Callable[[], Awaitable[T]]]) -> None:
    """Run them all, a few at a time."""
    semaphore = asyncio.Semaphore(_AT_ONCE)

    async def run_one(task: Callable[[], Awaitable[T]]) -> None:
        async with semaphore:
            await task()

    await asyncio.gather(*map(run_one, tasks))


def _ports(site: Site, number: int, is_spread: bool) -> list[int]:
    """Ports of a table's screens: spread over all processes, or all at one process chosen by the table's number."""
    ports = site.ports
    turn = number % len(ports)
    return [*ports[turn:], *ports[:turn]] if is_spread else [ports[turn]]


def _ms(values: list[float]) -> dict[str, float]:
    return {f"p{round(100 * share)}": _in_ms(percentile(values, share)) for share in (0.5, 0.95, 0.99)}


def _in_ms(seconds: float) -> float:
    return _short(1_000 * seconds)


def _short(number: float) -> float:
    return float(f"{number:.4g}")


async def _play(site: Site, tables: list[Table] | list[BareTable], seconds: float) -> tuple[Measurements, Usage]:
    """Let everybody play for a while; return the measurements and the CPU usage."""
    # Exclude existing objects from garbage collection, which would delay the client's timers.
    gc.collect()
    gc.freeze()
    every = max(table.every for table in tables)
    until = time.perf_counter() + every + seconds
    playing = asyncio.gather(*(table.play(until) for table in tables))
    # Measure only once everybody is playing.
    await asyncio.sleep(every)
    measurements = _start_measurements(tables)
    before = site.usage()
    await asyncio.sleep(until - time.perf_counter())
    used = site.usage() - before
    _start_measurements(tables)
    await playing
    gc.unfreeze()
    return measurements, used


def _start_measurements(tables: list[Table] | list[BareTable]) -> Measurements:
    """Start new measurements for all tables."""
    measurements = Measurements()
    for table in tables:
        table.measurements = measurements
    return measurements


async def _check_results(site: Site, tables: list[Table]) -> Record:
    """Check that nothing was lost: each screen shows the version in the database, and each log replays."""
    await asyncio.gather(*(table.settle() for table in tables))
    stored = await asyncio.to_thread(site.check, [code for table in tables for code in table.codes])
    behind = sum(screen.version != stored["versions"][table.code] for table in tables for screen in table.screens)
    return {"screens_behind": behind, "logs_broken": len(stored["broken"]), "logs": len(stored["versions"])}


def _traffic(measurements: Measurements, used: Usage) -> Record:
    return {
        "seconds": _short(used.wall),
        "changes": measurements.changes,
        "pushes": measurements.pushes,
        "request_ms": _ms(measurements.answered),
        "on_all_ms": _ms(measurements.shown_on_all),
        "refused": measurements.refused,
        "errors": measurements.errors,
        "late": measurements.late,
        "dropped": measurements.dropped,
        "cpu": {
            part: _short(getattr(used, part)) for part in ("web", "database", "redis", "others", "client", "elsewhere")
        },
    }


def _cpu(used: Usage) -> dict[str, float]:
    parts = ("web", "database", "redis", "others", "client", "elsewhere")
    return {part: _short(getattr(used, part)) for part in parts}


async def cell(site: Site, *, webs: int, matches: int, streams: int, seconds: float, every: float = EVERY) -> Record:
    """Measure matches with this many streams in all, then the same traffic on minimal baselines."""
    await asyncio.to_thread(site.restart, webs)
    tables = [Table(number, _ports(site, number, True), every=every) for number in range(matches)]
    await _run_all(table.open for table in tables)
    watchers = [len(range(number, max(0, streams - SEATS * matches), matches)) for number in range(matches)]
    before = await memory_of(site.ports)
    await _run_all(partial(table.watch, more) for table, more in zip(tables, watchers, strict=True))
    grown = await memory_of(site.ports) - before
    measurements, used = await _play(site, tables, seconds)
    found = _traffic(measurements, used) | await _check_results(site, tables)
    size = round(median(len(table.shown) for table in tables))

    bare = [BareTable(number, _ports(site, number, True), size=size, every=every) for number in range(matches)]
    before = await memory_of(site.ports)
    await _run_all(partial(table.open, SEATS + more) for table, more in zip(bare, watchers, strict=True))
    bare_grown = await memory_of(site.ports) - before
    bare_measurements, bare_used = await _play(site, bare, seconds / 2)
    for table in (*tables, *bare):
        table.leave()
    is_measurable = sum(watchers) >= _FEWEST_FOR_MEMORY
    return {
        "run": "cell",
        "site": site.name,
        "webs": webs,
        "matches": matches,
        "streams": max(streams, SEATS * matches),
        "every": every,
        "message_bytes": size,
        "stream_kb": _short(grown / sum(watchers) / 1_000) if is_measurable else None,
        "bare_stream_kb": _short(bare_grown / (sum(watchers) + SEATS * matches) / 1_000) if is_measurable else None,
        **found,
        "bare": _traffic(bare_measurements, bare_used),
    }


async def students(
    site: Site, *, webs: int, steps: list[int], seconds: float, is_spread: bool, report: Callable[[Record], None]
) -> None:
    """Add students at tables of four until fewer than 95 % of the changes reach every screen in time."""
    await asyncio.to_thread(site.restart, webs)
    tables: list[Table] = []
    for wanted in steps:
        new = [Table(number, _ports(site, number, is_spread)) for number in range(len(tables), wanted // SEATS)]
        before = site.usage()
        await _run_all(table.open for table in new)
        opening = site.usage() - before
        tables += new
        for _try in range(2):
            measurements, used = await _play(site, tables, seconds)
            found = _traffic(measurements, used)
            is_met = found["on_all_ms"]["p95"] <= GOAL_MS and not (measurements.errors or measurements.late)
            if is_met:
                break
        record = {
            "run": "students",
            "site": site.name,
            "webs": webs,
            "students": SEATS * len(tables),
            "spread": is_spread,
            "met": is_met,
            **found,
            **await _check_results(site, tables),
            "arrivals": {
                "students": SEATS * len(new),
                "seconds": _short(opening.wall),
                "cpu": _cpu(opening),
            },
        }
        report(record)
        if not is_met:
            break
    for table in tables:
        table.leave()


async def answers_at_once(site: Site, *, devices: int, within: float, rounds: int) -> Record:
    """Measure a class that answers within a second or all at once, then the same number of reads of one row."""
    await asyncio.to_thread(site.restart, 1)
    lesson = Lesson(0, site.ports)
    await lesson.open(devices)
    before = site.usage()
    for _round in range(rounds):
        await lesson.next_round()
        await lesson.answer(within)
    used = site.usage() - before
    stored = await asyncio.to_thread(site.check, [], [lesson.code])
    bare = await _rows_at_once([device.browser for device in lesson.devices], within)
    lesson.leave()
    shown = lesson.on_projector
    return {
        "run": "answers",
        "site": site.name,
        "devices": devices,
        "within": within,
        "rounds": rounds,
        "answer_ms": _ms(lesson.measurements.answered),
        "projector_ms": {"median": _in_ms(median(shown)), "worst": _in_ms(max(shown))},
        "devices_ms": {"worst": _in_ms(max(lesson.measurements.shown_on_all))},
        "row_ms": _ms(bare),
        "lost": devices * rounds - stored["answers"][lesson.code],
        "errors": lesson.measurements.errors,
        "seconds": _short(used.wall),
        "cpu": _cpu(used),
    }


async def _rows_at_once(browsers: list[Browser], within: float) -> list[float]:
    durations = []

    async def read(browser: Browser, pause: float) -> None:
        await asyncio.sleep(pause)
        start = time.perf_counter()
        await browser.ask("GET", "/bench/row/1/")
        durations.append(time.perf_counter() - start)

    await asyncio.gather(*(read(each, within * number / len(browsers)) for number, each in enumerate(browsers)))
    return durations


async def lessons(site: Site, *, webs: int, classes: int, devices: int, rounds: int, within: float) -> Record:
    """Measure whole classes at lesson pace: a question, everybody answers within some seconds, the next question."""
    await asyncio.to_thread(site.restart, webs)
    running = [Lesson(number, _ports(site, number, True)) for number in range(classes)]
    await _run_all(partial(lesson.open, devices) for lesson in running)

    async def teach(lesson: Lesson) -> None:
        await asyncio.sleep(lesson.rng.uniform(0, within))
        for _round in range(rounds):
            await lesson.next_round()
            await lesson.answer(within)

    before = site.usage()
    await asyncio.gather(*map(teach, running))
    used = site.usage() - before
    stored = await asyncio.to_thread(site.check, [], [lesson.code for lesson in running])
    before = site.usage()
    bare = await _rows_at_once([device.browser for lesson in running for device in lesson.devices], within)
    reading = site.usage() - before
    for lesson in running:
        lesson.leave()
    return {
        "run": "lessons",
        "site": site.name,
        "webs": webs,
        "classes": classes,
        "devices": classes * devices,
        "seconds": _short(used.wall),
        "answer_ms": _ms([each for lesson in running for each in lesson.measurements.answered]),
        "row_ms": _ms(bare),
        "row_cpu": _cpu(reading),
        "projector_ms": _ms([each for lesson in running for each in lesson.on_projector]),
        "devices_ms": _ms([each for lesson in running for each in lesson.measurements.shown_on_all]),
        "answers": sum(lesson.answers for lesson in running),
        "lost": classes * devices * rounds - sum(stored["answers"].values()),
        "errors": sum(lesson.measurements.errors for lesson in running),
        "cpu": _cpu(used),
    }


def bus(site: Scaled) -> Record:
    """Measure the cost of a change nobody watches: for a process to receive it, and for Redis to send it."""
    site.restart(1)
    message = json.dumps([["load", "match", "ZZZZZ", 1]])
    with Redis.from_url(site.site.redis.address) as client:
        before = site.usage()
        for _burst in range(_BUS_MESSAGES // 500):
            with client.pipeline(transaction=False) as pipeline:
                for _message in range(500):
                    pipeline.publish("setsite/0", message)
                pipeline.execute()
            # Not faster than the process can receive them.
            time.sleep(0.05)
        time.sleep(1.0)
        used = site.usage() - before
    return {
        "run": "bus",
        "messages": _BUS_MESSAGES,
        "web_us": _short(1e6 * used.web / _BUS_MESSAGES),
        "redis_us": _short(1e6 * used.redis / _BUS_MESSAGES),
    }
