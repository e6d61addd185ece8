"""The guardian's pages: a card per child, the child's report, three minutes together, and the weekly letter."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.dates import WEEKDAYS_ABBR
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from classrooms.access import adult, adults_only, fresh_sign_in, own_child
from classrooms.accounts import guardians
from classrooms.accounts.guardian_forms import ChildForm, CodeForm
from classrooms.accounts.pictures import NAMES
from classrooms.accounts.signing_in import card_token
from classrooms.audit import note
from classrooms.classes.assignments import open_for
from classrooms.classes.students import make_home_child, reset_student
from classrooms.consents import HOME, TEXTS, children_without_consent, consent_to_child
from classrooms.models import Action, Guardianship, LetterKind, User
from classrooms.reports.family import child_report, child_reports, who_can_see
from classrooms.reports.mailings import read_stop_token
from classrooms.reports.summary import set_summary
from core.http.requests import Request
from core.http.status import form_status
from core.links import absolute_url
from core.printing.qr import qr_drawing


@require_safe
@adults_only
def home(request: Request) -> HttpResponse:
    return _home(request)


def _home(request: Request, *, code: CodeForm | None = None, child: ChildForm | None = None) -> HttpResponse:
    children = User.objects.filter(guardian_links__guardian=adult(request), deleted_at=None).order_by("display_name")
    context = {
        "reports": child_reports(list(children), timezone.now()),
        "code_form": code or CodeForm(),
        "child_form": child or ChildForm(),
        "unasked": children_without_consent(adult(request)),
        "consent_text": TEXTS[HOME],
    }
    return render(request, "family/home.html", context, status=form_status(code or child))


@require_POST
@adults_only
def enter_code(request: Request) -> HttpResponse:
    """Enter a paper code from a teacher or another guardian."""
    form = CodeForm(request.POST)
    if form.is_valid():
        try:
            link = guardians.use_code(form.cleaned_data["code"], by=adult(request))
        except guardians.BadCode as error:
            form.add_error("code", str(guardians.WORDS[error.why]))
        else:
            return redirect("family:child", link.child_id)
    return _home(request, code=form)


@require_POST
@adults_only
def new_child(request: Request) -> HttpResponse:
    """Create a home account, which has no school."""
    form = ChildForm(request.POST)
    if not form.is_valid():
        return _home(request, child=form)
    made = make_home_child(form.cleaned_data["display_name"], by=adult(request))
    return redirect("family:child", made.pk)


@require_POST
@adults_only
def consent(request: Request, pk: int) -> HttpResponse:
    """Consent to a home account that was made before we asked."""
    link = _home_child(request, pk)
    consent_to_child(link.child, by=adult(request))
    messages.success(request, _("Thank you. We've noted it."))
    return redirect("family:home")


@require_safe
@adults_only
def child(request: Request, pk: int) -> HttpResponse:
    return _child(request, own_child(request, pk))


def _child(request: Request, link: Guardianship, *, code: str = "") -> HttpResponse:
    now = timezone.now()
    context = {
        "link": link,
        "child": link.child,
        "report": child_report(link.child, now),
        "tasks": open_for(link.child, now=now.timestamp()),
        "watchers": who_can_see(link.child),
        "consents": link.child.consents.select_related("given_by"),
        "weekdays": list(WEEKDAYS_ABBR.values()),
        "code": code,
        "code_days": guardians.CODE_DAYS,
    }
    return render(request, "family/child.html", context)


@require_safe
@adults_only
def activity(request: Request, pk: int) -> HttpResponse:
    """An activity of three minutes together, to print."""
    found = own_child(request, pk).child
    return render(request, "family/activity.html", {"child": found, "report": child_report(found, timezone.now())})


@require_POST
@adults_only
def letter(request: Request, pk: int) -> HttpResponse:
    """Turn the weekly letter on or off."""
    guardians.set_letter(own_child(request, pk), request.POST.get("wants") == "1")
    return redirect("family:child", pk)


@require_POST
@adults_only
@fresh_sign_in
def invite(request: Request, pk: int) -> HttpResponse:
    """Make a code for another guardian of a home account. It's shown only once."""
    link = _home_child(request, pk)
    return _child(request, link, code=guardians.make_code(link.child, by=adult(request)))


@require_POST
@adults_only
@fresh_sign_in
def card(request: Request, pk: int) -> HttpResponse:
    """The login card of a home account, to print."""
    found = _home_child(request, pk).child
    note(adult(request), Action.PRINTED_CARDS, person=found)
    address = absolute_url("join:card", card_token(found))
    context = {
        "child": found,
        "pictures": [(slug, NAMES[slug]) for slug in found.pictures],
        "address": address,
        "qr": qr_drawing(address),
    }
    return render(request, "family/card.html", context)


@require_POST
@adults_only
def reset(request: Request, pk: int) -> HttpResponse:
    """Give a home account new pictures and a new card."""
    found = _home_child(request, pk).child
    reset_student(found, by=adult(request))
    messages.success(request, _("New pictures and a new card. The old card does not work any more."))
    return redirect("family:child", pk)


def _home_child(request: Request, pk: int) -> Guardianship:
    """The link to a child with a home account. Schools manage their own accounts, so those are 404 here."""
    link = own_child(request, pk)
    if not link.child.is_home:
        raise Http404("the school manages this account")
    return link


@require_http_methods(["GET", "HEAD", "POST"])
@adults_only
def unlink(request: Request, pk: int) -> HttpResponse:
    """Delete the guardian's link to a child."""
    link = own_child(request, pk)
    is_last = False
    if request.method == "POST":
        try:
            guardians.unlink(link, by=adult(request))
        except guardians.LastGuardian:
            is_last = True
        else:
            messages.success(request, _("Done. You do not see %(name)s any more.") % {"name": link.child.display_name})
            return redirect("family:home")
    context = {"child": link.child, "is_last": is_last}
    return render(request, "family/unlink.html", context, status=form_status(is_last))


# Mail programs post here when somebody unsubscribes (RFC 8058). The token is the proof, not a cookie.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def stop_letters(request: Request, token: str) -> HttpResponse:
    """Stop letters with one click, without signing in."""
    found = read_stop_token(token)
    if found is None:
        raise Http404("not a letter of ours")
    reader, kind = found
    if request.method == "POST":
        if kind is LetterKind.CLASS:
            set_summary(reader, False)
        else:
            guardians.stop_letters(reader)
    return render(request, "family/letters_stop.html", {"is_stopped": request.method == "POST"})
