"""Run programs of the site as separate processes on a test database."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from django.db import connections

from tools.scale.processes import ROOT

PATIENCE = 600.0
"""Seconds after which a program counts as stuck."""


def run(arguments: list[str], environment: dict[str, str]) -> str:
    """Run a Python program of the site in its own process; return its output."""
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**inherited(), "SETSITE_DEMO": "1", **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)} failed:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def inherited() -> dict[str, str]:
    """The environment without the settings of the tests' own site."""
    return {name: value for name, value in os.environ.items() if not name.startswith("SETSITE_")}


@contextmanager
def reading(database: Mapping[str, object]) -> Iterator[None]:
    """Let Django's models read the database of a site that runs elsewhere."""
    kept, kept_connection = connections.settings["default"], connections["default"]
    connections.settings["default"] = {**kept, **database}
    connections["default"] = connections.create_connection("default")
    try:
        yield
    finally:
        connections["default"].close()
        connections.settings["default"], connections["default"] = kept, kept_connection
