"""What a browser may keep for when the network is gone, and for whom."""

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
    """A word for whoever is here that tells nobody else who it is. Without an account it is whoever has the browser."""
    return words_for(request)[0]


def words_for(request: HttpRequest) -> list[str]:
    """The present word for whoever is here, then those that older keys gave: answers kept offline carry them."""
    if not request.user.is_authenticated:
        return [GUEST]
    return [each[:16] for each in digests("setsite.offline", str(request.user.pk))]


def kept(view: View) -> View:
    """Let the service worker keep the pages of a view, for this learner only. It keeps no page that does not say so."""

    @wraps(view)
    def answer(request: Request, *args: Any, **more: Any) -> HttpResponse:
        response = view(request, *args, **more)
        if request.method == "GET" and not request.htmx:
            response.headers[HEADER] = whose(request)
        return response

    return answer
