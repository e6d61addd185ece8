"""The site's middleware."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.template import loader
from django.utils import translation
from django.utils.cache import patch_vary_headers

from core.http.error_pages import bare, error_page, too_many, words_for
from core.http.wsgi_adapter import ROUTE
from core.i18n.language import language_of
from core.limits import TooMany
from core.logs import route_of
from core.offload import OffloadFailed

Answer = Callable[[HttpRequest], HttpResponseBase]
log = logging.getLogger(__name__)
_RETRY_SECONDS = 10
_READING = {"GET", "HEAD", "OPTIONS"}
_FOR_DEVELOPERS = (HTTPStatus.NOT_FOUND, HTTPStatus.INTERNAL_SERVER_ERROR)


def csp(get_response: Answer) -> Answer:
    """Set the Content Security Policy. It's the same for every page, since none has inline scripts or styles."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        # Django's debug pages have inline styles and scripts.
        if not settings.DEBUG or response.status_code not in _FOR_DEVELOPERS:
            response.headers.setdefault("Content-Security-Policy", settings.CONTENT_SECURITY_POLICY)
        return response

    return answer


def locale(get_response: Answer) -> Answer:
    """Activate the reader's language for each page."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        request.LANGUAGE_CODE = language_of(request)
        with translation.override(request.LANGUAGE_CODE):
            response = get_response(request)
        patch_vary_headers(response, ["Accept-Language", "Cookie"])
        # Read again: the view may have changed the language once it knew the class.
        response.headers.setdefault("Content-Language", request.LANGUAGE_CODE)
        return response

    return answer


def error_pages(get_response: Answer) -> Answer:
    """Give an empty error response its error page, if the client accepts HTML."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        is_bare = response.status_code >= HTTPStatus.BAD_REQUEST and not getattr(response, "content", b"?")
        if not is_bare or request.headers.get("HX-Request") or not request.accepts("text/html"):
            return response
        # All our Retry-After headers are in seconds.
        words = words_for(response.status_code, int(response.headers.get("Retry-After", 0)))
        page = error_page(request, response.status_code, words)
        for name, value in response.items():
            if name not in {"Content-Type", "Content-Length"}:
                page.headers[name] = value
        return page

    return answer


def vary_by_htmx(get_response: Answer) -> Answer:
    """Vary by HX-Request: a URL answers with a page or a fragment, and the Back button must not show the fragment."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        patch_vary_headers(response, ["HX-Request"])
        return response

    return answer


def no_store(get_response: Answer) -> Answer:
    """Keep a session's pages out of caches, so that after a sign-out the Back button on a shared tablet shows none."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        name = settings.SESSION_COOKIE_NAME
        if name in request.COOKIES or name in response.cookies:
            response.headers.setdefault("Cache-Control", "private, no-store")
        return response

    return answer


def note_route(get_response: Answer) -> Answer:
    """Note the route's name for logs and metrics; the URL itself may contain a code."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        try:
            return get_response(request)
        finally:
            is_static = request.path.startswith(settings.STATIC_URL)
            request.META[ROUTE] = "static" if is_static else route_of(request)

    return answer


class RefuseNulBytes:
    """Answer 400 to a NUL byte anywhere in a request: PostgreSQL can't store one, and nobody types one.

    One check here instead of one in each form. It comes before sessions, whose key is a cookie like any other. File
    names need no check: Django strips what isn't printable from them.
    """

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        headers = (value for name, value in request.META.items() if name.startswith("HTTP_"))
        query = (text for name, values in request.GET.lists() for text in (name, *values))
        if _has_nul((request.path, *headers, *query, *request.COOKIES, *request.COOKIES.values())):
            return _refused()
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *view: Any) -> HttpResponse | None:
        # Parses forms only, and only for a URL that exists.
        form = (text for name, values in request.POST.lists() for text in (name, *values))
        return _refused() if _has_nul(form) else None


def _has_nul(texts: Iterable[str]) -> bool:
    # The escape becomes a NUL byte when a form field is parsed as JSON.
    return any("\0" in text or "\\u0000" in text for text in texts)


def _refused() -> HttpResponse:
    """A page without the base template, which would read the session."""
    status = HTTPStatus.BAD_REQUEST
    context = {"status": status, "words": words_for(status)}
    return HttpResponse(loader.render_to_string("error_bare.html", context), status=status)


class ErrorsAsStatus:
    """Turn exceptions no view handles into a status: a rate limit, heavy work given up, a row deleted meanwhile.

    A missing row is a 404 only for requests that write; on a page that's merely read, it's a bug of ours.
    """

    def __init__(self, get_response: Answer) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, TooMany):
            return too_many(request, exception.retry_after)
        if isinstance(exception, OffloadFailed):
            log.warning("offload.given_up", extra={"reason": str(exception), "route": route_of(request)})
            return bare(HTTPStatus.SERVICE_UNAVAILABLE, _RETRY_SECONDS)
        if isinstance(exception, ObjectDoesNotExist) and request.method not in _READING:
            log.warning("request.gone_meanwhile", extra={"error": type(exception).__qualname__})
            return bare(HTTPStatus.NOT_FOUND)
        return None
