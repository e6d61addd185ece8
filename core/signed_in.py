"""Check for many streams at once whether their browsers are still signed in.

A page checks with every request, but a stream stays open for hours, so its hub checks from time to time.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Protocol, TypeVar

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY, get_user_model
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.sessions.models import Session
from django.http import parse_cookie
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from core.db.chunks import chunks

_AT_ONCE = 500
_KEPT = 4_096
_KEY = re.compile(r"[0-9a-z]{8,40}")


class Opened(Protocol):
    """A stream's user and the session it was opened in; a guest's stream has no user."""

    @property
    def user(self) -> int | None: ...
    @property
    def session(self) -> str: ...


_Opened = TypeVar("_Opened", bound=Opened)


def session_key_of(scope: Mapping[str, Any]) -> str:
    """The session key in an ASGI request's cookie; "" if there's none that could be ours."""
    cookies = b"; ".join(value for name, value in scope.get("headers", ()) if name == b"cookie")
    key = parse_cookie(cookies.decode("latin-1")).get(settings.SESSION_COOKIE_NAME, "")
    return key if _KEY.fullmatch(key) else ""


def signed_out(streams: Collection[_Opened]) -> set[_Opened]:
    """The streams whose user is no longer signed in.

    They've signed out, the session has expired or is someone else's, the account is gone, or a new password or login
    card has ended older sessions.
    """
    own = [each for each in streams if each.user is not None]
    sessions = dict(_sessions({each.session for each in own}))
    users = {user.pk: user for user in _users({each.user for each in own if each.user is not None})}

    def is_signed_in(stream: _Opened) -> bool:
        who, seal = sessions.get(stream.session, ("", ""))
        return who == str(stream.user) and stream.user in users and _is_seal_of(users[stream.user], seal)

    return {each for each in own if not is_signed_in(each)}


def _sessions(keys: Iterable[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    for some in chunks(keys, _AT_ONCE):
        found = Session.objects.filter(session_key__in=some, expire_date__gt=timezone.now())
        for key, data in found.values_list("session_key", "session_data"):
            yield key, _login_in(data)


@lru_cache(_KEPT)
def _login_in(session_data: str) -> tuple[str, str]:
    """The session's user and auth hash. Cached, since decoding a session costs more than reading it."""
    session = Session(session_data=session_data).get_decoded()
    return session.get(SESSION_KEY, ""), session.get(HASH_SESSION_KEY, "")


def _users(keys: Iterable[int]) -> Iterator[AbstractBaseUser]:
    for some in chunks(keys, _AT_ONCE):
        yield from get_user_model()._default_manager.filter(pk__in=some, is_active=True).only("pk", "password")


def _is_seal_of(user: AbstractBaseUser, seal: str) -> bool:
    good = [user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()]
    return any(constant_time_compare(seal, each) for each in good)
