"""Password hashing in a low-priority process, so that forty sign-ins at once don't take every core from the games."""

from __future__ import annotations

from django.contrib.auth.hashers import Argon2PasswordHasher

from core.offload import hashing


class Argon2Hasher(Argon2PasswordHasher):
    """Argon2id at Django's cost, in one thread instead of eight: the same work, but on one core at a time."""

    parallelism = 1

    def encode(self, password: str, salt: str) -> str:
        return hashing(_encode, password, salt)

    def verify(self, password: str, encoded: str) -> bool:
        return hashing(_verify, password, encoded)


class _InlineHasher(Argon2PasswordHasher):
    parallelism = Argon2Hasher.parallelism


def _encode(password: str, salt: str) -> str:
    encoded: str = _InlineHasher().encode(password, salt)
    return encoded


def _verify(password: str, encoded: str) -> bool:
    return bool(_InlineHasher().verify(password, encoded))
