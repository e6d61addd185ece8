"""The students' way in: a code, a name, three pictures; or a card."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from classrooms import signing_in
from classrooms.models import Classroom, Enrolment, Session
from classrooms.pictures import HOW_MANY, NAMES
from games.limits import TooMany
from games.models import Match
from setsite.http import Request

TOO_MANY = 429


@require_http_methods(["GET", "HEAD", "POST"])
def home(request: Request) -> HttpResponse:
    """One field for whatever code there is: of a class, a lesson or a table."""
    if request.method != "POST":
        return render(request, "join/home.html")
    code = "".join(request.POST.get("code", "").split()).upper()[:20]
    if Match.objects.filter(code=code).exists():
        return redirect("play:table", code)
    if Session.objects.filter(code=code).exists():
        return redirect("session:device", code)
    try:
        classroom = signing_in.class_by_code(request, code)
    except TooMany:
        notice = _("Too many wrong codes. Wait a minute, then look closely at each letter.")
        return _home(request, code, notice, TOO_MANY)
    if classroom is None:
        return _home(request, code, _("No class has this code. Look again, or ask your teacher."), 422)
    return redirect("join:class", classroom.code)


def _home(request: Request, code: str, notice: str, status: int) -> HttpResponse:
    return render(request, "join/home.html", {"code": code, "notice": notice}, status=status)


@require_safe
def names(request: Request, code: str) -> HttpResponse:
    """Who are you? Display names only; they open nothing."""
    try:
        classroom = _class(request, code)
    except TooMany:
        return _home(request, code, _("Too many wrong codes. Wait a minute."), TOO_MANY)
    students = classroom.enrolments.present().order_by("student__display_name")
    return render(request, "join/names.html", {"classroom": classroom, "enrolments": students})


@require_http_methods(["GET", "HEAD", "POST"])
def pictures(request: Request, code: str, enrolment: int) -> HttpResponse:
    """Tap your three pictures, one after the other; the third one tries the door."""
    try:
        found = _class(request, code).enrolments.present().filter(pk=enrolment).first()
    except TooMany:
        return _home(request, code, _("Too many wrong codes. Wait a minute."), TOO_MANY)
    if found is None:
        raise Http404("not in this class")
    tapped = [slug for slug in request.POST.getlist("tapped") if slug in NAMES][:HOW_MANY]
    if "again" in request.POST or request.method != "POST":
        return _pictures(request, found, [])
    if request.POST.get("picture") in NAMES:
        tapped = [*tapped, request.POST["picture"]]
    if len(tapped) < HOW_MANY:
        return _pictures(request, found, tapped)
    try:
        signing_in.sign_in_by_pictures(request, found, tapped)
    except signing_in.WrongPictures:
        return _pictures(request, found, [], _("Not quite. Look at your card and try once more."), 422)
    except TooMany:
        notice = _("That was tried many times. Wait a minute, or ask your teacher.")
        return _pictures(request, found, [], notice, TOO_MANY)
    return _welcome(request, found)


def _pictures(
    request: Request, enrolment: Enrolment, tapped: list[str], notice: str = "", status: int = 200
) -> HttpResponse:
    context = {
        "enrolment": enrolment,
        "classroom": enrolment.classroom,
        "pictures": NAMES.items(),
        "tapped": tapped,
        "left": range(len(tapped) + 1, HOW_MANY + 1),
        "notice": notice,
    }
    template = "join/pictures.html#pad" if request.htmx else "join/pictures.html"
    return render(request, template, context, status=status)


def _welcome(request: Request, enrolment: Enrolment) -> HttpResponse:
    response: HttpResponse = redirect(signing_in.way_on(request))
    if request.htmx:
        # The whole page is another one now.
        response = HttpResponse(status=204, headers={"HX-Redirect": response["Location"]})
    signing_in.remember_here(request, response, enrolment.student)
    return response


@require_http_methods(["GET", "HEAD", "POST"])
def card(request: Request, token: str) -> HttpResponse:
    """The QR code of a login card: one more tap, so that looking at the address alone changes nothing."""
    try:
        if request.method != "POST":
            return render(request, "join/card.html", {"student": signing_in.read_card(token)})
        student = signing_in.sign_in_by_card(request, token)
    except signing_in.BadCard:
        return render(request, "join/card.html", {"student": None}, status=404)
    response = redirect(signing_in.way_on(request))
    signing_in.remember_here(request, response, student)
    return response


def _class(request: Request, code: str) -> Classroom:
    found = signing_in.class_by_code(request, code)
    if found is None:
        raise Http404("no such class")
    return found
