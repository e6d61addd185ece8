"""Why something cannot be done in a session."""

from __future__ import annotations


class NotNow(Exception):
    """Refused, with the reason in words that a child can read."""
