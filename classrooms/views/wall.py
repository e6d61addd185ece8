"""The projector's screen, for a computer where nobody is signed in."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from classrooms.live import topic
from classrooms.live.wall import is_on_wall
from classrooms.models import Session
from classrooms.views.leading import projector_page, projector_part_page
from classrooms.views.session import session_by_code
from core.http.requests import Request
from games import codes


@never_cache
@require_safe
def screen(request: Request, code: str, key: str) -> HttpResponse:
    session = _session(request, code, key)
    watch = topic.LessonWatch(session.code, None, key=key, language=session.language, is_wall=True)
    return projector_page(request, session, reverse("wall:part", args=[code, key]), watch=watch)


@never_cache
@require_safe
def part(request: Request, code: str, key: str) -> HttpResponse:
    return projector_part_page(request, _session(request, code, key))


def _session(request: Request, code: str, key: str) -> Session:
    session = session_by_code(request, code)
    if not is_on_wall(session, key, now=timezone.now()):
        codes.count_lookup(request, found=False)
        raise Http404("no such wall")
    return session
