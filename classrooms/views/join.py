"""How students sign in: by code, name and three pictures, or by a card."""

from __future__ import annotations

from http import HTTPStatus

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from classrooms.accounts import signing_in
from classrooms.accounts.devices import classes_on, fingerprint
from classrooms.accounts.picture_guard import TriedTooOften
from classrooms.accounts.pictures import HOW_MANY, NAMES
from classrooms.models import Classroom, Enrolment, Session
from core.clients import browser_of, remember_browser
from core.http.requests import Request
from games import codes
from games.limits import TooMany
from games.models import Match


@require_http_methods(["GET", "HEAD", "POST"])
def home(request: Request) -> HttpResponse:
    """One field for any kind of code: of a class, a lesson or a table."""
    if request.method != "POST":
        away = _("You were away for a while, so we signed you out. Come back in!")
        return _home(request, notice=away if "away" in request.GET else "")
    code = codes.plain(request.POST.get("code", ""))
    if Match.objects.filter(code=code).exists():
        codes.count_lookup(request, found=True)
        return redirect("play:table", code)
    if Session.objects.filter(code=code).exists():
        codes.count_lookup(request, found=True)
        return redirect("session:device", code)
    classroom = signing_in.class_by_code(request, code)
    if classroom is None:
        return _home(
            request,
            code,
            _("No class has this code. Look again, or ask your teacher."),
            HTTPStatus.UNPROCESSABLE_ENTITY,
        )
    return redirect("join:class", code)


def _home(request: Request, code: str = "", notice: str = "", status: int = HTTPStatus.OK) -> HttpResponse:
    classes = classes_on(fingerprint(browser_of(request)))
    response = render(request, "join/home.html", {"code": code, "notice": notice, "classes": classes}, status=status)
    remember_browser(request, response)
    return response


@require_safe
def names(request: Request, code: str) -> HttpResponse:
    """Who are you? A list of display names, which open nothing by themselves."""
    classroom = _class(request, code)
    students = classroom.enrolments.present().order_by("student__display_name")
    return render(request, "join/names.html", {"classroom": classroom, "enrolments": students, "code": code})


@require_http_methods(["GET", "HEAD", "POST"])
def pictures(request: Request, code: str, enrolment: int) -> HttpResponse:
    """Tap your three pictures one after the other. The third one tries to sign in."""
    found = _class(request, code).enrolments.present().filter(pk=enrolment).first()
    if found is None:
        raise Http404("not in this class")
    tapped = [slug for slug in request.POST.getlist("tapped") if slug in NAMES][:HOW_MANY]
    if "again" in request.POST or request.method != "POST":
        return _pictures(request, found, [], is_closed=not signing_in.may_tap_here(request, found))
    if request.POST.get("picture") in NAMES:
        tapped = [*tapped, request.POST["picture"]]
    if len(tapped) < HOW_MANY:
        return _pictures(request, found, tapped)
    try:
        signing_in.sign_in_by_pictures(request, found, tapped)
    except signing_in.WrongPictures:
        return _pictures(
            request, found, [], _("Not quite. Look at your card and try once more."), HTTPStatus.UNPROCESSABLE_ENTITY
        )
    except signing_in.NewDevice:
        return _pictures(request, found, [], is_closed=True, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    except TriedTooOften:
        return _pictures(request, found, [], is_used_up=True, status=HTTPStatus.TOO_MANY_REQUESTS)
    except TooMany:
        notice = _("Wait a minute. Look at your card, then try again.")
        return _pictures(request, found, [], notice, HTTPStatus.TOO_MANY_REQUESTS)
    return _welcome(request, found)


def _pictures(
    request: Request,
    enrolment: Enrolment,
    tapped: list[str],
    notice: str = "",
    status: int = HTTPStatus.OK,
    *,
    is_closed: bool = False,
    is_used_up: bool = False,
) -> HttpResponse:
    context = {
        "is_closed": is_closed,
        "is_used_up": is_used_up,
        "enrolment": enrolment,
        "classroom": enrolment.classroom,
        "code": request.resolver_match.kwargs["code"] if request.resolver_match else "",
        "pictures": NAMES.items(),
        "tapped": tapped,
        "left": range(len(tapped) + 1, HOW_MANY + 1),
        "notice": notice,
    }
    is_stopped = is_closed or is_used_up
    part = "join/_other_way_in.html" if is_stopped else "join/pictures.html#pad"
    response = render(request, part if request.htmx else "join/pictures.html", context, status=status)
    if request.htmx and is_stopped:
        # Replace the whole pad, since there's nothing left to tap.
        response["HX-Retarget"], response["HX-Reswap"] = "#pad", "outerHTML"
    # So that wrong tries can be forgiven if the right pictures follow from the same browser.
    remember_browser(request, response)
    return response


def _welcome(request: Request, enrolment: Enrolment) -> HttpResponse:
    response: HttpResponse = redirect(signing_in.way_on(request))
    if request.htmx:
        # Load a new page instead of swapping a fragment.
        response = HttpResponse(status=HTTPStatus.NO_CONTENT, headers={"HX-Redirect": response["Location"]})
    signing_in.remember_here(request, response, enrolment.student)
    return response


@never_cache
@require_safe
def scan(request: Request, token: str) -> HttpResponse:
    """The URL in a login card's QR code. It redirects at once, so that no history or referrer keeps the token."""
    try:
        signing_in.keep_card(request, token)
    except signing_in.BadLoginCard:
        return render(request, "join/card.html", {"student": None}, status=HTTPStatus.NOT_FOUND)
    response = redirect("join:card-tap")
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def card(request: Request) -> HttpResponse:
    """Ask for one more tap after the scan, so that merely opening a URL signs nobody in."""
    try:
        if request.method != "POST":
            return render(request, "join/card.html", {"student": signing_in.student_of_card(request)})
        student = signing_in.sign_in_by_card(request)
    except signing_in.NoCard:
        return redirect("join:home")
    except signing_in.BadLoginCard:
        return render(request, "join/card.html", {"student": None}, status=HTTPStatus.NOT_FOUND)
    response = redirect(signing_in.way_on(request))
    signing_in.remember_here(request, response, student)
    return response


def _class(request: Request, code: str) -> Classroom:
    found = signing_in.class_by_code(request, code)
    if found is None:
        raise Http404("no such class")
    return found
