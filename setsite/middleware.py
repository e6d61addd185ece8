"""What every answer of the site passes through."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers

from setsite.errors import error_page
from setsite.language import language_of
from setsite.logs import route_of
from setsite.pages import ROUTE

Answer = Callable[[HttpRequest], HttpResponseBase]
_FOR_DEVELOPERS = (HTTPStatus.NOT_FOUND, HTTPStatus.INTERNAL_SERVER_ERROR)


def guard(get_response: Answer) -> Answer:
    """What a page may load, run and be sent to: the same for every page, since nothing is written into any."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        # Django's own pages for developers are written otherwise.
        if not settings.DEBUG or response.status_code not in _FOR_DEVELOPERS:
            response.headers.setdefault("Content-Security-Policy", settings.CONTENT_SECURITY_POLICY)
        return response

    return answer


def speak(get_response: Answer) -> Answer:
    """Every page in the language of whoever reads it."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        request.LANGUAGE_CODE = language_of(request)
        with translation.override(request.LANGUAGE_CODE):
            response = get_response(request)
        patch_vary_headers(response, ["Accept-Language", "Cookie"])
        # A page may have changed its mind on the way, once it knew the class.
        response.headers.setdefault("Content-Language", request.LANGUAGE_CODE)
        return response

    return answer


def kind_errors(get_response: Answer) -> Answer:
    """Whatever is refused without a word gets the words of its page, for those who read pages."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        is_bare = response.status_code >= HTTPStatus.BAD_REQUEST and not getattr(response, "content", b"?")
        if not is_bare or request.headers.get("HX-Request") or not request.accepts("text/html"):
            return response
        page = error_page(request, response.status_code)
        for name, value in response.items():
            if name not in {"Content-Type", "Content-Length"}:
                page.headers[name] = value
        return page

    return answer


def vary_by_htmx(get_response: Answer) -> Answer:
    """One address answers with a page or with a part of it: say so, or a browser that goes back shows the part."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        patch_vary_headers(response, ["HX-Request"])
        return response

    return answer


def keep_nothing(get_response: Answer) -> Answer:
    """What somebody with a session sees is theirs: going back after a sign-out shows nothing of it, on any tablet."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        name = settings.SESSION_COOKIE_NAME
        if name in request.COOKIES or name in response.cookies:
            response.headers.setdefault("Cache-Control", "private, no-store")
        return response

    return answer


def note_route(get_response: Answer) -> Answer:
    """Leave the name of the page for the log and the figures; the address itself may hold a code."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        try:
            return get_response(request)
        finally:
            is_static = request.path.startswith(settings.STATIC_URL)
            request.META[ROUTE] = "static" if is_static else route_of(request)

    return answer
