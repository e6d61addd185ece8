"""A teacher's classes: creating, changing, sharing and archiving them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from classrooms.access import adult, adults_only, fresh_sign_in, taught_class
from classrooms.accounts import devices
from classrooms.classes import service as classes
from classrooms.classes.forms import ClassForm, InvitationForm, NewClassForm
from classrooms.classes.invitations import masked, send_invitation
from classrooms.classes.students import renew_cards
from classrooms.live.errors import LessonRunning
from classrooms.live.leading import present_attendees, running_session
from classrooms.models import Classroom, User
from classrooms.queries import own_classes
from classrooms.reports.report import in_need_of
from classrooms.reports.summary import set_summary
from core.http.requests import Request
from core.http.status import form_status
from core.lanes.marks import REPORTS, slow
from core.limits import RateLimit, Window

DAY = 86_400
INVITATIONS_OF_TEACHER = RateLimit("invitations-of-teacher", (Window(20, DAY),))
INVITATIONS_TO_ADDRESS = RateLimit("invitations-to-address", (Window(5, DAY),))
MOST_NAMED = 3
"""How many students who need help the page of all classes names per class. The class's own page names them all."""
MOST_LOOKED_AT = 300
"""How many students the page of all classes looks at to find those who need help."""


@slow(lane=REPORTS)
@require_safe
@adults_only
def home(request: Request) -> HttpResponse:
    """The teacher's classes, with links to lead a lesson and who needs help in each. Archived ones are listed apart."""
    found = own_classes(adult(request))
    in_need = in_need_of(_checked_classes(found), now=time.time())
    rows = [(each, in_need.get(each.pk)) for each in found]
    return render(request, "teach/home.html", {"rows": rows, "most_named": MOST_NAMED})


def _checked_classes(found: Sequence[Any]) -> list[Classroom]:
    """Unarchived classes with up to `MOST_LOOKED_AT` students in all. The others' own pages say who needs help."""
    looked_at, students = [], 0
    for each in found:
        if not each.archived_at and students + each.students_there <= MOST_LOOKED_AT:
            looked_at.append(each)
            students += each.students_there
    return looked_at


@require_POST
@adults_only
def summary(request: Request) -> HttpResponse:
    """Turn the Friday summary on or off."""
    set_summary(adult(request), "wants" in request.POST)
    return redirect("teach:home")


@require_http_methods(["GET", "HEAD", "POST"])
@adults_only
def new(request: Request) -> HttpResponse:
    form = NewClassForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        asked = {name: form.cleaned_data[name] for name in ClassForm.base_fields}
        classroom = classes.make_class(**asked, by=adult(request))
        return redirect("teach:roster", classroom.pk)
    return render(request, "teach/new.html", {"form": form}, status=form_status(form.errors))


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
        "teachers": _teachers(classroom, adult(request)),
        "invitations": classes.open_invitations(classroom),
        "authority": classroom.consents.select_related("given_by").last(),
    }
    is_bad = bool((form and form.errors) or (invitation and invitation.errors))
    return render(request, "teach/settings.html", context, status=form_status(is_bad))


def _teachers(classroom: Classroom, viewer: User) -> list[tuple[User, bool]]:
    """The class's teachers in the order in which they joined, and whether the viewer may remove each."""
    found = classes.teachers_by_seniority(classroom)
    return [(each, len(found) > 1 and classes.may_remove(found, each, by=viewer)) for each in found]


@require_POST
@adults_only
def renew_code(request: Request, pk: int) -> HttpResponse:
    classroom = taught_class(request, pk)
    classes.new_code(classroom, by=adult(request))
    messages.success(request, _("The class has a new code. Login cards stay valid; the code printed on them does not."))
    return redirect("teach:settings", pk)


@require_POST
@adults_only
def let_new_devices_in(request: Request, pk: int) -> HttpResponse:
    """Let students sign in by pictures on devices that are new to them for an hour."""
    devices.let_new_devices_in(taught_class(request, pk), by=adult(request))
    messages.success(request, _("New devices can sign in for the next hour."))
    return redirect("teach:class", pk)


@require_POST
@adults_only
def stop_new_devices(request: Request, pk: int) -> HttpResponse:
    devices.stop_new_devices(taught_class(request, pk))
    return redirect("teach:class", pk)


@require_http_methods(["GET", "HEAD", "POST"])
@adults_only
def archive(request: Request, pk: int) -> HttpResponse:
    """Archive the class. If it's having a lesson, the teacher first sees who's in it and confirms its end."""
    classroom = taught_class(request, pk)
    if request.method != "POST":
        return _ask_to_archive(request, classroom)
    ending = request.POST.get("ending", "")
    try:
        classes.archive(classroom, by=adult(request), ending=ending)
    except LessonRunning:
        # This isn't the lesson that the teacher agreed to end: a colleague has started another one meanwhile.
        if ending:
            return _ask_to_archive(request, classroom, status=HTTPStatus.UNPROCESSABLE_ENTITY)
        return redirect("teach:archive", pk)
    return redirect("teach:home")


def _ask_to_archive(request: Request, classroom: Classroom, *, status: int = HTTPStatus.OK) -> HttpResponse:
    running = running_session(classroom)
    if running is None:
        return redirect("teach:settings", classroom.pk)
    context = {"classroom": classroom, "running": running, "people": present_attendees(running)}
    return render(request, "teach/archive.html", context, status=status)


@require_POST
@adults_only
def restore(request: Request, pk: int) -> HttpResponse:
    classes.restore(taught_class(request, pk), by=adult(request))
    return redirect("teach:class", pk)


@require_POST
@adults_only
@fresh_sign_in
def invite(request: Request, pk: int) -> HttpResponse:
    """Mail a colleague an invitation link, and show the link in case the mail doesn't arrive."""
    classroom = taught_class(request, pk)
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return _settings(request, classroom, invitation=form)
    email = form.cleaned_data["email"]
    INVITATIONS_OF_TEACHER.take(str(adult(request).pk))
    INVITATIONS_TO_ADDRESS.take(email.casefold())
    try:
        made = classes.invite(classroom, email, by=adult(request))
    except classes.AlreadyTeaching as error:
        own = _("That's your own address. Invite a colleague by theirs.")
        form.add_error("email", own if error.is_self else _("This colleague already teaches the class."))
        return _settings(request, classroom, invitation=form)
    link = send_invitation(made)
    messages.success(request, _("An invitation is on its way to %(email)s: %(link)s") % {"email": email, "link": link})
    return redirect("teach:settings", pk)


@require_POST
@adults_only
def cancel_invitation(request: Request, pk: int, invitation: int) -> HttpResponse:
    classroom = taught_class(request, pk)
    found = get_object_or_404(classroom.invitations, pk=invitation)
    classes.cancel_invitation(found, by=adult(request))
    messages.success(request, _("The invitation to %(email)s is canceled.") % {"email": found.email})
    return redirect("teach:settings", pk)


@slow("POST")
@require_http_methods(["GET", "HEAD", "POST"])
@adults_only
@fresh_sign_in
def renew_access(request: Request, pk: int) -> HttpResponse:
    """Make a new class code and new login cards for everybody, in case the old ones are in the wrong hands."""
    classroom = taught_class(request, pk)
    if request.method == "POST":
        classes.new_code(classroom, by=adult(request))
        renew_cards(classroom, by=adult(request))
        messages.success(request, _("The class has a new code and new login cards. Print the cards now."))
        return redirect("teach:roster", pk)
    return render(request, "teach/renew_access.html", {"classroom": classroom})


@require_POST
@adults_only
@fresh_sign_in
def remove_teacher(request: Request, pk: int, teacher: int) -> HttpResponse:
    try:
        classroom = taught_class(request, pk)
    except Http404:
        return _viewer_removed(request, pk)
    found = classroom.teachers.filter(pk=teacher).first()
    if found is None:
        return _teacher_gone(request, pk, teacher)
    try:
        classes.remove_teacher(classroom, found, by=adult(request))
    except classes.NoLongerTeaching:
        return _viewer_removed(request, pk)
    except classes.NotTeaching:
        return _teacher_gone(request, pk, teacher)
    except classes.LastTeacher:
        messages.error(request, _("A class needs a teacher. Invite somebody else first, or archive the class."))
        return redirect("teach:settings", pk)
    except classes.TaughtLonger:
        messages.error(request, _("You can only take out teachers who joined the class after you."))
        return redirect("teach:settings", pk)
    if found == request.user:
        messages.success(request, _("You don't teach %(name)s anymore.") % {"name": classroom.name})
        return redirect("teach:home")
    words = _("%(teacher)s doesn't teach this class anymore. We've told them by email.")
    messages.success(request, words % {"teacher": found.display_name})
    return redirect("teach:renew-access", pk)


def _viewer_removed(request: Request, pk: int) -> HttpResponse:
    """Tell the viewer that they were just removed from the class, perhaps by the teacher they wanted to remove."""
    removal = classes.latest_removal(pk, adult(request).pk, now=timezone.now())
    if removal is None:
        raise Http404("not your class")
    name = removal.classroom.name
    if removal.by and removal.by != removal.teacher:
        words = _("%(teacher)s has just taken you out of %(name)s.")
        messages.error(request, words % {"teacher": removal.by.display_name, "name": name})
    else:
        messages.error(request, _("You don't teach %(name)s anymore.") % {"name": name})
    return redirect("teach:home")


def _teacher_gone(request: Request, pk: int, teacher: int) -> HttpResponse:
    """Tell the viewer that the teacher they wanted to remove has just left, or was removed by somebody else."""
    removal = classes.latest_removal(pk, teacher, now=timezone.now())
    if removal is None:
        raise Http404("not a teacher of this class")
    words = _("%(teacher)s doesn't teach this class anymore.")
    messages.info(request, words % {"teacher": removal.teacher.display_name})
    return redirect("teach:settings", pk)


@require_http_methods(["GET", "HEAD", "POST"])
@adults_only
def invitation(request: Request, token: str) -> HttpResponse:
    """Show an invitation to teach a class, and accept it."""
    try:
        found = classes.read_invitation(token)
        if not classes.is_for(found, adult(request)):
            return render(
                request, "teach/invitation.html", {"wanted": masked(found.email)}, status=HTTPStatus.FORBIDDEN
            )
        if request.method == "POST":
            classes.accept(found, adult(request))
            return redirect("teach:class", found.classroom_id)
    except classes.BadInvitation:
        return render(request, "teach/invitation.html", {"invitation": None}, status=HTTPStatus.NOT_FOUND)
    return render(request, "teach/invitation.html", {"invitation": found})
