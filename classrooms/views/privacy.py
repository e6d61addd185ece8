"""The privacy pages: what we store, export, deletion, undo, and the audit log of a class."""

from __future__ import annotations

from http import HTTPStatus

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from classrooms.access import adult, adults_only, fresh_sign_in, taught_class
from classrooms.accounts import devices, picture_guard
from classrooms.audit import note
from classrooms.models import Action
from classrooms.privacy import permissions, service
from classrooms.privacy.audit_log import log_page
from classrooms.privacy.undo_mail import read_undo_token, send_undo
from core.http.requests import Request, download
from core.http.status import form_status
from core.lanes.marks import slow

_READ_OR_WRITE = ["GET", "HEAD", "POST"]


@require_safe
def page(request: Request) -> HttpResponse:
    return render(request, "privacy/page.html", _periods())


@require_safe
def children(request: Request) -> HttpResponse:
    """The privacy page for a child of eight."""
    return render(request, "privacy/children.html", _periods())


def _periods() -> dict[str, int]:
    return {
        "undo_days": settings.UNDO_DAYS,
        "guest_days": settings.GUEST_DAYS,
        "idle_class_days": settings.IDLE_CLASS_DAYS,
        "archived_class_days": settings.ARCHIVED_CLASS_DAYS,
        "import_hours": settings.IMPORT_HOURS,
        "device_days": devices.FORGOTTEN_AFTER.days,
        "picture_try_days": picture_guard.MONTH.days,
    }


@slow("POST")
@require_http_methods(_READ_OR_WRITE)
@adults_only
@fresh_sign_in
def export_child(request: Request, pk: int) -> HttpResponse:
    found = permissions.child_to_export(request, pk)
    if request.method != "POST":
        return render(request, "privacy/export.html", {"access": found, "name": found.child.display_name})
    classroom = found.enrolment.classroom if found.enrolment else None
    note(adult(request), Action.EXPORTED, person=found.child, classroom=classroom)
    return _file(service.export_child(found.child), found.child.display_name)


@slow("POST")
@require_http_methods(_READ_OR_WRITE)
@adults_only
@fresh_sign_in
def export_class(request: Request, pk: int) -> HttpResponse:
    classroom = taught_class(request, pk)
    if request.method != "POST":
        return render(request, "privacy/export.html", {"classroom": classroom, "name": classroom.name})
    note(adult(request), Action.EXPORTED, classroom=classroom)
    return _file(service.export_class(classroom), classroom.name)


@slow("POST")
@require_http_methods(_READ_OR_WRITE)
@adults_only
@fresh_sign_in
def export_me(request: Request) -> HttpResponse:
    user = adult(request)
    if request.method != "POST":
        return render(request, "privacy/export.html", {"name": user.display_name})
    note(user, Action.EXPORTED, person=user)
    return _file(service.export_guardian(user), user.display_name)


def _file(content: bytes, name: str) -> HttpResponse:
    file = f"setsite-{slugify(name) or 'data'}-{timezone.localdate():%Y-%m-%d}.zip"
    return download(content, "application/zip", file)


@slow("POST")
@require_http_methods(_READ_OR_WRITE)
@adults_only
@fresh_sign_in
def delete_child(request: Request, pk: int) -> HttpResponse:
    found = permissions.child_to_delete(request, pk)
    if request.method != "POST":
        return render(request, "privacy/delete_child.html", {"access": found, "child": found.child, **_periods()})
    classroom = found.enrolment.classroom if found.enrolment else None
    service.delete_child(found.child, by=adult(request), now=timezone.now(), classroom=classroom)
    messages.success(request, _("%(name)s is deleted.") % {"name": found.child.display_name})
    return redirect("privacy:undo")


@slow("POST")
@require_http_methods(_READ_OR_WRITE)
@adults_only
@fresh_sign_in
def delete_class(request: Request, pk: int) -> HttpResponse:
    classroom = taught_class(request, pk)
    if request.method != "POST":
        going = service.only_in(classroom).count()
        return render(request, "privacy/delete_class.html", {"classroom": classroom, "going": going, **_periods()})
    service.delete_class(classroom, by=adult(request), now=timezone.now())
    messages.success(request, _("%(name)s is deleted.") % {"name": classroom.name})
    return redirect("privacy:undo")


@slow("POST")
@require_http_methods(_READ_OR_WRITE)
@adults_only
@fresh_sign_in
def delete_me(request: Request) -> HttpResponse:
    """Delete the user's own account after reauthentication, and mail them a link to undo it."""
    user = adult(request)
    in_use: list[str] = []
    if request.method == "POST":
        try:
            service.delete_adult(user, now=timezone.now())
        except service.StillTeaching as error:
            in_use = error.names
        else:
            logout(request)
            send_undo(user)
            return render(request, "privacy/deleted_me.html", _periods())
    classes, alone = service.left_alone(user)
    context = {"classes": classes, "children": alone, "in_use": in_use, **_periods()}
    return render(request, "privacy/delete_me.html", context, status=form_status(in_use))


@require_http_methods(_READ_OR_WRITE)
def undo_me(request: Request, token: str) -> HttpResponse:
    """The link in the mail about a deleted account."""
    user = read_undo_token(token)
    if user is None:
        return render(request, "privacy/undo_me.html", {"is_over": True}, status=HTTPStatus.NOT_FOUND)
    if request.method == "POST":
        service.undo_adult(user, now=timezone.now())
        return render(request, "privacy/undo_me.html", {"is_done": True})
    return render(request, "privacy/undo_me.html")


@require_safe
@adults_only
def undo(request: Request) -> HttpResponse:
    """What the user has deleted and can still restore."""
    gone = service.gone_things(adult(request), now=timezone.now())
    return render(request, "privacy/undo.html", {"gone": gone, **_periods()})


@require_POST
@adults_only
def undo_child(request: Request, pk: int) -> HttpResponse:
    found = permissions.child_to_delete(request, pk, deleted=True)
    classroom = found.enrolment.classroom if found.enrolment else None
    try:
        service.undo_child(found.child, by=adult(request), now=timezone.now(), classroom=classroom)
    except service.TooLate as error:
        raise Http404("too late") from error
    messages.success(request, _("%(name)s is back.") % {"name": found.child.display_name})
    return redirect("privacy:undo")


@require_POST
@adults_only
def undo_class(request: Request, pk: int) -> HttpResponse:
    classroom = taught_class(request, pk, deleted=True)
    try:
        service.undo_class(classroom, by=adult(request), now=timezone.now())
    except service.TooLate as error:
        raise Http404("too late") from error
    messages.success(request, _("%(name)s is back.") % {"name": classroom.name})
    return redirect("privacy:undo")


@require_safe
@adults_only
def log(request: Request, pk: int) -> HttpResponse:
    """Who did what with the data of a class, newest first."""
    classroom = taught_class(request, pk)
    lines, page_of = log_page(classroom, request.GET.get("page", "1"))
    return render(request, "privacy/log.html", {"classroom": classroom, "lines": lines, "page": page_of})
