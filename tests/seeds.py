"""The seed of randomized tests: new for each run, printed at its end, and repeatable with an environment variable."""

from __future__ import annotations

import os
import secrets

VARIABLE = "SETSITE_TEST_SEED"
SECONDS_VARIABLE = "SETSITE_FUZZ_SECONDS"
_SECONDS = 20.0


def choose_seed() -> None:
    """Choose this run's seed, which the run's processes inherit."""
    os.environ.setdefault(VARIABLE, str(secrets.randbelow(10**9)))


def run_seed() -> int:
    return int(os.environ[VARIABLE])


def how_to_repeat() -> str:
    return f"{VARIABLE}={run_seed()} repeats this run's random choices"


def fuzz_seconds() -> float:
    """CPU seconds a fuzz test may take beyond its minimum."""
    return float(os.environ.get(SECONDS_VARIABLE, _SECONDS))
