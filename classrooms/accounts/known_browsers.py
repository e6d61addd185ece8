"""Browsers on which an adult has signed in before. They have a budget of their own when strangers guess elsewhere.

The proof is a signed cookie with the accounts and the id of the browser that it was issued to, so neither can be
forged, and the cookie is worthless in another browser.
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
"""Most accounts that a shared computer remembers; the oldest is dropped first."""
_MARK = "_account_proved_here"


def is_known_here(request: HttpRequest, account: int | None) -> bool:
    return account is not None and account in _accounts_here(request)


def note_proof(request: HttpRequest | None, user: User) -> None:
    """Note that the visitor has just proved to own the account, so that the response sets the cookie."""
    if request is not None and not user.is_student:
        setattr(request, _MARK, user.pk)


def note_sign_in(sender: object, request: HttpRequest | None, user: User, **more: Any) -> None:
    """Receiver of Django's `user_logged_in` and allauth's `password_reset`."""
    note_proof(request, user)


class RememberAccounts:
    """Middleware that sets the cookie if the visitor proved to own an account in this request."""

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
