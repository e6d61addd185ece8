"""A match's stream on the real server: who may open it, what it sends, and which deadlines it applies."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, build_opener

import pytest
from django.core import signing
from django.db import OperationalError, connections

from core.live import hub as live
from core.live.hub import Watcher
from core.live.stream import serve
from games.live import tokens, topic
from games.live.topic import TableTopic, hub
from games.matches import service as matches
from games.models import Match, Way
from games.players import Player
from games.rules import Options
from games.rules import commands as ask
from games.rules import events as did
from games.rules.errors import BadRecord
from games.rules.records import event_from
from games.rules.state import Failing
from tests.coroutines import run
from tests.games.live import PATIENCE, Screen, stream_path
from tools.scale.engines import free_port

ROOT = Path(__file__).resolve().parents[3]
ANN = Player(name="Ann", guest="a" * 32)
BEN = Player(name="Ben", guest="b" * 32)


def open_together(**options) -> str:
    """Open a match of Ann and Ben and deal; return its code."""
    now = time.time()
    match = matches.open_match(way=Way.TOGETHER, options=Options(**options), player=ANN, now=now)
    matches.join(match.code, BEN, now=now)
    matches.command(match.code, ask.Deal(0), now=now)
    return match.code


def do(code: str, order: ask.Command) -> int:
    """Run a command; return the resulting version."""
    return matches.command(code, order, now=time.time()).match.version


def stored(code: str) -> Match:
    return Match.objects.get(code=code)


def log(code: str) -> list[did.Event]:
    return [event_from(row.record) for row in stored(code).events.all()]


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture(autouse=True)
def nobody_watches() -> Iterator[None]:
    """Begin and end without open streams, so that none applies deadlines to another test's match."""
    wait_until(lambda: hub.watching == 0)
    yield
    wait_until(lambda: hub.watching == 0)


# Who may open it


def test_a_good_token_opens_a_stream_that_no_proxy_keeps_back(site):
    with Screen.of(site, open_together(), seat=0) as screen:
        assert screen.status == 200
        assert screen.response.getheader("content-type") == "text/event-stream"
        assert screen.response.getheader("cache-control") == "no-store"
        assert screen.response.getheader("x-accel-buffering") == "no"


def tampered(token: str) -> str:
    """The same token with one letter of its content changed."""
    return ("X" if token[0] != "X" else "Y") + token[1:]


@pytest.mark.parametrize(
    "make",
    [
        lambda code: "",
        lambda code: "nonsense",
        lambda code: "a:b:c",
        lambda code: "%00%ff:%C3%A9:",
        lambda code: "x" * 20_000,
        lambda code: tampered(tokens.sign(tokens.TableWatch(code, 0, "en-us"))),
        lambda code: tokens.sign(tokens.TableWatch(code, 0, "en-us"))[:-1],
        lambda code: tokens.sign(tokens.TableWatch("BCDFG", 0, "en-us")),
        lambda code: signing.dumps([code, 0, "en-us"], salt="another"),
        lambda code: signing.dumps([code, 0, "en-us"]),
    ],
    ids=[
        "empty",
        "nonsense",
        "three parts",
        "bytes",
        "long",
        "tampered",
        "cut",
        "of another match",
        "of another use",
        "of no use",
    ],
)
def test_a_token_that_is_not_for_this_stream_is_forbidden(site, make):
    code = open_together()
    before = stored(code).version
    with Screen(site, stream_path(code, make(code))) as screen:
        assert (screen.status, screen.response.read()) == (403, b"")
    assert (hub.watching, stored(code).version) == (0, before)


def test_a_stream_without_a_token_is_forbidden(site):
    with Screen(site, f"/play/{open_together()}/stream/") as screen:
        assert screen.status == 403


def test_a_token_of_yesterday_is_forbidden_and_one_of_today_is_not(site, monkeypatch):
    code = open_together()
    real = time.time
    for hours, status in ((23.9, 200), (24.1, 403)):
        with monkeypatch.context() as then:
            then.setattr(signing.time, "time", lambda hours=hours: real() - hours * 3600)
            token = tokens.sign(tokens.TableWatch(code, None, "en-us"))
        with Screen(site, stream_path(code, token)) as screen:
            assert screen.status == status


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_nothing_is_sent_to_a_stream(site, method):
    code = open_together()
    token = tokens.sign(tokens.TableWatch(code, 0, "en-us"))
    with Screen(site, stream_path(code, token), method=method) as screen:
        assert screen.status == 403


def test_the_stream_of_a_match_that_is_gone_ends(site):
    code = open_together()
    Match.objects.all().delete()
    with Screen.of(site, code, seat=0) as screen:
        assert screen.status == 200
        assert screen.message()[1] == b"retry: 1000\n\n"
        assert screen.message()[0] == "clock"
        with pytest.raises(EOFError):
            screen.message()


def test_the_token_on_the_page_opens_its_stream(site, client):
    code = open_together()
    page = client.get(f"/play/{code}/").content.decode()
    path = re.search(r'sse-connect="([^"]+)"', page)[1]
    with Screen(site, path) as screen:
        assert screen.status == 200
        assert screen.table().version == stored(code).version


# What it sends


def test_it_starts_with_the_clock_and_the_present_table(site):
    code = open_together()
    before = time.time()
    with Screen.of(site, code, seat=0) as screen:
        assert screen.message()[1] == b"retry: 1000\n\n"
        name, content = screen.message()
        clock = float(re.fullmatch(rb"event: clock\ndata: (\d+\.\d{3})\n\n", content)[1])
        assert name == "clock"
        assert before - 0.001 <= clock <= time.time() + 0.001
        assert screen.table().version == stored(code).version


def test_every_change_is_pushed(site):
    code = open_together(window=None)
    with Screen.of(site, code) as screen:
        screen.table()
        for order in (ask.Call(0), ask.Withdraw(0), ask.AgreeNoSet(1), ask.TakeBack(1)):
            version = do(code, order)
            assert screen.table(lambda table, v=version: table.version >= v).version == version


def test_a_screen_that_comes_back_gets_the_present_table(site):
    code = open_together(window=None)
    with Screen.of(site, code) as screen:
        screen.table()
    for _ in range(3):
        do(code, ask.Call(0))
        last = do(code, ask.Withdraw(0))
    with Screen.of(site, code) as screen:
        assert screen.table().version == last


def test_a_change_that_could_not_be_read_is_shown_as_soon_as_it_can(site, monkeypatch):
    code = open_together()
    with Screen.of(site, code) as screen:
        screen.table()
        failing = iter([OperationalError("the database has gone away")] * 3)
        really = topic.render

        def render_or_fail(*about):
            for error in failing:
                raise error
            return really(*about)

        monkeypatch.setattr(live, "TRY_AGAIN_SECONDS", 0.01)
        monkeypatch.setattr(topic, "render", render_or_fail)
        version = do(code, ask.Call(0))
        assert screen.table(lambda table: table.control == 0).version == version


def test_a_change_of_one_match_is_no_concern_of_another(site):
    ours, theirs = open_together(window=None), open_together(window=None)
    with Screen.of(site, ours) as screen:
        screen.table()
        do(theirs, ask.Call(0))
        version = do(ours, ask.Call(1))
        table = screen.table(lambda table: table.control is not None)
        assert (table.version, table.control) == (version, 1)


def test_each_screen_reads_its_own_language(site):
    code = open_together()
    with Screen.of(site, code, language="en-us") as english, Screen.of(site, code, language="fr") as french:
        assert english.table().version == french.table().version


def test_a_screen_that_does_not_read_gets_the_newest_in_the_end_and_holds_nobody_up(site):
    code = open_together(window=None)
    with Screen.of(site, code, buffer=4096) as slow, Screen.of(site, code) as quick:
        started = time.monotonic()
        for _ in range(25):
            # The fast screen receives each table before the next change, while the slow one reads nothing.
            for order in (ask.Call(0), ask.Withdraw(0)):
                version = do(code, order)
                assert quick.table(lambda table, v=version: table.version >= v).version == version
        assert time.monotonic() - started < PATIENCE
        last = stored(code).version
        assert slow.table(lambda table: table.version == last).version == last


def test_a_screen_that_takes_nothing_in_misses_what_is_between_and_never_the_last(transactional_db):
    code = open_together(window=None)
    token = tokens.sign(tokens.TableWatch(code, None, "en-us"))

    async def watch(takes_in: asyncio.Event) -> list[bytes]:
        """Everything sent to a screen: the first two messages at once, the others when it reads on."""
        own = live.Hub(TableTopic())
        own.start()
        sent: list[bytes] = []
        leaves = asyncio.Event()

        async def send(message: dict) -> None:
            if message.get("body"):
                sent.append(message["body"])
                if len(sent) > 1:
                    await takes_in.wait()

        async def receive() -> dict:
            await leaves.wait()
            return {"type": "http.disconnect"}

        path = {"method": "GET", "path": f"/play/{code}/stream/", "query_string": f"token={token}".encode()}
        streaming = asyncio.create_task(serve(own, path, receive, send))
        await _until(lambda: len(sent) == 2)
        for _ in range(25):
            await asyncio.to_thread(_closing, partial(do, code, ask.Call(0)))
            await asyncio.to_thread(_closing, partial(do, code, ask.Withdraw(0)))
        await _until(lambda: _newest(own) == stored_version)
        takes_in.set()
        await _until(lambda: len(sent) > 2)
        leaves.set()
        await streaming
        own.stop()
        await asyncio.get_running_loop().run_in_executor(own._pool, connections.close_all)
        own._pool.shutdown()
        return sent

    first = stored(code).version
    stored_version = first + 50
    _hello, *tables = run(watch(asyncio.Event()))
    versions = [int(re.search(rb'data-version="(\d+)"', table)[1]) for table in tables]
    # The last one may come twice if a change was announced while it was already being read.
    assert (versions[0], set(versions[1:])) == (first, {stored_version})


async def _until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)


def _closing(work: Callable[[], object]) -> None:
    try:
        work()
    finally:
        connections.close_all()


def _newest(of: live.Hub) -> int:
    """The version queued for the only screen."""
    (topic,) = of._topics.values()
    (watcher,) = topic.watchers
    return int(re.search(rb'data-version="(\d+)"', watcher._waiting or b'data-version="0"')[1])


def test_a_screen_has_room_for_the_newest_table_only():
    async def watch() -> list[bytes | None]:
        watcher = Watcher(tokens.TableWatch("BCDFG", None, "en-us"))
        for message in (b"one", b"two", b"three"):
            watcher.give(message)
        heard = [await watcher.next()]
        asyncio.get_running_loop().call_soon(watcher.give, b"four")
        heard.append(await watcher.next())
        watcher.beat()
        asyncio.get_running_loop().call_soon(watcher.beat)
        heard.append(await watcher.next())
        watcher.close()
        heard.append(await watcher.next())
        return heard

    assert run(watch()) == [b"three", b"four", None, None]


def test_a_quiet_stream_is_kept_alive_by_comments(site, monkeypatch):
    monkeypatch.setattr("core.live.hub.HEARTBEAT_SECONDS", 0.05)
    with Screen.of(site, open_together()) as screen:
        screen.table()
        assert [screen.message() for _ in range(3)] == [("", b": \n\n")] * 3


# Deadlines


@pytest.fixture
def only_streams(monkeypatch) -> None:
    """Only an open stream applies deadlines."""
    monkeypatch.setattr(matches, "catch_up_all", lambda *, now: 0)


def test_a_deadline_holds_without_any_worker(site, only_streams):
    code = open_together(window=1.0)
    with Screen.of(site, code, seat=0) as caller, Screen.of(site, code) as watcher:
        do(code, ask.Call(0))
        for screen in (caller, watcher):
            # A slow screen misses the call itself, but never its result.
            table = screen.table(lambda table: table.points(0) == -1)
            assert (table.control, table.points(1)) == (None, 0)
        called, failed = log(code)[-2:]
    assert time.time() >= called.deadline
    assert failed == did.CallFailed(at=called.deadline, seat=0, why=Failing.LATE, cost=1)


def test_a_deadline_that_passed_while_nobody_watched_is_enforced_by_the_first_who_does(site, only_streams):
    code = open_together(window=1.0)
    matches.command(code, ask.Call(0), now=time.time() - 60)
    with Screen.of(site, code) as screen:
        assert screen.table(lambda table: table.control is None).points(0) == -1


def test_a_deadline_holds_where_the_clock_was_set_back_meanwhile(site, monkeypatch):
    class Clock:
        """A clock that's ahead when a timer is set, and right when it fires."""

        ahead = 0.2

        def time(self) -> float:
            return time.time() + self.ahead

    clock = Clock()
    monkeypatch.setattr(live, "time", clock)
    code = open_together(window=1.0)
    with Screen.of(site, code) as screen:
        screen.table()
        called = do(code, ask.Call(0))
        table = screen.table(lambda table: table.version >= called)
        clock.ahead = 0.0
        while table.control == 0:
            table = screen.table()
        assert table.points(0) == -1


def test_a_deadline_holds_where_nobody_watches(site):
    code = open_together(window=1.0)
    do(code, ask.Call(0))
    wait_until(lambda: stored(code).state.control is None)
    assert stored(code).state.seats[0].lost == 1


def open_against_a_quick_expert() -> str:
    """Open a match in which the computer calls within two seconds."""
    for _ in range(200):
        now = time.time()
        match = matches.open_match(way=Way.COMPUTER, options=Options(), player=ANN, computers=["expert"], now=now)
        matches.command(match.code, ask.Deal(0), now=now)
        if stored(match.code).due - now < 2:
            return match.code
    raise AssertionError("no expert is that quick")


def test_the_moves_of_a_computer_arrive_by_themselves(site, only_streams):
    code = open_against_a_quick_expert()
    with Screen.of(site, code, seat=0) as screen:
        table = screen.table(lambda table: table.control is None and table.points(1) != 0)
    call, *outcomes = (
        event for event in log(code)[: table.version] if isinstance(event, did.Called | did.SetTaken | did.CallFailed)
    )
    assert isinstance(call, did.Called)
    worth = {did.Called: 0, did.SetTaken: 1, did.CallFailed: -1}
    assert table.points(1) == sum(worth[type(event)] for event in outcomes)


def test_an_open_stream_makes_its_seat_connected(site):
    code = open_together()
    do(code, ask.Disconnect(1))
    with Screen.of(site, code, seat=1) as screen:
        assert screen.table(lambda table: not table.is_away(1)).version == stored(code).version
        assert isinstance(log(code)[-1], did.Connected)


def test_a_watcher_without_a_seat_changes_nothing(site):
    code = open_together()
    do(code, ask.Disconnect(1))
    before = stored(code).version
    with Screen.of(site, code) as screen:
        assert screen.table().is_away(1)
    wait_until(lambda: hub.watching == 0)
    assert stored(code).version == before


def test_a_seat_whose_stream_has_closed_is_away_after_the_grace(site, monkeypatch):
    monkeypatch.setattr(live, "GRACE_SECONDS", 0.05)
    code = open_together()
    with Screen.of(site, code, seat=0) as ann:
        with Screen.of(site, code, seat=1) as ben:
            ben.table()
        assert ann.table(lambda table: table.is_away(1)).is_away(0) is False
    assert did.Disconnected in {type(event) for event in log(code)}


def end_the_grace(code: str, seat: int) -> None:
    """End the running grace period of a seat without waiting for it."""
    over = threading.Event()

    def check() -> None:
        if (code, seat) in hub._leaving:
            hub._leaving.end(code, seat)
        over.set()

    hub._loop.call_soon_threadsafe(check)
    assert over.wait(PATIENCE)


def test_a_seat_that_is_back_within_the_grace_was_never_away(site, monkeypatch):
    monkeypatch.setattr(live, "GRACE_SECONDS", 600.0)
    code = open_together(window=None)
    with Screen.of(site, code, seat=0) as ann:
        with Screen.of(site, code, seat=1) as ben:
            ben.table()
        wait_until(lambda: hub.watching == 1)
        with Screen.of(site, code, seat=1) as ben:
            ben.table()
            end_the_grace(code, 1)
            version = do(code, ask.Call(0))
            assert not ann.table(lambda table: table.version >= version).is_away(1)
    assert did.Disconnected not in {type(event) for event in log(code)}


def test_two_tabs_of_a_player_are_one_seat_until_the_last_is_closed(site, monkeypatch):
    monkeypatch.setattr(live, "GRACE_SECONDS", 0.05)
    code = open_together(window=None)
    with Screen.of(site, code, seat=0) as ann:
        with Screen.of(site, code, seat=1) as first:
            with Screen.of(site, code, seat=1) as second:
                second.table()
                first.table()
            wait_until(lambda: hub.watching == 2)
            end_the_grace(code, 1)
            version = do(code, ask.Call(0))
            assert not ann.table(lambda table: table.version >= version).is_away(1)
        assert ann.table(lambda table: table.is_away(1))


def test_the_grace_begins_anew_with_each_leaving(site, monkeypatch):
    code = open_together(window=None)
    with Screen.of(site, code, seat=0) as ann:
        for grace in (2.0, 600.0):
            monkeypatch.setattr(live, "GRACE_SECONDS", grace)
            with Screen.of(site, code, seat=1) as ben:
                ben.table()
            wait_until(lambda: hub.watching == 1)
        # The first grace period is over on its own clock; the second has hardly begun.
        over = time.monotonic() + 2.2
        while time.monotonic() < over:
            for order in (ask.Call(0), ask.Withdraw(0)):
                version = do(code, order)
                assert not ann.table(lambda table, v=version: table.version >= v).is_away(1)


def test_a_match_that_cannot_be_read_does_not_stop_the_time_of_others(db):
    broken = open_together(window=1.0)
    matches.command(broken, ask.Call(0), now=time.time() - 60)
    Match.objects.filter(code=broken).update(snapshot={"broken": True})
    other = open_together(window=1.0)
    matches.command(other, ask.Call(0), now=time.time() - 60)
    with suppress(BadRecord):
        matches.catch_up_all(now=time.time())
    assert stored(other).state.control is None


# When the server stops


@pytest.fixture
def served(tmp_path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The site as `make run` serves it, in its own process."""
    port = free_port()
    environment = {**os.environ, "SETSITE_DEBUG": "1", "SETSITE_VAR": str(tmp_path), "PORT": str(port)}
    environment.pop("SETSITE_DATABASE", None)
    errors = (tmp_path / "errors").open("w+")
    process = subprocess.Popen(
        [sys.executable, "manage.py", "serve"], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=errors
    )
    process.errors = errors
    try:
        yield f"http://127.0.0.1:{port}", process
    finally:
        process.kill()
        process.wait()
        errors.close()


def open_by_form(address: str) -> str:
    """Open a table as a browser does; return the URL of its stream."""
    jar = CookieJar()
    browser = build_opener(HTTPCookieProcessor(jar))
    deadline = time.monotonic() + 3 * PATIENCE
    while True:
        try:
            with browser.open(f"{address}/play/") as page:
                token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.read().decode())[1]
            break
        except URLError:
            assert time.monotonic() < deadline, "the server did not start"
            time.sleep(0.05)
    form = {"csrfmiddlewaretoken": token, "edition": "us", "deck": "full", "votes": "checked"}
    with browser.open(f"{address}/play/open/together/", urlencode(form).encode()) as table:
        return re.search(r'sse-connect="([^"]+)"', table.read().decode())[1]


def test_the_server_stops_at_once_with_streams_open(served):
    address, process = served
    path = open_by_form(address)
    with ExitStack() as streams:
        screens = [streams.enter_context(Screen(address, path)) for _ in range(5)]
        for screen in screens:
            assert screen.table().version == 1
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=PATIENCE) in (0, -signal.SIGTERM, 128 + signal.SIGTERM)
        for screen in screens:
            assert screen.response.read() == b"", "the stream has ended, and in good order"
    process.errors.seek(0)
    assert "Traceback" not in process.errors.read()


def test_a_hub_that_is_stopped_twice_is_stopped():
    """Our server stops it first, and then the end of the ASGI lifespan stops it again."""

    async def stop_twice() -> None:
        of_its_own = live.Hub(TableTopic())
        of_its_own.start()
        of_its_own.stop()
        of_its_own.stop()

    run(stop_twice())


def test_whoever_watches_is_looked_up_every_ten_seconds():
    assert live.HEARTBEAT_SECONDS == 10
