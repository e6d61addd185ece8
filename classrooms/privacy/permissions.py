"""Whose data somebody may export, delete and restore, as a child's guardian or as a student's teacher."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import Http404

from classrooms.access import adult
from classrooms.models import Enrolment, Guardianship, User
from core.http.requests import Request


@dataclass(frozen=True, slots=True)
class ChildAccess:
    """A child, and the enrolment by which a teacher may decide about the account; None for a guardian."""

    child: User
    enrolment: Enrolment | None = None


def child_to_export(request: Request, pk: int) -> ChildAccess:
    """A child of the guardian who asks, or a school-managed student of the teacher who asks."""
    return _child_access(request, pk, deleted=False, guardians_of_home_only=False)


def child_to_delete(request: Request, pk: int, *, deleted: bool = False) -> ChildAccess:
    """A home account of the guardian, or a school-managed student of the teacher; with `deleted`, a deleted one."""
    return _child_access(request, pk, deleted=deleted, guardians_of_home_only=True)


def _child_access(request: Request, pk: int, *, deleted: bool, guardians_of_home_only: bool) -> ChildAccess:
    user = adult(request)
    child = User.objects.filter(pk=pk, kind="student", deleted_at__isnull=not deleted).first()
    if child is None:
        raise Http404("no such child")
    is_guardian = Guardianship.objects.filter(guardian=user, child=child).exists()
    if is_guardian and (child.is_home or not guardians_of_home_only):
        return ChildAccess(child)
    mine = child.enrolments.filter(classroom__teachers=user, classroom__deleted_at=None)
    enrolment = None if child.is_home else mine.select_related("classroom").order_by("pk").first()
    if enrolment is None:
        raise Http404("not in your care")
    return ChildAccess(child, enrolment)
