"""Fixtures for live lesson tests."""

from __future__ import annotations

import pytest
from django.core.cache import cache


@pytest.fixture(autouse=True)
def _nobody_has_moved_yet():
    """Reset the move limit: it's counted by seat key, and every test starts with the same keys."""
    cache.clear()
