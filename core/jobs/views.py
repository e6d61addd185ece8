"""A job's page: its progress, its result and a stop button. Only its owner sees it."""

from __future__ import annotations

from uuid import UUID

from django.core.files.storage import default_storage
from django.http import FileResponse, Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from core.actors import known_actor
from core.http.requests import Request
from core.jobs import queue
from core.jobs.kinds import kind_of
from core.models import Job

_MOST_LISTED = 20


def own_job(request: Request, pk: UUID) -> Job:
    who = known_actor(request)
    job = queue.jobs_of(who.key).filter(pk=pk).first() if who else None
    if job is None:
        raise Http404("not your job")
    return job


@require_safe
def jobs(request: Request) -> HttpResponse:
    """The visitor's recent jobs."""
    who = known_actor(request)
    found = list(queue.jobs_of(who.key)[:_MOST_LISTED]) if who else []
    return render(request, "jobs/jobs.html", {"jobs": [(job, kind_of(job.kind)) for job in found]})


@require_safe
def job(request: Request, pk: UUID) -> HttpResponse:
    found = own_job(request, pk)
    context = {"job": found, "kind": kind_of(found.kind), "shown": found.result or found.partial_result}
    return render(request, "jobs/job.html#job" if request.htmx else "jobs/job.html", context)


@require_POST
def stop(request: Request, pk: UUID) -> HttpResponse:
    queue.cancel(own_job(request, pk))
    return job_again(request, pk)


def job_again(request: Request, pk: UUID) -> HttpResponse:
    if not request.htmx:
        return redirect("jobs:job", pk)
    request.method = "GET"
    return job(request, pk)


@require_safe
def file(request: Request, pk: UUID) -> FileResponse:
    found = own_job(request, pk)
    if not found.file or not default_storage.exists(found.file):
        raise Http404("no file")
    return FileResponse(default_storage.open(found.file), filename=found.file_name, as_attachment="save" in request.GET)
