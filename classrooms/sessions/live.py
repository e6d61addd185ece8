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
from functools import partial
from urllib.parse import parse_qs

from django.core import signing
from django.db import close_old_connections

from classrooms.models import Attendee, Session
from classrooms.sessions import changes
from classrooms.sessions.joining import set_connected
from classrooms.sessions.playing import match_changed
from games import matches
from games.live.bus import bus
from games.live.hub import HEARTBEAT_SECONDS, LOOK_SECONDS, Watcher
from games.live.leaving import Leaving, Seat
from games.live.render import event
from games.live.stream import Receive, Scope, Send, follow, forbid

PATH = re.compile(r"^/session/(?P<code>[A-Z0-9]+)/stream/$")
GRACE_SECONDS = 6.0
_SALT = "classrooms.sessions.live"
_SECONDS = 12 * 3600
_SEAT = ("session__code", "number", "removed_at")

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


class _Topic:
    """Everybody here who watches one session, and up to which numbers they were told."""

    def __init__(self) -> None:
        self.watchers: set[Watcher[Watch]] = set()
        self.version = 0
        self.count = 0


class SessionHub:
    """Who watches which session in this process. Lives on the server's event loop."""

    def __init__(self) -> None:
        self._topics: dict[str, _Topic] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="session")
        self._leaving = Leaving(bus, "device", is_here=self._is_here, gone=self._gone)
        self._beating: asyncio.Task[None] | None = None
        self._ticks = 0
        self.pushes = 0

    def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        changes.on_change(self.tell)
        matches.on_change(self._match_changed)
        bus.on("session", self._push)
        bus.on("drop", self._drop)
        bus.on_gap(self._look)
        self._leaving.start()
        self._beating = asyncio.ensure_future(self._beat())

    def stop(self) -> None:
        if self._loop is None:
            return
        changes.off_change(self.tell)
        matches.off_change(self._match_changed)
        bus.off("session", self._push)
        bus.off("drop", self._drop)
        bus.off_gap(self._look)
        self._leaving.stop()
        for topic in self._topics.values():
            for watcher in topic.watchers:
                watcher.close()
        self._loop = None

    # From any thread

    def tell(self, code: str, devices: bool, number: int) -> None:
        """A session has changed, for all screens or only for the teacher's."""
        if self._loop and code in self._topics:
            self._loop.call_soon_threadsafe(self._push, code, devices, number)

    def drop(self, code: str, number: int) -> None:
        """Close the streams of a seat whose owner was sent out."""
        bus.tell("drop", code, number)
        if self._loop:
            self._loop.call_soon_threadsafe(self._drop, code, number)

    def _match_changed(self, written: matches.Written) -> None:
        if written.match.place:
            self._in_thread(lambda: match_changed(written))

    # On the loop

    def join(self, watcher: Watcher[Watch]) -> None:
        watch = watcher.watch
        self._topics.setdefault(watch.code, _Topic()).watchers.add(watcher)
        if watch.number is not None:
            self._leaving.is_back(watch.code, watch.number)
            self._in_thread(lambda: self._welcome(watcher, watch.code, watch.number or 0))
        # Whatever has happened while nobody listened: look once.
        watcher.give(self._word())

    def _welcome(self, watcher: Watcher[Watch], code: str, number: int) -> None:
        """The seat is taken; whoever was sent out has none, and gets no stream whatever their token says."""
        if not set_connected(code, number, True) and self._loop:
            self._loop.call_soon_threadsafe(watcher.close)

    def leave(self, watcher: Watcher[Watch]) -> None:
        watch = watcher.watch
        there = self._topics[watch.code].watchers
        there.discard(watcher)
        is_still_there = any(each.watch == watch for each in there)
        if not there:
            del self._topics[watch.code]
        if watch.number is not None and not is_still_there and self._loop:
            self._leaving.begin(watch.code, watch.number, grace=GRACE_SECONDS)

    @property
    def watching(self) -> int:
        return sum(len(topic.watchers) for topic in self._topics.values())

    async def _beat(self) -> None:
        """Wake quiet streams, so that no proxy takes them for dead; and look for what nobody told us."""
        seconds = 0.0
        while self._loop:
            await asyncio.sleep(LOOK_SECONDS)
            seconds += LOOK_SECONDS
            if bus.is_shared:
                self._look()
            if seconds >= HEARTBEAT_SECONDS:
                seconds = 0.0
                for topic in self._topics.values():
                    for watcher in topic.watchers:
                        watcher.beat()

    def _push(self, code: str, devices: bool, number: int) -> None:
        topic = self._topics.get(code)
        if topic is None or number <= (topic.version if devices else topic.count):
            return
        if devices:
            topic.version = number
        else:
            topic.count = number
        word = self._word()
        for watcher in topic.watchers:
            if devices or watcher.watch.number is None:
                watcher.give(word)
                self.pushes += 1

    def _word(self) -> bytes:
        self._ticks += 1
        return event("changed", str(self._ticks))

    def _drop(self, code: str, number: int) -> None:
        for watcher in self._of((code, number)):
            watcher.close()

    def _of(self, seat: Seat) -> list[Watcher[Watch]]:
        code, number = seat
        topic = self._topics.get(code)
        return [watcher for watcher in topic.watchers if watcher.watch.number == number] if topic else []

    def _is_here(self, seat: Seat) -> bool:
        return bool(self._of(seat))

    def _gone(self, seat: Seat) -> None:
        self._in_thread(lambda: set_connected(*seat, False))

    def _look(self) -> None:
        if self._topics:
            codes = list(self._topics)
            self._in_thread(lambda: self._compare(codes))

    def _compare(self, codes: list[str]) -> None:
        """In the thread: what has changed without a word to us."""
        numbers = list(Session.objects.filter(code__in=codes).values_list("code", "version", "count"))
        away = Attendee.objects.filter(session__code__in=codes).exclude(is_connected=True, removed_at=None)
        seats = [((code, number), gone is not None) for code, number, gone in away.values_list(*_SEAT)]
        if self._loop:
            self._loop.call_soon_threadsafe(self._compared, numbers, seats)

    def _compared(self, numbers: list[tuple[str, int, int]], seats: list[tuple[Seat, bool]]) -> None:
        for code, version, count in numbers:
            self._push(code, True, version)
            self._push(code, False, count)
        for seat, is_removed in seats:
            if is_removed:
                self._drop(*seat)
            elif self._is_here(seat):
                self._in_thread(partial(set_connected, *seat, True))

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
