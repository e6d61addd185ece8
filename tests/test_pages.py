"""Requests through the ASGI server to a WSGI app, and the headers on every page."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import pytest
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest

from core.http import wsgi_adapter as adapter
from core.http.wsgi_adapter import LARGEST_BODY, LARGEST_FORM, WsgiAdapter
from core.lanes.marks import FAST, HEAVY, SIGN_IN
from tests.coroutines import run

Headers = list[tuple[bytes, bytes]]


class Trouble(Exception):
    pass


@dataclass
class Exchange:
    """One request as the server passes it in, and the response sent back."""

    method: str = "GET"
    path: str = "/"
    query: bytes = b""
    headers: Headers = field(default_factory=list)
    parts: Iterable[bytes] = (b"",)
    leaves: bool = False
    """Whether the client disconnects before sending the last part."""
    sent: list[dict] = field(default_factory=list)

    @property
    def scope(self) -> dict:
        return {
            "type": "http",
            "http_version": "1.1",
            "method": self.method,
            "scheme": "http",
            "path": self.path,
            "query_string": self.query,
            "headers": self.headers,
            "client": ("192.0.2.7", 50_000),
            "server": ("127.0.0.1", 8000),
        }

    def _messages(self) -> Iterator[dict]:
        parts = list(self.parts)
        for place, part in enumerate(parts, 1):
            yield {"type": "http.request", "body": part, "more_body": self.leaves or place < len(parts)}
        yield {"type": "http.disconnect"}

    async def through(self, app) -> Exchange:
        messages = self._messages()

        async def receive() -> dict:
            return next(messages)

        async def send(message: dict) -> None:
            self.sent.append(message)

        await app(self.scope, receive, send)
        return self

    @property
    def status(self) -> int:
        return self.sent[0]["status"]

    @property
    def answer_headers(self) -> Headers:
        return self.sent[0]["headers"]

    @property
    def content(self) -> bytes:
        return b"".join(message["body"] for message in self.sent[1:])


class Listening:
    """A WSGI app that records its requests as Django would read them."""

    def __init__(self, *, status: str = "200 OK", headers: Iterable = (), content: Iterable[bytes] = (b"fine",)):
        self.environs: list[dict] = []
        self.status, self.headers, self.content = status, list(headers), content

    def __call__(self, environ, start_response):
        self.environs.append(environ)
        start_response(self.status, self.headers)
        return self.content

    @cached_property
    def request(self) -> WSGIRequest:
        (environ,) = self.environs
        return WSGIRequest(environ)


@pytest.fixture
def ask():
    """Sends one request through `Pages` to a WSGI app."""
    opened: list[WsgiAdapter] = []

    def send(wsgi, *, lane: str = FAST, **request) -> Exchange:
        exchange = Exchange(**request)
        opened.append(WsgiAdapter(wsgi, threads=1, choose=lambda method, path: lane))
        return run(exchange.through(opened[-1]))

    yield send
    for pages in opened:
        pages.pool.shutdown()


FORM = [(b"content-type", b"application/x-www-form-urlencoded")]


# Requests


def test_a_body_in_several_parts_reaches_the_app_whole(ask):
    app = Listening()
    ask(app, method="POST", headers=FORM, parts=[b"card=1&ca", b"rd=2", b"", b"&card=3"])
    assert app.request.method == "POST"
    assert app.request.POST.getlist("card") == ["1", "2", "3"]


def test_the_length_of_the_body_is_what_came_and_not_what_was_claimed(ask):
    app = Listening()
    ask(app, method="POST", headers=[*FORM, (b"content-length", b"3"), (b"content_length", b"2")], parts=[b"card=1"])
    assert app.environs[0]["CONTENT_LENGTH"] == "6"


def test_the_largest_body_is_taken_and_one_byte_more_is_too_large(ask):
    app = Listening()
    assert ask(app, lane=HEAVY, method="POST", parts=[bytes(LARGEST_BODY)]).status == 200
    assert len(app.environs[0]["wsgi.input"].read()) == LARGEST_BODY
    refused = ask(app, lane=HEAVY, method="POST", parts=[bytes(LARGEST_BODY), b"x"])
    assert (refused.status, refused.content) == (413, b"That is too large.")
    assert len(app.environs) == 1, "the app was not bothered with it"


@pytest.mark.parametrize(("lane", "method"), [(FAST, "POST"), (SIGN_IN, "POST"), (HEAVY, "GET")])
def test_where_no_file_is_sent_the_largest_body_is_that_of_a_form(ask, lane, method):
    app = Listening()
    assert ask(app, lane=lane, method=method, parts=[bytes(LARGEST_FORM)]).status == 200
    assert ask(app, lane=lane, method=method, parts=[bytes(LARGEST_FORM), b"x"]).status == 413
    assert len(app.environs) == 1


def test_a_client_that_goes_away_early_gets_nothing(ask):
    app = Listening()
    gone = ask(app, method="POST", parts=[b"card=1"], leaves=True)
    assert (gone.sent, app.environs) == ([], [])


def test_headers_given_twice_are_joined_and_cookies_in_their_own_way(ask):
    app = Listening()
    ask(
        app,
        headers=[
            (b"accept-language", b"fr"),
            (b"cookie", b"csrftoken=abc"),
            (b"accept-language", b"es;q=0.5"),
            (b"cookie", b"sessionid=xyz"),
        ],
    )
    assert app.request.headers["Accept-Language"] == "fr,es;q=0.5"
    assert app.request.COOKIES == {"csrftoken": "abc", "sessionid": "xyz"}


def test_a_header_with_an_underscore_cannot_pose_as_another(ask):
    app = Listening()
    ask(app, headers=[(b"x-real", b"true"), (b"x_real", b"false"), (b"x_forwarded_proto", b"https")])
    assert app.request.headers["X-Real"] == "true"
    assert "X-Forwarded-Proto" not in app.request.headers


def test_a_content_type_with_an_underscore_is_none(ask):
    app = Listening()
    ask(app, method="POST", headers=[(b"content-type", b"text/plain"), (b"content_type", b"text/html")])
    assert app.request.content_type == "text/plain"


def test_paths_beyond_ascii_arrive_as_they_were_written(ask):
    app = Listening()
    ask(app, path="/classe/Inés García/☃/", query=b"name=In%C3%A9s&empty=")
    assert app.request.path == "/classe/Inés García/☃/"
    assert app.request.GET.dict() == {"name": "Inés", "empty": ""}


def test_the_app_knows_who_asks_and_where(ask):
    app = Listening()
    ask(app, headers=[(b"host", b"set.example:8000")])
    assert app.request.META["REMOTE_ADDR"] == "192.0.2.7"
    assert app.request.META["HTTP_HOST"] == "set.example:8000"
    assert app.request.scheme == "http"


def test_a_server_that_knows_no_addresses_is_served_too():
    app, exchange = Listening(), Exchange()
    pages = WsgiAdapter(app, threads=1)
    scope = {**exchange.scope, "client": None, "server": None}

    async def without_addresses(_scope, receive, send):
        await pages(scope, receive, send)

    assert run(exchange.through(without_addresses)).status == 200
    assert app.request.META["REMOTE_ADDR"] == ""
    pages.pool.shutdown()


# Responses


def test_status_headers_and_body_come_back(ask):
    headers = [("Location", "/account/"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")]
    answer = ask(Listening(status="302 Found", headers=headers, content=[b"go ", b"there"]))
    assert answer.status == 302
    assert answer.content == b"go there"
    assert answer.answer_headers[:3] == [(b"location", b"/account/"), (b"set-cookie", b"a=1"), (b"set-cookie", b"b=2")]
    assert [message["type"] for message in answer.sent] == ["http.response.start", "http.response.body"]


@pytest.mark.parametrize("headers", [[], [("Content-Length", "7")]])
def test_the_length_of_the_answer_is_said_once(ask, headers):
    answer = ask(Listening(headers=headers, content=[b"seven", b" b"]))
    lengths = [value for name, value in answer.answer_headers if name == b"content-length"]
    assert lengths == [b"7"]


class Closing:
    """A response whose body may fail, and which has something to close."""

    def __init__(self, *, fails: bool) -> None:
        self.fails, self.closed = fails, 0

    def __iter__(self) -> Iterator[bytes]:
        yield b"so far "
        if self.fails:
            raise Trouble
        yield b"so good"

    def close(self) -> None:
        self.closed += 1


def test_the_response_is_closed_after_its_last_byte(ask):
    response = Closing(fails=False)
    assert ask(Listening(content=response)).content == b"so far so good"
    assert response.closed == 1


def test_the_response_is_closed_even_when_its_body_fails(ask):
    response = Closing(fails=True)
    with pytest.raises(Trouble):
        ask(Listening(content=response))
    assert response.closed == 1


def test_an_error_in_the_app_is_the_servers_to_answer():
    def broken(environ, start_response):
        raise Trouble

    pages, exchange = WsgiAdapter(broken, threads=1), Exchange()
    with pytest.raises(Trouble):
        run(exchange.through(pages))
    assert exchange.sent == []
    pages.pool.shutdown()


def test_two_requests_are_served_at_the_same_time():
    both_are_here = threading.Barrier(2, timeout=60)

    def waiting_for_the_other(environ, start_response):
        both_are_here.wait()
        return Listening()(environ, start_response)

    pages = WsgiAdapter(waiting_for_the_other, threads=2)

    async def two() -> list[Exchange]:
        return await asyncio.gather(Exchange().through(pages), Exchange().through(pages))

    assert [exchange.status for exchange in run(two())] == [200, 200]
    pages.pool.shutdown()


# The whole site


def test_the_front_page_comes_through_from_django(ask):
    answer = ask(WSGIHandler(), query=b"board=7", headers=[(b"host", b"localhost")])
    assert answer.status == 200
    assert b"Can you see the SET?" in answer.content
    assert (b"content-length", str(len(answer.content)).encode()) in answer.answer_headers


def test_a_host_that_is_not_ours_is_turned_away(ask):
    assert ask(WSGIHandler(), headers=[(b"host", b"elsewhere.example")]).status == 400


def directives(response) -> dict[str, list[str]]:
    policy = response.headers["Content-Security-Policy"]
    words = (directive.split() for directive in policy.split(";"))
    return {name: sources for name, *sources in words}


def test_a_page_may_load_from_its_own_host_only_and_runs_nothing_written_into_it(client):
    policy = directives(client.get("/"))
    assert policy["default-src"] == ["'none'"]
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == ["'self'"]
    assert policy["form-action"] == ["'self'"]
    assert policy["base-uri"] == policy["frame-ancestors"] == ["'none'"]
    allowed = {source for sources in policy.values() for source in sources}
    assert allowed == {"'none'", "'self'", "data:"}


def test_a_page_is_not_framed_guessed_at_or_told_to_others(client):
    headers = client.get("/").headers
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"


def test_a_plain_visit_asks_nothing_of_the_database_and_leaves_only_the_token_for_forms(client):
    assert client.get("/").status_code == 200
    assert set(client.cookies) == {"csrftoken"}
    assert client.cookies["csrftoken"]["samesite"] == "Lax"


def test_an_answer_for_htmx_leaves_no_cookie(client):
    client.get("/", {"board": "7"}, headers={"HX-Request": "true"})
    assert not client.cookies


def test_large_bodies_are_read_at_a_pace_that_leaves_time_for_games(monkeypatch):
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    part, parts = bytes(64 * 1024), 32
    sent = iter([{"type": "http.request", "body": part, "more_body": number < parts} for number in range(1, parts + 1)])

    async def receive() -> dict[str, object]:
        return next(sent)

    monkeypatch.setattr(adapter, "_rest", sleep)
    held = adapter._HeldBodies()
    body = adapter._Body("192.0.2.1", held, most=adapter.LARGEST_BODY)
    assert len(run(body.read(receive, 0))) == parts * len(part)
    assert waits[-1] == pytest.approx((parts - 1) * len(part) / adapter.FASTEST_BODIES, rel=0.2)
