"""The help pages."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from core.help.topics import TOPICS, find_topic


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    return render(request, "help/index.html", {"topics": TOPICS})


@require_safe
def topic(request: HttpRequest, slug: str) -> HttpResponse:
    found = find_topic(slug)
    if found is None:
        raise Http404("no help about that")
    return render(request, f"help/{found.slug}.html", {"topic": found, "topics": TOPICS})
