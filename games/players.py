"""Who plays: a signed-in user, or a guest with a friendly name that goes with the session."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from django.http import HttpRequest
from django.utils.translation import get_language
from django.utils.translation import gettext as _

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractBaseUser

    from games.models import Seat, Sitting

_KEY = "guest"


@dataclass(frozen=True, slots=True)
class Player:
    """Somebody who can sit at a match: exactly one of user and guest is given."""

    name: str
    user: AbstractBaseUser | None = None
    guest: str = ""

    def __post_init__(self) -> None:
        if bool(self.user) is bool(self.guest):
            raise ValueError("a player is a user or a guest, and not both")

    @property
    def word(self) -> str:
        """A short word that is this player's only."""
        return f"u{self.user.pk}" if self.user else f"g{self.guest}"

    @property
    def key(self) -> dict[str, Any]:
        """What finds this player's seats."""
        return {"user": self.user} if self.user else {"guest": self.guest}

    def sits(self, seat: Sitting | Seat) -> bool:
        """Whether this seat is this player's."""
        return seat.user_id == self.user.pk if self.user else seat.guest == self.guest


def known_player(request: HttpRequest) -> Player | None:
    """The player behind a request, if it is somebody already; reading never makes a guest."""
    if request.user.is_authenticated:
        return Player(name=str(request.user), user=request.user)
    guest = request.session.get(_KEY)
    return Player(name=guest["name"], guest=guest["key"]) if guest else None


def forget_guest(request: HttpRequest) -> Player | None:
    """Take the guest out of the session: who they were, if anybody."""
    guest = request.session.pop(_KEY, None)
    return Player(name=guest["name"], guest=guest["key"]) if guest else None


def player(request: HttpRequest) -> Player:
    """The player behind a request; a stranger becomes a guest."""
    known = known_player(request)
    if known:
        return known
    request.session[_KEY] = {"key": secrets.token_hex(16), "name": friendly_name()}
    guest = request.session[_KEY]
    return Player(name=guest["name"], guest=guest["key"])


def friendly_name() -> str:
    """A name that is nobody's: an animal with a good quality. Written out whole, since languages agree differently."""
    return secrets.choice(friendly_names())


def friendly_names() -> tuple[str, ...]:
    return _friendly_names_in(get_language())


@cache
def _friendly_names_in(_language: str | None) -> tuple[str, ...]:
    # Always called with the present language: translating thirty names for each guest takes longer than all the rest.
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
