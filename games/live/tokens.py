"""Signed tokens that let a page open its stream, checked without a database query."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.core import signing

_SALT = "games.live"
_HOURS = 24


class BadToken(ValueError):
    """A token that we didn't sign, or that has expired."""


@dataclass(frozen=True, slots=True)
class TableWatch:
    """One screen that follows a match; `seat` is the viewer's, if they have one.

    `user` is the primary key of the account that the token was made for, and it's valid while they're signed in. A
    viewer without a seat also needs the right to watch, which they can lose. `session` is the session of the browser
    that opens the stream; it comes from the cookie and isn't in the token.
    """

    code: str
    seat: int | None
    language: str
    user: int | None = None
    session: str = field(default="", repr=False)


def sign(watch: TableWatch) -> str:
    return signing.dumps([watch.code, watch.seat, watch.language, watch.user], salt=_SALT)


def read(token: str) -> TableWatch:
    try:
        # The token of a page from before an update doesn't name the user.
        code, seat, language, *user = signing.loads(token, salt=_SALT, max_age=_HOURS * 3600)
    except signing.BadSignature as error:
        raise BadToken(str(error)) from error
    return TableWatch(code, seat, language, *user)
