"""The site's secret keys: new signatures and ciphertexts use the current one, and older keys still read theirs.

An operator rotates a key by setting a new `SETSITE_SECRET_KEY` and moving the old one to
`SETSITE_SECRET_KEY_FALLBACKS`. Django's own signing handles this itself; all of our own code goes through here.
"""

from __future__ import annotations

from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac


def all_keys() -> tuple[str, ...]:
    """The current key first, then the older ones."""
    return (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)


def digest(salt: str, value: str, *, algorithm: str = "sha1") -> str:
    """The keyed digest of a value, under the current key."""
    return salted_hmac(salt, value, algorithm=algorithm).hexdigest()


def digests(salt: str, value: str, *, algorithm: str = "sha1") -> list[str]:
    """The keyed digests of a value under every key, the current one first."""
    return [salted_hmac(salt, value, secret=key, algorithm=algorithm).hexdigest() for key in all_keys()]


def is_digest(given: str, salt: str, value: str, *, length: int) -> bool:
    """Whether `given` is the start of a value's digest under any key. Constant time, whichever key matches."""
    matches = [constant_time_compare(given, each[:length]) for each in digests(salt, value)]
    return any(matches)
