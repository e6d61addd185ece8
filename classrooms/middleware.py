"""Middleware that keeps students out of account pages, and signs out idle students on shared tablets."""

from __future__ import annotations

import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY, logout
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone

from classrooms.accounts.signing_in import AFTER_SIGN_IN
from classrooms.live.wall import LONGEST
from classrooms.models import Attendee

_FOR_ADULTS = ("account_", "mfa_", "socialaccount_")
_FOR_ALL = frozenset({"account_logout", "account_login", "account_inactive"})


class NoAccountPagesForStudents:
    """Hide account pages from students, who have no address, password or second step to manage."""

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


SEEN_KEY = "seen"
_SEEN_EVERY = 300
"""Seconds between writes of the session, so that a busy child costs nothing."""
_ANSWERS_ITSELF = frozenset({"later"})
"""URL names that handle a sign-out themselves: `later` takes answers from a browser that was offline."""


class EndIdleStudentSessions:
    """Sign out students who haven't done anything for a while, since tablets are shared and children walk away.

    Adults and guests aren't affected, and neither are students whose device is connected to a running lesson.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *view: Any) -> HttpResponse | None:
        # Guests, who make most requests, have no user in their session. They cost no query here.
        if settings.SESSION_COOKIE_NAME not in request.COOKIES or SESSION_KEY not in request.session:
            return None
        user = request.user
        if not user.is_authenticated or not user.is_student:
            return None
        now = int(time.time())
        seen = request.session.get(SEEN_KEY, now - _SEEN_EVERY)
        if now - seen < _SEEN_EVERY:
            return None
        if now - seen > settings.STUDENT_IDLE_SECONDS and not _is_in_lesson(user.pk):
            return _sign_out(request)
        request.session[SEEN_KEY] = now
        return None


def _is_in_lesson(student: int) -> bool:
    there = Attendee.objects.filter(user=student, is_connected=True, is_on_paper=False, removed_at=None)
    # A lesson that nobody ended counts as over at some point, too.
    return there.filter(session__ended_at=None, session__opened_at__gt=timezone.now() - LONGEST).exists()


def _sign_out(request: HttpRequest) -> HttpResponse | None:
    match = request.resolver_match
    logout(request)
    if match and match.url_name in _ANSWERS_ITSELF:
        return None
    there = f"{reverse('join:home')}?away=1"
    if request.headers.get("HX-Request"):
        return HttpResponse(status=HTTPStatus.NO_CONTENT, headers={"HX-Redirect": there})
    if request.method == "GET":
        request.session[AFTER_SIGN_IN] = request.get_full_path()
    return redirect(there)
