"""Keep one core of the machine free of heavy work, for the games, across all kinds of work and web processes.

Three children computing on two cores make every game move wait, whatever their priority: the 95th percentile of a call
was 5 times that of an idle machine, and is about 2 times with a core left free. This is best effort: work that has
waited for a second goes ahead.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

LONGEST_WAIT = 1.0
_LOOK_EVERY = 0.004


def spare_cores() -> int:
    return max(1, (os.cpu_count() or 1) - 1)


@contextmanager
def spare_core() -> Iterator[None]:
    """Reserve a core that no other heavy work uses, if one becomes free in time."""
    handle = _wait_for_one()
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _wait_for_one() -> int | None:
    deadline = time.monotonic() + LONGEST_WAIT
    while (handle := _take_one()) is None and time.monotonic() < deadline:
        time.sleep(_LOOK_EVERY)
    return handle


def _take_one() -> int | None:
    """Try to lock one of the cores. The lock ends when its handle is closed or the process ends."""
    for number in range(spare_cores()):
        try:
            handle = os.open(Path(settings.VAR_DIR) / f"spare-core-{number}", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            return None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
        else:
            return handle
    return None
