"""The student's device in a live lesson."""

from __future__ import annotations

from http import HTTPStatus

from django.http import Http404, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from classrooms.accounts.signing_in import AFTER_SIGN_IN
from classrooms.live import joining, seats, topic
from classrooms.live.errors import GuestMustWait, LessonRefusal
from classrooms.live.joining import Door
from classrooms.live.leading import present_activity
from classrooms.live.parts import DeviceParts, for_browser, for_script
from classrooms.live.store import LessonPlace, place_at, place_of
from classrooms.models import Session
from core.http.requests import Request
from core.i18n.language import use_class_language
from games import codes
from games.limits import MOVES, TooMany
from games.players import Player, known_player, player

_CODE_KEY = "lesson"


def session_by_code(request: Request, code: str) -> Session:
    """The session with a code that may be guessed. Raises `TooMany` if a client guesses a lot."""
    known = Session.objects.filter(classroom__deleted_at=None).select_related("classroom")
    found = known.filter(code=codes.plain(code)).first()
    if found is None:
        codes.count_lookup(request, found=False)
        raise Http404("no such session")
    return found


def _count_right_code(request: Request, session: Session) -> None:
    """Count a right code from somebody without a seat, since otherwise a guesser over the limit would learn it's right.

    Raises `TooMany`. The following pages ask for the same code, which counts only once.
    """
    if request.session.get(_CODE_KEY) != session.code:
        codes.count_lookup(request, found=True)
        request.session[_CODE_KEY] = session.code


@require_safe
def device(request: Request, code: str) -> HttpResponse:
    """The visitor's seat in the lesson. Students of the class are let in at once; others are asked who they are."""
    session = session_by_code(request, code)
    who = known_player(request)
    try:
        if who and who.user and joining.may_attend(session, who):
            joining.attend(session, who)
    except LessonRefusal as refusal:
        return _door(request, session, str(refusal))
    seat = joining.own_seat(session, who)
    if seat is None or seat.removed_at:
        return _door(request, session)
    return _page(request, LessonPlace(seat, present_activity(session)))


@require_safe
def door(request: Request, code: str) -> HttpResponse:
    """Check whether the page still shows the present door; if not, answer with the address to load instead."""
    session = session_by_code(request, code)
    _count_right_code(request, session)
    is_same = request.GET.get("seen") == joining.door_for(session, known_player(request))
    return (
        HttpResponse(status=HTTPStatus.NO_CONTENT)
        if is_same
        else HttpResponse(reverse("session:device", args=[session.code]))
    )


@require_POST
def join(request: Request, code: str) -> HttpResponse:
    """Let a guest in under a generated name, or have them wait for the teacher."""
    session = session_by_code(request, code)
    _count_right_code(request, session)
    if not session.allows_guests:
        return _door(
            request,
            session,
            _("This lesson is only for the students of this class."),
            status=HTTPStatus.UNPROCESSABLE_ENTITY,
        )
    who = player(request)
    try:
        joining.attend(session, who)
    except GuestMustWait:
        return _wait(request, session, who)
    except LessonRefusal as refusal:
        return _refused_at_door(request, session, str(refusal))
    return redirect("session:device", session.code)


def _wait(request: Request, session: Session, who: Player) -> HttpResponse:
    try:
        seats.wait(session, who)
    except LessonRefusal as refusal:
        return _refused_at_door(request, session, str(refusal))
    return redirect("session:device", session.code)


@require_safe
def paper(request: Request, code: str) -> HttpResponse:
    """The page for a device whose student works on paper now. It has no stream.

    Opening the lesson from here takes the seat over again.
    """
    session = session_by_code(request, code)
    seat = joining.own_seat(session, known_player(request))
    if seat is None:
        _count_right_code(request, session)
    if seat is None or seat.removed_at or not seat.is_on_paper or session.is_over:
        return redirect("session:device", session.code)
    return render(request, "session/on_paper.html", {"session": session, "attendee": seat})


def _to_paper(request: Request, session: Session) -> HttpResponse:
    if request.htmx:
        return HttpResponseClientRedirect(reverse("session:paper", args=[session.code]))
    return redirect("session:paper", session.code)


@require_safe
def part(request: Request, code: str) -> HttpResponse:
    """The screen's part, if it has changed."""
    place = _own_place(request, code)
    session = place.seat.session
    if place.seat.is_on_paper:
        return _to_paper(request, session)
    if request.GET.get("seen") == str(session.version):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    return HttpResponse(_part(request, place))


@require_POST
def act(request: Request, code: str) -> HttpResponse:
    """Handle whatever a device answers or does."""
    place = _own_place(request, code)
    if place.seat.is_on_paper:
        return _to_paper(request, place.seat.session)
    notice, status = "", HTTPStatus.OK
    try:
        MOVES.count(f"a{place.seat.pk}")
        place = joining.act(place, request.POST)
    except LessonRefusal as refusal:
        notice, status = str(refusal), HTTPStatus.UNPROCESSABLE_ENTITY
        place = place_at(place.seat)
    except TooMany:
        notice, status = _("That was very fast. Wait a moment."), HTTPStatus.TOO_MANY_REQUESTS
    if request.htmx:
        return HttpResponse(_part(request, place, notice=notice), status=status)
    if notice:
        return _page(request, place, notice=notice, status=status)
    return redirect("session:device", place.seat.session.code)


def _own_place(request: Request, code: str) -> LessonPlace:
    who = known_player(request)
    place = place_of(codes.plain(code), who) if who else None
    if place is None or place.seat.removed_at:
        codes.count_lookup(request, found=False)
        raise Http404("not in this session")
    return place


def _refused_at_door(request: Request, session: Session, notice: str) -> HttpResponse:
    return _door(request, session, notice, status=HTTPStatus.UNPROCESSABLE_ENTITY)


def _door(request: Request, session: Session, notice: str = "", *, status: HTTPStatus = HTTPStatus.OK) -> HttpResponse:
    """The door page. Students of the class sign in as usual, and are redirected back to the lesson.

    The page listens to a stream and goes in by itself when the door opens or the teacher lets the visitor in.
    """
    _count_right_code(request, session)
    if not request.user.is_authenticated:
        request.session[AFTER_SIGN_IN] = reverse("session:device", args=[session.code])
        use_class_language(request, session.language)
    who = known_player(request)
    state = joining.door_for(session, who)
    waiting = session.waiting.filter(guest=who.guest).first() if who and who.guest else None
    context = {
        "session": session,
        "classroom": session.classroom,
        "door": state,
        "waiting": waiting,
        "notice": notice or _door_notice(state),
        "token": topic.sign(topic.LessonWatch(session.code, topic.DOOR)),
    }
    return render(request, "session/door.html", context, status=status)


def _door_notice(door: Door) -> str:
    words = {
        Door.TAKEN_OUT: _("Your teacher has taken you out of this lesson."),
        Door.CLOSED: _("The door is closed. Ask your teacher."),
        Door.FULL: _("This lesson is full."),
    }
    return words.get(door, "")


def _page(
    request: Request, place: LessonPlace, *, notice: str = "", status: HTTPStatus = HTTPStatus.OK
) -> HttpResponse:
    seat, session = place.seat, place.seat.session
    watch = topic.LessonWatch(session.code, seat.number, user=seat.user_id, language=get_language() or "")
    context = {
        "session": session,
        "attendee": seat,
        "part": _part(request, place, notice=notice),
        "token": topic.sign(watch),
    }
    return render(request, "session/device.html", context, status=status)


def _part(request: Request, place: LessonPlace, *, notice: str = "") -> str:
    parts = DeviceParts(place.seat.session, place.activity)
    return answer_part(request, parts.part(place.seat, notice=notice))


def answer_part(request: Request, part: str) -> SafeString:
    """A part of a live screen, for a full page or for an htmx request."""
    return for_script(part) if request.htmx else for_browser(part, get_token(request))
