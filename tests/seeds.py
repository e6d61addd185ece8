"""The seed of randomized tests: fresh in each run, said at its end, and repeated where the environment names one."""

from __future__ import annotations

import os
import secrets

VARIABLE = "SETSITE_TEST_SEED"
SECONDS_VARIABLE = "SETSITE_FUZZ_SECONDS"
_SECONDS = 60.0


def choose_seed() -> None:
    """Choose this run's seed, which the processes of the run inherit."""
    os.environ.setdefault(VARIABLE, str(secrets.randbelow(10**9)))


def run_seed() -> int:
    return int(os.environ[VARIABLE])


def how_to_repeat() -> str:
    return f"{VARIABLE}={run_seed()} repeats this run's random choices"


def fuzz_seconds() -> float:
    """Processor seconds that a fuzz test may take, beyond what it does at least."""
    return float(os.environ.get(SECONDS_VARIABLE, _SECONDS))
