"""Permissions: who may see and do what. Whatever isn't yours is a 404, never a 403."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeGuard, cast

from allauth.account.decorators import reauthentication_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpResponse, HttpResponseBase

from classrooms.models import Classroom, Enrolment, Guardianship, User
from core.http.requests import Request

P = ParamSpec("P")
View: TypeAlias = Callable[Concatenate[Request, P], HttpResponseBase]


def is_adult(user: Any) -> TypeGuard[User]:
    return user.is_authenticated and not user.is_student


def adults_only(view: View[P]) -> View[P]:
    """Restrict a view to signed-in adults. Visitors are asked to sign in, and students get a 404."""

    @wraps(view)
    def guarded(request: Request, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return _sign_in_first(request)
        if not is_adult(request.user):
            raise Http404("for adults")
        return view(request, *args, **kwargs)

    return cast("View[P]", guarded)


def fresh_sign_in(view: View[P]) -> View[P]:
    """Ask for the password or second step again, for what an unattended computer mustn't give away.

    This doesn't ask within five minutes of signing in, nor for accounts with neither, which sign in by another site.
    """
    return cast("View[P]", reauthentication_required(view))


def _sign_in_first(request: Request) -> HttpResponse:
    return redirect_to_login(request.get_full_path() if request.method in {"GET", "HEAD"} else "/")


def adult(request: Request) -> User:
    """The signed-in adult; a 404 for anybody else."""
    if not is_adult(request.user):
        raise Http404("for adults")
    return request.user


def taught_class(request: Request, pk: int, *, deleted: bool = False) -> Classroom:
    """A class of the signed-in teacher. `deleted` includes a deleted one, to undo its deletion."""
    classes = Classroom.objects.filter(pk=pk, teachers=adult(request))
    classroom = classes.first() if deleted else classes.not_deleted().first()
    if classroom is None:
        raise Http404("not your class")
    return classroom


def taught_student(request: Request, pk: int, enrolment: int) -> Enrolment:
    """A student in a class of the signed-in teacher."""
    classroom = taught_class(request, pk)
    found = classroom.enrolments.present().filter(pk=enrolment).first()
    if found is None:
        raise Http404("not in this class")
    found.classroom = classroom
    return found


def own_child(request: Request, pk: int, *, deleted: bool = False) -> Guardianship:
    """The signed-in guardian's link to their child."""
    # Unlike `child_id`, `child__pk` finds nothing instead of failing if the number is too large for the database.
    links = Guardianship.objects.filter(guardian=adult(request), child__pk=pk).select_related("child")
    link = links.first() if deleted else links.filter(child__deleted_at=None).first()
    if link is None:
        raise Http404("not your child")
    return link
