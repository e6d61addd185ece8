"""Who watches which match in this process, and how a change reaches them.

Lives on the server's event loop; only `tell` is called from other threads. Whoever changes a match draws its table in
their own thread, which is faster than any hop; other work that touches the database goes to a thread of its own. Each
screen has room for one waiting table: a slow one misses those in between, never the last. Where there are other
processes, the bus brings their changes, and a look at the versions finds what it has lost.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Generic, TypeVar

from django.db import close_old_connections

from core.signed_in import signed_out
from games import access
from games.live.bus import bus
from games.live.leaving import Leaving, Seat
from games.live.render import Rendered, render, render_code
from games.live.tokens import TableWatch
from games.matches import service as matches
from games.matches import store as match_store
from games.models import Match, Way
from games.rules import commands as ask
from games.rules.errors import Refused

log = logging.getLogger(__name__)
T = TypeVar("T")
W = TypeVar("W")

# A reload or a change of network takes a moment, and is not leaving.
GRACE_SECONDS = 6.0
KEEP_TIME_SECONDS = 1.0
LOOK_SECONDS = 2.0
HEARTBEAT_SECONDS = 10.0
TRY_AGAIN_SECONDS = 1.0
JUMP_SECONDS = 1.0


class Watcher(Generic[W]):
    """One open stream, and what it watches."""

    __slots__ = ("_is_quiet", "_waiting", "_waker", "is_closed", "watch")

    def __init__(self, watch: W) -> None:
        self.watch = watch
        self.is_closed = False
        self._waiting: bytes | None = None
        self._waker: asyncio.Future[None] | None = None
        self._is_quiet = False

    def beat(self) -> None:
        """Wake a stream to which nothing was sent since the last beat, so that no proxy takes it for dead."""
        if self._is_quiet:
            self._wake()
        self._is_quiet = True

    def give(self, message: bytes) -> None:
        self._waiting = message
        self._wake()

    def close(self) -> None:
        self.is_closed = True
        self._wake()

    def _wake(self) -> None:
        if self._waker and not self._waker.done():
            self._waker.set_result(None)

    @property
    def has_waiting(self) -> bool:
        return self._waiting is not None

    async def next(self) -> bytes | None:
        """The newest message; None at a heartbeat, or when the watching is over."""
        if self._waiting is None and not self.is_closed:
            self._waker = asyncio.get_running_loop().create_future()
            try:
                await self._waker
            finally:
                self._waker = None
        message, self._waiting = self._waiting, None
        self._is_quiet = False
        return message


class _TableTopic:
    """Everybody here who watches one match."""

    def __init__(self) -> None:
        self.watchers: set[Watcher[TableWatch]] = set()
        self.seats: Counter[int] = Counter()
        self.languages: Counter[str] = Counter()
        self.newest: dict[str, int] = {}
        """The last version that was given out, by language."""
        self.is_stale = False
        self.shown: int | None = None
        """The oldest version that may be on a screen here."""
        self.looked_after = 0
        """The version whose next moment the timer waits for."""
        self.task: asyncio.Task[None] | None = None
        self.timer: asyncio.TimerHandle | None = None


class Hub:
    def __init__(self) -> None:
        self._topics: dict[str, _TableTopic] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="live")
        self._tasks: set[asyncio.Task[None]] = set()
        self._leaving = Leaving(bus, "seat", is_here=self._is_here, gone=self._disconnect)
        self.pushes = 0

    def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        matches.on_change(self.tell)
        access.on_rights_changed(self.check_rights)
        bus.on("match", self._heard)
        bus.on("rights", self._check_rights)
        bus.on_gap(self._look)
        bus.on_gap(self._check_rights)
        self._leaving.start()
        self._start(self._keep_time())

    def stop(self) -> None:
        """Let go of every stream; twice is no harm."""
        if self._loop is None:
            return
        matches.off_change(self.tell)
        access.off_rights_changed(self.check_rights)
        bus.off("match", self._heard)
        bus.off("rights", self._check_rights)
        bus.off_gap(self._look)
        bus.off_gap(self._check_rights)
        self._leaving.stop()
        self._let_go()
        self._loop = None

    def tell(self, written: matches.Written) -> None:
        """A match has changed; from any thread."""
        code = written.match.code
        loop, topic = self._loop, self._topics.get(code)
        if loop is None or topic is None:
            return
        try:
            drawn = {language: render(written.match, language) for language in list(topic.languages)}
        except Exception:
            # The change is made, whatever becomes of its picture: our own thread draws it, and tries until it can.
            loop.call_soon_threadsafe(self._refresh, code)
        else:
            loop.call_soon_threadsafe(self._show, code, drawn)

    def check_rights(self, *users: int) -> None:
        """These users, or anybody, may have lost the right to watch; from any thread."""
        if self._loop:
            self._loop.call_soon_threadsafe(self._check_rights, *users)

    def join(self, watcher: Watcher[TableWatch]) -> None:
        topic = self._topics.setdefault(watcher.watch.code, _TableTopic())
        topic.watchers.add(watcher)
        topic.languages[watcher.watch.language] += 1
        if watcher.watch.seat is not None:
            topic.seats[watcher.watch.seat] += 1
            self._leaving.is_back(watcher.watch.code, watcher.watch.seat)
        self._start(self._first(watcher, topic))

    def leave(self, watcher: Watcher[TableWatch]) -> None:
        code, seat = watcher.watch.code, watcher.watch.seat
        topic = self._topics[code]
        topic.watchers.discard(watcher)
        topic.languages -= Counter([watcher.watch.language])
        if seat is not None:
            topic.seats[seat] -= 1
            if not topic.seats[seat] and self._loop:
                self._leaving.begin(code, seat, grace=GRACE_SECONDS)
        if not topic.watchers:
            if topic.timer:
                topic.timer.cancel()
            del self._topics[code]

    @property
    def watching(self) -> int:
        return sum(len(topic.watchers) for topic in self._topics.values())

    # On the loop.

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _let_go(self) -> None:
        for topic in self._topics.values():
            for watcher in topic.watchers:
                watcher.close()

    async def _keep_time(self) -> None:
        """See to the matches that nobody watches here: a page without scripts has no stream."""
        clock = asyncio.get_running_loop().time
        beat_at = look_at = clock()
        ahead = time.time() - clock()
        while self._loop:
            await self._quietly(lambda: matches.catch_up_all(now=time.time()))
            await asyncio.sleep(KEEP_TIME_SECONDS)
            if abs(time.time() - clock() - ahead) > JUMP_SECONDS:
                # The clock was set, or the machine slept: screens that come back are told the time anew.
                ahead = time.time() - clock()
                self._let_go()
            if clock() - beat_at >= HEARTBEAT_SECONDS:
                beat_at = clock()
                for topic in self._topics.values():
                    for watcher in topic.watchers:
                        watcher.beat()
                # A right may be lost without a word, too.
                self._check_rights()
            if bus.is_shared and clock() - look_at >= LOOK_SECONDS:
                look_at = clock()
                self._look()

    def _heard(self, code: str, version: int) -> None:
        """Another process has changed a match."""
        topic = self._topics.get(code)
        if topic and (topic.shown is None or topic.shown < version):
            self._refresh(code)

    def _look(self) -> None:
        if self._topics:
            self._start(self._quietly(partial(self._compare, list(self._topics))))
            self._check(watch for watch in self._watches() if watch.seat is None)

    def _compare(self, codes: list[str]) -> None:
        """In the thread: what has changed without a word to us."""
        versions = dict(Match.objects.filter(code__in=codes).values_list("code", "version"))
        if self._loop:
            self._loop.call_soon_threadsafe(self._compared, codes, versions)

    def _compared(self, codes: list[str], versions: dict[str, int]) -> None:
        for code in codes:
            topic = self._topics.get(code)
            if topic and topic.shown is not None and (code not in versions or topic.shown < versions[code]):
                self._refresh(code)

    def _watches(self) -> Iterator[TableWatch]:
        return (watcher.watch for topic in self._topics.values() for watcher in topic.watchers)

    def _check_rights(self, *users: int) -> None:
        self._check(watch for watch in self._watches() if not users or watch.user in users)

    def _check(self, watches: Iterable[TableWatch]) -> None:
        """A guest's seat is theirs as long as they have it; everybody else is looked up."""
        checked = {watch for watch in watches if watch.seat is None or watch.user is not None}
        if checked:
            self._start(self._quietly(partial(self._find_shut_out, checked)))

    def _find_shut_out(self, watches: set[TableWatch]) -> None:
        """In the thread: who is signed out, and who watches without a seat and may no more."""
        alone = {watch for watch in watches if watch.seat is None}
        codes = {watch.code for watch in alone}
        found = Match.objects.filter(code__in=codes).exclude(way=Way.TOGETHER).only("code", "way", "place")
        private = {match.code: match for match in found}
        closed = {
            each for each in alone if each.code in private and not access.may_watch(private[each.code], each.user)
        }
        closed |= signed_out(watches)
        if closed and self._loop:
            self._loop.call_soon_threadsafe(self._close, closed)

    def _close(self, watches: set[TableWatch]) -> None:
        for code in {watch.code for watch in watches} & self._topics.keys():
            for watcher in self._topics[code].watchers:
                if watcher.watch in watches:
                    watcher.close()

    async def _first(self, watcher: Watcher[TableWatch], topic: _TableTopic) -> None:
        """Give a new screen the present table, whatever it has seen before."""
        try:
            rendered = await self._in_thread(partial(_first_table, watcher.watch))
        except Match.DoesNotExist:
            watcher.close()
            return
        except Exception:
            # Its browser opens another stream in a second.
            log.exception("a screen could not be given its first table")
            watcher.close()
            return
        if watcher.watch.seat in rendered.shut_out:
            # A token outlives its owner's seat; the seat is what counts.
            watcher.close()
            return
        if not watcher.has_waiting and rendered.version >= topic.newest.get(watcher.watch.language, 0):
            # Nothing newer came while we were at it.
            watcher.give(rendered.message)
            self.pushes += 1
        topic.shown = rendered.version if topic.shown is None else min(topic.shown, rendered.version)
        self._look_after(watcher.watch.code, topic, rendered)

    def _refresh(self, code: str) -> None:
        topic = self._topics.get(code)
        if topic is None:
            return
        topic.is_stale = True
        if topic.task is None or topic.task.done():
            topic.task = asyncio.ensure_future(self._push(code, topic))

    async def _push(self, code: str, topic: _TableTopic) -> None:
        while topic.is_stale:
            topic.is_stale = False
            drawn = {}
            for language in list(topic.languages):
                try:
                    drawn[language] = await self._in_thread(partial(render_code, code, language))
                except Match.DoesNotExist:
                    for watcher in topic.watchers:
                        watcher.close()
                    return
                except Exception:
                    log.exception("a change could not be shown")
                    asyncio.get_running_loop().call_later(TRY_AGAIN_SECONDS, self._refresh, code)
                    return
            self._show(code, drawn)

    def _show(self, code: str, drawn: dict[str, Rendered]) -> None:
        """Give out tables, of which another thread may have drawn newer ones meanwhile."""
        topic = self._topics.get(code)
        if topic is None:
            return
        fresh = {lang: each for lang, each in drawn.items() if each.version > topic.newest.get(lang, 0)}
        for watcher in topic.watchers:
            newest = fresh.get(watcher.watch.language)
            if newest and watcher.watch.seat in newest.shut_out:
                watcher.close()
            elif newest:
                watcher.give(newest.message)
                self.pushes += 1
        for language, rendered in fresh.items():
            topic.newest[language] = rendered.version
            self._look_after(code, topic, rendered)
        topic.shown = min((topic.newest.get(language, 0) for language in topic.languages), default=None)

    def _look_after(self, code: str, topic: _TableTopic, rendered: Rendered) -> None:
        """See to it that what is due happens in time, and that whoever has a stream counts as connected."""
        if rendered.version < topic.looked_after:
            # A first table that was drawn before the last change: what was due then is not what is due now.
            return
        topic.looked_after = rendered.version
        self._wait_for(code, topic, rendered.due)
        for seat, streams in topic.seats.items():
            if streams and seat not in rendered.connected:
                self._start(self._quietly(partial(matches.command, code, ask.Connect(seat), now=time.time())))

    def _wait_for(self, code: str, topic: _TableTopic, due: float | None) -> None:
        if topic.timer:
            topic.timer.cancel()
            topic.timer = None
        if self._loop and due is not None and topic.watchers:
            topic.timer = self._loop.call_later(max(0.0, due - time.time()), self._due, code, due)

    def _due(self, code: str, due: float) -> None:
        topic = self._topics.get(code)
        if topic and time.time() < due:
            # Timers count in whole milliseconds and may be a little early: nothing would have happened yet.
            self._wait_for(code, topic, due)
            return
        self._start(self._quietly(partial(matches.catch_up, code, now=time.time())))

    def _disconnect(self, seat: Seat) -> None:
        code, number = seat
        self._start(self._quietly(partial(matches.command, code, ask.Disconnect(number), now=time.time())))

    def _is_here(self, seat: Seat) -> bool:
        code, number = seat
        return code in self._topics and self._topics[code].seats[number] > 0

    async def _quietly(self, work: Callable[[], object]) -> None:
        try:
            await self._in_thread(work)
        except (Refused, Match.DoesNotExist):
            # The match is over or gone: nothing is left to look after.
            return
        except Exception:
            log.exception("the match could not be looked after")

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, partial(_with_connection, work))


def _with_connection(work: Callable[[], T]) -> T:
    close_old_connections()
    return work()


def _first_table(watch: TableWatch) -> Rendered:
    """The present table; a token outlives the right to watch, and what isn't yours isn't there."""
    match = match_store.match_of(watch.code)
    if signed_out([watch]):
        raise Match.DoesNotExist(watch.code)
    if watch.seat is None and not access.may_watch(match, watch.user):
        raise Match.DoesNotExist(watch.code)
    return render(match, watch.language)


hub = Hub()
