"""Encrypted files that only the holder of a private key can read, processed in pieces so that size doesn't matter.

A fresh X25519 key for each file and the reader's public key give the file's key. Each piece of 64 kB is sealed with
ChaCha20-Poly1305; its nonce has its number, and whether it's the last. So no piece can be changed, moved or dropped,
not even at the end.
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
    """The sealed file is damaged or made for another key, or the key is invalid."""


def new_keys() -> tuple[str, str]:
    """A new private key, to be kept away from the site, and the public key for its settings."""
    private = X25519PrivateKey.generate()
    public = private.public_key().public_bytes_raw()
    return _encoded_key(_PRIVATE, private.private_bytes_raw()), _encoded_key(_PUBLIC, public)


def public_key(text: str) -> X25519PublicKey:
    return X25519PublicKey.from_public_bytes(_decoded_key(_PUBLIC, text))


def private_key(text: str) -> X25519PrivateKey:
    return X25519PrivateKey.from_private_bytes(_decoded_key(_PRIVATE, text))


def seal(source: BinaryIO, target: BinaryIO, reader: X25519PublicKey) -> None:
    """Encrypt the source so that only the reader's private key opens it."""
    own = X25519PrivateKey.generate()
    sender = own.public_key().public_bytes_raw()
    cipher = _cipher(own.exchange(reader), sender, reader)
    target.write(MAGIC + sender)
    target.writelines(cipher.encrypt(nonce, piece, None) for nonce, piece in _pieces(source, _PIECE))


def unseal(source: BinaryIO, target: BinaryIO, key: X25519PrivateKey) -> None:
    """Decrypt a sealed file. Raises `CannotOpen`, in which case the partial output mustn't be used."""
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
    """Yield each piece with its nonce, made of its number and whether it's the last. There's at least one piece."""
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


def _encoded_key(prefix: str, raw: bytes) -> str:
    return prefix + base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _decoded_key(prefix: str, text: str) -> bytes:
    text = text.strip()
    try:
        raw = base64.urlsafe_b64decode(text.removeprefix(prefix) + "=")
    except (binascii.Error, ValueError) as error:
        raise CannotOpen("not a key") from error
    if not text.startswith(prefix) or len(raw) != _KEY:
        raise CannotOpen("not a key")
    return raw
