"""A class, where a test needs no particular one."""

from __future__ import annotations

import pytest

from classrooms.models import Classroom
from tests.classrooms.people import make_adult, make_classroom


@pytest.fixture
def classroom(db) -> Classroom:
    """An empty class of one teacher."""
    return make_classroom(make_adult("Rivera"))
