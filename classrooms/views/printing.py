"""Pages to print decks, worksheets and certificates: choose, preview, and make the PDF."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from typing import Any

from django import forms
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone, translation
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from classrooms.access import adult, adults_only, is_adult, taught_class
from classrooms.audit import note
from classrooms.classes.certificates import class_certificates, masters
from classrooms.models import Action
from classrooms.queries import own_classes
from core.clients import address_of
from core.http.requests import Request
from core.jobs import queue
from core.lanes.marks import slow
from core.links import absolute_url
from core.models import Job
from core.printing.page import Page
from games import limits
from games.players import known_player, player
from games.printing.deck import PrintedDeck
from games.printing.forms import PrintDeckForm, PrintForm
from games.printing.printed import page_picture
from lessons.jobs import own_certificate
from lessons.printing.forms import WorksheetForm
from lessons.printing.worksheets import Worksheet
from lessons.progress.mastery import mastered_skills
from lessons.progress.snapshots import skill_states

SHOWN_PAGES = 3

Asked = Mapping[str, Any]


@require_safe
def home(request: Request) -> HttpResponse:
    classes = own_classes(request.user) if is_adult(request.user) else []
    return render(request, "printing/home.html", {"classes": classes, "has_mastered": bool(_mastered(request))})


@slow()
@require_http_methods(["GET", "HEAD", "POST"])
def deck(request: Request) -> HttpResponse:
    form = PrintDeckForm(_chosen(request, PrintDeckForm))
    return _printable(
        request,
        form,
        "deck",
        title=_("A deck of cards"),
        asks=dict,
        pages=lambda asked: PrintedDeck.asked(asked).pages(),
    )


@slow()
@require_http_methods(["GET", "HEAD", "POST"])
def worksheet(request: Request) -> HttpResponse:
    form = WorksheetForm(_chosen(request, WorksheetForm))

    def with_address(asked: Asked) -> dict[str, Any]:
        return {**asked, "address": absolute_url("learn:sheet", asked["kind"], asked["code"])}

    return _printable(
        request,
        form,
        "worksheet",
        title=_("A worksheet"),
        asks=with_address,
        pages=lambda asked: Worksheet.asked(asked).pages(),
    )


@slow()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def certificate(request: Request) -> HttpResponse:
    """The visitor's own certificate, if they've mastered something."""
    who, skills = known_player(request), _mastered(request)
    if who is None or not skills:
        return render(request, "printing/not_yet.html")
    form = PrintForm(_chosen(request, PrintForm))

    def about_me(asked: Asked) -> dict[str, Any]:
        return {**asked, "name": who.name, "skills": [skill.value for skill in skills], "on": _today()}

    return _printable(request, form, "certificate", title=_("My certificate"), asks=about_me, pages=own_certificate)


class CertificatesForm(PrintForm):
    students = forms.MultipleChoiceField(
        label=gettext_lazy("For whom"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Choose at least one student.")},
    )
    real_names = forms.BooleanField(
        label=gettext_lazy("With the name of the register"),
        help_text=gettext_lazy("Otherwise with the name that the class sees."),
        required=False,
    )


@slow()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@adults_only
def certificates(request: Request, pk: int) -> HttpResponse:
    """Certificates for the students of a class who have mastered something."""
    classroom = taught_class(request, pk)
    found = masters(classroom, now=time.time())
    if not found:
        return render(request, "printing/not_yet.html", {"classroom": classroom})
    everybody = [(str(each.pk), each.real_name or each.student.display_name) for each, _skills in found]
    form = CertificatesForm(_chosen(request, CertificatesForm, students=[key for key, _name in everybody]))
    form.fields["students"].choices = everybody  # type: ignore[attr-defined]

    def for_class(asked: Asked) -> dict[str, Any]:
        # Children take it home, so it's in the class's language.
        about = {"classroom": classroom.pk, "teacher": adult(request).pk, "on": _today()}
        return {**asked, **about, "language": classroom.language}

    def on_ask(job: Job) -> None:
        note(adult(request), Action.EXPORTED, classroom=classroom, amount=len(job.asked["students"]))

    return _printable(
        request,
        form,
        "certificates",
        title=_("Certificates: %(class)s") % {"class": classroom.name},
        asks=for_class,
        pages=class_certificates,
        on_ask=on_ask,
    )


def _printable(
    request: Request,
    form: PrintForm,
    kind: str,
    *,
    title: str,
    asks: Callable[[Asked], dict[str, Any]],
    pages: Callable[[Asked], list[Page]],
    on_ask: Callable[[Job], None] | None = None,
) -> HttpResponse:
    """Show the form with a preview, or start the job that makes the PDF."""
    status = HTTPStatus.OK
    context: dict[str, Any] = {"form": form, "title": title}
    if not form.is_valid():
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    elif request.method == "POST" and (job := _enqueue(request, kind, asks(form.asked))):
        if on_ask:
            on_ask(job)
        return redirect("jobs:job", job.pk)
    else:
        status = HTTPStatus.TOO_MANY_REQUESTS if request.method == "POST" else HTTPStatus.OK
        asked = asks(form.asked)
        with translation.override(asked["language"]):
            laid = pages(asked)
            shown = range(min(SHOWN_PAGES, len(laid)))
            # These are our own drawings, which escape any text in them.
            pictures = [mark_safe(page_picture(laid, place)) for place in shown]  # noqa: S308
        context |= {"pictures": pictures, "count": len(laid), "choices": list(_choices(form))}
        context["is_busy"] = status == HTTPStatus.TOO_MANY_REQUESTS
    template = "printing/printable.html#look" if request.htmx else "printing/printable.html"
    return render(request, template, context, status=status)


def _choices(form: PrintForm) -> Iterator[tuple[str, Any]]:
    """The chosen options as name and value, for the form that makes what the preview shows."""
    for field in form:
        value = field.value()
        for each in value if isinstance(value, list) else [value]:
            if each not in {None, False}:
                yield field.name, each


def _enqueue(request: Request, kind: str, asked: Asked) -> Job | None:
    """Enqueue the job that makes the PDF. None if too many are waiting."""
    who = player(request)
    limits.OPENINGS.count(who.word)
    try:
        return queue.enqueue(kind, who.key, asked, address=address_of(request))
    except queue.TooManyJobs:
        return None


def _chosen(request: Request, form: type[PrintForm], **first: Any) -> Any:
    """Form data from the POST or the query string, or else the defaults."""
    if request.method == "POST":
        return request.POST
    return request.GET if "paper" in request.GET else {**form.first(), **first}


def _mastered(request: Request) -> list[Any]:
    return mastered_skills(skill_states(known_player(request)), time.time())


def _today() -> str:
    return timezone.localdate().isoformat()
