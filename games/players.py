"""The player behind a request. A new visitor becomes a guest with a friendly name."""

from __future__ import annotations

import secrets
from functools import cache

from django.http import HttpRequest
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from core.actors import GUEST_KEY
from core.actors import Actor as Player
from core.actors import known_actor as known_player

__all__ = ["Player", "friendly_name", "friendly_names", "known_player", "player"]


def player(request: HttpRequest) -> Player:
    """The player behind a request; a new visitor becomes a guest."""
    known = known_player(request)
    if known:
        return known
    guest = {"key": secrets.token_hex(16), "name": friendly_name()}
    request.session[GUEST_KEY] = guest
    return Player(name=guest["name"], guest=guest["key"])


def friendly_name() -> str:
    """A random made-up name. Each one is translated as a whole, since adjectives agree differently by language."""
    return secrets.choice(friendly_names())


def friendly_names() -> tuple[str, ...]:
    return _friendly_names_in(get_language())


@cache
def _friendly_names_in(_language: str | None) -> tuple[str, ...]:
    # Cached by the active language: translating thirty names for each guest would take longer than all the rest.
    return (
        _("Brave Badger"),
        _("Bright Beaver"),
        _("Calm Camel"),
        _("Clever Crane"),
        _("Curious Cat"),
        _("Daring Dolphin"),
        _("Eager Eagle"),
        _("Fair Falcon"),
        _("Friendly Fox"),
        _("Gentle Giraffe"),
        _("Happy Hare"),
        _("Jolly Jay"),
        _("Keen Koala"),
        _("Kind Kiwi"),
        _("Lively Lynx"),
        _("Lucky Llama"),
        _("Merry Magpie"),
        _("Mighty Mouse"),
        _("Nimble Newt"),
        _("Patient Panda"),
        _("Playful Puffin"),
        _("Proud Penguin"),
        _("Quick Quail"),
        _("Quiet Owl"),
        _("Sharp Shark"),
        _("Sunny Seal"),
        _("Swift Swallow"),
        _("Tidy Tiger"),
        _("Wise Whale"),
        _("Witty Wolf"),
        _("Zesty Zebra"),
        _("Zippy Zebu"),
    )
