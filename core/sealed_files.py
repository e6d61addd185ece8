"""Files that only the holder of a private key can read: written in pieces, so that their size doesn't matter.

A new X25519 key for each file, agreed with the reader's public key, gives the key of the file; each piece of 64 kB is
sealed by ChaCha20-Poly1305 under its number, and the last one is marked. So no piece can be changed, moved, or left
out, at the end neither.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from typing import BinaryIO

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

MAGIC = b"SETSITE SEALED 1\n"
_PIECE = 64 * 1024
_TAG = 16
_KEY = 32
_PUBLIC, _PRIVATE = "setsite-public-", "setsite-private-"


class CannotOpen(ValueError):
    """A sealed file that is damaged or not for this key, or a key that is none."""


def new_keys() -> tuple[str, str]:
    """A private key to keep away from the site, and the public key that goes into its settings."""
    private = X25519PrivateKey.generate()
    public = private.public_key().public_bytes_raw()
    return _written(_PRIVATE, private.private_bytes_raw()), _written(_PUBLIC, public)


def public_key(text: str) -> X25519PublicKey:
    return X25519PublicKey.from_public_bytes(_read(_PUBLIC, text))


def private_key(text: str) -> X25519PrivateKey:
    return X25519PrivateKey.from_private_bytes(_read(_PRIVATE, text))


def seal(source: BinaryIO, target: BinaryIO, reader: X25519PublicKey) -> None:
    """Write what the source holds so that only the reader's private key opens it."""
    own = X25519PrivateKey.generate()
    sender = own.public_key().public_bytes_raw()
    cipher = _cipher(own.exchange(reader), sender, reader)
    target.write(MAGIC + sender)
    target.writelines(cipher.encrypt(nonce, piece, None) for nonce, piece in _pieces(source, _PIECE))


def unseal(source: BinaryIO, target: BinaryIO, key: X25519PrivateKey) -> None:
    """Write what a sealed file holds; raises `CannotOpen`, and what was written until then isn't to be used."""
    head = source.read(len(MAGIC) + _KEY)
    if not head.startswith(MAGIC) or len(head) != len(MAGIC) + _KEY:
        raise CannotOpen("not a sealed file")
    sender = head[len(MAGIC) :]
    cipher = _cipher(key.exchange(X25519PublicKey.from_public_bytes(sender)), sender, key.public_key())
    for nonce, piece in _pieces(source, _PIECE + _TAG):
        try:
            target.write(cipher.decrypt(nonce, piece, None))
        except InvalidTag as error:
            raise CannotOpen("damaged, cut off, or sealed for another key") from error


def is_sealed(beginning: bytes) -> bool:
    return beginning.startswith(MAGIC[: len(beginning)]) and len(beginning) >= len(MAGIC)


def _pieces(source: BinaryIO, size: int) -> Iterator[tuple[bytes, bytes]]:
    """Each piece with its nonce, which says its number and whether it is the last. There is at least one."""
    number, piece = 0, source.read(size)
    while True:
        following = source.read(size) if len(piece) == size else b""
        is_last = not following
        yield number.to_bytes(11, "big") + bytes([is_last]), piece
        if is_last:
            return
        number, piece = number + 1, following


def _cipher(shared: bytes, sender: bytes, reader: X25519PublicKey) -> ChaCha20Poly1305:
    derived = HKDF(SHA256(), length=32, salt=sender + reader.public_bytes_raw(), info=MAGIC)
    return ChaCha20Poly1305(derived.derive(shared))


def _written(prefix: str, raw: bytes) -> str:
    return prefix + base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _read(prefix: str, text: str) -> bytes:
    text = text.strip()
    try:
        raw = base64.urlsafe_b64decode(text.removeprefix(prefix) + "=")
    except (binascii.Error, ValueError) as error:
        raise CannotOpen("not a key") from error
    if not text.startswith(prefix) or len(raw) != _KEY:
        raise CannotOpen("not a key")
    return raw
