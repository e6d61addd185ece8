"""Scale the measurements on two cores up to many students, by plain multiplication only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

Record = dict[str, Any]
BUSY = 0.5
"""Highest CPU load at which changes still arrive in time."""
DATABASE_CORES = 32
CONNECTIONS = 8
"""Database connections per web process."""


@dataclass(frozen=True, slots=True)
class Costs:
    """CPU time of the web processes, in microseconds."""

    change: float
    push: float
    idle: float
    """Per process and second."""
    bare_change: float
    bare_push: float


def costs(cells: Sequence[Record]) -> Costs:
    """Fit the costs of a change and a push to the cells of the grid."""

    def fit(traffic: list[Record], webs: list[int]) -> tuple[float, float, float]:
        rows = np.array(
            [[each["changes"], each["pushes"], each["seconds"] * web] for each, web in zip(traffic, webs, strict=True)]
        )
        used = np.array([each["cpu"]["web"] for each in traffic])
        # Relative to each cell's total; otherwise the largest cells would dominate the fit.
        found, *_ = np.linalg.lstsq(rows / used[:, None], np.ones(len(used)), rcond=None)
        change, push, idle = (1e6 * float(each) for each in found)
        return change, push, idle

    webs = [cell["webs"] for cell in cells]
    change, push, idle = fit(list(cells), webs)
    bare_change, bare_push, _idle = fit([cell["bare"] for cell in cells], webs)
    return Costs(change, push, idle, bare_change, bare_push)


@dataclass(frozen=True, slots=True)
class Measured:
    """Per-student figures from the largest load at which the goal was met."""

    students: int
    changes: float
    """Per second and student."""
    pushes: float
    web: float
    """Cores per student, at that load."""
    database: float
    redis: float
    arrival_web: float
    """CPU seconds per student for joining, opening the page and receiving the first table."""
    arrival_database: float
    message_bytes: float
    stream_kb: float
    message_web_us: float
    message_redis_us: float


def best(records: Sequence[Record], *, is_spread: bool) -> Record | None:
    """The largest load on the scaled setup at which the goal was met."""
    runs = [each for each in records if each["run"] == "students" and each["site"] == "scaled"]
    met = [each for each in runs if each["met"] and each["spread"] is is_spread]
    return max(met, key=lambda each: int(each["students"]), default=None)


def measured(records: Sequence[Record], *, is_spread: bool) -> Measured:
    chosen = best(records, is_spread=is_spread)
    if chosen is None:
        raise LookupError("no number of students met the goal")
    count, seconds = chosen["students"], chosen["seconds"]
    cells = [each for each in records if each["run"] == "cell" and each["site"] == "scaled"]
    runs = [each for each in records if each["run"] == "students" and each["site"] == "scaled"]
    arrivals = [each["arrivals"] for each in runs if each["met"] and each["spread"] is is_spread]
    arrived = sum(each["students"] for each in arrivals)
    bus = next(each for each in records if each["run"] == "bus")
    return Measured(
        students=count,
        changes=chosen["changes"] / seconds / count,
        pushes=chosen["pushes"] / seconds / count,
        web=chosen["cpu"]["web"] / seconds / count,
        database=chosen["cpu"]["database"] / seconds / count,
        redis=chosen["cpu"]["redis"] / seconds / count,
        arrival_web=sum(each["cpu"]["web"] for each in arrivals) / arrived,
        arrival_database=sum(each["cpu"]["database"] for each in arrivals) / arrived,
        message_bytes=median(each["message_bytes"] for each in cells),
        stream_kb=median(each["stream_kb"] for each in cells if each["stream_kb"]),
        message_web_us=bus["web_us"],
        message_redis_us=bus["redis_us"],
    )


def processes(one: Measured, students: float) -> float:
    return math.ceil(students * one.web / BUSY)


def one_channel_redis(one: Measured, students: float) -> float:
    """Cores that Redis needs to send every change to every process."""
    return students * one.changes * processes(one, students) * one.message_redis_us / 1e6


def one_channel_receiving(one: Measured, students: float) -> float:
    """Share of each process spent on receiving changes that nobody watches there."""
    return students * one.changes * one.message_web_us / 1e6


def database_cores(one: Measured, students: float) -> float:
    return students * one.database / BUSY


def most_students(need: Any, one: Measured, limit: float) -> float:
    """The largest number of students for which a need that grows with them stays within a limit."""
    low, high = 1.0, 1e9
    while high / low > 1.001:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if need(one, middle) <= limit else (low, middle)
    return low
