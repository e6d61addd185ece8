"""What every page knows about the site."""

from django.conf import settings
from django.http import HttpRequest

from classrooms.demo import Person, people


def site(request: HttpRequest) -> dict[str, object]:
    return {"is_demo": settings.DEMO, "demo_people": _offered}


def _offered() -> list[Person]:
    return people() if settings.DEMO else []
