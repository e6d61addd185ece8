"""The students of a class: the register, reading lists, and what a teacher can do for one student."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from classrooms.access import adult, adults_only, fresh_sign_in, taught_class, taught_student
from classrooms.accounts import guardians
from classrooms.accounts.cards.login_cards import LoginCard, cards_pdf
from classrooms.accounts.signing_in import card_token
from classrooms.audit import note
from classrooms.classes import students
from classrooms.classes.rosters import proposals as rosters
from classrooms.classes.rosters.files import read_names
from classrooms.classes.rosters.forms import ChooseForm, MoveForm, PasteForm, StudentForm, UploadForm
from classrooms.classes.rosters.proposals import What
from classrooms.classes.rosters.tables import MOST_FAULTS, BadFile
from classrooms.models import Action, Classroom, Enrolment, HandOver, RosterImport
from core.http.requests import Request
from core.http.status import form_status
from core.lanes.marks import REPORTS, slow
from core.links import absolute_url
from core.offload import offload
from core.printing.paper import Paper, usual_paper
from core.printing.text import is_printable
from games.codes import count_lookup

MOST_SHOWN_FAULTS = 20


@slow(lane=REPORTS)
@require_safe
@adults_only
def roster(request: Request, pk: int) -> HttpResponse:
    """The register of a class."""
    return _roster(request, taught_class(request, pk))


def _roster(
    request: Request,
    classroom: Classroom,
    *,
    paste: PasteForm | None = None,
    upload: UploadForm | None = None,
    bad: BadFile | None = None,
) -> HttpResponse:
    enrolments = list(classroom.enrolments.present())
    context = {
        "classroom": classroom,
        "enrolments": enrolments,
        "unprintable": [
            (number, each) for number, each in enumerate(enrolments, 1) if not is_printable(each.student.display_name)
        ],
        "imports": classroom.imports.filter(made_by=adult(request)).order_by("-made_at"),
        "paste": paste or PasteForm(auto_id="paste-%s"),
        "upload": upload or UploadForm(auto_id="upload-%s"),
        **_faults(bad),
    }
    return render(request, "roster/roster.html", context, status=form_status(bad or (paste and paste.errors)))


def _faults(bad: BadFile | None) -> dict[str, Any]:
    faults = bad.faults if bad else ()
    return {
        "faults": faults[:MOST_SHOWN_FAULTS],
        "more_faults": max(0, len(faults) - MOST_SHOWN_FAULTS),
        # Reading stopped there, so there may be more.
        "has_many_faults": len(faults) >= MOST_FAULTS,
    }


# Lists


@slow()
@require_POST
@adults_only
def paste_names(request: Request, pk: int) -> HttpResponse:
    """Read pasted names and show what they would change."""
    classroom = taught_class(request, pk)
    form = PasteForm(request.POST, auto_id="paste-%s")
    if not form.is_valid():
        return _roster(request, classroom, paste=form)
    try:
        proposal = rosters.propose(
            classroom, read_names(form.cleaned_data["names"]), by=adult(request), generated=form.is_generated
        )
    except BadFile as bad:
        return _roster(request, classroom, paste=form, bad=bad)
    return redirect("teach:roster-plan", pk, proposal.pk)


@slow()
@require_POST
@adults_only
def upload_file(request: Request, pk: int) -> HttpResponse:
    """Read a file and show what it would change."""
    classroom = taught_class(request, pk)
    form = UploadForm(request.POST, auto_id="upload-%s")
    generated = form.is_valid() and form.is_generated
    try:
        rows = rosters.read_uploads(request.FILES.getlist("files"))
        proposal = rosters.propose(classroom, rows, by=adult(request), generated=generated)
    except BadFile as bad:
        return _roster(request, classroom, upload=form, bad=bad)
    query = "?shown=generated" if generated and rosters.has_choice(proposal) else ""
    return redirect(reverse("teach:roster-plan", args=[pk, proposal.pk]) + query)


def _proposal(request: Request, pk: int, plan: int) -> RosterImport:
    """A list that was read for a class of the signed-in teacher."""
    classroom = taught_class(request, pk)
    proposal = get_object_or_404(classroom.imports, pk=plan)
    proposal.classroom = classroom
    return proposal


@slow()
@require_safe
@adults_only
def plan(request: Request, pk: int, plan: int) -> HttpResponse:
    """Show what a list would change, row by row, before anything is written."""
    proposal = _proposal(request, pk, plan)
    if rosters.has_choice(proposal):
        return _choice(request, proposal, _choose_form(proposal, initial={"shown": request.GET.get("shown", "first")}))
    planned = rosters.planned_rows(proposal)
    counts = {what.value: sum(each.what is what for each in planned) for what in What}
    context = {
        "classroom": proposal.classroom,
        "proposal": proposal,
        "total": len(planned),
        "counts": counts,
        "planned": planned,
    }
    return render(request, "roster/plan.html", context)


def _choose_form(proposal: RosterImport, *args: Any, **more: Any) -> ChooseForm:
    listed = [
        (
            str(place),
            ngettext("%(title)s (%(count)s student)", "%(title)s (%(count)s students)", len(each.rows))
            % {"title": each.title, "count": len(each.rows)},
        )
        for place, each in enumerate(rosters.listed_classes(proposal))
    ]
    return ChooseForm(*args, listed=listed, **more)


def _choice(request: Request, proposal: RosterImport, form: ChooseForm, bad: BadFile | None = None) -> HttpResponse:
    context = {"classroom": proposal.classroom, "proposal": proposal, "form": form, **_faults(bad)}
    return render(request, "roster/choose.html", context, status=form_status(bad or form.errors))


@slow()
@require_POST
@adults_only
def choose(request: Request, pk: int, plan: int) -> HttpResponse:
    """Choose which class of a file with several goes into this one."""
    proposal = _proposal(request, pk, plan)
    if not rosters.has_choice(proposal):
        raise Http404("nothing to choose")
    form = _choose_form(proposal, request.POST)
    if not form.is_valid():
        return _choice(request, proposal, form)
    listed = rosters.listed_classes(proposal)[int(form.cleaned_data["listed"])]
    try:
        rosters.choose(proposal, listed, generated=form.is_generated)
    except BadFile as bad:
        return _choice(request, proposal, form, bad)
    return redirect("teach:roster-plan", pk, plan)


@slow()
@require_POST
@adults_only
def apply(request: Request, pk: int, plan: int) -> HttpResponse:
    """Write a list: with JavaScript a few rows at a time with a progress display, otherwise all at once."""
    proposal = _proposal(request, pk, plan)
    if rosters.has_choice(proposal):
        return redirect("teach:roster-plan", pk, plan)
    total = len(proposal.rows)
    there = reverse("teach:roster", args=[pk])
    try:
        if request.htmx:
            if rosters.write_next(proposal, by=adult(request)):
                context = {"classroom": proposal.classroom, "proposal": proposal, "total": total}
                return render(request, "roster/_progress.html", context)
        else:
            rosters.write_all(proposal, by=adult(request))
    except students.ClassFull:
        messages.error(request, _class_full(proposal.classroom))
    else:
        messages.success(request, _("The list is in the class."))
    return HttpResponseClientRedirect(there) if request.htmx else redirect(there)


def _class_full(classroom: Classroom) -> str:
    words = {"class": classroom.name, "most": students.MOST_IN_CLASS}
    return _("%(class)s is full: a class has room for %(most)s students. Make another class for the rest.") % words


@require_POST
@adults_only
def cancel(request: Request, pk: int, plan: int) -> HttpResponse:
    """Discard a list. Rows already written stay."""
    _proposal(request, pk, plan).delete()
    return redirect("teach:roster", pk)


# One student


@require_safe
@adults_only
@fresh_sign_in
def student_pictures(request: Request, pk: int, enrolment: int) -> HttpResponse:
    """A student's page with their pictures, which are as good as a login card."""
    found = taught_student(request, pk, enrolment)
    if found.student.is_home:
        raise Http404("the family's")
    note(adult(request), Action.SAW_PICTURES, person=found.student, classroom=found.classroom)
    return _student(request, found, shows_pictures=True)


@require_http_methods(["GET", "HEAD", "POST"])
@adults_only
def student(request: Request, pk: int, enrolment: int) -> HttpResponse:
    """A student's names and group, and what else a teacher can do for them."""
    found = taught_student(request, pk, enrolment)
    if request.method != "POST":
        return _student(request, found)
    form = StudentForm(request.POST, enrolment=found)
    if not form.is_valid():
        return _student(request, found, form=form)
    try:
        students.change_student(found, by=adult(request), **form.cleaned_data)
    except students.NameTaken as error:
        form.add_error("display_name", _("Somebody else in the class is called “%(name)s”.") % {"name": error})
        return _student(request, found, form=form)
    messages.success(request, _("Saved."))
    return redirect("teach:student-edit", pk, enrolment)


def _student(
    request: Request,
    enrolment: Enrolment,
    *,
    form: StudentForm | None = None,
    move: MoveForm | None = None,
    shows_pictures: bool = False,
) -> HttpResponse:
    classroom = enrolment.classroom
    context = {
        "classroom": classroom,
        "enrolment": enrolment,
        "shows_pictures": shows_pictures,
        "form": form or StudentForm(enrolment=enrolment),
        "move": move or MoveForm(teacher=adult(request), classroom=classroom, auto_id="move-%s"),
        "groups": classroom.groups.order_by("name"),
        "offer": students.open_offers(timezone.now()).filter(enrolment=enrolment).first(),
        "links": enrolment.student.guardian_links.filter(guardian__deleted_at=None)
        .select_related("guardian")
        .order_by("made_at"),
    }
    is_bad = (form and form.errors) or (move and move.errors)
    return render(request, "roster/student.html", context, status=form_status(is_bad))


@require_POST
@adults_only
def reset(request: Request, pk: int, enrolment: int) -> HttpResponse:
    """Give a student new pictures and a new card."""
    found = taught_student(request, pk, enrolment)
    try:
        students.reset_student(found.student, by=adult(request), classroom=found.classroom)
    except students.NotManaged:
        messages.error(request, _not_managed())
    else:
        name = found.student.display_name
        messages.success(
            request, _("%(name)s has new pictures. The old card is worthless: print a new one.") % {"name": name}
        )
    return redirect("teach:student-edit", pk, enrolment)


def _not_managed() -> str:
    return _("A guardian made this account, so the school cannot change it.")


@require_POST
@adults_only
@fresh_sign_in
def move(request: Request, pk: int, enrolment: int) -> HttpResponse:
    """Move a student to another class of the teacher, or offer them to a colleague's."""
    found = taught_student(request, pk, enrolment)
    form = MoveForm(
        request.POST,
        teacher=adult(request),
        classroom=found.classroom,
        on_code=partial(count_lookup, request),
        auto_id="move-%s",
    )
    if not form.is_valid():
        return _student(request, found, move=form)
    to = form.cleaned_data["to"]
    names = {"name": found.student.display_name, "class": to.name}
    try:
        if to.teachers.filter(pk=adult(request).pk).exists():
            students.move_student(found, to, by=adult(request))
            messages.success(request, _("%(name)s is now in %(class)s.") % names)
            return redirect("teach:roster", pk)
        students.offer_student(found, to, by=adult(request))
    except students.OfferGone:
        messages.error(request, _("That didn't work: somebody else has just moved or removed this student."))
        return redirect("teach:roster", pk)
    except students.ClassFull:
        form.add_error("to", _class_full(to))
        return _student(request, found, move=form)
    except students.TooManyOffers:
        form.add_error(
            "code", _("That class already has a lot of students waiting. Ask your colleague to go through them first.")
        )
        return _student(request, found, move=form)
    messages.success(request, _("Your colleague can now accept %(name)s. Until then nothing changes.") % names)
    return redirect("teach:student-edit", pk, enrolment)


@require_POST
@adults_only
def cancel_hand_over(request: Request, pk: int, enrolment: int) -> HttpResponse:
    """Withdraw the offer of a student to another class."""
    found = taught_student(request, pk, enrolment)
    offer = HandOver.objects.filter(enrolment=found).first()
    if offer:
        _settle(request, lambda: students.decline_student(offer, by=adult(request)))
    return redirect("teach:student-edit", pk, enrolment)


@require_POST
@adults_only
def accept_hand_over(request: Request, pk: int, offer: int) -> HttpResponse:
    """Accept a student whom a colleague has offered."""
    found = _offer(request, pk, offer)
    if _settle(request, lambda: students.accept_student(found, by=adult(request))):
        messages.success(
            request,
            _("%(name)s is in this class now. Print a new login card: the old one may not work.")
            % {"name": found.enrolment.student.display_name},
        )
    return redirect("teach:class", pk)


@require_POST
@adults_only
def decline_hand_over(request: Request, pk: int, offer: int) -> HttpResponse:
    found = _offer(request, pk, offer)
    _settle(request, lambda: students.decline_student(found, by=adult(request)))
    return redirect("teach:class", pk)


def _offer(request: Request, pk: int, offer: int) -> HandOver:
    """An offer to a class of the signed-in teacher."""
    classroom = taught_class(request, pk)
    return get_object_or_404(classroom.hand_overs.select_related("enrolment__student"), pk=offer)


def _settle(request: Request, settle: Callable[[], Any]) -> bool:
    """Call `settle`, which accepts or declines an offer. Returns whether it worked; if not, adds a message."""
    try:
        settle()
    except students.OfferGone:
        messages.error(request, _("That offer is gone: it was taken back, it's too old, or a colleague was faster."))
        return False
    except students.ClassFull as full:
        messages.error(request, _class_full(full.classroom))
        return False
    return True


@require_http_methods(["GET", "HEAD", "POST"])
@adults_only
def remove(request: Request, pk: int, enrolment: int) -> HttpResponse:
    """Remove a student from the class, after showing what that means."""
    found = taught_student(request, pk, enrolment)
    if request.method != "POST":
        is_deleted = students.lives_only_in(found)
        context = {
            "classroom": found.classroom,
            "enrolment": found,
            "is_deleted": is_deleted,
            "days": settings.UNDO_DAYS,
        }
        return render(request, "roster/remove.html", context)
    name = found.student.display_name
    if students.remove_student(found, by=adult(request)):
        messages.success(
            request,
            ngettext(
                "%(name)s's account is deleted. You can undo it for %(days)s day.",
                "%(name)s's account is deleted. You can undo it for %(days)s days.",
                settings.UNDO_DAYS,
            )
            % {"name": name, "days": settings.UNDO_DAYS},
        )
    else:
        messages.success(request, _("%(name)s is no longer in this class.") % {"name": name})
    return redirect("teach:roster", pk)


# Guardians


@require_POST
@adults_only
def unlink(request: Request, pk: int, enrolment: int, link: int) -> HttpResponse:
    """Delete a guardian's link to a student whose account is the school's."""
    found = taught_student(request, pk, enrolment)
    guardianship = get_object_or_404(found.student.guardian_links, pk=link)
    if found.student.is_home:
        messages.error(request, _not_managed())
    else:
        guardians.unlink(guardianship, by=adult(request), classroom=found.classroom)
        messages.success(request, _("The link is ended."))
    return redirect("teach:student-edit", pk, enrolment)


@never_cache
@require_POST
@adults_only
@fresh_sign_in
def code(request: Request, pk: int, enrolment: int) -> HttpResponse:
    """Make a paper code for a guardian, which is shown only once."""
    found = taught_student(request, pk, enrolment)
    if found.student.is_home:
        messages.error(request, _not_managed())
        return redirect("teach:student-edit", pk, enrolment)
    return _slips(request, found.classroom, [found])


@slow()
@never_cache
@require_POST
@adults_only
@fresh_sign_in
def codes(request: Request, pk: int) -> HttpResponse:
    """Make a paper code for each student's guardian. The codes are shown only once."""
    classroom = taught_class(request, pk)
    return _slips(request, classroom, list(classroom.enrolments.present().filter(student__is_home=False)))


def _slips(request: Request, classroom: Classroom, enrolments: list[Enrolment]) -> HttpResponse:
    slips = [(each, guardians.make_code(each.student, by=adult(request), classroom=classroom)) for each in enrolments]
    context = {
        "classroom": classroom,
        "slips": slips,
        "address": absolute_url("family:home"),
        "until": timezone.now() + timedelta(days=guardians.CODE_DAYS),
    }
    return render(request, "roster/slips.html", context)


# Login cards


@slow()
@never_cache
@require_safe
@adults_only
@fresh_sign_in
def cards(request: Request, pk: int) -> HttpResponse:
    """The login cards of the class or of one student as a PDF, without home accounts, which have no cards at school."""
    classroom = taught_class(request, pk)
    everybody = enumerate(classroom.enrolments.present(), 1)
    numbered = [(number, each) for number, each in everybody if not each.student.is_home]
    only = request.GET.get("student")
    if only is not None:
        numbered = [(number, each) for number, each in numbered if str(each.pk) == only]
    if not numbered:
        raise Http404("nobody to print a card for")
    wanted = request.GET.get("paper", usual_paper(classroom.language).value)
    if wanted not in {paper.value for paper in Paper}:
        raise Http404("no such paper")
    made = [
        LoginCard(
            name=each.student.display_name,
            number=number,
            address=absolute_url("join:card", card_token(each.student)),
            pictures=tuple(each.student.pictures),
        )
        for number, each in numbered
    ]
    join = absolute_url("join:home")
    with translation.override(classroom.language):
        write = partial(cards_pdf, class_name=classroom.name, code=classroom.code, join=join, paper=Paper(wanted))
        pdf = offload(write, made)
    person = numbered[0][1].student if only is not None else None
    note(adult(request), Action.PRINTED_CARDS, person=person, classroom=classroom, amount=len(made))
    return HttpResponse(
        pdf,
        content_type="application/pdf",
        headers={"Content-Disposition": f'inline; filename="login-cards-{classroom.code}.pdf"'},
    )
