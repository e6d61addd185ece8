"""Who may open a stream: a signed word from the page, checked without touching the database."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.core import signing

_SALT = "games.live"
_HOURS = 24


class BadToken(ValueError):
    """A token that we did not sign, or not lately."""


@dataclass(frozen=True, slots=True)
class TableWatch:
    """One screen that follows a match; the seat is the viewer's, if they have one.

    `user` is the key of the account it was made for: it's theirs as long as they're signed in. Whoever watches without
    a seat needs a right to, too, and can lose it. `session` is that of the browser which opens the stream; it comes
    from the cookie and isn't in the token.
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
        # A page from before an update has a token that doesn't say whose it is.
        code, seat, language, *user = signing.loads(token, salt=_SALT, max_age=_HOURS * 3600)
    except signing.BadSignature as error:
        raise BadToken(str(error)) from error
    return TableWatch(code, seat, language, *user)
