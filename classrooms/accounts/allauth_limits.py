"""How long to wait after reaching one of allauth's own rate limits, which allauth itself doesn't say."""

from __future__ import annotations

import math
import time
from http import HTTPStatus

from allauth.core.internal.ratelimit import Rate, get_cache_key, get_rates
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse

from core.http.error_pages import bare

_APP = "allauth.account"
_ACTIONS: dict[str, tuple[str, ...]] = {
    "account_signup": ("signup", "confirm_email"),
    "account_login": ("confirm_email",),
    "account_email": ("manage_email", "confirm_email"),
    "account_email_verification_sent": ("confirm_email",),
    "account_change_password": ("change_password",),
    "account_set_password": ("change_password",),
    "account_reset_password_from_key": ("reset_password_from_key",),
    "account_complete_password_reset": ("reset_password_from_key",),
    "account_reauthenticate": ("reauthenticate",),
    "mfa_reauthenticate": ("reauthenticate",),
}
"""The limits against which each of allauth's pages counts."""


def too_many(request: HttpRequest) -> HttpResponse:
    """Allauth's handler for a reached limit; a middleware turns its response into a page."""
    return bare(HTTPStatus.TOO_MANY_REQUESTS, seconds_to_wait(request))


def seconds_to_wait(request: HttpRequest) -> int:
    """Seconds until all limits of this page have room again, or 0 if that's unknown."""
    page = request.resolver_match.url_name if request.resolver_match else None
    actions = _ACTIONS.get(page or "", ())
    return max((_wait(request, action, rate) for action in actions for rate in _rates(action)), default=0)


def _rates(action: str) -> list[Rate]:
    return list(get_rates(app=_APP, action=action))


def _wait(request: HttpRequest, action: str, rate: Rate) -> int:
    email = request.POST.get("email") or request.POST.get("login")
    if (rate.per == "user" and not request.user.is_authenticated) or (rate.per == "key" and not email):
        return 0
    key = get_cache_key(request, app=_APP, action=action, rate=rate, key=(email or "").lower())
    times = cache.get(key, [])
    # Times are newest first. There's room again once the oldest of the last `amount` leaves the window.
    return math.ceil(max(times[rate.amount - 1] + rate.duration - time.time(), 0)) if len(times) >= rate.amount else 0
