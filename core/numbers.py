"""Parsing of whole numbers in requests."""

from __future__ import annotations

MOST_KEY = 2**63 - 1
"""The largest primary key."""
_MOST = 2**31 - 1


def whole_number(text: str, *, most: int = _MOST) -> int | None:
    """Parse ASCII digits as a number up to `most`; None for anything else.

    `int` would also accept signs, spaces, underscores and other scripts' digits, and is slow for thousands of digits.
    """
    if not text.isascii() or not text.isdigit() or len(text) > len(str(most)):
        return None
    number = int(text)
    return number if number <= most else None
