"""A visit to a page: the user, the data that must exist, and the form sent before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils.text import slugify

from classrooms.models import PictureTry, User
from tests.browser.world import Who, World

Form = Mapping[str, Any]


def nothing(world: World) -> list[Any]:
    return []


@dataclass(frozen=True)
class Visit:
    name: str
    """The URL name in the resolver, or the path if it isn't one of the site's URLs."""
    who: Who = Who.ANYBODY
    args: Callable[[World], list[Any]] = nothing
    """The URL arguments; the objects they refer to are created on the way."""
    state: str = ""
    """What the page shows, if one URL has several states."""
    query: str = ""
    first: Callable[[World, Client], object] | None = None
    """What the visitor does first, in the same browser."""
    sends: Callable[[World], Form] | None = None
    """The form that the page responds to."""
    status: int = 200
    within: Callable[[], AbstractContextManager[Any]] = nullcontext
    """Other changes that apply during the visit."""

    @property
    def title(self) -> str:
        return f"{self.name}, {self.who.value}{self.state and ', ' + self.state}"

    @property
    def slug(self) -> str:
        return slugify(f"{self.name.replace(':', ' ').replace('/', ' ') or 'front'} {self.state}")

    def path(self, world: World) -> str:
        address = self.name if self.name.startswith("/") else reverse(self.name, args=self.args(world))
        return address + self.query


@dataclass(frozen=True)
class Ready:
    """A prepared visit: the browser, the URL, and the form to send."""

    visit: Visit
    client: Client
    path: str
    form: Form | None

    def answer(self) -> HttpResponse:
        if self.form is None:
            return self.client.get(self.path)
        return self.client.post(self.path, self.form)


@contextmanager
def ready(visit: Visit, world: World, language: str) -> Iterator[Ready]:
    """Create everything the visit needs, with no rate limits used up."""
    cache.clear()
    PictureTry.objects.all().delete()
    with visit.within():
        client = world.client(visit.who)
        client.raise_request_exception = False
        client.cookies[settings.LANGUAGE_COOKIE_NAME] = language
        User.objects.filter(pk__in=[user.pk for user in world.users.values()]).update(language=language)
        if visit.first:
            visit.first(world, client)
        path = visit.path(world)
        yield Ready(visit, client, path, visit.sends(world) if visit.sends else None)
