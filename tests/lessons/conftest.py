"""A learner, where a test needs no particular one."""

from __future__ import annotations

import pytest
from django.test import Client

from games.players import Player
from tests.lessons.test_learning import a_user


@pytest.fixture
def ann(client: Client) -> Player:
    """Ann, signed in in the test's browser."""
    ann = a_user()
    client.force_login(ann.user)
    return ann
