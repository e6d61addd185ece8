"""Reports on classes and students, the ledger of wrong triples, and assignments."""

from __future__ import annotations

import time
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from classrooms.access import adult, adults_only, fresh_sign_in, taught_class, taught_student
from classrooms.audit import note
from classrooms.classes import assignments as services
from classrooms.classes.assignment_forms import FORMS, AssignForm
from classrooms.classes.notes import class_notes
from classrooms.live.report import latest_sessions
from classrooms.models import Action, Classroom
from classrooms.reports.answers import shown_try
from classrooms.reports.charts import week_chart
from classrooms.reports.exports import class_csv, class_xlsx, file_name
from classrooms.reports.ledger import ledger as read_ledger
from classrooms.reports.report import (
    DIFFERING_SKILLS,
    FEATURE_SKILLS,
    KIND_SKILLS,
    ClassReport,
    class_report,
    report_page,
    student_report,
)
from core.http.requests import Request, download
from core.lanes.marks import REPORTS, slow
from core.offload import offload
from games.rules import Feature
from lessons.progress.mastery import Level

CSV = "text/csv; charset=utf-8"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@slow(lane=REPORTS)
@require_safe
@adults_only
def overview(request: Request, pk: int) -> HttpResponse:
    """The class at a glance, with those who need help first. A very large class has several pages."""
    classroom = taught_class(request, pk)
    report, shown = report_page(classroom, now=time.time(), page=request.GET.get("page", 1))
    more = {"lessons": latest_sessions(classroom), "shown": shown, **class_notes(classroom)}
    return _report_page(request, "teach/class.html", report, **more)


@slow()
@require_safe
@adults_only
def print_view(request: Request, pk: int) -> HttpResponse:
    """The same report in a plain form for paper."""
    report = class_report(taught_class(request, pk), now=time.time())
    return _report_page(request, "teach/print.html", report)


def _report_page(request: Request, template: str, report: ClassReport, **more: Any) -> HttpResponse:
    context = {
        **more,
        "classroom": report.classroom,
        "report": report,
        "levels": list(Level),
        "feature_skills": FEATURE_SKILLS,
        "kind_skills": KIND_SKILLS,
        "differing_skills": DIFFERING_SKILLS,
    }
    return render(request, template, context)


@slow()
@require_safe
@adults_only
@fresh_sign_in
def report_csv(request: Request, pk: int) -> HttpResponse:
    return _file(request, pk, "csv")


@slow()
@require_safe
@adults_only
@fresh_sign_in
def report_xlsx(request: Request, pk: int) -> HttpResponse:
    return _file(request, pk, "xlsx")


def _file(request: Request, pk: int, kind: str) -> HttpResponse:
    classroom = taught_class(request, pk)
    report = class_report(classroom, now=time.time())
    content, content_type = (class_csv(report), CSV) if kind == "csv" else (offload(class_xlsx, report), XLSX)
    note(adult(request), Action.EXPORTED, classroom=classroom, amount=len(report.rows))
    return download(content, content_type, file_name(report, kind))


@require_safe
@adults_only
def student(request: Request, pk: int, enrolment: int) -> HttpResponse:
    """One student's path, skills, mix-ups and every try."""
    found = taught_student(request, pk, enrolment)
    report = student_report(found, now=time.time(), page=request.GET.get("page", 1))
    context = {
        "classroom": found.classroom,
        "enrolment": found,
        "report": report,
        "tries": [shown_try(event) for event in report.tries],
        "chart": week_chart(report.weeks),
        "levels": list(Level),
    }
    return render(request, "teach/student.html", context)


@slow(lane=REPORTS)
@require_safe
@adults_only
def ledger(request: Request, pk: int) -> HttpResponse:
    """Every wrong triple by the feature that broke it."""
    classroom = taught_class(request, pk)
    context = {"classroom": classroom, "tallies": read_ledger(classroom), "features": list(Feature)}
    return render(request, "teach/ledger.html", context)


@slow(lane=REPORTS)
@require_safe
@adults_only
def assignments(request: Request, pk: int) -> HttpResponse:
    return _assignments_page(request, taught_class(request, pk))


@slow(lane=REPORTS)
@require_POST
@adults_only
def assign(request: Request, pk: int, task: str) -> HttpResponse:
    classroom = taught_class(request, pk)
    if task not in FORMS:
        raise Http404("no such task")
    form = FORMS[task](classroom.groups.order_by("name"), classroom.enrolments.present(), request.POST)
    if not form.is_valid():
        return _assignments_page(request, classroom, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    assignment = services.assign(classroom, by=adult(request), now=time.time(), **form.asked())
    messages.success(request, _("Assigned: %(title)s") % {"title": services.title_of(assignment)})
    return redirect("teach:assignments", classroom.pk)


@require_POST
@adults_only
def withdraw(request: Request, pk: int, assignment: int) -> HttpResponse:
    classroom = taught_class(request, pk)
    services.withdraw(get_object_or_404(classroom.assignments, pk=assignment))
    messages.success(request, _("Nobody is asked for it any more. What was done for it stays."))
    return redirect("teach:assignments", classroom.pk)


def _assignments_page(
    request: Request, classroom: Classroom, wrong: AssignForm | None = None, *, status: int = HTTPStatus.OK
) -> HttpResponse:
    groups, enrolments = list(classroom.groups.order_by("name")), list(classroom.enrolments.present())
    context: dict[str, Any] = {
        "classroom": classroom,
        "standings": services.standings(classroom, enrolments, now=time.time()),
        "forms": [wrong if wrong and wrong.task == task else form(groups, enrolments) for task, form in FORMS.items()],
        "has_students": bool(enrolments),
    }
    return render(request, "teach/assignments.html", context, status=status)
