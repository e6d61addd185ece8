"""Browsers on which an adult has signed in before. They keep a budget of their own when strangers guess elsewhere.

The proof is a signed cookie that names the accounts and the browser id it was made for, so neither can be made up and
one browser's proof is worth nothing beside another's id.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.core import signing
from django.http import HttpRequest, HttpResponseBase

from classrooms.models import User
from core.clients import COOKIE_SECONDS, browser_of, remember_browser

COOKIE = "accounts_here"
_SALT = "classrooms.known-browsers"
_MOST = 30
"""Accounts on one shared computer; the one that was longest ago is forgotten first."""
_MARK = "_account_proved_here"


def is_known_here(request: HttpRequest, account: int | None) -> bool:
    return account is not None and account in _accounts_here(request)


def note_proof(request: HttpRequest | None, user: User) -> None:
    """The visitor has just proved to own the account; the answer to this request will let the browser remember it."""
    if request is not None and not user.is_student:
        setattr(request, _MARK, user.pk)


def note_sign_in(sender: object, request: HttpRequest | None, user: User, **more: Any) -> None:
    """Receives Django's `user_logged_in` and allauth's `password_reset`."""
    note_proof(request, user)


class RememberAccounts:
    """Middleware that gives a browser the proof it has earned in this request."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        before = _accounts_here(request)
        response = self.get_response(request)
        proved = getattr(request, _MARK, None)
        if proved is not None:
            browser = remember_browser(request, response)
            accounts = [proved, *(each for each in before if each != proved)][:_MOST]
            response.set_cookie(
                COOKIE,
                signing.dumps([browser, accounts], salt=_SALT),
                max_age=COOKIE_SECONDS,
                httponly=True,
                samesite="Lax",
                secure=request.is_secure(),
            )
        return response


def _accounts_here(request: HttpRequest) -> list[int]:
    text = request.COOKIES.get(COOKIE, "")
    if not text:
        return []
    try:
        browser, accounts = signing.loads(text, salt=_SALT, max_age=COOKIE_SECONDS)
    except signing.BadSignature:
        return []
    return list(accounts) if browser and browser == browser_of(request) else []
