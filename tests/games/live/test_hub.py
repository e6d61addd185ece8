"""Tables are rendered in the thread that changed the match, so they may reach the hub in the wrong order."""

from __future__ import annotations

import asyncio
import time
from types import SimpleNamespace

from django.db import OperationalError

from core.live.hub import Hub, Watcher
from games.live.render import Rendered
from games.live.tokens import TableWatch
from games.live.topic import TableTopic, tell
from games.matches.service import Written
from games.models import Match
from tests.coroutines import run


def drawn(version: int, language: str = "en-us", due: float | None = None) -> dict[str, Rendered]:
    message = f"{language} {version}"
    return {language: Rendered(version, message, message.encode(), due=due, connected=frozenset())}


class Tables(TableTopic):
    """Renders what the test says, when it says so."""

    def __init__(self) -> None:
        super().__init__()
        self.next: asyncio.Queue[dict[str, Rendered]] = asyncio.Queue()


class TableHub(Hub[TableWatch]):
    def __init__(self) -> None:
        super().__init__(Tables())

    async def _in_thread(self, work: object) -> dict[str, Rendered]:
        drawn = await self.type.next.get()
        self._show("ABCDE", drawn)
        return drawn


async def watching(hub: TableHub, language: str, first: int) -> Watcher[TableWatch]:
    """A screen that has received its first table."""
    hub.type.next.put_nowait(drawn(first, language))
    watcher = Watcher(TableWatch("ABCDE", None, language))
    hub.join(watcher)
    assert await watcher.next() == f"{language} {first}".encode()
    return watcher


async def joining(hub: TableHub) -> Watcher[TableWatch]:
    """A screen that's waiting for its first table."""
    watcher = Watcher(TableWatch("ABCDE", None, "en-us"))
    hub.join(watcher)
    await asyncio.sleep(0)
    return watcher


def test_an_older_table_that_was_drawn_slowly_does_not_replace_a_newer_one():
    async def play() -> None:
        hub = TableHub()
        screen = await watching(hub, "en-us", 4)
        hub._show("ABCDE", drawn(6))
        hub._show("ABCDE", drawn(5))
        assert await screen.next() == b"en-us 6"
        hub._show("ABCDE", drawn(6))
        assert not screen.has_waiting

    run(play())


def test_each_screen_is_given_the_table_in_its_language():
    async def play() -> None:
        hub = TableHub()
        english, french = await watching(hub, "en-us", 4), await watching(hub, "fr", 4)
        hub._show("ABCDE", drawn(5, "fr"))
        assert await french.next() == b"fr 5"
        assert not english.has_waiting

    run(play())


def test_a_first_table_that_comes_late_does_not_replace_a_newer_one():
    async def play() -> None:
        hub = TableHub()
        await watching(hub, "en-us", 4)
        newcomer = await joining(hub)
        hub._show("ABCDE", drawn(5))
        assert not newcomer.has_waiting, "their right to it is still being checked"
        hub.type.next.put_nowait(drawn(4))
        await hub._topics["ABCDE"].task
        assert await newcomer.next() == b"en-us 5"

    run(play())


def test_what_is_due_is_not_forgotten_when_a_first_table_comes_that_is_older():
    async def play() -> None:
        hub = TableHub()
        hub._loop = asyncio.get_running_loop()
        await watching(hub, "en-us", 4)
        await joining(hub)
        hub._show("ABCDE", drawn(5, due=time.time() + 600))
        hub.type.next.put_nowait(drawn(4))
        await hub._topics["ABCDE"].task
        assert not hub._topics["ABCDE"].timer.cancelled()

    run(play())


def test_a_timer_that_is_a_little_early_is_set_again(monkeypatch):
    due, clock = 1_000.0, SimpleNamespace(now=999.9)
    clock.time = lambda: clock.now
    monkeypatch.setattr("core.live.hub.time", clock)

    async def play() -> None:
        hub = TableHub()
        hub._loop = asyncio.get_running_loop()
        await watching(hub, "en-us", 4)
        happened: list[object] = []
        monkeypatch.setattr(hub, "do", happened.append)
        hub._due("ABCDE", due)
        assert (happened, hub._topics["ABCDE"].timer.when() > 0) == ([], True)
        clock.now = due
        hub._due("ABCDE", due)
        assert [work.args for work in happened] == [("ABCDE",)]

    run(play())


def test_a_table_that_cannot_be_drawn_where_the_match_was_changed_is_left_to_the_hubs_own_thread(monkeypatch):
    async def play() -> None:
        hub = TableHub()
        hub._loop = asyncio.get_running_loop()
        screen = await watching(hub, "en-us", 4)

        def fail(_match: Match, _language: str) -> Rendered:
            raise OperationalError

        monkeypatch.setattr("games.live.topic.render", fail)
        hub.type.next.put_nowait(drawn(5))
        tell(hub, Written(Match(code="ABCDE"), ()))
        assert await screen.next() == b"en-us 5"

    run(play())
