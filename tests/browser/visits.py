"""A visit to a page: who comes, what there is to see, and what was sent before."""

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
    """Of the address, as the resolver has it; for an address that is none of the site's, the path."""
    who: Who = Who.ANYBODY
    args: Callable[[World], list[Any]] = nothing
    """The arguments of the address; what they are about is made on the way."""
    state: str = ""
    """What is to be seen there, where one address has several faces."""
    query: str = ""
    first: Callable[[World, Client], object] | None = None
    """What the visitor does before, in the same browser."""
    sends: Callable[[World], Form] | None = None
    """The form that the page is the answer to."""
    status: int = 200
    within: Callable[[], AbstractContextManager[Any]] = nullcontext
    """What else is different while they look."""

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
    """A visitor at the door: the browser, the address, and what is sent there."""

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
    """Everything made that the visit needs, and nothing counted against the visitor."""
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
