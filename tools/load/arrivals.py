"""The arrival peak as a simulation: when a million students come, and how long each waits for the first table.

Classes begin around one o'clock, each a little early or late, and its students come within a minute of each other.
Whoever comes is sent to one of the processes at random, as a proxy does that keeps a table at one place, waits there
in a line, and keeps it busy for as long as joining, the page and the first table take. How long that is was measured;
that it varies as an exponential does is assumed, which is worse than what was seen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Moments = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Peak:
    students: int = 1_000_000
    class_size: int = 25
    spread: float = 90.0
    """Standard deviation of the moments at which classes begin, in seconds."""
    within: float = 60.0
    """Seconds in which the students of a class come."""


def arrivals(peak: Peak, rng: np.random.Generator) -> Moments:
    """Seconds from one o'clock, in order; those before it are negative."""
    begins = np.repeat(rng.normal(0.0, peak.spread, -(-peak.students // peak.class_size)), peak.class_size)
    return np.sort(begins[: peak.students] + rng.uniform(0.0, peak.within, peak.students))


def busiest(moments: Moments, *, window: float = 5.0) -> float:
    """Arrivals a second in the busiest few seconds."""
    after = np.searchsorted(moments, moments + window)
    return float((after - np.arange(len(moments))).max() / window)


def waits(moments: Moments, *, servers: int, service: float, rng: np.random.Generator) -> Moments:
    """How long each waits until somebody has time for them, each server having a line of its own."""
    chosen = rng.integers(servers, size=len(moments)).tolist()
    busy = rng.exponential(service, len(moments)).tolist()
    free = [-np.inf] * servers
    waited = np.empty(len(moments))
    for number, (moment, server, takes) in enumerate(zip(moments.tolist(), chosen, busy, strict=True)):
        start = max(moment, free[server])
        free[server] = start + takes
        waited[number] = start - moment
    return waited
