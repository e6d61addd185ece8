"""One measurement each: a cell of the grid, students in growing numbers, a class that answers at once, the bus."""

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

from tools.load.client import Browser, Notes, percentile
from tools.load.lessons import Lesson
from tools.load.sites import Scaled, Site, Usage, memory_of
from tools.load.tables import EVERY, SEATS, BareTable, Table

Record = dict[str, Any]
T = TypeVar("T")
GOAL_MS = 300.0
_AT_ONCE = 12
_FEWEST_FOR_MEMORY = 200
_WORDS = 20_000


async def _each(works: Iterable[Callable[[], Awaitable[T]]]) -> None:
    """Do them all, a few at a time."""
    room = asyncio.Semaphore(_AT_ONCE)

    async def do(work: Callable[[], Awaitable[T]]) -> None:
        async with room:
            await work()

    await asyncio.gather(*map(do, works))


def _ports(site: Site, number: int, is_spread: bool) -> list[int]:
    """Where the screens of a table are: at all processes in turn, or all at one that its number names."""
    ports = site.ports
    turn = number % len(ports)
    return [*ports[turn:], *ports[:turn]] if is_spread else [ports[turn]]


def _ms(values: list[float]) -> dict[str, float]:
    return {f"p{round(100 * share)}": _in_ms(percentile(values, share)) for share in (0.5, 0.95, 0.99)}


def _in_ms(seconds: float) -> float:
    return _short(1_000 * seconds)


def _short(number: float) -> float:
    return float(f"{number:.4g}")


async def _play(site: Site, tables: list[Table] | list[BareTable], seconds: float) -> tuple[Notes, Usage]:
    """Everybody plays for a while; what was noted, and what it has used."""
    # What is there stays there: looking through it again and again would delay the clocks of the client.
    gc.collect()
    gc.freeze()
    every = max(table.every for table in tables)
    until = time.perf_counter() + every + seconds
    playing = asyncio.gather(*(table.play(until) for table in tables))
    # Until then not everybody plays.
    await asyncio.sleep(every)
    notes = _note(tables)
    before = site.usage()
    await asyncio.sleep(until - time.perf_counter())
    used = site.usage() - before
    _note(tables)
    await playing
    gc.unfreeze()
    return notes, used


def _note(tables: list[Table] | list[BareTable]) -> Notes:
    """Begin to note anew."""
    notes = Notes()
    for table in tables:
        table.notes = notes
    return notes


async def _verdict(site: Site, tables: list[Table]) -> Record:
    """Whether anything was lost: each screen shows the true version, and each log replays."""
    await asyncio.gather(*(table.settle() for table in tables))
    kept = await asyncio.to_thread(site.check, [code for table in tables for code in table.codes])
    behind = sum(screen.version != kept["versions"][table.code] for table in tables for screen in table.screens)
    return {"screens_behind": behind, "logs_broken": len(kept["broken"]), "logs": len(kept["versions"])}


def _traffic(notes: Notes, used: Usage) -> Record:
    return {
        "seconds": _short(used.wall),
        "changes": notes.changes,
        "pushes": notes.pushes,
        "request_ms": _ms(notes.answered),
        "on_all_ms": _ms(notes.on_all),
        "refused": notes.refused,
        "errors": notes.errors,
        "late": notes.late,
        "dropped": notes.dropped,
        "cpu": {
            part: _short(getattr(used, part)) for part in ("web", "database", "redis", "others", "client", "elsewhere")
        },
    }


def _cpu(used: Usage) -> dict[str, float]:
    parts = ("web", "database", "redis", "others", "client", "elsewhere")
    return {part: _short(getattr(used, part)) for part in parts}


async def cell(site: Site, *, webs: int, matches: int, streams: int, seconds: float, every: float = EVERY) -> Record:
    """Matches with so many streams in all, and beside them the same traffic with nothing behind it."""
    await asyncio.to_thread(site.restart, webs)
    tables = [Table(number, _ports(site, number, True), every=every) for number in range(matches)]
    await _each(table.open for table in tables)
    watchers = [len(range(number, max(0, streams - SEATS * matches), matches)) for number in range(matches)]
    before = await memory_of(site.ports)
    await _each(partial(table.watch, more) for table, more in zip(tables, watchers, strict=True))
    grown = await memory_of(site.ports) - before
    notes, used = await _play(site, tables, seconds)
    found = _traffic(notes, used) | await _verdict(site, tables)
    size = round(median(len(table.shown) for table in tables))

    bare = [BareTable(number, _ports(site, number, True), size=size, every=every) for number in range(matches)]
    before = await memory_of(site.ports)
    await _each(partial(table.open, SEATS + more) for table, more in zip(bare, watchers, strict=True))
    bare_grown = await memory_of(site.ports) - before
    bare_notes, bare_used = await _play(site, bare, seconds / 2)
    for table in (*tables, *bare):
        table.leave()
    many = sum(watchers) >= _FEWEST_FOR_MEMORY
    return {
        "run": "cell",
        "site": site.name,
        "webs": webs,
        "matches": matches,
        "streams": max(streams, SEATS * matches),
        "every": every,
        "message_bytes": size,
        "stream_kb": _short(grown / sum(watchers) / 1_000) if many else None,
        "bare_stream_kb": _short(bare_grown / (sum(watchers) + SEATS * matches) / 1_000) if many else None,
        **found,
        "bare": _traffic(bare_notes, bare_used),
    }


async def students(
    site: Site, *, webs: int, steps: list[int], seconds: float, is_spread: bool, say: Callable[[Record], None]
) -> None:
    """More and more students at tables of four, until 95 % of the changes are not on every screen in time."""
    await asyncio.to_thread(site.restart, webs)
    tables: list[Table] = []
    for wanted in steps:
        new = [Table(number, _ports(site, number, is_spread)) for number in range(len(tables), wanted // SEATS)]
        before = site.usage()
        await _each(table.open for table in new)
        opening = site.usage() - before
        tables += new
        for _try in range(2):
            notes, used = await _play(site, tables, seconds)
            found = _traffic(notes, used)
            is_met = found["on_all_ms"]["p95"] <= GOAL_MS and not (notes.errors or notes.late)
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
            **await _verdict(site, tables),
            "arrivals": {
                "students": SEATS * len(new),
                "seconds": _short(opening.wall),
                "cpu": _cpu(opening),
            },
        }
        say(record)
        if not is_met:
            break
    for table in tables:
        table.leave()


async def answers_at_once(site: Site, *, devices: int, within: float, rounds: int) -> Record:
    """One class, all of whom answer within a second or at the same instant; beside it, as many reads of a row."""
    await asyncio.to_thread(site.restart, 1)
    lesson = Lesson(0, site.ports)
    await lesson.open(devices)
    before = site.usage()
    for _round in range(rounds):
        await lesson.next_round()
        await lesson.answer(within)
    used = site.usage() - before
    kept = await asyncio.to_thread(site.check, [], [lesson.code])
    bare = await _rows_at_once([device.browser for device in lesson.devices], within)
    lesson.leave()
    shown = lesson.on_projector
    return {
        "run": "answers",
        "site": site.name,
        "devices": devices,
        "within": within,
        "rounds": rounds,
        "answer_ms": _ms(lesson.notes.answered),
        "projector_ms": {"median": _in_ms(median(shown)), "worst": _in_ms(max(shown))},
        "devices_ms": {"worst": _in_ms(max(lesson.notes.on_all))},
        "row_ms": _ms(bare),
        "lost": devices * rounds - kept["answers"][lesson.code],
        "errors": lesson.notes.errors,
        "seconds": _short(used.wall),
        "cpu": _cpu(used),
    }


async def _rows_at_once(browsers: list[Browser], within: float) -> list[float]:
    taken = []

    async def read(browser: Browser, pause: float) -> None:
        await asyncio.sleep(pause)
        start = time.perf_counter()
        await browser.ask("GET", "/bench/row/1/")
        taken.append(time.perf_counter() - start)

    await asyncio.gather(*(read(each, within * number / len(browsers)) for number, each in enumerate(browsers)))
    return taken


async def lessons(site: Site, *, webs: int, classes: int, devices: int, rounds: int, within: float) -> Record:
    """Whole classes at the pace of a lesson: a question, everybody answers within some seconds, the next question."""
    await asyncio.to_thread(site.restart, webs)
    running = [Lesson(number, _ports(site, number, True)) for number in range(classes)]
    await _each(partial(lesson.open, devices) for lesson in running)

    async def teach(lesson: Lesson) -> None:
        await asyncio.sleep(lesson.rng.uniform(0, within))
        for _round in range(rounds):
            await lesson.next_round()
            await lesson.answer(within)

    before = site.usage()
    await asyncio.gather(*map(teach, running))
    used = site.usage() - before
    kept = await asyncio.to_thread(site.check, [], [lesson.code for lesson in running])
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
        "answer_ms": _ms([each for lesson in running for each in lesson.notes.answered]),
        "row_ms": _ms(bare),
        "row_cpu": _cpu(reading),
        "projector_ms": _ms([each for lesson in running for each in lesson.on_projector]),
        "devices_ms": _ms([each for lesson in running for each in lesson.notes.on_all]),
        "answers": sum(lesson.answers for lesson in running),
        "lost": classes * devices * rounds - sum(kept["answers"].values()),
        "errors": sum(lesson.notes.errors for lesson in running),
        "cpu": _cpu(used),
    }


def words(site: Scaled) -> Record:
    """What it costs a process to hear of a change that nobody watches there, and Redis to tell it."""
    site.restart(1)
    heard = json.dumps([["load", "match", "ZZZZZ", 1]])
    with Redis.from_url(site.site.redis.address) as client:
        before = site.usage()
        for _burst in range(_WORDS // 500):
            with client.pipeline(transaction=False) as together:
                for _word in range(500):
                    together.publish("setsite/0", heard)
                together.execute()
            # Not faster than it can hear them.
            time.sleep(0.05)
        time.sleep(1.0)
        used = site.usage() - before
    return {
        "run": "words",
        "words": _WORDS,
        "web_us": _short(1e6 * used.web / _WORDS),
        "redis_us": _short(1e6 * used.redis / _WORDS),
    }
