"""How often a child's three pictures may be tried. The arithmetic is in docs/security.md.

There are only 12 * 11 * 10 = 1,320 possible answers, so very few wrong ones are allowed in the long run. They're
counted per day and per thirty days in the database, where they survive a restart. A child who mistypes isn't an
attacker, so wrong tries are forgiven when the right pictures soon follow on the same browser. Still, somebody else may
have made them, so each budget limits how many it forgives in thirty days, and the teacher's notices count all of them.

- On a **known** device (this child has signed in on it) there's a budget for the child on that device, and one for the
  device. Nobody can use it up from anywhere else, so classmates and strangers can't lock a child out of their tablet.
- On a **shared** device (another child of the class has signed in on it) the same budgets apply, plus one for the child
  who signed in on it last, so dropping the cookies and signing in again as oneself gains nothing.
- On a **new** device there's a budget for the child and one for the class, in which a few tries are reserved for each
  child, so that wrong tries at others don't use them up. To lock a child out, one has to guess at exactly that child.
  Then a login card still works, and the teacher can give them new pictures or press the button that lets new devices
  in, which always allows a few more tries and one for each child.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from classrooms.audit import note
from classrooms.models import Action, AuditEntry, Classroom, DeviceStanding, Enrolment, PictureTry, User
from core.db.chunks import delete_in_chunks
from core.limits import RateLimit, TooMany, Window

DAY, WEEK, MONTH = timedelta(days=1), timedelta(days=7), timedelta(days=30)
SOON = timedelta(minutes=15)
MOST_FORGIVEN = 2
"""How many wrong tries the right pictures make up for each time."""
TOLD_FROM = 5
"""The teacher is told from this many wrong tries at one child in a day."""
TOLD_FROM_OF_CLASS = 20
"""The same for all children together, in case somebody tries a few guesses at each."""

IN_A_ROW = RateLimit("pictures", (Window(4, 60),))
"""Keeps a child who taps without looking from using up the day's tries."""


@dataclass(frozen=True, slots=True)
class Budget:
    day: int
    month: int | None
    opened: int
    """Guaranteed tries after a teacher has let new devices in by hand, whatever happened before."""
    week: int | None = None
    forgiven: int = 0
    """How many more wrong tries in thirty days are forgiven if the right pictures follow."""
    own: int = 0
    """Guaranteed tries in thirty days for each child, no matter how many were made at others."""
    own_opened: int = 0
    """Guaranteed tries for each child after a teacher has let new devices in by hand."""

    def allows(self, tries: QuerySet[PictureTry], tried: PictureTry, opened_at: datetime | None, more: int) -> bool:
        """Whether `more` tries like `tried` fit."""
        now, of_child = tried.at, Q(student=tried.student_id)
        since_opened = Q(at__gte=opened_at or now)
        counts = tries.filter(at__gt=now - MONTH, is_forgiven=False).aggregate(
            month=Count("pk"),
            week=Count("pk", filter=Q(at__gt=now - WEEK)),
            day=Count("pk", filter=Q(at__gt=now - DAY)),
            own=Count("pk", filter=of_child),
            opened=Count("pk", filter=since_opened),
            own_opened=Count("pk", filter=since_opened & of_child),
        )
        limits = {"day": self.day, "week": self.week, "month": self.month}
        if all(most is None or counts[span] + more <= most for span, most in limits.items()):
            return True
        if counts["own"] + more <= self.own:
            return True
        if opened_at is not None and counts["own_opened"] + more <= self.own_opened:
            return True
        return opened_at is not None and counts["opened"] + more <= self.opened

    def forgives(self, tries: QuerySet[PictureTry], now: datetime) -> bool:
        """Whether one more try can be forgiven."""
        return tries.filter(at__gt=now - MONTH, is_forgiven=True).count() < self.forgiven


CHILD_ON_DEVICE = Budget(day=8, month=16, opened=4, forgiven=10)
DEVICE = Budget(day=16, month=30, opened=6, forgiven=20)
LAST_USER = Budget(day=16, month=30, opened=6, forgiven=10)
CHILD_ON_NEW = Budget(day=6, month=15, opened=3, forgiven=4)
CLASS_ON_NEW = Budget(day=6, week=6, month=None, opened=12, forgiven=10, own=3, own_opened=1)


class TriedTooOften(TooMany):
    """A budget is used up. Only time, a login card or the teacher helps."""


def take_try(enrolment: Enrolment, browser: str, client: str, standing: DeviceStanding, last_user: str) -> PictureTry:
    """Count one try before it's judged. Raises `TooMany`, also if concurrent tries together exceed a budget."""
    IN_A_ROW.take(f"{enrolment.student_id}:{browser or client}")
    tried = PictureTry(
        student=enrolment.student,
        classroom=enrolment.classroom,
        browser=browser,
        standing=standing,
        last_user=last_user,
        at=timezone.now(),
    )
    if not _fits(tried, more=1):
        _refuse(tried)
    tried.save()
    # Check again, since another request may have counted a try in between.
    if not _fits(tried, more=0):
        tried.delete()
        _refuse(tried)
    return tried


def forgive(tried: PictureTry, client: str) -> None:
    """After the right pictures, drop this try and forgive the child's last wrong ones on the same browser."""
    IN_A_ROW.forget(f"{tried.student_id}:{tried.browser or client}")
    tried_at, of_child = tried.at, PictureTry.objects.filter(student=tried.student_id, is_forgiven=False)
    PictureTry.objects.filter(pk=tried.pk).delete()
    if not tried.browser:
        return
    for wrong in of_child.filter(browser=tried.browser, at__gt=tried_at - SOON).order_by("-at")[:MOST_FORGIVEN]:
        if all(budget.forgives(tries, tried_at) for budget, tries in _budgets(wrong)):
            PictureTry.objects.filter(pk=wrong.pk).update(is_forgiven=True)


def _fits(tried: PictureTry, *, more: int) -> bool:
    opened_at = _opened_at(tried.classroom, tried.at)
    return all(budget.allows(tries, tried, opened_at, more) for budget, tries in _budgets(tried))


def _budgets(tried: PictureTry) -> list[tuple[Budget, QuerySet[PictureTry]]]:
    of_child = PictureTry.objects.filter(student=tried.student)
    if tried.standing == DeviceStanding.NEW:
        new = PictureTry.objects.filter(standing=DeviceStanding.NEW)
        return [
            (CHILD_ON_NEW, new.filter(student=tried.student)),
            (CLASS_ON_NEW, new.filter(classroom=tried.classroom)),
        ]
    budgets = [
        (CHILD_ON_DEVICE, of_child.filter(browser=tried.browser)),
        (DEVICE, PictureTry.objects.filter(browser=tried.browser)),
    ]
    if tried.standing == DeviceStanding.SHARED:
        shared = PictureTry.objects.filter(standing=DeviceStanding.SHARED, last_user=tried.last_user)
        budgets.append((LAST_USER, shared))
    return budgets


def _opened_at(classroom: Classroom, now: datetime) -> datetime | None:
    is_open = classroom.new_devices_until and classroom.new_devices_until > now
    return classroom.new_devices_since if is_open else None


def _refuse(tried: PictureTry) -> None:
    _log_guessing(tried.student, tried.classroom, tried.at)
    raise TriedTooOften("pictures")


def _log_guessing(student: User, classroom: Classroom, now: datetime) -> None:
    """Write one audit entry per child and day."""
    told = AuditEntry.objects.filter(action=Action.GUESSED_PICTURES, person=student.pk, at__gt=now - DAY)
    if not told.exists():
        amount = PictureTry.objects.filter(student=student, at__gt=now - DAY).count()
        note(None, Action.GUESSED_PICTURES, person=student, classroom=classroom, amount=amount)


@dataclass(frozen=True, slots=True)
class GuessingNotice:
    """A notice on the class page about wrong tries at one child."""

    enrolment: Enrolment
    tries: int


def guessing_notices(classroom: Classroom, now: datetime | None = None) -> list[GuessingNotice]:
    """Children with many wrong tries in the last day, forgiven or not."""
    since = (now or timezone.now()) - DAY
    of_class = PictureTry.objects.filter(student__enrolments__classroom=classroom, at__gt=since).order_by()
    tries = dict(of_class.values_list("student").annotate(Count("pk")))
    often = [student for student, count in tries.items() if count >= TOLD_FROM]
    found = classroom.enrolments.present().filter(student__in=often) if often else []
    return [GuessingNotice(each, tries[each.student_id]) for each in found]


@dataclass(frozen=True, slots=True)
class ClassNotice:
    """A notice about wrong tries at all children together."""

    tries: int
    """Wrong tries in the last day, or 0 if they're few."""
    is_used_up: bool
    """Whether on new devices only each child's own few tries are left."""


def class_notice(classroom: Classroom, now: datetime | None = None) -> ClassNotice | None:
    """The notice for a class where somebody may be trying a few guesses at each child, if there's reason for one."""
    tried = PictureTry(classroom=classroom, at=now or timezone.now())
    of_class = PictureTry.objects.filter(classroom=classroom)
    tries = of_class.filter(at__gt=tried.at - DAY).count()
    shared = replace(CLASS_ON_NEW, own=0, own_opened=0)
    new = of_class.filter(standing=DeviceStanding.NEW)
    is_used_up = not shared.allows(new, tried, _opened_at(classroom, tried.at), 1)
    is_often = tries >= TOLD_FROM_OF_CLASS
    return ClassNotice(tries if is_often else 0, is_used_up) if is_often or is_used_up else None


def forget_old(now: datetime) -> None:
    """Delete tries that no budget counts anymore."""
    delete_in_chunks(PictureTry.objects.filter(at__lte=now - MONTH))
