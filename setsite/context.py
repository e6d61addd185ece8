"""What every page knows about the site."""

from django.conf import settings
from django.http import HttpRequest

from classrooms.demo import Person, people
from setsite.look import look_of
from setsite.manual import topic_for


def site(request: HttpRequest) -> dict[str, object]:
    return {
        "is_demo": settings.DEMO,
        "demo_people": _offered,
        "look": look_of(request),
        "languages": settings.LANGUAGES,
        "help_topic": topic_for(request),
    }


def _offered() -> list[Person]:
    return people() if settings.DEMO else []
