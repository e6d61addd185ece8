"""What of signing in is for adults only: a student has no address, no password and no second step to manage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse

_FOR_ADULTS = ("account_", "mfa_", "socialaccount_")
_FOR_ALL = frozenset({"account_logout", "account_login", "account_inactive"})


class NoAccountPagesForStudents:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *view: Any) -> None:
        name = (request.resolver_match and request.resolver_match.url_name) or ""
        if name.startswith(_FOR_ADULTS) and name not in _FOR_ALL:
            user = request.user
            if user.is_authenticated and user.is_student:
                raise Http404("for adults")
