"""The teacher's two screens of a live lesson: the remote, and what the projector shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from classrooms.access import adult, adults_only, taught_class
from classrooms.audit import note
from classrooms.models import Action, Attendee, Session
from classrooms.sessions import joining, leading, live
from classrooms.sessions.activities import kinds
from classrooms.sessions.activities.silent_board import KIND as SILENT_BOARD
from classrooms.sessions.activities.silent_board import board_of
from classrooms.sessions.errors import NotNow
from classrooms.sessions.paper import Sheet, boards_pdf
from classrooms.sessions.report import file_name, session_csv, session_report, session_xlsx
from classrooms.sessions.screens import projector_screen, remote_screen
from classrooms.views.reports import CSV, XLSX
from classrooms.views.session import session_by_code
from games.printing.paper import Paper, usual_paper
from games.rules import Feature
from setsite.http import Request, download


def led_session(request: Request, code: str) -> Session:
    """A session of a class that the viewer teaches."""
    session = session_by_code(code)
    session.classroom = taught_class(request, session.classroom_id)
    return session


@require_POST
@adults_only
def open_session(request: Request, pk: int) -> HttpResponse:
    classroom = taught_class(request, pk)
    if classroom.archived_at:
        raise Http404("in the archive")
    session = leading.open_session(classroom, by=adult(request), allows_guests="guests" in request.POST)
    return redirect("lead:remote", session.code)


@require_safe
@adults_only
def remote(request: Request, code: str) -> HttpResponse:
    session = led_session(request, code)
    return render(request, "session/remote.html", _page(request, session, _remote_part(request, session)))


@require_safe
@adults_only
def remote_part(request: Request, code: str) -> HttpResponse:
    session = led_session(request, code)
    return _news(request, session) or HttpResponse(_remote_part(request, session))


@require_safe
@adults_only
def projector(request: Request, code: str) -> HttpResponse:
    """Opened on the machine at the projector, where the teacher is signed in; it has no controls.

    It is for the class, so it speaks its language.
    """
    session = led_session(request, code)
    with translation.override(session.language):
        page = render(request, "session/projector.html", _page(request, session, _projector_part(request, session)))
    page.headers["Content-Language"] = session.language
    return page


@require_safe
@adults_only
def projector_part(request: Request, code: str) -> HttpResponse:
    session = led_session(request, code)
    with translation.override(session.language):
        return _news(request, session) or HttpResponse(_projector_part(request, session))


PRINTED_ROUNDS = 3
_MOST_DIGITS = 4
ORDERS: dict[str, Callable[[Session], None]] = {
    "pause": leading.pause,
    "resume": leading.resume,
    "lock": lambda session: leading.set_lock(session, True),
    "unlock": lambda session: leading.set_lock(session, False),
    "show-scores": lambda session: leading.set_scores(session, True),
    "hide-scores": lambda session: leading.set_scores(session, False),
    "paper-seats": leading.add_paper_seats,
    "end": leading.end,
}


@require_POST
@adults_only
def order(request: Request, code: str, order: str) -> HttpResponse:
    """What is done with the whole session."""
    if order not in ORDERS:
        raise Http404("no such order")
    session = led_session(request, code)
    return _done(request, session, lambda: ORDERS[order](session))


@require_POST
@adults_only
def teams(request: Request, code: str) -> HttpResponse:
    session = led_session(request, code)
    return _done(request, session, lambda: leading.make_teams(session, _number(request.POST, "teams")))


@require_POST
@adults_only
def seat(request: Request, code: str, number: int, order: str) -> HttpResponse:
    """What is done with one student: rename, remove, more time, a target, a team; or their answer on paper."""
    session = led_session(request, code)
    found = session.attendees.filter(number=number, removed_at=None).select_related("user").first()
    if found is None or order not in SEAT_ORDERS:
        raise Http404("no such seat")
    found.session = session
    return _done(request, session, lambda: SEAT_ORDERS[order](found, request.POST))


def _remove(attendee: Attendee, form: QueryDict) -> None:
    leading.remove(attendee)
    live.hub.drop(attendee.session.code, attendee.number)


SEAT_ORDERS: dict[str, Callable[[Attendee, QueryDict], object]] = {
    "rename": lambda attendee, form: leading.rename(attendee, form.get("name", "")),
    "remove": _remove,
    "extend": lambda attendee, form: leading.extend_time(attendee, _factor(form)),
    "target": lambda attendee, form: leading.set_target(attendee, _number(form, "target") or None),
    "team": lambda attendee, form: leading.set_team(attendee, _number(form, "team") or None),
    "answer": lambda attendee, form: joining.act(attendee, form, by_teacher=True),
}


@require_POST
@adults_only
def begin(request: Request, code: str, kind: str) -> HttpResponse:
    """Begin an activity with the options that were chosen."""
    session = led_session(request, code)
    if kind not in kinds():
        raise Http404("no such activity")
    form = kinds()[kind].form(request.POST, prefix=kind)
    if not form.is_valid():
        return _done(request, session, lambda: _refuse(form.errors.as_text()))
    return _done(request, session, lambda: leading.begin(session, kind, form.cleaned_data))


@require_POST
@adults_only
def steer(request: Request, code: str, order: str) -> HttpResponse:
    session = led_session(request, code)
    seen = _number(request.POST, "round")
    return _done(request, session, lambda: leading.steer(session, order, request.POST, round_seen=seen))


@require_safe
@adults_only
def report(request: Request, code: str) -> HttpResponse:
    """Who was there, and what each answered; while the lesson runs as well."""
    session = led_session(request, code)
    context = {
        "classroom": session.classroom,
        "session": session,
        "report": session_report(session),
        "features": list(Feature),
    }
    return render(request, "session/report.html", context)


@require_safe
@adults_only
def report_csv(request: Request, code: str) -> HttpResponse:
    return _report_file(request, code, "csv")


@require_safe
@adults_only
def report_xlsx(request: Request, code: str) -> HttpResponse:
    return _report_file(request, code, "xlsx")


def _report_file(request: Request, code: str, kind: str) -> HttpResponse:
    session = led_session(request, code)
    found = session_report(session)
    content, content_type = (session_csv(found), CSV) if kind == "csv" else (session_xlsx(found), XLSX)
    note(adult(request), Action.EXPORTED, classroom=session.classroom, amount=len(found.students))
    return download(content, content_type, file_name(found, kind))


@require_safe
@adults_only
def paper(request: Request, code: str) -> HttpResponse:
    """The boards of this round and the next ones to print, with their answers on the last page."""
    session = led_session(request, code)
    activity = session.activities.filter(kind=SILENT_BOARD.slug).last()
    if activity is None:
        messages.error(request, _("Begin a silent board first; then there is something to print."))
        return redirect("lead:remote", session.code)
    rounds = range(activity.round, activity.round + PRINTED_ROUNDS)
    sheets = [Sheet(number, board_of(activity, number)) for number in rounds]
    classroom = session.classroom
    size = usual_paper(classroom.language)
    if request.GET.get("paper") in set(Paper):
        size = Paper(request.GET["paper"])
    with translation.override(classroom.language):
        pdf = boards_pdf(sheets, class_name=classroom.name, code=session.code, paper=size)
    return download(pdf, "application/pdf", f"boards-{session.code}.pdf".lower())


def _refuse(words: str) -> None:
    raise NotNow(words)


def _done(request: Request, session: Session, work: Callable[[], object]) -> HttpResponse:
    """Do it, and show the remote anew; with the reason where it could not be done."""
    notice = ""
    try:
        work()
    except NotNow as refusal:
        notice = str(refusal)
    session = led_session(request, session.code)
    if request.htmx:
        return HttpResponse(_remote_part(request, session, notice=notice), status=422 if notice else 200)
    if notice:
        messages.error(request, notice)
    return redirect("lead:remote", session.code)


def _number(form: QueryDict, name: str) -> int:
    text = form.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else 0


def _factor(form: QueryDict) -> float:
    return next((factor for factor in leading.FACTORS if f"{factor:g}" == form.get("factor")), 0.0)


def _news(request: Request, session: Session) -> HttpResponse | None:
    return HttpResponse(status=204) if request.GET.get("seen") == _seen(session) else None


def _seen(session: Session) -> str:
    return f"{session.version}.{session.count}"


def _page(request: Request, session: Session, part: str) -> dict[str, Any]:
    return {"session": session, "part": part, "token": live.sign(live.Watch(session.code, None))}


def _remote_part(request: Request, session: Session, *, notice: str = "") -> str:
    screen = remote_screen(session)
    context = {**screen.context, "notice": notice, "template": screen.template, "seen": _seen(session)}
    return render_to_string("session/_remote.html", context, request)


def _projector_part(request: Request, session: Session) -> str:
    screen = projector_screen(session, site=request.build_absolute_uri("/").rstrip("/"))
    context = {**screen.context, "template": screen.template, "seen": _seen(session), "title": _("Setsite")}
    return render_to_string("session/_projector.html", context, request)
