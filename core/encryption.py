"""Encryption for secrets in the database, so that a copy of the database doesn't reveal them.

They can only be read with the site's secret key, which isn't in the database. AES-GCM, with a separate derived key for
each purpose. A ciphertext names the key it was made with, so older keys are found without trying each.
"""

from __future__ import annotations

import base64
import os
from functools import cache

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from core.keys import all_keys

_PREFIX = "v1."
_NAME, _NONCE = 4, 12
_BLOCK = 32
"""Texts are padded to a multiple of this, so that the length reveals little."""


class CannotDecrypt(ValueError):
    """Not encrypted by us for this purpose, or encrypted with a key we no longer have."""


def encrypt(text: str, *, purpose: str) -> str:
    """Encrypt a text with the current key."""
    name, cipher = _cipher(all_keys()[0], purpose)
    nonce = os.urandom(_NONCE)
    sealed = cipher.encrypt(nonce, _padded(text.encode()), purpose.encode())
    return _PREFIX + base64.urlsafe_b64encode(name + nonce + sealed).decode()


def decrypt(text: str, *, purpose: str) -> str:
    """Decrypt a text encrypted for this purpose with any of our keys; raises `CannotDecrypt`."""
    raw = _raw(text)
    name, nonce, sealed = raw[:_NAME], raw[_NAME : _NAME + _NONCE], raw[_NAME + _NONCE :]
    for key in all_keys():
        known, cipher = _cipher(key, purpose)
        if known == name:
            try:
                return _unpadded(cipher.decrypt(nonce, sealed, purpose.encode())).decode()
            except InvalidTag as error:
                raise CannotDecrypt("changed since, or for another purpose") from error
    raise CannotDecrypt("made with a key that is none of SETSITE_SECRET_KEY and SETSITE_SECRET_KEY_FALLBACKS")


def is_of_present_key(text: str, *, purpose: str) -> bool:
    """Whether a text was encrypted with the current key; if not, it should be encrypted again."""
    return _raw(text)[:_NAME] == _cipher(all_keys()[0], purpose)[0]


def _raw(text: str) -> bytes:
    try:
        raw = base64.urlsafe_b64decode(text.removeprefix(_PREFIX).encode())
    except ValueError as error:
        raise CannotDecrypt("not a text of ours") from error
    if not text.startswith(_PREFIX) or len(raw) <= _NAME + _NONCE:
        raise CannotDecrypt("not a text of ours")
    return raw


@cache
def _cipher(key: str, purpose: str) -> tuple[bytes, AESGCM]:
    """A short identifier of the key, and the cipher for this purpose."""
    derived = HKDF(SHA256(), length=32 + _NAME, salt=None, info=f"setsite.encryption/{purpose}".encode())
    material = derived.derive(key.encode())
    return material[32:], AESGCM(material[:32])


def _padded(data: bytes) -> bytes:
    data += b"\x80"
    return data + b"\x00" * (-len(data) % _BLOCK)


def _unpadded(data: bytes) -> bytes:
    return data.rstrip(b"\x00")[:-1]
