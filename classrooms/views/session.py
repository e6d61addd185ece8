"""The student's device in a live lesson."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from classrooms.models import Attendee, Session
from classrooms.sessions import joining, live
from classrooms.sessions.errors import NotNow
from classrooms.sessions.screens import device_screen
from classrooms.signing_in import AFTER_SIGN_IN
from games.limits import MOVES, TooMany
from games.players import known_player, player
from setsite.http import Request
from setsite.language import speak_as_class

TOO_MANY = 429


def session_by_code(code: str) -> Session:
    found = Session.objects.filter(code=code.upper(), classroom__deleted_at=None).select_related("classroom").first()
    if found is None:
        raise Http404("no such session")
    return found


@require_safe
def device(request: Request, code: str) -> HttpResponse:
    """My place in the lesson. A student of the class is let in at once; others are asked who they are."""
    session = session_by_code(code)
    who = known_player(request)
    try:
        if who and who.user and joining.may_attend(session, who):
            joining.attend(session, who)
        seat = joining.own_seat(session, who)
    except NotNow as refusal:
        return _door(request, session, str(refusal))
    if seat is None:
        return _door(request, session)
    if seat.removed_at:
        return _door(request, session, _("Your teacher has taken you out of this session."))
    return _page(request, session, seat)


@require_POST
def join(request: Request, code: str) -> HttpResponse:
    """A guest comes in, under a generated name."""
    session = session_by_code(code)
    if not session.allows_guests:
        return _door(request, session, _("This session is for the students of the class."), status=422)
    try:
        joining.attend(session, player(request))
    except NotNow as refusal:
        return _door(request, session, str(refusal), status=422)
    return redirect("session:device", session.code)


@require_safe
def part(request: Request, code: str) -> HttpResponse:
    """The screen anew, where there is something new to see."""
    session, seat = _own(request, code)
    if request.GET.get("seen") == str(session.version):
        return HttpResponse(status=204)
    return HttpResponse(_fragment(request, session, seat))


@require_POST
def act(request: Request, code: str) -> HttpResponse:
    """Whatever a device answers or does."""
    session, seat = _own(request, code)
    notice, status = "", 200
    try:
        MOVES.count(f"a{seat.pk}")
        session = seat.session = joining.act(seat, request.POST)
    except NotNow as refusal:
        notice, status = str(refusal), 422
        session.refresh_from_db()
    except TooMany:
        notice, status = _("That was very fast. Wait a moment."), TOO_MANY
    if request.htmx:
        return HttpResponse(_fragment(request, session, seat, notice=notice), status=status)
    if notice:
        return _page(request, session, seat, notice=notice, status=status)
    return redirect("session:device", session.code)


def _own(request: Request, code: str) -> tuple[Session, Attendee]:
    session = session_by_code(code)
    seat = joining.own_seat(session, known_player(request))
    if seat is None or seat.removed_at:
        raise Http404("not in this session")
    seat.session = session
    return session, seat


def _door(request: Request, session: Session, notice: str = "", *, status: int = 200) -> HttpResponse:
    """Who are you? The students of the class sign in as they always do, and are brought back here."""
    if not request.user.is_authenticated:
        request.session[AFTER_SIGN_IN] = reverse("session:device", args=[session.code])
        speak_as_class(request, session.language)
    context = {"session": session, "notice": notice, "classroom": session.classroom}
    return render(request, "session/door.html", context, status=status)


def _page(request: Request, session: Session, seat: Attendee, *, notice: str = "", status: int = 200) -> HttpResponse:
    context = {
        "session": session,
        "attendee": seat,
        "part": _fragment(request, session, seat, notice=notice),
        "token": live.sign(live.Watch(session.code, seat.number)),
    }
    return render(request, "session/device.html", context, status=status)


def _fragment(request: Request, session: Session, seat: Attendee, *, notice: str = "") -> str:
    screen = device_screen(session, seat)
    context: dict[str, Any] = {**screen.context, "notice": notice, "template": screen.template}
    return render_to_string("session/_part.html", context, request)
