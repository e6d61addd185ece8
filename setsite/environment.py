"""Reads settings from environment variables with environs, plus parsers for our own kinds; reports all invalid ones."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import cast
from urllib.parse import SplitResult, urlsplit

from django.core.exceptions import ImproperlyConfigured
from environs import Env, EnvValidationError, ValidationError, validate

from core.sealed_files import CannotOpen, public_key

LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
_SHORTEST_SECRET, _FEWEST_LETTERS = 50, 10
_NO_SECRETS = ("not-a-secret: good enough for a demo on one's own machine", "django-insecure-", "change-me", "changeme")


class Environment(Env):
    """Treats an invalid value as None and goes on, so that `finish` can report all of them."""

    def __init__(self) -> None:
        super().__init__(eager=False)
        for name, parser in _PARSERS.items():
            self.add_parser(name, parser)

    def finish(self) -> None:
        """Raise `ImproperlyConfigured` if any value is invalid."""
        try:
            self.seal()
        except EnvValidationError as error:
            found = cast("dict[str, list[str]]", error.error_messages)
            lines = [f"{name} {why}" for name, reasons in found.items() for why in reasons]
            raise ImproperlyConfigured("\n".join(lines).replace(" Not a valid", " is not a valid")) from None


def at_least(least: int, of: str) -> validate.Range:
    return validate.Range(min=least, error=f"is {{input!r}}; it is a number of {of}, at least {least}")


def one_of(*choices: str) -> validate.OneOf:
    return validate.OneOf(choices, error=f"is {' or '.join(choices)}, not {{input!r}}")


def _folder(text: str, *, unless_set: Path) -> Path:
    path = Path(text or unless_set).expanduser().absolute()
    if path.exists() and not path.is_dir():
        raise ValidationError(f"is {str(path)!r}, which is not a folder")
    return path


def _secret(text: str, *, is_local: bool) -> str:
    if not text and not is_local:
        raise ValidationError("is missing; a long random text is needed outside of demo and development")
    return _strong(text, is_local=is_local) or _NO_SECRETS[0]


def _older_secrets(text: str, *, is_local: bool) -> list[str]:
    """Former keys, the newest first."""
    return [_strong(each, is_local=is_local) for each in _split(text)]


def _strong(secret: str, *, is_local: bool) -> str:
    is_weak = len(secret) < _SHORTEST_SECRET or len(set(secret)) < _FEWEST_LETTERS
    if not is_local and (is_weak or secret.startswith(_NO_SECRETS)):
        raise ValidationError(
            f"can be guessed; it is a random text of at least {_SHORTEST_SECRET} letters that nobody else knows"
        )
    return secret


def _hosts(text: str, *, is_debug: bool, is_demo: bool, is_local: bool) -> list[str]:
    found = _split(text)
    if not found and not is_local:
        raise ValidationError("is missing; it names the hosts that the site is reached by")
    is_public = not set(found) <= set(LOCAL_HOSTS)
    if is_public and is_demo:
        raise ValidationError("can't be combined with SETSITE_DEMO, which lets anybody sign in")
    if is_public and is_debug:
        raise ValidationError(
            "can't be combined with SETSITE_DEBUG, which shows code and settings to whoever meets an error"
        )
    return found or LOCAL_HOSTS


def _address(
    text: str, *, schemes: set[str], words: str, path: str = ".*", needs_host: bool = True, is_needed: bool = False
) -> SplitResult | None:
    """Parse a URL; None if it's empty and not needed."""
    if not text and not is_needed:
        return None
    try:
        url = urlsplit(text)
        # Accessing an invalid port raises ValueError.
        if (
            url.scheme in schemes
            and (url.hostname or not needs_host)
            and re.fullmatch(path, url.path)
            and url.port != 0
        ):
            return url
    except ValueError:
        pass
    raise ValidationError(f"is {words}" if text else f"is missing; it is {words}")


def _site_url(text: str, *, is_local: bool) -> str:
    schemes = {"http", "https"} if is_local else {"https"}
    url = _address(text, schemes=schemes, words="the address of the site, as in https://set.school.example")
    if is_local and url and url.hostname not in {"localhost", "127.0.0.1", "::1"}:
        raise ValidationError("names another machine; SETSITE_DEMO and SETSITE_DEBUG are for this one alone")
    return text.rstrip("/")


def _credentials(text: str) -> dict[str, str] | None:
    """The client id and secret for a sign-in provider. Without them the provider isn't offered."""
    client_id, _colon, secret = text.partition(":")
    if text and not (client_id and secret):
        raise ValidationError("is written id:secret")
    return {"client_id": client_id, "secret": secret} if text else None


def _backup_key(text: str) -> str:
    try:
        _ = public_key(text) if text else None
    except CannotOpen:
        raise ValidationError("is a public key, as `manage.py backup_key` prints it") from None
    return text


def _split(text: str) -> list[str]:
    return [each.strip() for each in text.split(",") if each.strip()]


_PARSERS: dict[str, Callable[..., object]] = {
    "folder": _folder,
    "secret": _secret,
    "older_secrets": _older_secrets,
    "hosts": _hosts,
    "address": _address,
    "site_url": _site_url,
    "credentials": _credentials,
    "backup_key": _backup_key,
}
