"""The hub: who watches what in this process, and how a change reaches them.

It lives on the server's event loop; only `tell`, `show`, `refresh`, `drop` and `check_rights` are called from other
threads. Database work goes to the hub's own thread. A screen buffers one whole picture and one update to it, so a slow
screen skips those in between but never the last. With several processes, the bus brings the others' news, and regular
version checks find what it has lost.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, Generic, TypeVar

from django.db import close_old_connections

from core.live.bus import bus
from core.live.leaving import Leaving
from core.live.topics import Group, Missed, Picture, Seat, TopicGone, TopicType, Version, W, Watched

log = logging.getLogger(__name__)
T = TypeVar("T")

GRACE_SECONDS = 6.0
"""How long a reload or a change of network may take before the seat counts as gone."""
SECOND = 1.0
LOOK_SECONDS = 2.0
HEARTBEAT_SECONDS = 10.0
TRY_AGAIN_SECONDS = 1.0
GATHER_SECONDS = 0.2
JUMP_SECONDS = 1.0


class Watcher(Generic[W]):
    """One open stream and what it watches."""

    __slots__ = ("_is_quiet", "_piece", "_waiting", "_waker", "is_closed", "is_new", "watch")

    def __init__(self, watch: W) -> None:
        self.watch = watch
        self.is_closed = False
        self.is_new = True
        """Nothing has been sent to it yet."""
        self._waiting: bytes | None = None
        self._piece: bytes | None = None
        self._waker: asyncio.Future[None] | None = None
        self._is_quiet = False

    def beat(self) -> None:
        """Wake a stream that was sent nothing since the last beat, so that no proxy closes it as idle."""
        if self._is_quiet:
            self._wake()
        self._is_quiet = True

    def give(self, message: bytes, *, is_whole: bool = True) -> None:
        self.is_new = False
        if is_whole:
            self._waiting, self._piece = message, None
        else:
            self._piece = message
        self._wake()

    def close(self, farewell: bytes | None = None) -> None:
        """End the stream, after a last message if there is one."""
        self.is_closed = True
        self._waiting, self._piece = farewell, None
        self._wake()

    def _wake(self) -> None:
        if self._waker and not self._waker.done():
            self._waker.set_result(None)

    @property
    def has_waiting(self) -> bool:
        return self._waiting is not None or self._piece is not None

    async def next(self) -> bytes | None:
        """The next bytes to send; None for a heartbeat, or when the stream is closed."""
        if not self.has_waiting and not self.is_closed:
            self._waker = asyncio.get_running_loop().create_future()
            try:
                await self._waker
            finally:
                self._waker = None
        message = b"".join(each for each in (self._waiting, self._piece) if each) if self.has_waiting else None
        self._waiting = self._piece = None
        self._is_quiet = False
        return message


class LiveTopic(Generic[W]):
    """All streams of this process that watch one match or one lesson."""

    def __init__(self) -> None:
        self.watchers: set[Watcher[W]] = set()
        self.newcomers: set[Watcher[W]] = set()
        """Watchers whose right is still being checked. They're shown nothing, and their seats don't count."""
        self.seats: Counter[int] = Counter()
        self.coming: set[int] = set()
        """Seats whose arrival is being written to the database right now."""
        self.groups: Counter[Group] = Counter()
        self.shown: dict[Group, Version] = {}
        """For each group, every screen has been sent this version or a newer one."""
        self.pictures: dict[Group, Picture] = {}
        """Each group's last whole picture."""
        self.stale: set[Group] = set()
        self.gathered: set[Group] = set()
        """Groups to redraw for news that may wait to be batched."""
        self.gathered_at = 0.0
        self.looked_after: Version = ()
        """The version whose due time the timer is set for."""
        self.task: asyncio.Task[None] | None = None
        self.timer: asyncio.TimerHandle | None = None
        self.gathering: asyncio.TimerHandle | None = None

    def forget(self) -> None:
        """Cancel the timers, once nobody is watching."""
        for timer in (self.timer, self.gathering):
            if timer:
                timer.cancel()


class Hub(Generic[W]):
    def __init__(self, type_: TopicType[W]) -> None:
        self.type = type_
        self._topics: dict[str, LiveTopic[W]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=f"live {type_.name}")
        self._clock: asyncio.Task[None] | None = None
        self._leaving = Leaving(bus, type_.name, is_here=self._is_here, gone=self._left)
        self.pushes = 0

    def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.type.start(self)
        bus.on(self.type.name, self._heard)
        bus.on(f"{self.type.name} seat closed", self._drop)
        bus.on("rights", self._check_rights)
        bus.on_gap(self._look)
        bus.on_gap(self._check_rights)
        self._leaving.start()
        self._clock = asyncio.ensure_future(self._run_clock())

    def stop(self) -> None:
        """Close every stream. Safe to call twice."""
        if self._loop is None:
            return
        self.type.stop(self)
        bus.off(self.type.name, self._heard)
        bus.off(f"{self.type.name} seat closed", self._drop)
        bus.off("rights", self._check_rights)
        bus.off_gap(self._look)
        bus.off_gap(self._check_rights)
        self._leaving.stop()
        self._close_all()
        if self._clock:
            self._clock.cancel()
        self._loop = None

    # From any thread

    def groups(self, code: str) -> list[Group]:
        """The groups of a topic that are watched here."""
        topic = self._topics.get(code)
        return list(topic.groups) if topic else []

    def tell(self, code: str, *news: Any) -> None:
        """Report a change, for the hub's own thread to draw."""
        if self._loop and code in self._topics:
            self._loop.call_soon_threadsafe(self._heard, code, *news)

    def show(self, code: str, pictures: Mapping[Group, Picture]) -> None:
        """Send pictures that the caller has already drawn."""
        if self._loop:
            self._loop.call_soon_threadsafe(self._show, code, pictures)

    def refresh(self, code: str) -> None:
        """Redraw a topic."""
        if self._loop:
            self._loop.call_soon_threadsafe(self._refresh, code)

    def drop(self, code: str, seat: int) -> None:
        """Close this process's streams of a seat whose owner was removed. The bus tells the other processes."""
        if self._loop:
            self._loop.call_soon_threadsafe(self._drop, code, seat)

    def check_rights(self, *users: int) -> None:
        """Check whether these users, or any user if none is given, have lost the right to watch."""
        if self._loop:
            self._loop.call_soon_threadsafe(self._check_rights, *users)

    # On the loop

    def join(self, watcher: Watcher[W]) -> None:
        watch = watcher.watch
        topic = self._topics.setdefault(watch.code, LiveTopic())
        topic.watchers.add(watcher)
        topic.newcomers.add(watcher)
        topic.groups[self.type.group_of(watch)] += 1
        self._draw(watch.code, topic)

    def leave(self, watcher: Watcher[W]) -> None:
        code, group, seat = watcher.watch.code, self.type.group_of(watcher.watch), self.type.seat_of(watcher.watch)
        topic = self._topics[code]
        topic.watchers.discard(watcher)
        topic.newcomers.discard(watcher)
        topic.groups -= Counter([group])
        if group not in topic.groups:
            topic.shown.pop(group, None)
            topic.pictures.pop(group, None)
        if seat is not None and not watcher.is_new:
            topic.seats -= Counter([seat])
            if seat not in topic.seats and self._loop:
                self._leaving.begin(code, seat, grace=GRACE_SECONDS)
        if not topic.watchers:
            topic.forget()
            del self._topics[code]

    @property
    def watching(self) -> int:
        return sum(len(topic.watchers) for topic in self._topics.values())

    def _close_all(self) -> None:
        for topic in self._topics.values():
            for watcher in topic.watchers:
                watcher.close()

    async def _run_clock(self) -> None:
        clock = asyncio.get_running_loop().time
        beat_at = look_at = clock()
        ahead = time.time() - clock()
        while self._loop:
            await asyncio.wrap_future(self.do(self.type.tick))
            await asyncio.sleep(SECOND)
            if abs(time.time() - clock() - ahead) > JUMP_SECONDS:
                # The clock was set or the machine slept: screens that reconnect get the new time.
                ahead = time.time() - clock()
                self._close_all()
            if clock() - beat_at >= HEARTBEAT_SECONDS:
                beat_at = clock()
                for topic in self._topics.values():
                    for watcher in topic.watchers:
                        watcher.beat()
                # A right may also be lost without an event (an expired session, say).
                self._check_rights()
            if bus.is_shared and clock() - look_at >= LOOK_SECONDS:
                look_at = clock()
                self._look()

    def _heard(self, code: str, *news: Any) -> None:
        """Handle a change made here or in another process."""
        topic = self._topics.get(code)
        if topic is None or self._loop is None:
            return
        known = {group: topic.shown[group] for group in topic.groups if group in topic.shown}
        # Groups that were shown nothing yet may be about to get the old state.
        behind = {*self.type.behind(known, *news), *(topic.groups.keys() - known.keys())}
        if behind and self.type.is_gathered(*news):
            topic.gathered |= behind
            if topic.gathering is None:
                wait = max(0.0, topic.gathered_at + GATHER_SECONDS - self._loop.time())
                topic.gathering = self._loop.call_later(wait, self._gathered, code)
        elif behind:
            self._refresh(code, behind)

    def _gathered(self, code: str) -> None:
        topic = self._topics.get(code)
        if topic and self._loop:
            topic.gathering, topic.gathered_at = None, self._loop.time()
            gathered, topic.gathered = topic.gathered, set()
            self._refresh(code, gathered)

    def _refresh(self, code: str, groups: Collection[Group] | None = None) -> None:
        topic = self._topics.get(code)
        if topic:
            topic.stale |= set(topic.groups if groups is None else groups)
            self._draw(code, topic)

    def _draw(self, code: str, topic: LiveTopic[W]) -> None:
        if topic.task is None or topic.task.done():
            topic.task = asyncio.ensure_future(self._draw_all(code, topic))

    async def _draw_all(self, code: str, topic: LiveTopic[W]) -> None:
        """Draw until no one is waiting, one picture at a time, so that an older one can't overtake a newer one."""
        while topic.newcomers or topic.stale:
            newcomers = set(topic.newcomers)
            stale, topic.stale = topic.stale, set()
            drawing = self._draw_function(code, topic, newcomers, stale)
            try:
                pictures = await self._in_thread(drawing)
            except TopicGone:
                topic.newcomers -= newcomers
                self._close({each.watch for each in topic.watchers})
            except Exception:
                log.exception("live.not_drawn", extra={"topic": self.type.name})
                topic.newcomers -= newcomers
                # Their browsers reconnect after a second.
                for watcher in newcomers:
                    watcher.close()
                if stale:
                    asyncio.get_running_loop().call_later(TRY_AGAIN_SECONDS, self._refresh, code, stale)
            else:
                topic.newcomers -= newcomers
                for watcher in newcomers & topic.watchers:
                    self._welcome(watcher, topic, pictures[self.type.group_of(watcher.watch)])
                # Only after all seats are counted, so that a whole class is written at once.
                for picture in pictures.values():
                    self._look_after(code, topic, picture)

    def _draw_function(
        self, code: str, topic: LiveTopic[W], newcomers: Collection[Watcher[W]], stale: Collection[Group]
    ) -> Callable[[], Mapping[Group, Picture]]:
        """A function for the hub's thread that draws, and shows each picture as soon as it's ready."""
        new = {each.watch for each in newcomers}
        groups = {self.type.group_of(each) for each in new}
        watches = new | {each.watch for each in topic.watchers if self.type.group_of(each.watch) in stale}
        # A new watcher gets the whole picture.
        whole = {group: each for group, each in topic.pictures.items() if group not in groups}

        def draw() -> Mapping[Group, Picture]:
            pictures: dict[Group, Picture] = {}
            drawn = self.type.draw(code, watches, new, whole)
            self._end(drawn.ended)
            for group, picture in drawn.pictures:
                pictures[group] = picture
                if group in stale:
                    self.show(code, {group: picture})
            return pictures

        return draw

    def _welcome(self, watcher: Watcher[W], topic: LiveTopic[W], picture: Picture) -> None:
        """Send the current picture to a new screen whose right was checked, or the newer one that others have."""
        if watcher.is_closed:
            return
        group = self.type.group_of(watcher.watch)
        topic.shown.setdefault(group, picture.version)
        newest = topic.pictures.setdefault(group, picture)
        if newest.version > picture.version:
            picture = newest
        if topic.shown[group] > picture.version:
            # The others have only been sent an update since: draw a whole picture again.
            topic.newcomers.add(watcher)
            return
        self._give(watcher, picture)

    def _give(self, watcher: Watcher[W], picture: Picture) -> None:
        message = picture.message(watcher.watch)
        if message is None:
            # The token is still valid, but its seat is gone.
            watcher.close(self.type.farewell(watcher.watch))
        else:
            if watcher.is_new:
                self._count_seat(watcher.watch)
            watcher.give(message, is_whole=picture.is_whole)
            self.pushes += 1

    def _count_seat(self, watch: W) -> None:
        seat = self.type.seat_of(watch)
        if seat is not None:
            self._topics[watch.code].seats[seat] += 1
            self._leaving.is_back(watch.code, seat)

    def _show(self, code: str, pictures: Mapping[Group, Picture]) -> None:
        """Send pictures to their groups, unless another thread has drawn newer ones meanwhile."""
        topic = self._topics.get(code)
        if topic is None:
            return
        fresh = {group: each for group, each in pictures.items() if each.version > topic.shown.get(group, ())}
        # Newcomers get theirs after their right is checked.
        for watcher in topic.watchers - topic.newcomers:
            picture = fresh.get(self.type.group_of(watcher.watch))
            if picture and not watcher.is_closed:
                self._give(watcher, picture)
        for group, picture in fresh.items():
            topic.shown[group] = picture.version
            if picture.is_whole:
                topic.pictures[group] = picture
            self._look_after(code, topic, picture)

    def _look_after(self, code: str, topic: LiveTopic[W], picture: Picture) -> None:
        """Set the timer for what's due next, and record seats that have a stream as connected."""
        if coming := topic.seats.keys() - picture.connected - topic.coming:
            # Record each seat once, however many pictures are drawn before it's written.
            topic.coming |= coming
            self.do(partial(self._record_connected, code, coming))
        if picture.version >= topic.looked_after:
            # An older picture was drawn before the last change, and its due time no longer holds.
            topic.looked_after = picture.version
            self._wait_for(code, topic, picture.due)

    def _wait_for(self, code: str, topic: LiveTopic[W], due: float | None) -> None:
        if topic.timer:
            topic.timer.cancel()
            topic.timer = None
        if self._loop and due is not None and topic.watchers:
            topic.timer = self._loop.call_later(max(0.0, due - time.time()), self._due, code, due)

    def _due(self, code: str, due: float) -> None:
        topic = self._topics.get(code)
        if topic and time.time() < due:
            # Timers have millisecond resolution and may fire slightly early, before anything is due.
            self._wait_for(code, topic, due)
            return
        self.do(partial(self.type.catch_up, code))

    # Who is there, and who may be

    def _record_connected(self, code: str, seats: Collection[int]) -> None:
        """Record that seats are connected, in the thread."""
        try:
            self.type.came(code, seats)
        finally:
            if self._loop:
                self._loop.call_soon_threadsafe(self._clear_coming, code, seats)

    def _clear_coming(self, code: str, seats: Collection[int]) -> None:
        if topic := self._topics.get(code):
            topic.coming -= set(seats)

    def _left(self, seat: Seat) -> None:
        self.do(partial(self.type.left, seat))

    def _is_here(self, seat: Seat) -> bool:
        code, number = seat
        return code in self._topics and self._topics[code].seats[number] > 0

    def _drop(self, code: str, seat: int) -> None:
        topic = self._topics.get(code)
        for watcher in topic.watchers if topic else ():
            if self.type.seat_of(watcher.watch) == seat:
                watcher.close(self.type.farewell(watcher.watch))

    def _watched(self) -> Watched[W]:
        watches = {watcher.watch for topic in self._topics.values() for watcher in topic.watchers}
        return Watched(watches, {(code, seat) for code, topic in self._topics.items() for seat in topic.seats})

    def _check_rights(self, *users: int) -> None:
        watches = {each for each in self._watched().watches if not users or each.user in users}
        if watches:
            self.do(lambda: self._end(self.type.without_right(watches)))

    def _end(self, watches: Collection[W]) -> None:
        """Close the streams of watchers found to have no right; called in the thread."""
        if watches and self._loop:
            self._loop.call_soon_threadsafe(self._close, watches)

    def _close(self, watches: Collection[W]) -> None:
        for code in {watch.code for watch in watches} & self._topics.keys():
            for watcher in self._topics[code].watchers:
                if watcher.watch in watches and not watcher.is_closed:
                    watcher.close(self.type.farewell(watcher.watch))

    def _look(self) -> None:
        if self._topics:
            self.do(partial(self._find_missed, self._watched()))

    def _find_missed(self, watched: Watched[W]) -> None:
        found = self.type.find_missed(watched)
        self._end(found.ended)
        if self._loop:
            self._loop.call_soon_threadsafe(self._apply_missed, found)

    def _apply_missed(self, found: Missed[W]) -> None:
        for code, news in found.news:
            self._heard(code, *news)
        for code in found.gone:
            self._refresh(code)

    def do(self, work: Callable[[], object]) -> Future[None]:
        """Run something in the hub's thread. May be called from any thread."""
        return self._pool.submit(self._run_logged, work)

    def _run_logged(self, work: Callable[[], object]) -> None:
        try:
            _with_connection(work)
        except self.type.over:
            return
        except Exception:
            log.exception("live.not_done", extra={"topic": self.type.name})

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, partial(_with_connection, work))


def _with_connection(work: Callable[[], T]) -> T:
    close_old_connections()
    return work()
