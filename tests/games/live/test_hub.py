"""Tables are drawn in whatever thread changed the match, so that they may come to the hub in the wrong order."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from types import SimpleNamespace

from django.db import OperationalError

from games.live.hub import Hub, Watcher
from games.live.render import Rendered
from games.live.tokens import TableWatch
from games.matches.service import Written
from games.models import Match
from tests.coroutines import run


def drawn(version: int, language: str = "en-us") -> dict[str, Rendered]:
    message = f"{language} {version}".encode()
    return {language: Rendered(version, message.decode(), message, due=None, connected=frozenset())}


async def watching(hub: Hub, language: str, first: int) -> Watcher[TableWatch]:
    """A screen that was given its first table."""
    hub._in_thread = _answering(drawn(first, language)[language])
    watcher = Watcher(TableWatch("ABCDE", None, language))
    hub.join(watcher)
    assert await watcher.next() == f"{language} {first}".encode()
    return watcher


def _answering(rendered: Rendered):
    async def in_thread(_work: object) -> Rendered:
        return rendered

    return in_thread


def test_an_older_table_that_was_drawn_slowly_does_not_replace_a_newer_one():
    async def play() -> None:
        hub = Hub()
        screen = await watching(hub, "en-us", 4)
        hub._show("ABCDE", drawn(6))
        hub._show("ABCDE", drawn(5))
        assert await screen.next() == b"en-us 6"
        hub._show("ABCDE", drawn(6))
        assert not screen.has_waiting

    run(play())


def test_each_screen_is_given_the_table_in_its_language():
    async def play() -> None:
        hub = Hub()
        english, french = await watching(hub, "en-us", 4), await watching(hub, "fr", 4)
        hub._show("ABCDE", drawn(5, "fr"))
        assert await french.next() == b"fr 5"
        assert not english.has_waiting

    run(play())


def test_a_first_table_that_comes_late_does_not_replace_a_newer_one():
    async def play() -> None:
        hub = Hub()
        await watching(hub, "en-us", 4)
        slow: asyncio.Future[Rendered] = asyncio.get_running_loop().create_future()

        async def in_thread(_work: object) -> Rendered:
            return await slow

        hub._in_thread = in_thread
        newcomer = Watcher(TableWatch("ABCDE", None, "en-us"))
        hub.join(newcomer)
        await asyncio.sleep(0)
        hub._show("ABCDE", drawn(5))
        assert await newcomer.next() == b"en-us 5"
        slow.set_result(drawn(4)["en-us"])
        await asyncio.gather(*hub._tasks)
        assert not newcomer.has_waiting

    run(play())


def test_what_is_due_is_not_forgotten_when_a_first_table_comes_that_is_older():
    async def play() -> None:
        hub = Hub()
        hub._loop = asyncio.get_running_loop()
        await watching(hub, "en-us", 4)
        slow: asyncio.Future[Rendered] = asyncio.get_running_loop().create_future()

        async def in_thread(_work: object) -> Rendered:
            return await slow

        hub._in_thread = in_thread
        hub.join(Watcher(TableWatch("ABCDE", None, "en-us")))
        await asyncio.sleep(0)
        hub._show("ABCDE", {"en-us": replace(drawn(5)["en-us"], due=time.time() + 600)})
        slow.set_result(drawn(4)["en-us"])
        await asyncio.gather(*hub._tasks)
        assert not hub._topics["ABCDE"].timer.cancelled()

    run(play())


def test_a_timer_that_is_a_little_early_is_set_again(monkeypatch):
    due, clock = 1_000.0, SimpleNamespace(now=999.9)
    clock.time = lambda: clock.now
    monkeypatch.setattr("games.live.hub.time", clock)

    async def play() -> None:
        hub = Hub()
        hub._loop = asyncio.get_running_loop()
        await watching(hub, "en-us", 4)
        happened: list[str] = []
        monkeypatch.setattr(hub, "_quietly", lambda work: _note(happened, work.args[0]))
        hub._due("ABCDE", due)
        await asyncio.gather(*hub._tasks)
        assert (happened, hub._topics["ABCDE"].timer.when() > 0) == ([], True)
        clock.now = due
        hub._due("ABCDE", due)
        await asyncio.gather(*hub._tasks)
        assert happened == ["ABCDE"]

    run(play())


async def _note(happened: list[str], code: str) -> None:
    happened.append(code)


def test_a_table_that_cannot_be_drawn_where_the_match_was_changed_is_left_to_the_hubs_own_thread(monkeypatch):
    async def play() -> None:
        hub = Hub()
        hub._loop = asyncio.get_running_loop()
        screen = await watching(hub, "en-us", 4)

        def fail(_match: Match, _language: str) -> Rendered:
            raise OperationalError

        monkeypatch.setattr("games.live.hub.render", fail)
        hub._in_thread = _answering(drawn(5)["en-us"])
        hub.tell(Written(Match(code="ABCDE"), ()))
        assert await screen.next() == b"en-us 5"

    run(play())
