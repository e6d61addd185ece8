"""Whole numbers that somebody sends."""

from __future__ import annotations

MOST_KEY = 2**63 - 1
"""What fits into a primary key."""
_MOST = 2**31 - 1


def whole_number(text: str, *, most: int = _MOST) -> int | None:
    """What the digits 0 to 9 say, up to `most`; None for anything else.

    `int` would take signs, spaces, underscores and other scripts' digits, too, and its time for a thousand digits.
    """
    if not text.isascii() or not text.isdigit() or len(text) > len(str(most)):
        return None
    number = int(text)
    return number if number <= most else None
