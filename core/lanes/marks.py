"""Mark views that do slow work, so that they don't hold up pages and game moves.

Slow is whatever can take longer than about 50 ms: hashing a password, reading an upload, writing a PDF, a spreadsheet
or an export, drawing a picture, calling another server, a page about everyone in a class. The server reads the marks
once, when it loads the URLconf.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

View = TypeVar("View", bound=Callable[..., Any])

FAST, HEAVY, SIGN_IN, REPORTS = "fast", "heavy", "sign_in", "reports"
ANY = "*"
"""Means every method."""
_MARK, _LANE = "slow_methods", "slow_lane"


def slow(*methods: str, lane: str = HEAVY) -> Callable[[View], View]:
    """Run a view in the heavy lane, or another slow one, for these methods, or for all methods if none is given."""

    def mark(view: View) -> View:
        setattr(view, _MARK, frozenset(methods or (ANY,)))
        setattr(view, _LANE, lane)
        return view

    return mark


def slow_methods(view: Callable[..., Any]) -> frozenset[str]:
    """The methods for which a view is slow; the mark survives decorators that use `functools.wraps`."""
    found: frozenset[str] = getattr(view, _MARK, frozenset())
    return found


def lane_of(view: Callable[..., Any]) -> str:
    """The lane that a slow view takes."""
    found: str = getattr(view, _LANE, HEAVY)
    return found
