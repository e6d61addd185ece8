"""The teacher's side of a live lesson: the remote and its buttons, the projector, and the report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from classrooms.access import adult, adults_only, fresh_sign_in, taught_class
from classrooms.audit import note
from classrooms.live import joining, leading, seats, topic
from classrooms.live.activities import kinds
from classrooms.live.activities.silent_board import KIND as SILENT_BOARD
from classrooms.live.activities.silent_board import board_of
from classrooms.live.errors import LessonRefusal, LessonRunning
from classrooms.live.paper import PaperBoard, boards_pdf
from classrooms.live.parts import remote_part, seen, wall_part
from classrooms.live.report import file_name, session_csv, session_report, session_xlsx
from classrooms.live.store import place_at
from classrooms.models import Action, Activity, Attendee, Classroom, Session, User
from classrooms.views.reports import CSV, XLSX
from classrooms.views.session import answer_part, session_by_code
from core.http.requests import Request, download
from core.http.status import form_status
from core.lanes.marks import slow
from core.numbers import MOST_KEY, whole_number
from core.offload import offload
from core.printing.paper import Paper, usual_paper
from games import codes
from games.rules import Feature


def led_session(request: Request, code: str) -> Session:
    """A session of a class that the viewer teaches. Any other code counts as a wrong guess."""
    session = session_by_code(request, code)
    try:
        session.classroom = taught_class(request, session.classroom_id)
    except Http404:
        codes.count_lookup(request, found=False)
        raise
    return session


@require_http_methods(["GET", "HEAD", "POST"])
@adults_only
def open_session(request: Request, pk: int) -> HttpResponse:
    """Start a lesson. A running one is ended only after the teacher has confirmed that."""
    classroom = taught_class(request, pk)
    if classroom.archived_at:
        raise Http404("in the archive")
    if request.method != "POST":
        return _confirm_another(request, classroom)
    instead_of = request.POST.get("instead_of", "")
    guests = "guests" in request.POST
    try:
        session = leading.open_session(classroom, by=adult(request), allows_guests=guests, instead_of=instead_of)
    except LessonRunning as running:
        if instead_of:
            # This isn't the lesson that the teacher agreed to end: a colleague has started another one meanwhile.
            return _confirm_another(request, classroom, status=HTTPStatus.UNPROCESSABLE_ENTITY)
        session = running.session
        messages.info(request, _already_running(session, adult(request)))
    except Classroom.DoesNotExist as error:
        raise Http404("archived or deleted meanwhile") from error
    return redirect("lead:remote", session.code)


def _confirm_another(request: Request, classroom: Classroom, *, status: int = HTTPStatus.OK) -> HttpResponse:
    """Ask whether to end the running lesson, and show who's in it."""
    running = leading.running_session(classroom)
    if running is None:
        return redirect("teach:class", classroom.pk)
    context = {"classroom": classroom, "running": running, "people": leading.present_attendees(running)}
    return render(request, "teach/start_another.html", context, status=status)


def _already_running(session: Session, viewer: User) -> str:
    if session.made_by and session.made_by != viewer:
        words = _("%(name)s has already started a lesson with this class. Here it is.")
        return words % {"name": session.made_by.display_name}
    return _("This class already has a lesson running. Here it is.")


@require_safe
@adults_only
def remote(request: Request, code: str) -> HttpResponse:
    session = led_session(request, code)
    context = _page(session, _remote_part(request, session), _own_watch(request, session))
    return render(request, "session/remote.html", context)


@require_safe
@adults_only
def remote_news(request: Request, code: str) -> HttpResponse:
    session = led_session(request, code)
    return _not_modified(request, session) or HttpResponse(_remote_part(request, session))


@require_safe
@adults_only
def projector(request: Request, code: str) -> HttpResponse:
    """The projector's screen, for a machine where the teacher is signed in. It has no controls.

    It's in the class's language.
    """
    session = led_session(request, code)
    return projector_page(
        request,
        session,
        reverse("lead:projector-part", args=[code]),
        watch=replace(_own_watch(request, session), is_wall=True, language=session.language),
    )


def _own_watch(request: Request, session: Session) -> topic.LessonWatch:
    return topic.LessonWatch(session.code, None, user=adult(request).pk, language=get_language() or "")


def projector_page(request: Request, session: Session, part_address: str, *, watch: topic.LessonWatch) -> HttpResponse:
    """The wall of a session. The caller has checked permissions."""
    with translation.override(session.language):
        context = _page(session, _projector_part(request, session), watch) | {"part_address": part_address}
        page = render(request, "session/projector.html", context)
    page.headers["Content-Language"] = session.language
    return page


@require_safe
@adults_only
def projector_part(request: Request, code: str) -> HttpResponse:
    return projector_part_page(request, led_session(request, code))


def projector_part_page(request: Request, session: Session) -> HttpResponse:
    with translation.override(session.language):
        return _not_modified(request, session) or HttpResponse(_projector_part(request, session))


PRINTED_ROUNDS = 3
_MOST = 9_999
ORDERS: dict[str, Callable[[Session], None]] = {
    "pause": leading.pause,
    "resume": leading.resume,
    "lock": lambda session: leading.set_lock(session, True),
    "unlock": lambda session: leading.set_lock(session, False),
    "show-scores": lambda session: leading.set_scores(session, True),
    "hide-scores": lambda session: leading.set_scores(session, False),
    "admit-all": lambda session: _say_who_waits(seats.admit(session)),
    "admit-freely": lambda session: _say_who_waits(seats.admit_freely(session)),
    "guests-on": lambda session: leading.set_guests(session, True),
    "guests-off": lambda session: leading.set_guests(session, False),
    "end": leading.end,
}


@require_POST
@adults_only
def order(request: Request, code: str, order: str) -> HttpResponse:
    """Run one of the remote's orders on the whole session."""
    if order not in ORDERS:
        raise Http404("no such order")
    session = led_session(request, code)
    if order == "end" and not request.htmx and "sure" not in request.POST:
        # Without JavaScript no dialog has asked yet.
        return redirect("lead:end", session.code)
    return _run_order(request, session, lambda: ORDERS[order](session))


@require_safe
@adults_only
def ask_to_end(request: Request, code: str) -> HttpResponse:
    """Ask whether to end the lesson, and show who's in it. With JavaScript, a dialog does that."""
    session = led_session(request, code)
    if session.is_over:
        return redirect("lead:remote", session.code)
    context = {"classroom": session.classroom, "running": session, "people": leading.present_attendees(session)}
    return render(request, "session/end.html", context)


def _say_who_waits(admitted: seats.Admitted) -> None:
    """If not all guests fit in, raise a `LessonRefusal` that says how many did."""
    if not admitted.still_wait:
        return
    came, wait = admitted.came_in, admitted.still_wait
    words = (
        ngettext("%(number)d guest came in.", "%(number)d guests came in.", came) % {"number": came},
        ngettext(
            "Now the lesson is full, and %(number)d is still waiting.",
            "Now the lesson is full, and %(number)d are still waiting.",
            wait,
        )
        % {"number": wait},
    )
    raise LessonRefusal(" ".join(words))


@require_POST
@adults_only
def teams(request: Request, code: str) -> HttpResponse:
    session = led_session(request, code)
    return _run_order(request, session, lambda: leading.make_teams(session, _number(request.POST, "teams")))


@require_POST
@adults_only
def paper_seats(request: Request, code: str) -> HttpResponse:
    """Add paper seats for the selected students, who have no device."""
    session = led_session(request, code)
    chosen = {key for text in request.POST.getlist("student") if (key := whole_number(text, most=MOST_KEY)) is not None}
    return _run_order(request, session, lambda: seats.add_paper_seats(session, chosen))


@require_POST
@adults_only
def admit(request: Request, code: str, waiting: int) -> HttpResponse:
    """Let in a waiting guest."""
    session = led_session(request, code)
    if not session.waiting.filter(pk=waiting).exists():
        raise Http404("nobody waits under this number")
    return _run_order(request, session, lambda: seats.admit(session, waiting))


@require_POST
@adults_only
def seat(request: Request, code: str, number: int, order: str) -> HttpResponse:
    """Run an order on one student's seat: rename, take out, let back in, paper, time, target, team, or answer."""
    session = led_session(request, code)
    is_out = order == "readmit"
    found = session.attendees.filter(number=number, removed_at__isnull=not is_out).select_related("user").first()
    if found is None or order not in SEAT_ORDERS:
        raise Http404("no such seat")
    found.session = session
    return _run_order(request, session, lambda: SEAT_ORDERS[order](found, request.POST))


SEAT_ORDERS: dict[str, Callable[[Attendee, QueryDict], object]] = {
    "rename": lambda attendee, form: leading.rename(attendee, form.get("name", "")),
    "remove": lambda attendee, form: leading.remove(attendee),
    "readmit": lambda attendee, form: seats.readmit(attendee),
    "paper": lambda attendee, form: seats.put_on_paper(attendee),
    "extend": lambda attendee, form: leading.extend_time(attendee, _factor(form)),
    "target": lambda attendee, form: leading.set_target(attendee, _number(form, "target") or None),
    "team": lambda attendee, form: leading.set_team(attendee, _number(form, "team") or None),
    "answer": lambda attendee, form: joining.act(place_at(attendee), form, by_teacher=True),
}


@require_POST
@adults_only
def begin(request: Request, code: str, kind: str) -> HttpResponse:
    """Begin an activity with the chosen options."""
    session = led_session(request, code)
    if kind not in kinds():
        raise Http404("no such activity")
    form = kinds()[kind].form(request.POST, prefix=kind)
    if not form.is_valid():
        return _run_order(request, session, lambda: _refuse(form.errors.as_text()))
    return _run_order(request, session, lambda: leading.begin(session, kind, form.cleaned_data))


@require_POST
@adults_only
def steer(request: Request, code: str, order: str) -> HttpResponse:
    session = led_session(request, code)
    seen = _number(request.POST, "round")
    return _run_order(request, session, lambda: leading.steer(session, order, request.POST, round_seen=seen))


@require_safe
@adults_only
def report(request: Request, code: str) -> HttpResponse:
    """Who was there and what each answered. It works during the lesson, too."""
    session = led_session(request, code)
    context = {
        "classroom": session.classroom,
        "session": session,
        "report": session_report(session),
        "features": list(Feature),
    }
    return render(request, "session/report.html", context)


@slow()
@require_safe
@adults_only
@fresh_sign_in
def report_csv(request: Request, code: str) -> HttpResponse:
    return _report_file(request, code, "csv")


@slow()
@require_safe
@adults_only
@fresh_sign_in
def report_xlsx(request: Request, code: str) -> HttpResponse:
    return _report_file(request, code, "xlsx")


def _report_file(request: Request, code: str, kind: str) -> HttpResponse:
    session = led_session(request, code)
    found = session_report(session)
    content, content_type = (session_csv(found), CSV) if kind == "csv" else (offload(session_xlsx, found), XLSX)
    note(adult(request), Action.EXPORTED, classroom=session.classroom, amount=len(found.students))
    return download(content, content_type, file_name(found, kind))


@slow()
@require_safe
@adults_only
def paper(request: Request, code: str) -> HttpResponse:
    """A PDF with the boards of this round and the next ones, and their answers on the last page."""
    session = led_session(request, code)
    activity = session.activities.filter(kind=SILENT_BOARD.slug).last()
    if activity is None:
        messages.error(request, _("Begin a silent board first; then there is something to print."))
        return redirect("lead:remote", session.code)
    classroom = session.classroom
    size = usual_paper(classroom.language)
    if request.GET.get("paper") in set(Paper):
        size = Paper(request.GET["paper"])
    with translation.override(classroom.language):
        pdf = offload(_paper, activity, classroom.name, session.code, size)
    return download(pdf, "application/pdf", f"boards-{session.code}.pdf".lower())


def _paper(activity: Activity, class_name: str, code: str, paper: Paper) -> bytes:
    """Make the PDF. The boards are drawn here, too, because finding suitable ones takes as long as the PDF itself."""
    rounds = range(activity.round, activity.round + PRINTED_ROUNDS)
    sheets = [PaperBoard(number, board_of(activity, number)) for number in rounds]
    return boards_pdf(sheets, class_name=class_name, code=code, paper=paper)


def _refuse(words: str) -> None:
    raise LessonRefusal(words)


def _run_order(request: Request, session: Session, work: Callable[[], object]) -> HttpResponse:
    """Run `work` and show the remote again, with the reason if it was refused."""
    notice = ""
    try:
        work()
    except LessonRefusal as refusal:
        notice = str(refusal)
    session = led_session(request, session.code)
    if request.htmx and "X-Live" in request.headers and not notice:
        # The stream updates this remote like all others.
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    if request.htmx:
        return HttpResponse(_remote_part(request, session, notice=notice), status=form_status(notice))
    if notice:
        messages.error(request, notice)
    return redirect("lead:remote", session.code)


def _number(form: QueryDict, name: str) -> int:
    return whole_number(form.get(name, ""), most=_MOST) or 0


def _factor(form: QueryDict) -> float:
    return next((factor for factor in leading.FACTORS if f"{factor:g}" == form.get("factor")), 0.0)


def _not_modified(request: Request, session: Session) -> HttpResponse | None:
    return HttpResponse(status=HTTPStatus.NO_CONTENT) if request.GET.get("seen") == seen(session) else None


def _page(session: Session, part: str, watch: topic.LessonWatch) -> dict[str, Any]:
    return {"session": session, "part": part, "token": topic.sign(watch)}


def _remote_part(request: Request, session: Session, *, notice: str = "") -> str:
    return answer_part(request, remote_part(session, notice=notice))


def _projector_part(request: Request, session: Session) -> str:
    return answer_part(request, wall_part(session))
