"""From a change of a session to its screens: a word that there is something new, and each screen asks for its own.

Unlike a table, what a device shows is its own: so not the picture is pushed, but the number of the version.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import parse_qs

from django.core import signing
from django.db import close_old_connections

from classrooms.models import Attendee, Session
from classrooms.sessions import changes
from classrooms.sessions.joining import set_connected
from classrooms.sessions.playing import match_changed
from games import matches
from games.live.hub import Watcher
from games.live.render import event
from games.live.stream import Receive, Scope, Send, follow, forbid

PATH = re.compile(r"^/session/(?P<code>[A-Z0-9]+)/stream/$")
GRACE_SECONDS = 6.0
_SALT = "classrooms.sessions.live"
_SECONDS = 12 * 3600

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Watch:
    """One screen: a device has the number of its seat, the remote and the projector have none."""

    code: str
    number: int | None


def sign(watch: Watch) -> str:
    return signing.dumps([watch.code, watch.number], salt=_SALT)


def read(token: str) -> Watch | None:
    try:
        code, number = signing.loads(token, salt=_SALT, max_age=_SECONDS)
    except signing.BadSignature:
        return None
    return Watch(code, number)


class SessionHub:
    """Who watches which session in this process. Lives on the server's event loop."""

    def __init__(self) -> None:
        self._watchers: dict[str, set[Watcher[Watch]]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="session")
        self._leaving: dict[Watch, asyncio.TimerHandle] = {}
        self._ticks = 0

    def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        changes.on_change(self.tell)
        matches.on_change(self._match_changed)

    def stop(self) -> None:
        if self._loop is None:
            return
        changes.off_change(self.tell)
        matches.off_change(self._match_changed)
        for watchers in self._watchers.values():
            for watcher in watchers:
                watcher.close()
        self._loop = None

    # From any thread

    def tell(self, code: str, devices: bool) -> None:
        """A session has changed, for all screens or only for the teacher's."""
        if self._loop and code in self._watchers:
            self._loop.call_soon_threadsafe(self._push, code, devices)

    def drop(self, code: str, number: int) -> None:
        """Close the streams of a seat whose owner was sent out."""
        if self._loop:
            self._loop.call_soon_threadsafe(self._drop, code, number)

    def _match_changed(self, match: str, version: int) -> None:
        self._in_thread(lambda: match_changed(match, version))

    # On the loop

    def join(self, watcher: Watcher[Watch]) -> None:
        watch = watcher.watch
        self._watchers.setdefault(watch.code, set()).add(watcher)
        if watch.number is not None:
            if timer := self._leaving.pop(watch, None):
                timer.cancel()
            self._in_thread(lambda: self._welcome(watcher, watch.code, watch.number or 0))
        # Whatever has happened while nobody listened: look once.
        watcher.give(self._word())

    def _welcome(self, watcher: Watcher[Watch], code: str, number: int) -> None:
        """The seat is taken; whoever was sent out has none, and gets no stream whatever their token says."""
        if not set_connected(code, number, True) and self._loop:
            self._loop.call_soon_threadsafe(watcher.close)

    def leave(self, watcher: Watcher[Watch]) -> None:
        watch = watcher.watch
        there = self._watchers[watch.code]
        there.discard(watcher)
        is_still_there = any(each.watch == watch for each in there)
        if not there:
            del self._watchers[watch.code]
        if watch.number is not None and not is_still_there and self._loop:
            if timer := self._leaving.pop(watch, None):
                timer.cancel()
            self._leaving[watch] = self._loop.call_later(GRACE_SECONDS, self._gone, watch)

    @property
    def watching(self) -> int:
        return sum(map(len, self._watchers.values()))

    def _push(self, code: str, devices: bool) -> None:
        word = self._word()
        for watcher in self._watchers.get(code, ()):
            if devices or watcher.watch.number is None:
                watcher.give(word)

    def _word(self) -> bytes:
        self._ticks += 1
        return event("changed", str(self._ticks))

    def _drop(self, code: str, number: int) -> None:
        for watcher in self._watchers.get(code, ()):
            if watcher.watch.number == number:
                watcher.close()

    def _gone(self, watch: Watch) -> None:
        self._leaving.pop(watch, None)
        self._in_thread(lambda: set_connected(watch.code, watch.number or 0, False))

    def _in_thread(self, work: Callable[[], object]) -> None:
        self._pool.submit(_quietly, work)


def _quietly(work: Callable[[], object]) -> None:
    close_old_connections()
    try:
        work()
    except (Session.DoesNotExist, Attendee.DoesNotExist):
        return
    except Exception:
        log.exception("who is there could not be kept")


hub = SessionHub()


async def stream(scope: Scope, receive: Receive, send: Send) -> None:
    path = PATH.match(scope["path"])
    tokens = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
    watch = read(tokens[0])
    if scope["method"] != "GET" or path is None or watch is None or watch.code != path["code"]:
        await forbid(send)
        return
    await follow(Watcher(watch), hub, receive, send)
