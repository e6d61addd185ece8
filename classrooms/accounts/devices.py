"""Which browsers students have signed in on, and when they may sign in by pictures on new ones."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac

from classrooms.audit import note
from classrooms.models import Action, Classroom, DeviceStanding, Guardianship, Session, StudentDevice, User
from core.clients import browser_of
from core.db.chunks import delete_in_chunks
from games import codes

OPEN_FOR = timedelta(hours=1)
LONGEST_LESSON = timedelta(hours=12)
"""A forgotten lesson lets new devices in only this long."""
FORGOTTEN_AFTER = timedelta(days=400)
_MOST = 30
_SALT = "classrooms.devices"


def fingerprint(browser: str) -> str:
    """The hash of a browser id that we store, or "" for no id. Ids are too random to be guessed from it."""
    return hashlib.sha256(browser.encode()).hexdigest() if browser else ""


def standing_of(browser: str, student: User, classroom: Classroom) -> tuple[DeviceStanding, str]:
    """How well a student's browser is known, and for a shared one a hash of the classmate who used it last.

    `browser` is a fingerprint.
    """
    users = (
        list(StudentDevice.objects.filter(browser=browser).order_by("-used_at").values_list("student_id", flat=True))
        if browser
        else []
    )
    if student.pk in users:
        return DeviceStanding.KNOWN, ""
    classmates = set(classroom.enrolments.filter(student__in=users).values_list("student_id", flat=True))
    last = next((user for user in users if user in classmates), None)
    return (
        (DeviceStanding.NEW, "") if last is None else (DeviceStanding.SHARED, salted_hmac(_SALT, str(last)).hexdigest())
    )


def remember(student: User, browser: str) -> None:
    """Record that the student signed in on the browser with this fingerprint."""
    if not browser:
        return
    StudentDevice.objects.update_or_create(student=student, browser=browser, defaults={"used_at": timezone.now()})
    newest = student.devices.order_by("-used_at").values_list("pk", flat=True)[:_MOST]
    student.devices.exclude(pk__in=list(newest)).delete()


def classes_on(browser: str) -> list[Classroom]:
    """The classes of students who have signed in on the browser with this fingerprint."""
    if not browser:
        return []
    found = Classroom.objects.not_deleted().filter(archived_at=None, students__devices__browser=browser)
    return list(found.distinct().order_by("name", "pk"))


def is_known(browser: str) -> bool:
    """Whether any student has signed in on the browser with this fingerprint."""
    return bool(browser) and StudentDevice.objects.filter(browser=browser).exists()


def voucher_of(request: HttpRequest) -> codes.Voucher | None:
    """The student who's signed in, or was the last to sign in on this browser. None for adults."""
    if request.user.is_authenticated:
        student = request.user if request.user.is_student else None
    else:
        student = _last_student(fingerprint(browser_of(request)))
    return codes.Voucher(str(student.pk), str(_adult_behind(student) or "")) if student else None


def _last_student(browser: str) -> User | None:
    used = StudentDevice.objects.filter(browser=browser).order_by("-used_at", "-pk").select_related("student")
    last = used.first() if browser else None
    return last.student if last else None


def _adult_behind(student: User) -> int | None:
    """Primary key of a home account's guardian or, for others, of the teacher with the class the longest."""
    guardians = Guardianship.objects.filter(child=student, guardian__deleted_at=None).order_by("pk")
    teachers = Classroom.teachers.through.objects.filter(
        classroom__enrolments__student=student, classroom__deleted_at=None, user__deleted_at=None
    ).order_by("pk")
    guardian = guardians.values_list("guardian_id", flat=True).first()
    teacher = teachers.values_list("user_id", flat=True).first()
    return (guardian or teacher) if student.is_home else (teacher or guardian)


def lets_new_devices_in(classroom: Classroom, now: datetime | None = None) -> bool:
    """Whether students may sign in by pictures on devices that are new to them."""
    now = now or timezone.now()
    if classroom.new_devices_until and classroom.new_devices_until > now:
        return True
    return has_lesson(classroom, now)


def has_lesson(classroom: Classroom, now: datetime | None = None) -> bool:
    since = (now or timezone.now()) - LONGEST_LESSON
    return Session.objects.filter(classroom=classroom, ended_at=None, opened_at__gt=since).exists()


def lesson_with(code: str) -> Q:
    """Filter for the class whose running lesson has this code."""
    return Q(sessions__code=code, sessions__ended_at=None)


def let_new_devices_in(classroom: Classroom, *, by: User, span: timedelta = OPEN_FOR) -> None:
    """Let students of the class sign in by pictures on any device for `span`, or longer if they already may."""
    now = timezone.now()
    classroom.new_devices_since = now
    classroom.new_devices_until = max(classroom.new_devices_until or now, now + span)
    with transaction.atomic():
        classroom.save(update_fields=["new_devices_since", "new_devices_until"])
        note(by, Action.LET_NEW_DEVICES_IN, classroom=classroom)


def stop_new_devices(classroom: Classroom) -> None:
    classroom.new_devices_until = None
    classroom.save(update_fields=["new_devices_until"])


def forget_old(now: datetime) -> None:
    """Remove devices that no student has used for more than a year."""
    delete_in_chunks(StudentDevice.objects.filter(used_at__lt=now - FORGOTTEN_AFTER))
