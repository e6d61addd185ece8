"""Encryption of second factors' secrets in the database."""

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
"""The authenticator app's key, and the seed of recovery codes."""
_CODES = "migrated_codes"


def secrets_in(data: dict[str, Any]) -> list[str]:
    """The encrypted values in an authenticator's data."""
    return [*(data[name] for name in _SECRETS if name in data), *data.get(_CODES, [])]


def change_secrets(data: dict[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    """An authenticator's data with `change` applied to each secret."""
    changed = {**data, **{name: change(data[name]) for name in _SECRETS if name in data}}
    if _CODES in data:
        changed[_CODES] = [change(code) for code in data[_CODES]]
    return changed
