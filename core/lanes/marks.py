"""Mark views that do slow work, so that the server keeps them away from pages and game moves.

Slow is whatever can take longer than about 50 ms: hashing a password, reading an upload, writing a PDF, a spreadsheet
or an export, drawing a picture, asking another server, a page about everybody in a class. The server reads the mark
once, when it loads the addresses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

View = TypeVar("View", bound=Callable[..., Any])

FAST, HEAVY, SIGN_IN, REPORTS = "fast", "heavy", "sign_in", "reports"
ANY = "*"
"""Stands for every method."""
_MARK, _LANE = "slow_methods", "slow_lane"


def slow(*methods: str, lane: str = HEAVY) -> Callable[[View], View]:
    """Run a view in the lane for heavy work, or another one: for these methods, or for all of them if none is named."""

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
