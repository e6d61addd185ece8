"""A small town for hostile visitors: signed-in users, every known form, and a check of what was written."""

from __future__ import annotations

import hashlib
import re
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from html.parser import HTMLParser
from types import SimpleNamespace
from typing import Any
from unittest import mock
from urllib.parse import parse_qsl, unquote, urlsplit

from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, connection, transaction
from django.test import Client
from django.urls import Resolver404, resolve, reverse
from django.utils import translation

from classrooms.accounts.sign_up import vouch_for
from classrooms.live import joining, leading
from classrooms.live.activities import kinds
from classrooms.models import Enrolment
from core.http.wsgi_adapter import WsgiAdapter
from games.matches import service as matches
from games.models import Way
from games.players import Player
from games.rules import Options
from games.rules import commands as ask
from tests.classrooms.people import make_classroom
from tests.test_permissions import POLICIES, Role, World, client_of

HOST = "localhost"
PASSWORD = secrets.token_urlsafe(12)
WRITES = re.compile(r'^\s*(?:INSERT\s+(?:OR\s+\w+\s+)?INTO|UPDATE|DELETE\s+FROM)\s+"?(\w+)', re.IGNORECASE)
HALFWAY = ["has just signed up", "has asked for a new password", "has just signed in"]
VISITORS = {Role.ANONYMOUS, Role.STUDENT, Role.TEACHER, Role.GUARDIAN, Role.OPERATOR}
"""Users who between them see every form."""
NO_MATTER = frozenset({Session._meta.db_table})
"""Sessions belong to the browser itself."""


@dataclass(frozen=True)
class Asked:
    """A complete request."""

    who: str
    """A role, or somebody in the middle of a process."""
    method: str
    path: str
    query: bytes = b""
    headers: tuple[tuple[str, bytes], ...] = ()
    body: bytes = b""
    has_token: bool = True
    """Whether it includes our forms' CSRF token."""


@dataclass(frozen=True)
class Answered:
    status: int
    headers: dict[str, str]
    content: bytes
    written: frozenset[str]
    """The tables that changed."""


@dataclass
class Form:
    """The fields our forms and links send to one URL, and the paths they use."""

    fields: dict[str, list[str]] = field(default_factory=dict)
    queries: dict[str, list[str]] = field(default_factory=dict)
    paths: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    """The forms of a page with all their target URLs, and the targets of its links."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path
        self.forms: list[tuple[list[str], list[tuple[str, str]]]] = []
        self.links: list[str] = []
        self._is_in_form = False
        self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.links += [given[name] for name in ("href", "src", "data-hx-get") if name in given]
        targets = [given[name] for name in ("action", "formaction", "data-hx-post") if given.get(name)]
        if tag == "form":
            self._is_in_form = True
            self.forms.append((targets or [self.path], []))
        elif targets and not self._is_in_form:
            self.forms.append((targets, []))
        elif targets:
            self.forms[-1][0].extend(targets)
        if tag == "select":
            self._select = given.get("name", "")
        name = self._select if tag == "option" else given.get("name")
        if name and self.forms and tag in {"input", "button", "textarea", "select", "option"}:
            self.forms[-1][1].append((name, given.get("value", "")))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._is_in_form = False


@dataclass
class Town:
    world: World
    pages: WsgiAdapter
    cookies: dict[str, str]
    tables: dict[str, str]
    """A digest of each table's content."""
    forms: dict[str, Form] = field(default_factory=dict)
    token: str = field(default_factory=lambda: secrets.token_hex(16))

    def path_of(self, name: str) -> str:
        return reverse(name, args=POLICIES[name].arguments(self.world))

    def ask(self, asked: Asked) -> Answered:
        """Send the request through the full stack, and roll back what it did."""
        cache.clear()
        touched: set[str] = set()

        def watch(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
            if found := WRITES.match(sql):
                touched.add(found[1])
            return execute(sql, params, many, context)

        undone = transaction.atomic()
        # Like the one around every test, this transaction isn't the site's, which locks in each of its own.
        undone._from_testcase = True
        with undone:
            with connection.execute_wrapper(watch):
                status, headers, content = self.pages.run(self._scope(asked), asked.body, time.perf_counter())
            written = {each for each in touched - NO_MATTER if shortened(each) != self.tables[each]}
            transaction.set_rollback(True)
        translation.deactivate()
        text = {name.decode("latin-1"): value.decode("latin-1") for name, value in headers}
        return Answered(status, text, content, frozenset(written))

    def _scope(self, asked: Asked) -> dict[str, Any]:
        cookies = f"{self.cookies[asked.who]}; csrftoken={self.token}"
        headers = [(b"host", HOST.encode()), (b"cookie", cookies.encode())]
        if asked.has_token:
            headers.append((b"x-csrftoken", self.token.encode()))
        headers += [(name.encode(), value) for name, value in asked.headers]
        return {
            "type": "http",
            "http_version": "1.1",
            "method": asked.method,
            "scheme": "http",
            # As the server receives it.
            "path": unquote(asked.path),
            "query_string": asked.query,
            "headers": headers,
            "client": ("192.0.2.7", 50_000),
            "server": ("127.0.0.1", 8000),
        }

    def form_of(self, name: str) -> Form:
        return self.forms.setdefault(name, Form())

    def learn_forms(self) -> None:
        """Read the forms on every page that somebody may open."""
        given = {name: list(form.paths) for name, form in self.forms.items()}
        for name, policy in POLICIES.items():
            may = sorted(policy.may & VISITORS or policy.may, key=list(Role).index)
            for who in [*(role.value for role in may), *HALFWAY[: 3 * policy.is_halfway]]:
                self._visit(who, self.path_of(name))
            for path in given.get(name, []):
                self._visit(may[0].value, path)
        for form in list(self.forms.values()):
            # Pages only reachable by links: some of each kind.
            for path in form.paths[:: len(form.paths) // 8 + 1]:
                self._visit(Role.STUDENT.value, path)

    def _visit(self, who: str, path: str) -> None:
        answered = self.ask(Asked(who, "GET", path))
        if answered.status != 200 or not answered.headers["content-type"].startswith("text/html"):
            return
        reader = _Reader(path)
        reader.feed(answered.content.decode())
        for targets, fields in reader.forms:
            for form in self._leads_to(targets):
                for name, value in fields:
                    # Send our token in a header, so that it can be left out.
                    if name != "csrfmiddlewaretoken":
                        _keep(form.fields, name, value)
        for link in reader.links:
            for form in self._leads_to([link]):
                for name, value in parse_qsl(urlsplit(link).query):
                    _keep(form.queries, name, value)

    def _leads_to(self, links: list[str]) -> Iterator[Form]:
        for link in links:
            path = urlsplit(link).path
            try:
                found = resolve(path)
            except Resolver404:
                continue
            form = self.form_of(found.view_name)
            if path not in form.paths:
                form.paths.append(path)
            yield form


def _keep(kept: dict[str, list[str]], name: str, value: str) -> None:
    values = kept.setdefault(name, [])
    if value not in values and len(values) < 12:
        values.append(value)


def shortened(table: str) -> str:
    """A digest of a table's content."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)} ORDER BY 1")
        return hashlib.sha256(repr(cursor.fetchall()).encode()).hexdigest()


def _cookies(world: World) -> dict[str, str]:
    """Cookies of everybody, and of people in the middle of signing in."""
    for user in world.users.values():
        if not user.is_student:
            user.set_password(PASSWORD)
            user.save()
            vouch_for(user)
    email = world.users[Role.TEACHER].email
    clients = {role.value: client_of(world, role) for role in Role} | {each: Client() for each in HALFWAY}
    new, forgetful, teacher = (clients[each] for each in HALFWAY)
    form = {"display_name": "New", "email": "new@people.example", "password1": PASSWORD, "is_adult": "yes"}
    new.post("/account/signup/", form)
    forgetful.post("/account/password/reset/", {"email": email})
    assert teacher.post("/account/login/", {"login": email, "password": PASSWORD}).status_code == 302
    return {
        who: "; ".join(f"{name}={each.value}" for name, each in client.cookies.items() if name != "csrftoken")
        for who, client in clients.items()
    }


def _more_paths(world: World) -> Iterator[tuple[str, str]]:
    """The same URLs for every kind of game and every activity in which the student has a seat."""
    now, player = time.time(), Player(name="Mia", user=world.mia.student)
    teacher = world.users[Role.TEACHER]
    lessons, games = [], []
    for slug, kind in kinds().items():
        classroom = make_classroom(teacher, slug)
        Enrolment.objects.create(classroom=classroom, student=world.mia.student, real_name="Mia Okafor")
        lesson = leading.open_session(classroom, by=teacher, allows_guests=True)
        joining.attend(lesson, player)
        form = kind.form({name: each.initial for name, each in kind.form().fields.items()} | {"unit": "cards"})
        assert form.is_valid(), form.errors
        leading.begin(lesson, slug, form.cleaned_data)
        lessons.append(lesson.code)
    idle = leading.open_session(make_classroom(teacher, "Idle"), by=teacher, allows_guests=True)
    lessons.append(idle.code)
    for way, computers in ((Way.ALONE, []), (Way.COMPUTER, ["learner"]), (Way.TOGETHER, [])):
        options = Options.of("us", alone=way is Way.ALONE)
        match = matches.open_match(way=way, options=options, player=player, computers=computers, now=now)
        if way is not Way.TOGETHER:
            matches.command(match.code, ask.Deal(0), now=now)
        games.append(match.code)
    for name, policy in POLICIES.items():
        arguments = policy.arguments(world)
        if arguments[:1] == [world.lesson.code]:
            yield from ((name, reverse(name, args=[code, *arguments[1:]])) for code in lessons)
        elif arguments[:1] == [world.match.code]:
            yield from ((name, reverse(name, args=[code])) for code in games)


@contextmanager
def town_of(world: World) -> Iterator[Town]:
    pages = WsgiAdapter(WSGIHandler(), threads=1)
    cookies, more = _cookies(world), list(_more_paths(world))
    tables = {name: shortened(name) for name in connection.introspection.table_names()}
    # A request would close the connection, and so roll back the town.
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    town = Town(world, pages, cookies, tables)
    for name, path in more:
        town.form_of(name).paths.append(path)
    # Freeze time at the tables; otherwise any request would write a computer's due move.
    clock = SimpleNamespace(time=partial(float, time.time()))
    with mock.patch("games.views.play.time", clock), mock.patch("games.views.lobby.time", clock):
        yield town
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)
    pages.pool.shutdown()
