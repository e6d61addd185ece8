"""Simulate the arrival peak: when a million students come, and how long each waits for the first table.

Classes begin around one o'clock, each a little early or late, and the students of a class come within a minute. Each is
sent to a random process, like a proxy that keeps each table at one process, waits in line there, and keeps the process
busy while joining and loading the page and the first table. That service time was measured; its distribution is assumed
to be exponential, which is worse than what was observed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Times = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Peak:
    students: int = 1_000_000
    class_size: int = 25
    spread: float = 90.0
    """Standard deviation of the times at which classes begin, in seconds."""
    within: float = 60.0
    """Seconds within which all students of a class come."""


def arrivals(peak: Peak, rng: np.random.Generator) -> Times:
    """Arrival times in seconds after one o'clock, sorted; earlier ones are negative."""
    begins = np.repeat(rng.normal(0.0, peak.spread, -(-peak.students // peak.class_size)), peak.class_size)
    return np.sort(begins[: peak.students] + rng.uniform(0.0, peak.within, peak.students))


def busiest(moments: Times, *, window: float = 5.0) -> float:
    """Arrivals per second in the busiest few seconds."""
    after = np.searchsorted(moments, moments + window)
    return float((after - np.arange(len(moments))).max() / window)


def waits(moments: Times, *, servers: int, service: float, rng: np.random.Generator) -> Times:
    """How long each student waits to be served; each server has its own line."""
    chosen = rng.integers(servers, size=len(moments)).tolist()
    service_times = rng.exponential(service, len(moments)).tolist()
    free_at = [-np.inf] * servers
    waited = np.empty(len(moments))
    for number, (moment, server, service_time) in enumerate(zip(moments.tolist(), chosen, service_times, strict=True)):
        start = max(moment, free_at[server])
        free_at[server] = start + service_time
        waited[number] = start - moment
    return waited
