"""From a change of a session to its screens: a word that there is something new, and each screen asks for its own.

Unlike a table, what a device shows is its own: so not the picture is pushed, but the number of the version.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from urllib.parse import parse_qs

from django.core import signing
from django.db import close_old_connections
from django.utils import timezone

from classrooms.live import changes
from classrooms.live.joining import set_connected
from classrooms.live.playing import match_changed
from classrooms.live.seats import departed, take_out_departed
from classrooms.live.wall import is_on_wall
from classrooms.models import Attendee, Classroom, Session
from core.signed_in import session_key_of, signed_out
from games import access
from games.live.bus import bus
from games.live.hub import HEARTBEAT_SECONDS, LOOK_SECONDS, Watcher
from games.live.leaving import Leaving, Seat
from games.live.render import event
from games.live.stream import Client, Receive, Scope, Send, follow, forbid
from games.matches import service as matches

PATH = re.compile(r"^/session/(?P<code>[A-Z0-9]+)/stream/$")
GRACE_SECONDS = 6.0
DOOR = 0
"""Seats count from one."""
_SALT = "classrooms.sessions.live"
_SECONDS = 12 * 3600
_SEAT = ("session__code", "number", "removed_at")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LessonWatch:
    """One screen: a device has the number of its seat, one before the door `DOOR`, the remote and projector none.

    A screen says whose it is: that of a teacher or a student has the key of their account and is theirs as long as
    they're signed in, and the wall has its own key. All of them can lose their right to it. `session` is that of the
    browser which opens the stream; it comes from the cookie and isn't in the token.
    """

    code: str
    number: int | None
    user: int | None = None
    key: str = ""
    session: str = field(default="", repr=False)


def sign(watch: LessonWatch) -> str:
    return signing.dumps([watch.code, watch.number, watch.user, watch.key], salt=_SALT)


def read(token: str) -> LessonWatch | None:
    try:
        # A page from before an update has a token that doesn't say whose it is.
        code, number, *who = signing.loads(token, salt=_SALT, max_age=_SECONDS)
    except signing.BadSignature:
        return None
    return LessonWatch(code, number, *who)


class _LessonTopic:
    """Everybody here who watches one session, and up to which numbers they were told."""

    def __init__(self) -> None:
        self.watchers: set[Watcher[LessonWatch]] = set()
        self.version = 0
        self.count = 0


class SessionHub:
    """Who watches which session in this process. Lives on the server's event loop."""

    def __init__(self) -> None:
        self._topics: dict[str, _LessonTopic] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="session")
        self._leaving = Leaving(bus, "device", is_here=self._is_here, gone=self._gone)
        self._beating: asyncio.Task[None] | None = None
        self._ticks = 0
        self.pushes = 0

    def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        changes.on_change(self.tell)
        changes.on_seat_closed(self.drop)
        access.on_rights_changed(self.check_rights)
        matches.on_change(self._match_changed)
        bus.on("session", self._push)
        bus.on("drop", self._drop)
        bus.on("rights", self._check_rights)
        bus.on_gap(self._look)
        bus.on_gap(self._check_rights)
        self._leaving.start()
        self._beating = asyncio.ensure_future(self._beat())

    def stop(self) -> None:
        if self._loop is None:
            return
        changes.off_change(self.tell)
        changes.off_seat_closed(self.drop)
        access.off_rights_changed(self.check_rights)
        matches.off_change(self._match_changed)
        bus.off("session", self._push)
        bus.off("drop", self._drop)
        bus.off("rights", self._check_rights)
        bus.off_gap(self._look)
        bus.off_gap(self._check_rights)
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
        """Close the streams of a seat whose owner was taken out; the bus tells the other processes."""
        if self._loop:
            self._loop.call_soon_threadsafe(self._drop, code, number)

    def check_rights(self, *users: int) -> None:
        """These users, or anybody, may have lost the right to the screens of a class."""
        if self._loop:
            self._loop.call_soon_threadsafe(self._check_rights, *users)

    def _match_changed(self, written: matches.Written) -> None:
        if written.match.place:
            self._in_thread(lambda: match_changed(written))

    # On the loop

    def join(self, watcher: Watcher[LessonWatch]) -> None:
        watch = watcher.watch
        self._topics.setdefault(watch.code, _LessonTopic()).watchers.add(watcher)
        if watch.number:
            self._leaving.is_back(watch.code, watch.number)
            self._in_thread(partial(self._welcome, watcher, watch.code, watch.number))
        elif watch.number is None:
            self._in_thread(partial(self._check_in_thread, {watch}))
        # Whatever has happened while nobody listened: look once.
        watcher.give(self._word())

    def _welcome(self, watcher: Watcher[LessonWatch], code: str, number: int) -> None:
        """The seat is taken; whoever was sent out has none, and gets no stream whatever their token says."""
        is_shut_out = self._check_in_thread({watcher.watch})
        if not is_shut_out and not set_connected(code, number, True) and self._loop:
            self._loop.call_soon_threadsafe(watcher.close)

    def leave(self, watcher: Watcher[LessonWatch]) -> None:
        watch = watcher.watch
        there = self._topics[watch.code].watchers
        there.discard(watcher)
        is_still_there = any(each.watch.number == watch.number for each in there)
        if not there:
            del self._topics[watch.code]
        if watch.number and not is_still_there and self._loop:
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
                # The wall's key ends without a word.
                self._check_rights()
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

    def _watches(self) -> Iterator[LessonWatch]:
        return (watcher.watch for topic in self._topics.values() for watcher in topic.watchers)

    def _check_rights(self, *users: int) -> None:
        self._check(watch for watch in self._watches() if not users or watch.user in users)

    def _check(self, watches: Iterable[LessonWatch]) -> None:
        if checked := {watch for watch in watches if watch.number != DOOR}:
            self._in_thread(partial(self._check_in_thread, checked))

    def _check_in_thread(self, watches: set[LessonWatch]) -> bool:
        """Close those that somebody has no right to any more; whether there were any."""
        ended = without_right(watches, now=timezone.now())
        if ended and self._loop:
            self._loop.call_soon_threadsafe(self._close, ended)
            # Whoever took them off the roster may have died before they were taken out of the lesson.
            take_out_departed(session__code__in={watch.code for watch in ended})
        return bool(ended)

    def _close(self, watches: set[LessonWatch]) -> None:
        for code in {watch.code for watch in watches} & self._topics.keys():
            for watcher in self._topics[code].watchers:
                if watcher.watch in watches:
                    watcher.close()

    def _of(self, seat: Seat) -> list[Watcher[LessonWatch]]:
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
            self._check(watch for watch in self._watches() if watch.number is None)

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


def without_right(watches: Collection[LessonWatch], *, now: datetime) -> set[LessonWatch]:
    """The screens of those who are signed out, don't teach the class any more or have left it, and of ended walls."""
    devices = {watch for watch in watches if watch.number is not None}
    seats = departed().filter(session__code__in={watch.code for watch in devices})
    left = set(seats.values_list("session__code", "number")) if devices else set()
    gone = {watch for watch in devices if (watch.code, watch.number) in left}
    return gone | signed_out(watches) | _not_leading({*watches} - devices, now=now)


def _not_leading(watches: Collection[LessonWatch], *, now: datetime) -> set[LessonWatch]:
    if not watches:
        return set()
    found = Session.objects.filter(code__in={watch.code for watch in watches}, classroom__deleted_at=None)
    sessions = {session.code: session for session in found}
    classes = {session.classroom_id for session in sessions.values()}
    teaching = Classroom.teachers.through.objects.filter(classroom__in=classes, user__deleted_at=None)
    taught = set(teaching.values_list("classroom", "user"))

    def has_right(watch: LessonWatch) -> bool:
        session = sessions.get(watch.code)
        if session is None:
            return False
        if watch.key:
            return is_on_wall(session, watch.key, now=now)
        return (session.classroom_id, watch.user) in taught

    return {watch for watch in watches if not has_right(watch)}


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
    if watch.user is not None:
        watch = replace(watch, session=session_key_of(scope))
    client = Client.of(scope, ("session", watch.code), watch.number)
    await follow(Watcher(watch), hub, receive, send, client=client)
