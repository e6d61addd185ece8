"""What somebody else took away while a form about it was on its way is told as such, and not as our mistake."""

from __future__ import annotations

import logging
from collections.abc import Callable
from http import HTTPStatus

from django.core.exceptions import ObjectDoesNotExist
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

log = logging.getLogger(__name__)
_READING = {"GET", "HEAD", "OPTIONS"}


class GoneMeanwhile:
    """Middleware: a service looks again under its lock, and what it doesn't find any more is a 404.

    Only where something is written: a page that can't be read because of a missing row is a mistake of ours.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if request.method in _READING or not isinstance(exception, ObjectDoesNotExist):
            return None
        log.warning("event=request.gone_meanwhile what=%s", type(exception).__qualname__)
        return HttpResponse(status=HTTPStatus.NOT_FOUND)
