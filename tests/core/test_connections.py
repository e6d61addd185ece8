"""Clients that never finish requests: slow headers, slow bodies, idle connections, and hundreds of streams."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from contextlib import ExitStack, suppress
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

from core.http import connections, wsgi_adapter
from core.http.connections import Idle
from core.http.wsgi_adapter import LARGEST_BODY, WsgiAdapter
from core.lanes.marks import FAST, HEAVY
from core.streams import StreamLimits, TooManyStreams
from games.matches import service as matches
from games.models import Match, Way
from games.players import Player
from games.rules import Options
from tests.coroutines import run
from tests.games.live import Screen
from tests.test_pages import Exchange, Listening


def connected(site: str) -> socket.socket:
    address = urlsplit(site)
    return socket.create_connection((address.hostname, address.port), timeout=60)


def is_closed_by_the_server(client: socket.socket) -> bool:
    return client.recv(65_536) == b""


def ask_for_health(client: socket.socket) -> None:
    client.sendall(b"GET /healthz/ HTTP/1.1\r\nHost: localhost\r\n\r\n")
    heard = b""
    while not heard.endswith(b'{"alive": true}'):
        heard += client.recv(65_536)
    assert heard.startswith(b"HTTP/1.1 200")


# Headers


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nHost: loc"])
def test_headers_that_never_end_are_cut_off(site, monkeypatch, said):
    monkeypatch.setattr(connections, "HEADER_SECONDS", 0.2)
    with connected(site) as client:
        client.sendall(said)
        assert is_closed_by_the_server(client)


def test_a_byte_now_and_then_buys_no_time(site, monkeypatch):
    monkeypatch.setattr(connections, "HEADER_SECONDS", 0.5)
    deadline = time.monotonic() + 30
    with connected(site) as client, suppress(OSError):
        client.sendall(b"GET / HTTP/1.1\r\nX-Slow: ")
        while time.monotonic() < deadline:
            client.sendall(b"a")
            time.sleep(0.05)
    assert time.monotonic() < deadline, "it would have gone on for ever"


def test_headers_of_a_second_request_are_cut_off_too(site, monkeypatch):
    monkeypatch.setattr(connections, "HEADER_SECONDS", 0.2)
    with connected(site) as client:
        ask_for_health(client)
        client.sendall(b"GET /healthz/ HT")
        assert is_closed_by_the_server(client)


def opened_match() -> Match:
    return matches.open_match(
        way=Way.TOGETHER, options=Options.of("us"), player=Player(name="Ada", guest="a" * 32), now=time.time()
    )


def test_an_open_stream_and_a_connection_between_requests_are_left_alone(site, monkeypatch):
    monkeypatch.setattr(connections, "HEADER_SECONDS", 0.2)
    match = opened_match()
    with connected(site) as client, Screen.of(site, match.code) as screen:
        before = screen.table()
        for _request in range(2):
            ask_for_health(client)
            time.sleep(0.4)
        joined = matches.join(match.code, Player(name="Ben", guest="b" * 32), now=time.time())
        assert joined
        assert screen.table(lambda table: table.version > before.version)


def test_a_flood_of_idle_connections_closes_its_own_oldest():
    closed = []

    class Connection:
        def __init__(self, address: str, name: str) -> None:
            self.address = address
            self.transport = SimpleNamespace(abort=lambda: closed.append(name))

    idle = Idle(most=3)
    idle.add(Connection("192.0.2.1", "a guest"))
    for number in range(4):
        idle.add(Connection("192.0.2.2", f"flood {number}"))
    assert closed == ["flood 0", "flood 1"]
    assert (idle.count, idle.closed) == (3, 2)


# Bodies


class Dripping(Exchange):
    """A client that sends parts at any pace, never the last one, and finally disconnects."""

    pause = 0.02
    drops_left = 500

    async def through(self, app):
        async def receive():
            await asyncio.sleep(self.pause)
            self.drops_left -= 1
            if not self.drops_left:
                return {"type": "http.disconnect"}
            return {"type": "http.request", "body": b"x", "more_body": True}

        async def send(message):
            self.sent.append(message)

        await app(self.scope, receive, send)
        return self


def test_a_body_that_drips_is_cut_off_and_the_app_never_hears_of_it(monkeypatch):
    monkeypatch.setattr(wsgi_adapter, "BODY_GRACE_SECONDS", 0.2)
    app = Listening()
    answered = run(Dripping(method="POST").through(WsgiAdapter(app, threads=1)))
    assert answered.status == 408
    assert (b"connection", b"close") in answered.answer_headers
    assert app.environs == []


def test_a_body_that_is_slow_but_steady_is_taken(monkeypatch):
    monkeypatch.setattr(wsgi_adapter, "BODY_GRACE_SECONDS", 1.0)
    monkeypatch.setattr(wsgi_adapter, "SLOWEST_BODY", 1)
    monkeypatch.setattr(wsgi_adapter, "LEAST_PROGRESS", 4)
    app = Listening()

    class Steady(Dripping):
        parts_left = 8

        async def through(self, app):
            async def receive():
                await asyncio.sleep(0.2)
                self.parts_left -= 1
                return {"type": "http.request", "body": b"xxxx", "more_body": self.parts_left > 0}

            async def send(message):
                self.sent.append(message)

            await app(self.scope, receive, send)
            return self

    assert run(Steady(method="POST").through(WsgiAdapter(app, threads=1))).status == 200


def test_a_body_that_stops_after_a_quick_start_is_cut_off(monkeypatch):
    """A fast start doesn't buy time: otherwise 8,000 times the minimum rate would allow over two hours."""
    monkeypatch.setattr(wsgi_adapter, "BODY_GRACE_SECONDS", 0.2)
    monkeypatch.setattr(wsgi_adapter, "SLOWEST_BODY", 1)
    app = Listening()
    site = uploads_to(app)
    with_a_start = Unfinished(parts=[bytes(200_000)])
    assert run(with_a_start.through(site)).status == 408
    assert app.environs == []
    assert site.held.total == 0


class Unfinished(Exchange):
    """An unfinished upload from its own address; `rest` sends the end.

    The client disconnects after half a minute.
    """

    def __init__(self, address: str = "192.0.2.7", **more) -> None:
        super().__init__(method="POST", path="/upload/", **more)
        self.address = address
        self.is_waiting = asyncio.Event()
        self.rest = asyncio.Event()

    @property
    def scope(self) -> dict:
        return {**super().scope, "client": (self.address, 50_000)}

    async def through(self, app):
        parts = list(self.parts)

        async def receive():
            if parts:
                return {"type": "http.request", "body": parts.pop(0), "more_body": True}
            self.is_waiting.set()
            try:
                await asyncio.wait_for(self.rest.wait(), 30)
            except TimeoutError:
                return {"type": "http.disconnect"}
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message):
            self.sent.append(message)

        await app(self.scope, receive, send)
        return self


def uploads_to(app) -> WsgiAdapter:
    return WsgiAdapter(app, threads=1, choose=lambda method, path: HEAVY if path == "/upload/" else FAST)


async def under_way(site: WsgiAdapter, *uploads: Unfinished) -> list[asyncio.Task]:
    """Start the uploads and wait until each has sent its part."""
    begun = []
    for upload in uploads:
        begun.append(asyncio.ensure_future(upload.through(site)))
        waiting = asyncio.ensure_future(upload.is_waiting.wait())
        await asyncio.wait({waiting, begun[-1]}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
    return begun


async def finish(*uploads: Unfinished, begun: list[asyncio.Task]) -> list[int]:
    for upload in uploads:
        upload.rest.set()
    await asyncio.gather(*begun)
    return [upload.status for upload in uploads]


FLOOD, TEACHER = "192.0.2.66", "192.0.2.7"


def test_an_address_that_holds_large_bodies_has_a_share_of_its_own(monkeypatch):
    monkeypatch.setattr(wsgi_adapter, "MOST_HELD", 1_000_000)
    monkeypatch.setattr(wsgi_adapter, "MOST_HELD_OF_ADDRESS", 600_000)
    site = uploads_to(Listening())

    async def attack() -> None:
        flood = [Unfinished(FLOOD, parts=[bytes(200_000)]) for _request in range(5)]
        begun = await under_way(site, *flood)
        assert site.held.total == 600_000
        teacher = Unfinished(TEACHER, parts=[bytes(100_000)] * 3)
        also_begun = await under_way(site, teacher)
        assert sorted(await finish(*flood, teacher, begun=begun + also_begun)) == [200, 200, 200, 200, 503, 503]
        assert teacher.status == 200

    run(attack())
    assert site.held.total == 0, "what was held is let go"


def test_when_memory_is_full_the_heaviest_address_gives_way_and_nobody_else(monkeypatch):
    monkeypatch.setattr(wsgi_adapter, "MOST_HELD", 1_000_000)
    monkeypatch.setattr(wsgi_adapter, "MOST_HELD_OF_ADDRESS", 600_000)
    site = uploads_to(Listening())

    async def attack() -> None:
        floods = [Unfinished(address, parts=[bytes(180_000)]) for address in (FLOOD, "192.0.2.67") for _one in range(3)]
        begun = await under_way(site, *floods)
        teachers = [Unfinished(f"192.0.2.{number}", parts=[bytes(100_000)]) for number in range(3)]
        begun += await under_way(site, *teachers)
        assert site.held.total <= 1_000_000
        statuses = await finish(*floods, *teachers, begun=begun)
        assert statuses[-3:] == [200, 200, 200]
        assert 503 in statuses[:6]
        assert {200, 503} == set(statuses)

    run(attack())
    assert site.held.total == 0


def test_an_upload_that_is_all_there_is_not_dropped_for_another(monkeypatch):
    monkeypatch.setattr(wsgi_adapter, "MOST_HELD_OF_ADDRESS", 300_000)
    is_read, may_end = threading.Event(), threading.Event()

    def reading(environ, start_response):
        is_read.set()
        may_end.wait(60)
        return Listening()(environ, start_response)

    site = uploads_to(reading)

    async def two() -> list[int]:
        first, second = (Unfinished(parts=[bytes(200_000)]) for _request in range(2))
        begun = await under_way(site, first)
        first.rest.set()
        await asyncio.to_thread(is_read.wait, 60)
        begun += await under_way(site, second)
        may_end.set()
        return await finish(first, second, begun=begun)

    assert run(two()) == [200, 503]


def test_small_bodies_are_never_counted(monkeypatch):
    monkeypatch.setattr(wsgi_adapter, "MOST_HELD", 0)
    assert run(Exchange(method="POST", parts=[bytes(60_000)]).through(uploads_to(Listening()))).status == 200


@pytest.mark.parametrize("headers", [[], [(b"content-length", b"300000")]])
def test_where_no_upload_is_expected_a_large_body_is_refused_at_once(headers):
    app = Listening()
    site = uploads_to(app)

    async def early() -> list[int]:
        large = Unfinished(parts=[bytes(100_000)] * 3, headers=headers)
        large.path = "/nowhere/"
        begun = await under_way(site, large)
        assert large.status == 413, "while it's still on its way"
        assert site.held.total == 0
        return await finish(large, begun=begun)

    assert run(early()) == [413]
    assert app.environs == []
    as_upload = Unfinished(parts=[bytes(100_000)] * 3, headers=headers)
    as_upload.rest.set()
    assert run(as_upload.through(site)).status == 200


def test_on_the_site_itself_one_client_does_not_keep_others_from_uploading(site):
    """The original finding: sixteen bodies of nearly twelve megabytes each that stop just before their end."""
    head = b"POST /nowhere/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
    with ExitStack() as clients:
        for _request in range(16):
            client = clients.enter_context(connected(site))
            client.sendall(head % LARGEST_BODY + bytes(LARGEST_BODY - 1_000))
            assert client.recv(65_536).startswith(b"HTTP/1.1 413")
        with connected(site) as teacher:
            teacher.sendall(head % 100_000 + bytes(100_000))
            assert teacher.recv(65_536).startswith(b"HTTP/1.1 404"), "read, and answered"


# Streams


def test_streams_of_an_address_are_limited_and_others_are_not_harmed():
    limits = StreamLimits(of_address=2, of_topic_and_address=2, total=4)
    with ExitStack() as streams:
        for _stream in range(2):
            streams.enter_context(limits.opened("table", None, "192.0.2.1", print))
        with pytest.raises(TooManyStreams) as refusal, limits.opened("other", None, "192.0.2.1", print):
            pass
        assert not refusal.value.is_total
        for _stream in range(2):
            streams.enter_context(limits.opened("table", None, "192.0.2.2", print))
    assert limits.open == 0
    with limits.opened("table", None, "192.0.2.1", print):
        assert limits.open == 1


def test_when_a_process_is_full_the_address_that_has_most_streams_loses_its_oldest():
    limits = StreamLimits(of_address=3, total=8)
    closed: list[str] = []
    with ExitStack() as streams:
        for address, count in (("192.0.2.1", 2), ("192.0.2.2", 3), ("192.0.2.3", 3)):
            for number in range(count):
                name = f"{address} {number}"
                streams.enter_context(limits.opened(name, None, address, lambda name=name: closed.append(name)))
        streams.enter_context(limits.opened("table", None, "192.0.2.9", print))
        streams.enter_context(limits.opened("table", None, "192.0.2.9", print))
        assert closed == ["192.0.2.2 0", "192.0.2.3 0"], "one of each that has most, and none twice"
        assert (limits.closed, limits.refused) == (2, 0)
        with pytest.raises(TooManyStreams) as refusal, limits.opened("table", None, "192.0.2.10", print):
            pass
        assert refusal.value.is_total, "who was told to close, and stays, is not replaced without end"
    assert limits.open == 0
    assert not limits._open_of, "nothing is kept of those that are closed"


def test_a_newcomer_gets_a_stream_of_a_full_process_and_the_oldest_of_the_others_ends(site, monkeypatch):
    monkeypatch.setattr("core.streams.limits", StreamLimits(total=4))
    with ExitStack() as screens:
        first, *others = [screens.enter_context(Screen.of(site, opened_match().code)) for _screen in range(4)]
        newcomer = screens.enter_context(Screen.of(site, opened_match().code))
        assert newcomer.status == 200
        with suppress(EOFError):
            while True:
                first.message()
        for screen in (newcomer, *others):
            assert screen.table().version


def test_one_table_can_not_be_given_a_crowd_by_one_address():
    limits = StreamLimits(of_topic_and_address=1)
    with limits.opened("table", None, "192.0.2.1", print):
        with pytest.raises(TooManyStreams), limits.opened("table", None, "192.0.2.1", print):
            pass
        with limits.opened("another", None, "192.0.2.1", print):
            assert limits.open == 2


def test_a_seat_that_opens_stream_after_stream_loses_its_oldest_and_keeps_its_newest():
    limits = StreamLimits(of_seat=2)
    closed: list[int] = []
    with ExitStack() as streams:
        for number in range(4):
            streams.enter_context(limits.opened("table", 1, "192.0.2.1", lambda number=number: closed.append(number)))
        streams.enter_context(limits.opened("table", 2, "192.0.2.1", lambda: closed.append(99)))
    assert closed[0] == 0
    assert 99 not in closed


def test_several_classes_of_one_school_watch_at_once():
    limits = StreamLimits()
    with ExitStack() as streams:
        for classroom in range(10):
            for seat in range(60):
                streams.enter_context(limits.opened(("session", classroom), seat, "192.0.2.1", print))
                streams.enter_context(limits.opened(("table", 15 * classroom + seat // 4), seat, "192.0.2.1", print))
        assert limits.open == 1_200


def test_a_stream_too_many_is_refused_with_a_time_to_come_back(site, monkeypatch):
    monkeypatch.setattr("core.streams.limits", StreamLimits(of_address=0))
    with Screen.of(site, "ABCDEF") as screen:
        assert screen.status == 429
        assert screen.response.getheader("retry-after") == "30"
    monkeypatch.setattr("core.streams.limits", StreamLimits(total=0))
    with Screen.of(site, "ABCDEF") as screen:
        assert screen.status == 503
