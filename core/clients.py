"""Tell clients apart: by network address, and by a browser id that survives sign-in and sign-out.

What each is good for:

- **The address** can't be chosen freely by most attackers, but a whole school shares one, and a botnet has thousands.
  Limits by address must be generous enough for a thousand children. An IPv6 client owns at least a /64, so that's
  what counts as one address. Behind a proxy it's only as good as the proxy's setup.
- **The browser id** is signed, so nobody can claim someone else's or make one up. But anybody gets a fresh one by
  dropping the cookie, so a fresh id proves nothing. It can be trusted for "we have seen this browser before, and it
  did X" (someone signed in here, this lesson was joined here) and for slowing down a browser that keeps its cookie.
  Give a browser its own budget only after it has earned one, for example by a successful sign-in. Always count
  unknown browsers by address and by target as well.
- A shared tablet is one browser: the id says nothing about who is holding it.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from ipaddress import IPv6Address, ip_address
from typing import Any

from django.core import signing
from django.http import HttpRequest
from django.http.response import HttpResponseBase

COOKIE = "browser"
COOKIE_SECONDS = 400 * 86_400
"""The longest that browsers keep a cookie. Each visit that calls `remember_browser` renews it."""

_SALT = "core.clients"
_ID_BYTES = 16
_IPV6_HOST_BITS = 64


def address_of(source: HttpRequest | Mapping[str, Any]) -> str:
    """The network address of a request or a WSGI environ, as limits count it; "" where there is none."""
    environ = source.META if isinstance(source, HttpRequest) else source
    return network_of(str(environ.get("REMOTE_ADDR") or ""))


def network_of(address: str) -> str:
    """An IPv4 address as it is, an IPv6 address cut to its /64, and "" for anything else."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped:
            return str(found.ipv4_mapped)
        return f"{IPv6Address(int(found) >> _IPV6_HOST_BITS << _IPV6_HOST_BITS)}/64"
    return str(found)


def browser_of(request: HttpRequest) -> str:
    """The id of a browser that has been here before; "" for a new one or an id we didn't sign."""
    try:
        return signing.Signer(salt=_SALT).unsign(request.COOKIES.get(COOKIE, ""))
    except signing.BadSignature:
        return ""


def remember_browser(request: HttpRequest, response: HttpResponseBase) -> str:
    """Give the browser an id, or renew the one it has. Returns the id."""
    browser = browser_of(request) or secrets.token_urlsafe(_ID_BYTES)
    signed = signing.Signer(salt=_SALT).sign(browser)
    request.COOKIES[COOKIE] = signed
    response.set_cookie(
        COOKIE, signed, max_age=COOKIE_SECONDS, httponly=True, samesite="Lax", secure=request.is_secure()
    )
    return browser
