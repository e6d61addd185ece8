"""Links between guardians and children, and the paper codes that create them."""

from __future__ import annotations

import secrets
from datetime import timedelta
from enum import StrEnum

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from classrooms.audit import note
from classrooms.models import Action, Classroom, GuardianCode, Guardianship, User
from core.db.locks import LockLevel, lock_rows
from core.keys import digests
from games.codes import LETTERS as CODE_LETTERS
from games.limits import Limit, TooMany

CODE_DAYS = 30
_GROUPS, _LETTERS = 2, 5
_SALT = "classrooms.guardian-code"
WRONG_CODES = Limit("wrong-guardian-codes", most=10, seconds=600)


class Why(StrEnum):
    """Why a code was rejected."""

    UNKNOWN = "unknown"
    USED = "used"
    TOO_OLD = "too-old"
    TOO_MANY = "too-many"


WORDS: dict[Why, Promise] = {
    Why.UNKNOWN: _("We do not know this code. Compare it letter by letter with the paper."),
    Why.USED: _("This code has been used. Each code works once: ask for another one."),
    Why.TOO_OLD: _("This code is not valid any more. Ask for a new one."),
    Why.TOO_MANY: _("Those were many wrong codes. Wait ten minutes, then try again."),
}


class BadCode(ValueError):
    """A code that was rejected."""

    def __init__(self, why: Why) -> None:
        super().__init__(why.value)
        self.why = why


class LastGuardian(ValueError):
    """A home account can't be without a guardian; it's deleted instead."""


def make_code(child: User, *, by: User, classroom: Classroom | None = None) -> str:
    """Make a new code for the child, to be printed or written down. We don't store it; older unused codes expire."""
    letters = [secrets.choice(CODE_LETTERS) for _letter in range(_GROUPS * _LETTERS)]
    code = "".join(letters)
    now = timezone.now()
    with transaction.atomic():
        # If two codes are made at once, the second one ends the first.
        list(lock_rows(User.objects.filter(pk=child.pk), LockLevel.PERSON))
        child.guardian_codes.filter(used_at=None, expires_at__gt=now).update(expires_at=now)
        child.guardian_codes.create(
            fingerprint=_fingerprints(code)[0], made_by=by, made_at=now, expires_at=now + timedelta(days=CODE_DAYS)
        )
        note(by, Action.MADE_CODE, person=child, classroom=classroom)
    return f"{code[:_LETTERS]}-{code[_LETTERS:]}"


def end_codes(codes: QuerySet[GuardianCode]) -> None:
    """Expire unused codes, because whoever made them has no right to hand them out anymore."""
    now = timezone.now()
    codes.filter(used_at=None, expires_at__gt=now).update(expires_at=now)


def use_code(text: str, *, by: User) -> Guardianship:
    """Link a guardian to the child of a code, which works once. Raises `BadCode`.

    If the guardian is linked already, the code stays unused for somebody else.
    """
    try:
        WRONG_CODES.check(str(by.pk))
    except TooMany as error:
        raise BadCode(Why.TOO_MANY) from error
    try:
        return _use(_fingerprints(text), by)
    except BadCode:
        try:
            WRONG_CODES.count(str(by.pk))
        except TooMany as error:
            raise BadCode(Why.TOO_MANY) from error
        raise


def _use(fingerprints: list[str], by: User) -> Guardianship:
    known = GuardianCode.objects.filter(fingerprint__in=fingerprints, child__deleted_at=None)
    code = known.select_related("child").first()
    if code is None:
        raise BadCode(Why.UNKNOWN)
    if link := Guardianship.objects.filter(guardian=by, child=code.child).first():
        return link
    now = timezone.now()
    with transaction.atomic():
        # If two people use it at once, only one of them updates the row.
        if not GuardianCode.objects.filter(pk=code.pk, used_at=None, expires_at__gt=now).update(used_at=now):
            was_used = GuardianCode.objects.filter(pk=code.pk, used_at__isnull=False).exists()
            raise BadCode(Why.USED if was_used else Why.TOO_OLD)
        link, _is_new = Guardianship.objects.get_or_create(guardian=by, child=code.child)
        note(by, Action.LINKED_GUARDIAN, person=code.child)
    return link


def unlink(link: Guardianship, *, by: User, classroom: Classroom | None = None) -> None:
    """Delete a link, for the guardian or a teacher. Raises `LastGuardian` for a home account's last guardian."""
    with transaction.atomic():
        # If the last two guardians leave at once, the second one waits here and then can't leave.
        child = lock_rows(User.objects.all(), LockLevel.PERSON).get(pk=link.child_id)
        others = Guardianship.objects.filter(child=child, guardian__deleted_at=None).exclude(pk=link.pk)
        if child.is_home and not others.exists():
            raise LastGuardian(child.display_name)
        link.delete()
        note(by, Action.UNLINKED_GUARDIAN, person=child, classroom=classroom)


def set_letter(link: Guardianship, wants: bool) -> None:
    """Set whether the weekly letter tells the guardian about this child."""
    Guardianship.objects.filter(pk=link.pk).update(wants_letter=wants)


def stop_letters(guardian: User) -> None:
    """Stop the weekly letter about all of a guardian's children."""
    Guardianship.objects.filter(guardian=guardian).update(wants_letter=False)


def _fingerprints(text: str) -> list[str]:
    """The code's stored digest under each of the site's keys. Case, spaces and dashes don't matter."""
    plain = "".join(each for each in text.upper()[:100] if each in CODE_LETTERS)
    return digests(_SALT, plain, algorithm="sha256")
