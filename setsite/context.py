"""Context processor for every page."""

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from classrooms.demo import DemoPerson, people
from core.help.topics import topic_for
from setsite.appearance import appearance_of
from setsite.navigation import tabs_for


def site(request: HttpRequest) -> dict[str, object]:
    return {
        "is_demo": settings.DEMO,
        "demo_people": _demo_people,
        "look": appearance_of(request),
        "languages": settings.LANGUAGES,
        "help_topic": topic_for(request),
        "tabs": SimpleLazyObject(lambda: tabs_for(request)),
    }


def _demo_people() -> list[DemoPerson]:
    return people() if settings.DEMO else []
