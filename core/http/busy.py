"""The "we're busy" page: rendered once per language, so that serving it costs next to nothing."""

from __future__ import annotations

import re
from functools import cache
from http import HTTPStatus

from django.conf import settings
from django.http.request import MediaType
from django.template import loader
from django.utils import translation

from core.http.error_pages import words_for
from core.http.wsgi_adapter import Answer, Scope
from core.i18n.language import language_of_browser

_STATUS = HTTPStatus.SERVICE_UNAVAILABLE
_CHOSEN = re.compile(rf"(?:^|;\s*){re.escape(settings.LANGUAGE_COOKIE_NAME)}=([\w-]+)")
_CODES = frozenset(code for code, _name in settings.LANGUAGES)


def busy_page(scope: Scope, retry_after: int) -> Answer:
    """503 with Retry-After: a page for people, only headers for htmx and scripts."""
    said = {name: value.decode("latin-1") for name, value in scope["headers"]}
    headers = [
        (b"retry-after", b"%d" % retry_after),
        (b"cache-control", b"no-store"),
        (b"vary", b"Accept, Accept-Language, Cookie, HX-Request"),
    ]
    if b"hx-request" in said or not _accepts_html(said.get(b"accept", "*/*")):
        return _STATUS, headers, b""
    language = _language(said.get(b"cookie", ""), said.get(b"accept-language", ""))
    headers += [
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-language", language.encode()),
        (b"content-security-policy", settings.CONTENT_SECURITY_POLICY.encode()),
    ]
    return _STATUS, headers, _page(language)


def _accepts_html(accept: str) -> bool:
    return any(MediaType(each).match("text/html") for each in accept.split(",") if each.strip())


def _language(cookie: str, accepted: str) -> str:
    chosen = _CHOSEN.search(cookie)
    return chosen[1] if chosen and chosen[1] in _CODES else language_of_browser(accepted)


@cache
def _page(language: str) -> bytes:
    with translation.override(language):
        return loader.render_to_string("busy.html", {"status": int(_STATUS), "words": words_for(_STATUS)}).encode()
