"""Fixtures for live lesson tests."""

from __future__ import annotations

import pytest
from django.core.cache import cache

from tests.classrooms.live.lesson import Lesson, a_lesson


@pytest.fixture(autouse=True)
def _nobody_has_moved_yet():
    """Reset the move limit: it's counted by seat key, and every test starts with the same keys."""
    cache.clear()


@pytest.fixture
def lesson(db) -> Lesson:
    """A lesson that three students of the class have joined, where a test needs no particular one."""
    return a_lesson(3)
