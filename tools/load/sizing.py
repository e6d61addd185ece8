"""From what was measured on two cores to what many students would need: plain multiplication, and nothing else."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

Record = dict[str, Any]
BUSY = 0.5
"""How busy a processor may be for changes to arrive in time."""
DATABASE_CORES = 32
CONNECTIONS = 8
"""That a web process keeps."""


@dataclass(frozen=True, slots=True)
class Costs:
    """Microseconds of the web processes."""

    change: float
    push: float
    idle: float
    """Of a process, a second."""
    bare_change: float
    bare_push: float


def costs(cells: Sequence[Record]) -> Costs:
    """What a change and a push cost, so that the cells of the grid come out as well as they can."""

    def fit(traffic: list[Record], webs: list[int]) -> tuple[float, float, float]:
        rows = np.array(
            [[each["changes"], each["pushes"], each["seconds"] * web] for each, web in zip(traffic, webs, strict=True)]
        )
        used = np.array([each["cpu"]["web"] for each in traffic])
        # In shares of each cell, or the largest would decide alone.
        found, *_ = np.linalg.lstsq(rows / used[:, None], np.ones(len(used)), rcond=None)
        change, push, idle = (1e6 * float(each) for each in found)
        return change, push, idle

    webs = [cell["webs"] for cell in cells]
    change, push, idle = fit(list(cells), webs)
    bare_change, bare_push, _idle = fit([cell["bare"] for cell in cells], webs)
    return Costs(change, push, idle, bare_change, bare_push)


@dataclass(frozen=True, slots=True)
class Measured:
    """One student at a table, from the largest load at which the goal was met."""

    students: int
    changes: float
    """A second and student."""
    pushes: float
    web: float
    """Cores a student, at that load."""
    database: float
    redis: float
    arrival_web: float
    """Seconds of a core for one who comes, joins, opens the page and gets the first table."""
    arrival_database: float
    message_bytes: float
    stream_kb: float
    word_web_us: float
    word_redis_us: float


def best(records: Sequence[Record], *, is_spread: bool) -> Record | None:
    """The largest load on the scaled set-up at which the goal was met."""
    runs = [each for each in records if each["run"] == "students" and each["site"] == "scaled"]
    met = [each for each in runs if each["met"] and each["spread"] is is_spread]
    return max(met, key=lambda each: int(each["students"]), default=None)


def measured(records: Sequence[Record], *, is_spread: bool) -> Measured:
    chosen = best(records, is_spread=is_spread)
    if chosen is None:
        raise LookupError("no number of students has met the goal")
    count, seconds = chosen["students"], chosen["seconds"]
    cells = [each for each in records if each["run"] == "cell" and each["site"] == "scaled"]
    runs = [each for each in records if each["run"] == "students" and each["site"] == "scaled"]
    came = [each["arrivals"] for each in runs if each["met"] and each["spread"] is is_spread]
    arrived = sum(each["students"] for each in came)
    words = next(each for each in records if each["run"] == "words")
    return Measured(
        students=count,
        changes=chosen["changes"] / seconds / count,
        pushes=chosen["pushes"] / seconds / count,
        web=chosen["cpu"]["web"] / seconds / count,
        database=chosen["cpu"]["database"] / seconds / count,
        redis=chosen["cpu"]["redis"] / seconds / count,
        arrival_web=sum(each["cpu"]["web"] for each in came) / arrived,
        arrival_database=sum(each["cpu"]["database"] for each in came) / arrived,
        message_bytes=median(each["message_bytes"] for each in cells),
        stream_kb=median(each["stream_kb"] for each in cells if each["stream_kb"]),
        word_web_us=words["web_us"],
        word_redis_us=words["redis_us"],
    )


def processes(one: Measured, students: float) -> float:
    return math.ceil(students * one.web / BUSY)


def one_channel_redis(one: Measured, students: float) -> float:
    """Cores that Redis needs to tell every process of every change."""
    return students * one.changes * processes(one, students) * one.word_redis_us / 1e6


def one_channel_hearing(one: Measured, students: float) -> float:
    """How much of each process goes into hearing of changes that nobody watches there."""
    return students * one.changes * one.word_web_us / 1e6


def database_cores(one: Measured, students: float) -> float:
    return students * one.database / BUSY


def most_students(need: Any, one: Measured, limit: float) -> float:
    """For how many students a need that grows with them stays within a limit."""
    low, high = 1.0, 1e9
    while high / low > 1.001:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if need(one, middle) <= limit else (low, middle)
    return low
