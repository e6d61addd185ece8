"""Which pages a browser may keep for offline use, and for whom."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse

from core.http.requests import Request
from core.keys import digests

HEADER = "X-Whose"
GUEST = "guest"
View = Callable[..., HttpResponse]


def whose(request: HttpRequest) -> str:
    """An opaque id of the visitor that reveals nothing to others. All guests of a browser share one."""
    return words_for(request)[0]


def words_for(request: HttpRequest) -> list[str]:
    """The visitor's id under the current key, then under older keys, which answers kept offline may carry."""
    if not request.user.is_authenticated:
        return [GUEST]
    return [each[:16] for each in digests("setsite.offline", str(request.user.pk))]


def cacheable(view: View) -> View:
    """Let the service worker keep a view's pages, for this learner only. It keeps no page without this header."""

    @wraps(view)
    def answer(request: Request, *args: Any, **more: Any) -> HttpResponse:
        response = view(request, *args, **more)
        if request.method == "GET" and not request.htmx:
            response.headers[HEADER] = whose(request)
        return response

    return answer
