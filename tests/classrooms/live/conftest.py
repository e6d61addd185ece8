"""What all lessons of the tests need."""

from __future__ import annotations

import pytest
from django.core.cache import cache


@pytest.fixture(autouse=True)
def _nobody_has_moved_yet():
    """Moves are counted by the key of the seat, and every test begins with the same keys."""
    cache.clear()
