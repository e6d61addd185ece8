"""Second factors at rest: what the authenticator app and we both know is kept encrypted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from allauth.mfa.adapter import DefaultMFAAdapter

from core.encryption import decrypt, encrypt

PURPOSE = "second-factor"


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    def encrypt(self, text: str) -> str:
        return encrypt(text, purpose=PURPOSE)

    def decrypt(self, encrypted_text: str) -> str:
        return decrypt(encrypted_text, purpose=PURPOSE)


_SECRETS = ("secret", "seed")
"""The key that the app has, and the seed that recovery codes come from."""
_CODES = "migrated_codes"


def secrets_in(data: dict[str, Any]) -> list[str]:
    """What an authenticator keeps encrypted."""
    return [*(data[name] for name in _SECRETS if name in data), *data.get(_CODES, [])]


def change_secrets(data: dict[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    """What an authenticator keeps, with each of its secrets changed."""
    changed = {**data, **{name: change(data[name]) for name in _SECRETS if name in data}}
    if _CODES in data:
        changed[_CODES] = [change(code) for code in data[_CODES]]
    return changed
