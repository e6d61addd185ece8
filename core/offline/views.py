"""Views that make the site an installable app: the manifest, the service worker and the offline page."""

from __future__ import annotations

import hashlib
import json
import re

from django.http import HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from core.http.modules import module_files
from core.http.requests import Request
from core.offline.policy import cacheable

LESSON_STYLES = ("css/lessons.css", "css/people.css")
LESSON_MODULES = ("js/motion.js", "js/pick-three.js", "js/read-aloud.js", "js/saved-answers.js")
"""What lesson pages need in addition to what every page does."""
_WORKER_PARTS = ("storage", "exercises", "answers", "files", "pages", "main")
"""The worker's files in js/worker/, in order: they share one scope, as classic scripts."""
_PAPER = "#f8f3e9"
_STATIC = re.compile(r'(?:href|src)="(/static/[^"]+)"')


@require_safe
def manifest(request: Request) -> HttpResponse:
    """The web app manifest."""
    sizes = [(purpose, name, size) for purpose, name in _ICONS.items() for size in (192, 512)]
    content = {
        "id": reverse("front"),
        "name": _("Setsite: the card game SET"),
        "short_name": "Setsite",
        "description": _("Learn and play the card game SET: lessons, live games and classrooms."),
        "lang": get_language(),
        "start_url": reverse("front"),
        "scope": "/",
        "display": "standalone",
        "background_color": _PAPER,
        "theme_color": _PAPER,
        "categories": ["education", "games"],
        "icons": [
            {"src": static(f"icons/{name}-{size}.png"), "sizes": f"{size}x{size}", "type": "image/png", "purpose": use}
            for use, name, size in sizes
        ],
        "shortcuts": [
            {"name": _("Learn"), "url": reverse("learn:home")},
            {"name": _("Practice"), "url": reverse("learn:practice")},
            {"name": _("Play"), "url": reverse("play:lobby")},
        ],
    }
    return JsonResponse(content, content_type="application/manifest+json", json_dumps_params={"ensure_ascii": False})


_ICONS = {"any": "icon", "maskable": "icon-maskable"}


@never_cache
@require_safe
def worker(request: Request) -> HttpResponse:
    """The service worker. Its text changes whenever a lesson file does, so that browsers update it."""
    page_files = _STATIC.findall(render_to_string("app/offline.html", request=request))
    modules = [file for name in LESSON_MODULES for file in module_files(name)]
    files = list(dict.fromkeys([*page_files, *map(static, (*LESSON_STYLES, *modules))]))
    known = {
        "VERSION": hashlib.sha256("\n".join(files).encode()).hexdigest()[:12],
        "FILES": files,
        "PLACES": {
            "offline": reverse("offline"),
            "learn": reverse("learn:home"),
            "practice": reverse("learn:practice"),
            "ahead": reverse("learn:ahead"),
            "later": reverse("learn:later"),
        },
    }
    lines = [f"const {name} = {json.dumps(value)};" for name, value in known.items()]
    lines += [f"importScripts({json.dumps(static(f'js/worker/{part}.js'))});" for part in _WORKER_PARTS]
    headers = {"Service-Worker-Allowed": "/"}
    return HttpResponse("\n".join([*lines, ""]), content_type="text/javascript; charset=utf-8", headers=headers)


@require_safe
@cacheable
def offline(request: Request) -> HttpResponse:
    """The page that's shown without a network."""
    return render(request, "app/offline.html")
