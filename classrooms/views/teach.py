"""A teacher's classes: making, changing, teaching together, archiving."""

from __future__ import annotations

import time

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from classrooms import classes
from classrooms.access import adult, adults_only, taught_class
from classrooms.class_forms import ClassForm, InvitationForm
from classrooms.invitations import send_invitation
from classrooms.models import Classroom
from classrooms.queries import own_classes
from classrooms.reports.report import class_report
from classrooms.reports.summary import set_summary
from setsite.http import Request

MOST_NAMED = 3
"""Of those who need help, on the page of all classes; the class's own page names them all."""


@require_safe
@adults_only
def home(request: Request) -> HttpResponse:
    """My classes with what to do next in each: lead a lesson, and see who needs help. The archived ones stand apart."""
    found = own_classes(adult(request))
    now = time.time()
    rows = [(each, [] if each.archived_at else class_report(each, now=now).in_need) for each in found]
    return render(request, "teach/home.html", {"rows": rows, "most_named": MOST_NAMED})


@require_POST
@adults_only
def summary(request: Request) -> HttpResponse:
    """Have the Friday summary, or not."""
    set_summary(adult(request), "wants" in request.POST)
    return redirect("teach:home")


@require_http_methods(["GET", "HEAD", "POST"])
@adults_only
def new(request: Request) -> HttpResponse:
    form = ClassForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        classroom = classes.make_class(**form.cleaned_data, by=adult(request))
        return redirect("teach:roster", classroom.pk)
    return render(request, "teach/new.html", {"form": form}, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@adults_only
def settings(request: Request, pk: int) -> HttpResponse:
    classroom = taught_class(request, pk)
    form = ClassForm(request.POST or None, initial={name: getattr(classroom, name) for name in ClassForm.base_fields})
    if request.method == "POST" and form.is_valid():
        classes.change_class(classroom, **form.cleaned_data, by=adult(request))
        messages.success(request, _("Saved."))
        return redirect("teach:settings", pk)
    return _settings(request, classroom, form=form)


def _settings(
    request: Request, classroom: Classroom, *, form: ClassForm | None = None, invitation: InvitationForm | None = None
) -> HttpResponse:
    initial = {name: getattr(classroom, name) for name in ClassForm.base_fields}
    context = {
        "classroom": classroom,
        "form": form or ClassForm(initial=initial),
        "invitation_form": invitation or InvitationForm(),
        "teachers": classroom.teachers.order_by("display_name"),
        "invitations": classroom.invitations.filter(accepted_at=None).order_by("-made_at"),
    }
    is_bad = bool((form and form.errors) or (invitation and invitation.errors))
    return render(request, "teach/settings.html", context, status=422 if is_bad else 200)


@require_POST
@adults_only
def renew_code(request: Request, pk: int) -> HttpResponse:
    classroom = taught_class(request, pk)
    classes.new_code(classroom, by=adult(request))
    messages.success(request, _("The class has a new code. Login cards stay valid; the code printed on them does not."))
    return redirect("teach:settings", pk)


@require_POST
@adults_only
def archive(request: Request, pk: int) -> HttpResponse:
    classes.archive(taught_class(request, pk), by=adult(request))
    return redirect("teach:home")


@require_POST
@adults_only
def restore(request: Request, pk: int) -> HttpResponse:
    classes.restore(taught_class(request, pk), by=adult(request))
    return redirect("teach:class", pk)


@require_POST
@adults_only
def invite(request: Request, pk: int) -> HttpResponse:
    """Send a colleague a link; the same link is shown, for where mail does not arrive."""
    classroom = taught_class(request, pk)
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return _settings(request, classroom, invitation=form)
    email = form.cleaned_data["email"]
    link = send_invitation(classes.invite(classroom, email, by=adult(request)), request)
    messages.success(request, _("An invitation is on its way to %(email)s: %(link)s") % {"email": email, "link": link})
    return redirect("teach:settings", pk)


@require_POST
@adults_only
def remove_teacher(request: Request, pk: int, teacher: int) -> HttpResponse:
    classroom = taught_class(request, pk)
    found = get_object_or_404(classroom.teachers, pk=teacher)
    try:
        classes.remove_teacher(classroom, found, by=adult(request))
    except classes.LastTeacher:
        messages.error(request, _("A class needs a teacher. Invite somebody else first, or archive the class."))
        return redirect("teach:settings", pk)
    return redirect("teach:home") if found == request.user else redirect("teach:settings", pk)


@require_http_methods(["GET", "HEAD", "POST"])
@adults_only
def invitation(request: Request, token: str) -> HttpResponse:
    """Somebody asks me to teach a class with them."""
    try:
        found = classes.read_invitation(token)
        if request.method == "POST":
            classes.accept(found, adult(request))
            return redirect("teach:class", found.classroom_id)
    except classes.BadInvitation:
        return render(request, "teach/invitation.html", {"invitation": None}, status=404)
    return render(request, "teach/invitation.html", {"invitation": found})
