"""The kinds of activities. To add one, write a module with its class and list it in `_MODULES`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from classrooms.live.activities.base import ActivityType
from classrooms.models import Activity

_MODULES = ("triples", "silent_board", "box_game", "tables", "relay", "builder", "unit")


@cache
def kinds() -> Mapping[str, ActivityType]:
    """Every kind by its slug, in the order in which the remote offers them."""
    found = [import_module(f"classrooms.live.activities.{name}").KIND for name in _MODULES]
    return {kind.slug: kind for kind in found}


def kind_of(activity: Activity) -> ActivityType:
    return kinds()[activity.kind]
