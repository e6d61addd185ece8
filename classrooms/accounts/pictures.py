"""The twelve pictures; a young student's secret is three of them in order."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from django.utils.translation import gettext_lazy as _

HOW_MANY = 3

NAMES = {
    "sun": _("sun"),
    "moon": _("moon"),
    "star": _("star"),
    "tree": _("tree"),
    "fish": _("fish"),
    "bird": _("bird"),
    "boat": _("boat"),
    "house": _("house"),
    "key": _("key"),
    "bell": _("bell"),
    "apple": _("apple"),
    "kite": _("kite"),
}


def new_pictures(instead_of: Sequence[str] = ()) -> list[str]:
    """Three different random pictures, other than the student's present ones."""
    while True:
        left = list(NAMES)
        chosen = [left.pop(secrets.randbelow(len(left))) for _picture in range(HOW_MANY)]
        if chosen != list(instead_of):
            return chosen


def are_pictures(slugs: Sequence[str]) -> bool:
    return len(slugs) == HOW_MANY and len(set(slugs)) == HOW_MANY and set(slugs) <= set(NAMES)
