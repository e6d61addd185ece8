"""What every answer of the site passes through."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.utils import translation
from django.utils.cache import patch_vary_headers


class SpokenLanguage(LocaleMiddleware):
    """The language that the browser asks for, if our own words are there in it; otherwise the site's."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        if translation.get_language() not in settings.SPOKEN_LANGUAGES:
            translation.activate(settings.LANGUAGE_CODE)
            request.LANGUAGE_CODE = settings.LANGUAGE_CODE


def vary_by_htmx(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """One address answers with a page or with a part of it: say so, or a browser that goes back shows the part."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        patch_vary_headers(response, ["HX-Request"])
        return response

    return answer
