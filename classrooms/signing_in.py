"""How a student comes in: by a class code, a name and three pictures, or by the QR code of a login card.

Guessing is held up per student, never per network address: a whole school may share one. What a browser got wrong
holds up that browser first; only many wrong tries from anywhere hold up strange browsers, and never one on which the
student has been before, nor the login card. So a classmate cannot lock another out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from django.contrib.auth import login
from django.core import signing
from django.http import HttpResponse
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac

from classrooms.classes import touch
from classrooms.models import Classroom, Enrolment, User
from classrooms.pictures import are_pictures
from games.limits import Limit, TooMany
from setsite.http import Request
from setsite.language import speak_as_class

_BACKEND = "django.contrib.auth.backends.ModelBackend"
_CARD = re.compile(r"^(?P<pk>[0-9a-z]{1,13})-(?P<number>[0-9a-z]{1,7})-(?P<seal>[0-9a-f]{24})$")
_SALT = "classrooms.card"
_SEAL = 24
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
KNOWN_COOKIE = "known"
AFTER_SIGN_IN = "after_sign_in"
"""Where somebody wanted to go who was asked to sign in first; only our own pages write it."""
KNOWN_SECONDS = 180 * 86_400
_MOST_KNOWN = 40

WRONG_OF_BROWSER = Limit("wrong-pictures-of-browser", most=5, seconds=60)
WRONG_OF_STUDENT = Limit("wrong-pictures-of-student", most=20, seconds=600)
WRONG_CODES = Limit("wrong-class-codes", most=10, seconds=60)
WRONG_CODES_OF_ALL = Limit("wrong-class-codes-of-all", most=3_000, seconds=60)


class BadCard(ValueError):
    """Not a login card of ours, or one that a newer card has replaced."""


class WrongPictures(ValueError):
    """These are not the student's pictures."""


def class_by_code(request: Request, code: str) -> Classroom | None:
    """The class of this code; wrong ones are counted for the browser, and for all together against a flood."""
    found = Classroom.objects.kept().filter(code=code.strip().upper(), archived_at=None).first()
    if found is None:
        WRONG_CODES.count(_browser(request))
        WRONG_CODES_OF_ALL.count("all")
    else:
        speak_as_class(request, found.language)
    return found


def sign_in_by_pictures(request: Request, enrolment: Enrolment, pictures: Sequence[str]) -> None:
    """Sign the student in; raises `WrongPictures`, or `TooMany` where it was tried too often."""
    student = enrolment.student
    _hold_up(request, student)
    right = are_pictures(pictures) and student.pictures and list(pictures) == student.pictures
    if not right:
        _count_wrong(request, student)
        raise WrongPictures(student.display_name)
    _let_in(request, student, enrolment.classroom)
    touch(enrolment.classroom)


def sign_in_by_card(request: Request, token: str) -> User:
    student = read_card(token)
    classrooms = [enrolment.classroom for enrolment in student.enrolments.select_related("classroom")]
    _let_in(request, student, classrooms[0] if classrooms else None)
    for classroom in classrooms:
        touch(classroom)
    return student


def card_token(student: User) -> str:
    """What the QR code of the student's present card says; nothing of it is kept, it follows from the secret key."""
    pk, number = _in_36(student.pk), _in_36(student.card_number)
    return f"{pk}-{number}-{_seal(pk, number)}"


def read_card(token: str) -> User:
    found = _CARD.match(token)
    if not found or not constant_time_compare(found["seal"], _seal(found["pk"], found["number"])):
        raise BadCard(token)
    students = User.objects.filter(kind="student", is_active=True, deleted_at=None)
    student = students.filter(pk=int(found["pk"], 36), card_number=int(found["number"], 36)).first()
    if student is None:
        raise BadCard(token)
    return student


def remember_here(request: Request, response: HttpResponse, student: User) -> None:
    """Let this browser be one on which the student has been."""
    known = [student.pk, *(pk for pk in _known_here(request) if pk != student.pk)][:_MOST_KNOWN]
    response.set_signed_cookie(
        KNOWN_COOKIE,
        signing.dumps(known),
        salt=_SALT,
        max_age=KNOWN_SECONDS,
        httponly=True,
        samesite="Lax",
        secure=request.is_secure(),
    )


def way_on(request: Request) -> str:
    """Where a student goes who has come in."""
    return str(request.session.pop(AFTER_SIGN_IN, "") or reverse("learn:home"))


def _let_in(request: Request, student: User, classroom: Classroom | None) -> None:
    wanted = request.session.get(AFTER_SIGN_IN)
    login(request, student, backend=_BACKEND)
    if classroom:
        speak_as_class(request, classroom.language)
    if wanted:
        # Signing in begins another session where somebody else was signed in before.
        request.session[AFTER_SIGN_IN] = wanted


def _hold_up(request: Request, student: User) -> None:
    WRONG_OF_BROWSER.check(_guesser(request, student))
    if student.pk not in _known_here(request):
        WRONG_OF_STUDENT.check(str(student.pk))


def _count_wrong(request: Request, student: User) -> None:
    for limit, who in ((WRONG_OF_BROWSER, _guesser(request, student)), (WRONG_OF_STUDENT, str(student.pk))):
        try:
            limit.count(who)
        except TooMany:
            # The next try is held up; this one was only wrong.
            continue


def _known_here(request: Request) -> list[int]:
    text = request.get_signed_cookie(KNOWN_COOKIE, default="", salt=_SALT, max_age=KNOWN_SECONDS)
    try:
        return list(signing.loads(text)) if text else []
    except signing.BadSignature:
        return []


def _guesser(request: Request, student: User) -> str:
    """Who guesses at whom. A browser that the student has been on goes by what we gave it then, as that lets it go on
    where strange ones are held up: by anything else it could be another one with each guess."""
    is_known = student.pk in _known_here(request)
    browser = salted_hmac(_SALT, request.COOKIES[KNOWN_COOKIE]).hexdigest() if is_known else _browser(request)
    return f"{student.pk}:{browser}"


def _browser(request: Request) -> str:
    """A word for this browser; one that takes no cookies goes by its address."""
    known = request.session.session_key or request.COOKIES.get("csrftoken") or request.META["REMOTE_ADDR"]
    return salted_hmac(_SALT, known).hexdigest()


def _seal(pk: str, number: str) -> str:
    return salted_hmac(_SALT, f"{pk}-{number}").hexdigest()[:_SEAL]


def _in_36(number: int) -> str:
    text = ""
    while number or not text:
        number, digit = divmod(number, 36)
        text = _DIGITS[digit] + text
    return text
