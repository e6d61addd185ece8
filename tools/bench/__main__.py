"""Runs the figures named on the command line, or all of them, and prints each as one line of JSON.

A missed goal is reported like any other figure ("met": false); only a figure that crashes makes the run fail.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Sequence

from tools.bench import first_load, lessons, live, odds, rules
from tools.bench.figures import Figure

# To add a subject, write a module with a list FIGURES and add it here.
_SUBJECTS = (rules, odds, lessons, live, first_load)


def _figures() -> dict[str, Callable[[], Figure]]:
    return {figure.__name__: figure for subject in _SUBJECTS for figure in subject.FIGURES}


def main(names: Sequence[str]) -> int:
    figures = _figures()
    unknown = [name for name in names if name not in figures]
    if unknown:
        print(f"unknown figures: {', '.join(unknown)} (choose from {', '.join(figures)})", file=sys.stderr)
        return 2
    crashed = False
    for name in names or figures:
        try:
            print(figures[name]().as_json(), flush=True)
        except Exception:
            crashed = True
            print(f"{name} crashed:", file=sys.stderr)
            traceback.print_exc()
    return 1 if crashed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
