"""The site's secret keys: the present one makes every new seal, the older ones still read what they made.

An operator rotates a key by putting a new one into `SETSITE_SECRET_KEY` and moving the old one to
`SETSITE_SECRET_KEY_FALLBACKS`. Django's own signing does this by itself; everything of ours goes through here.
"""

from __future__ import annotations

from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac


def all_keys() -> tuple[str, ...]:
    """The present key first, then the older ones."""
    return (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)


def digest(salt: str, value: str, *, algorithm: str = "sha1") -> str:
    """The keyed digest of a value, under the present key."""
    return salted_hmac(salt, value, algorithm=algorithm).hexdigest()


def digests(salt: str, value: str, *, algorithm: str = "sha1") -> list[str]:
    """The keyed digests of a value under every key, the present one first."""
    return [salted_hmac(salt, value, secret=key, algorithm=algorithm).hexdigest() for key in all_keys()]


def is_digest(given: str, salt: str, value: str, *, length: int) -> bool:
    """Whether these are the first letters of a value's digest under any key. Takes as long whichever key fits."""
    matches = [constant_time_compare(given, each[:length]) for each in digests(salt, value)]
    return any(matches)
