"""The topics of the help pages, and which one belongs to which page."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True, slots=True)
class Topic:
    """One help page; its text is in templates/help/<slug>.html."""

    slug: str
    title: Promise
    about: Promise
    pages: tuple[str, ...] = ()
    """The pages it's for: URL names or whole namespaces."""


TOPICS = (
    Topic("game", _("How SET is played"), _("What a SET is, the call, the score, the end."), ("front",)),
    Topic("play", _("Playing here"), _("Tables, codes, the computer, keys, today's puzzle."), ("play",)),
    Topic("learn", _("Learning"), _("The path, practice, levels, and getting help."), ("learn",)),
    Topic(
        "join",
        _("Coming in as a student"),
        _("Class code, three pictures, login card, a live lesson."),
        ("join", "session"),
    ),
    Topic("teach", _("Teaching with Setsite"), _("A class in five minutes, lists, cards, reports."), ("teach",)),
    Topic("live", _("Leading a live lesson"), _("Projector, remote and devices, step by step."), ("lead",)),
    Topic("family", _("For parents and guardians"), _("Following a child, letters, what to do together."), ("family",)),
    Topic("print", _("Printing and the lab"), _("Cards, worksheets, certificates, odds."), ("print", "lab", "jobs")),
    Topic("look", _("Look, sound and access"), _("Colors, themes, screen readers, keyboard, time."), ("look",)),
    Topic("trouble", _("When something does not work"), _("Network, codes, signing in."), ("account", "privacy")),
)
_BY_PAGE = {page: topic for topic in TOPICS for page in topic.pages}


def topic_for(request: HttpRequest) -> Topic | None:
    """The help topic for this page, if there is one."""
    match = request.resolver_match
    if match is None:
        return None
    names = (match.url_name or "", match.namespace, (match.url_name or "").partition("_")[0])
    return next((_BY_PAGE[name] for name in names if name in _BY_PAGE), None)


def find_topic(slug: str) -> Topic | None:
    return next((topic for topic in TOPICS if topic.slug == slug), None)
