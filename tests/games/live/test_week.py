"""A simulated week of streams: open ones stay in memory, closed ones are freed."""

from __future__ import annotations

import asyncio
import gc
import time
import tracemalloc
from collections import Counter
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor

import pytest

from classrooms.live import leading
from classrooms.live.topic import LessonTopic, LessonWatch
from classrooms.models import Session
from core.live.hub import Hub, LiveTopic, Watcher
from core.live.stream import Client, follow
from games.live.tokens import TableWatch
from games.live.topic import TableTopic
from games.matches import service as matches
from games.models import Way
from games.players import Player
from games.rules import Options
from games.rules import commands as ask
from tests.browser.players import session_key_of
from tests.classrooms.people import make_adult, make_classroom

DAYS, LESSONS, TABLES, SCREENS = 7, 6, 3, 6
HOUR = 3600.0
MOST_GROWTH = 150_000
"""Allowed growth in bytes over the last days; one leaked stream takes over two thousand."""
FULL_AFTER = 4
"""The day from which all fixed-size caches are full."""
KEPT = (Watcher, LiveTopic, asyncio.Task, asyncio.TimerHandle)


class MovedLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock can be moved forward, running everything that's due in order."""

    ahead = 0.0

    def time(self) -> float:
        return super().time() + self.ahead

    async def pass_time(self, seconds: float) -> None:
        until = self.time() + seconds
        while self.time() < until:
            waiting = [timer.when() for timer in self._scheduled if not timer.cancelled()]
            self.ahead += max(0.0, min([*waiting, until]) - self.time())
            for _turn in range(3):
                await asyncio.sleep(0)


class Screen:
    """A stream, opened with the site's own coroutine, that reads until it's closed."""

    def __init__(self, watcher: Watcher, hub: Hub) -> None:
        self.messages = 0
        self._gone = asyncio.Event()
        client = Client(("screen", watcher.watch.code), None, "192.0.2.1")
        self._task = asyncio.ensure_future(follow(watcher, hub, self._receive, self._send, client=client))

    async def _send(self, message: dict[str, object]) -> None:
        self.messages += 1

    async def _receive(self) -> dict[str, str]:
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def close(self) -> None:
        self._gone.set()
        await self._task


class Week:
    def __init__(self, codes: list[str], lesson: Session) -> None:
        self.codes, self.lesson = codes, lesson
        self.teacher = session_key_of(lesson.made_by)
        self.hub, self.lessons = Hub(TableTopic()), Hub(LessonTopic())
        self.streams = 0

    async def live(self, loop: MovedLoop) -> list[tuple[Counter[str], int]]:
        """Simulate the week; return what's in memory at the end of each day."""
        self.hub.start()
        self.lessons.start()
        kept = []
        for _day in range(DAYS):
            for _lesson in range(LESSONS):
                await self._lesson(loop)
            # Longer than any grace period, so that people who left are gone.
            await loop.pass_time(HOUR / 4)
            await self._settle()
            kept.append(in_memory())
        self.hub.stop()
        self.lessons.stop()
        return kept

    async def _lesson(self, loop: MovedLoop) -> None:
        screens = []
        for code in self.codes:
            screens += [Screen(Watcher(TableWatch(code, n % 2 or None, "en-us")), self.hub) for n in range(SCREENS)]
        remote = LessonWatch(self.lesson.code, None, user=self.lesson.made_by_id, session=self.teacher)
        screens += [Screen(Watcher(remote), self.lessons) for _n in range(SCREENS)]
        self.streams += len(screens)
        await self._settle()
        for code in self.codes:
            for order in (ask.Call(0), ask.Withdraw(0)):
                await asyncio.to_thread(matches.command, code, order, now=time.time())
        await asyncio.to_thread(self._change_lesson)
        await loop.pass_time(60)
        await self._settle()
        assert all(screen.messages > 2 for screen in screens), "every screen was told of the change"
        await asyncio.gather(*(screen.close() for screen in screens))

    def _change_lesson(self) -> None:
        leading.pause(self.lesson)
        leading.resume(self.lesson)

    async def _settle(self) -> None:
        """Wait until the threads have finished their work."""
        for _turn in range(3):
            for pool in (self.hub._pool, self.lessons._pool):
                await asyncio.wrap_future(pool.submit(lambda: None))
            await asyncio.sleep(0.01)


def in_memory() -> tuple[Counter[str], int]:
    gc.collect()
    # Check the type, because asking a lazy object would create it.
    counted = Counter(type(each).__name__ for each in gc.get_objects() if issubclass(type(each), KEPT))
    return counted, tracemalloc.get_traced_memory()[0]


def run_in(loop: MovedLoop, work: Coroutine[None, None, list[tuple[Counter[str], int]]]) -> list:
    tracemalloc.start()
    try:
        return loop.run_until_complete(work)
    finally:
        tracemalloc.stop()
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


@pytest.fixture
def week(transactional_db) -> Week:
    ann, ben = (Player(name=name, guest=f"{number:032}") for number, name in enumerate(("Ann", "Ben")))
    codes = []
    for _table in range(TABLES):
        options = Options(window=None)
        match = matches.open_match(way=Way.TOGETHER, options=options, player=ann, others=[ben], now=time.time())
        matches.command(match.code, ask.Deal(0), now=time.time())
        codes.append(match.code)
    teacher = make_adult("Rivera")
    return Week(codes, leading.open_session(make_classroom(teacher), by=teacher))


def test_after_a_week_of_streams_nothing_is_kept_of_those_that_are_closed(week):
    loop = MovedLoop()
    # Use a thread without an event loop: Playwright runs one in the main thread.
    with ThreadPoolExecutor(1) as pool:
        days = pool.submit(run_in, loop, week.live(loop)).result()
    assert week.streams == DAYS * LESSONS * SCREENS * (TABLES + 1)
    assert loop.ahead > DAYS * LESSONS * 60
    first, last = days[0][0], days[-1][0]
    # Threads and local variables may still refer to the latest ones.
    assert last["Watcher"] + last["LiveTopic"] < 2 * SCREENS, last
    assert all(last[name] <= first[name] + SCREENS for name in last), (first, last)
    # Fixed-size caches fill up in the first days; after that nothing may grow.
    memory = [size for _counted, size in days]
    assert memory[-1] - memory[FULL_AFTER] < MOST_GROWTH, memory
