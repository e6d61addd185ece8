"""How students sign in: by class code, name and three pictures, or by the QR code of a login card.

`picture_guard` limits how often pictures may be tried, `devices` on which browsers. A login card always works.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.http import base36_to_int, int_to_base36

from classrooms.accounts import devices, picture_guard
from classrooms.accounts.pictures import are_pictures
from classrooms.models import Classroom, DeviceStanding, Enrolment, User
from core.clients import address_of, browser_of, remember_browser
from core.http.requests import Request
from core.i18n.language import use_class_language
from core.keys import digest, is_digest
from games import codes

_BACKEND = "django.contrib.auth.backends.ModelBackend"
_CARD = re.compile(r"^(?P<pk>[0-9a-z]{1,13})-(?P<number>[0-9a-z]{1,7})-(?P<seal>[0-9a-f]{24})$")
_SALT = "classrooms.card"
_SEAL = 24
AFTER_SIGN_IN = "after_sign_in"
"""Session key for the page that a visitor wanted before they had to sign in. Only our own pages write it."""
CARD_SECONDS = 600
_CARD_KEY = "card"
_CODE_KEY = "code"


class BadLoginCard(ValueError):
    """Not one of our login cards, or one that a newer card replaced."""


class NoCard(BadLoginCard):
    """No card was scanned in this browser recently."""


class WrongPictures(ValueError):
    """These are not the student's pictures."""


class NewDevice(Exception):
    """The student hasn't signed in on this device before, and the class doesn't let new devices in now."""


def class_by_code(request: Request, code: str) -> Classroom | None:
    """Find a class by its code or by its running lesson's. Raises `TooMany` if a client tries many codes."""
    code = codes.plain(code)
    known = Classroom.objects.not_deleted().filter(archived_at=None)
    found = known.filter(code=code).first() or known.filter(devices.lesson_with(code)).first()
    if found is None or request.session.get(_CODE_KEY) != code:
        codes.count_lookup(request, found=found is not None)
    if found:
        # The following pages look up the same code, which counts only once.
        request.session[_CODE_KEY] = code
        use_class_language(request, found.language)
    return found


def trusts(request: HttpRequest) -> bool:
    """Whether a student has signed in on this browser before."""
    return devices.is_known(_browser(request))


def may_tap_here(request: Request, enrolment: Enrolment) -> bool:
    """Whether the student may sign in by pictures on this device now."""
    standing, _last_user = _standing(request, enrolment)
    return standing == DeviceStanding.KNOWN or devices.lets_new_devices_in(enrolment.classroom)


def sign_in_by_pictures(request: Request, enrolment: Enrolment, pictures: Sequence[str]) -> None:
    """Sign the student in. Raises `WrongPictures`, `NewDevice`, or `TooMany` after too many tries."""
    student, client = enrolment.student, address_of(request)
    standing, last_user = _standing(request, enrolment)
    if standing != DeviceStanding.KNOWN and not devices.lets_new_devices_in(enrolment.classroom):
        raise NewDevice(student.display_name)
    tried = picture_guard.take_try(enrolment, _browser(request), client, standing, last_user)
    right = are_pictures(pictures) and student.pictures and list(pictures) == student.pictures
    if not right:
        raise WrongPictures(student.display_name)
    picture_guard.forgive(tried, client)
    _let_in(request, student, enrolment.classroom)
    touch(enrolment.classroom)


def keep_card(request: Request, token: str) -> None:
    """Move a card's token from the URL, which a shared tablet's history keeps, to the session."""
    read_card(token)
    request.session[_CARD_KEY] = [token, time.time()]


def student_of_card(request: Request) -> User:
    """The student whose card was just scanned in this browser. Raises `NoCard` or `BadLoginCard`."""
    token, at = request.session.get(_CARD_KEY) or ("", 0.0)
    if not 0 <= time.time() - at <= CARD_SECONDS:
        raise NoCard("no card")
    return read_card(token)


def sign_in_by_card(request: Request) -> User:
    student = student_of_card(request)
    classrooms = [enrolment.classroom for enrolment in student.enrolments.select_related("classroom")]
    _let_in(request, student, classrooms[0] if classrooms else None)
    for classroom in classrooms:
        touch(classroom)
    return student


def card_token(student: User) -> str:
    """The token in the QR code of the student's present card. It isn't stored, but derived with the secret key."""
    pk, number = int_to_base36(student.pk), int_to_base36(student.card_number)
    return f"{pk}-{number}-{digest(_SALT, f'{pk}-{number}')[:_SEAL]}"


def read_card(token: str) -> User:
    found = _CARD.match(token)
    if not found or not is_digest(found["seal"], _SALT, f"{found['pk']}-{found['number']}", length=_SEAL):
        raise BadLoginCard(token)
    students = User.objects.filter(kind="student", is_active=True, deleted_at=None)
    student = students.filter(pk=base36_to_int(found["pk"]), card_number=base36_to_int(found["number"])).first()
    if student is None:
        raise BadLoginCard(token)
    return student


def remember_here(request: Request, response: HttpResponse, student: User) -> None:
    """Remember that the student has signed in on this browser."""
    devices.remember(student, devices.fingerprint(remember_browser(request, response)))


def way_on(request: Request) -> str:
    """The address to which a student goes after signing in."""
    return str(request.session.pop(AFTER_SIGN_IN, "") or reverse("learn:home"))


def _let_in(request: Request, student: User, classroom: Classroom | None) -> None:
    wanted = request.session.get(AFTER_SIGN_IN)
    request.session.pop(_CARD_KEY, None)
    login(request, student, backend=_BACKEND)
    if classroom:
        use_class_language(request, classroom.language)
    if wanted:
        # `login` starts a new session if somebody else was signed in before.
        request.session[AFTER_SIGN_IN] = wanted


def _standing(request: Request, enrolment: Enrolment) -> tuple[DeviceStanding, str]:
    return devices.standing_of(_browser(request), enrolment.student, enrolment.classroom)


def _browser(request: HttpRequest) -> str:
    return devices.fingerprint(browser_of(request))


def touch(classroom: Classroom) -> None:
    """Record that the class is in use."""
    Classroom.objects.filter(pk=classroom.pk).update(used_at=timezone.now())
