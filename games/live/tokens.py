"""Who may open a stream: a signed word from the page, checked without touching the database."""

from __future__ import annotations

from dataclasses import dataclass

from django.core import signing

_SALT = "games.live"
_HOURS = 24


class BadToken(ValueError):
    """A token that we did not sign, or not lately."""


@dataclass(frozen=True, slots=True)
class Watch:
    """One screen that follows a match; the seat is the viewer's, if they have one."""

    code: str
    seat: int | None
    language: str


def sign(watch: Watch) -> str:
    return signing.dumps([watch.code, watch.seat, watch.language], salt=_SALT)


def read(token: str) -> Watch:
    try:
        code, seat, language = signing.loads(token, salt=_SALT, max_age=_HOURS * 3600)
    except signing.BadSignature as error:
        raise BadToken(str(error)) from error
    return Watch(code, seat, language)
