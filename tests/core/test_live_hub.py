"""A slow screen loses nothing, and messages that can wait are merged."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from core.live import hub as live
from core.live.hub import Hub, Watcher
from core.live.topics import Drawn, Group, Missed, Picture, Seat, TopicType, Version, Watched
from tests.coroutines import run


@dataclass(frozen=True)
class NumberWatch:
    code: str = "ABCDE"
    user: int | None = None
    session: str = ""


@dataclass(frozen=True)
class NumberPicture:
    number: int
    is_whole: bool = True
    due: float | None = None
    connected: frozenset[int] = frozenset()

    @property
    def version(self) -> Version:
        return (self.number,)

    def message(self, watch: NumberWatch) -> bytes:
        return f"{self.number}{'' if self.is_whole else '+'} ".encode()


class NumberTopic(TopicType[NumberWatch]):
    """Shows a number."""

    name = "number"
    path = re.compile("^/number/$")

    def __init__(self) -> None:
        self.number = 0
        self.draws = 0
        self.came_seats: list[set[int]] = []

    def start(self, hub: Hub[NumberWatch]) -> None: ...

    def stop(self, hub: Hub[NumberWatch]) -> None: ...

    def read(self, token: str) -> NumberWatch | None:
        return None

    def group_of(self, watch: NumberWatch) -> Group:
        return None

    def seat_of(self, watch: NumberWatch) -> int | None:
        return None

    def behind(self, shown: Mapping[Group, Version], number: int) -> Iterable[Group]:
        return [group for group, (each,) in shown.items() if each < number]

    def is_gathered(self, number: int) -> bool:
        return True

    def draw(
        self,
        code: str,
        watches: Collection[NumberWatch],
        newcomers: Collection[NumberWatch],
        shown: Mapping[Group, Picture],
    ) -> Drawn[NumberWatch]:
        self.draws += 1
        return Drawn([(None, NumberPicture(self.number))])

    def without_right(self, watches: Collection[NumberWatch]) -> Collection[NumberWatch]:
        return ()

    def find_missed(self, watched: Watched[NumberWatch]) -> Missed[NumberWatch]:
        return Missed()

    def came(self, code: str, seats: Collection[int]) -> None:
        self.came_seats.append(set(seats))

    def left(self, seat: Seat) -> None: ...


class NumberHub(Hub[NumberWatch]):
    """Renders on the event loop without a thread; as with a thread, earlier notifications come before the result."""

    async def _in_thread(self, work):
        done = work()
        await asyncio.sleep(0)
        return done


def test_what_brings_a_picture_up_to_date_comes_after_the_picture_and_never_in_its_place():
    async def watch() -> list[bytes | None]:
        watcher = Watcher(NumberWatch())
        watcher.give(b"whole 1, ")
        watcher.give(b"news 1, ", is_whole=False)
        watcher.give(b"news 2, ", is_whole=False)
        heard = [await watcher.next()]
        watcher.give(b"news 3, ", is_whole=False)
        watcher.give(b"whole 2, ")
        heard.append(await watcher.next())
        watcher.give(b"whole 3, ")
        watcher.close(b"farewell")
        return [*heard, await watcher.next(), await watcher.next()]

    assert run(watch()) == [b"whole 1, news 2, ", b"whole 2, ", b"farewell", None]


def test_news_that_may_wait_are_shown_at_once_and_then_gathered(monkeypatch):
    monkeypatch.setattr(live, "GATHER_SECONDS", 0.2)

    async def watch() -> tuple[int, list[bytes | None]]:
        hub = NumberHub(NumberTopic())
        hub._loop = asyncio.get_running_loop()
        watcher = Watcher(NumberWatch())
        hub.join(watcher)
        heard = [await watcher.next()]
        before = hub.type.draws
        for number in range(1, 51):
            hub.type.number = number
            hub._heard("ABCDE", number)
            await asyncio.sleep(0)
        heard += [await watcher.next()]
        while heard[-1] != b"50 ":
            heard.append(await watcher.next())
        hub.leave(watcher)
        return hub.type.draws - before, heard

    draws, heard = run(watch())
    assert heard[0] == b"0 "
    assert draws == len(heard) - 1 == 2


def test_whoever_is_new_gets_the_whole_picture_and_others_what_brings_theirs_up_to_date():
    class PieceTopic(NumberTopic):
        def draw(self, code, watches, newcomers, shown):
            return Drawn([(None, NumberPicture(self.number, is_whole=not shown))])

    async def watch() -> list[bytes | None]:
        hub = NumberHub(PieceTopic())
        hub._loop = asyncio.get_running_loop()
        first, second = Watcher(NumberWatch()), Watcher(NumberWatch())
        hub.join(first)
        heard = [await first.next()]
        hub.type.number = 1
        hub._heard("ABCDE", 1)
        heard.append(await first.next())
        hub.join(second)
        return [*heard, await second.next()]

    assert run(watch()) == [b"0 ", b"1+ ", b"1 "]


def test_a_newcomer_for_whom_nothing_was_drawn_yet_is_not_taken_for_somebody_without_a_place():
    class SeatTopic(NumberTopic):
        def draw(self, code, watches, newcomers, shown):
            return Drawn([(None, PlacePicture(self.number, places=frozenset(watch.user for watch in watches)))])

    @dataclass(frozen=True)
    class PlacePicture(NumberPicture):
        places: frozenset[int] = frozenset()

        def message(self, watch: NumberWatch) -> bytes | None:
            return b"%d " % self.number if watch.user in self.places else None

    async def watch() -> list[bytes | None]:
        hub = NumberHub(SeatTopic())
        hub._loop = asyncio.get_running_loop()
        first, second = Watcher(NumberWatch(user=1)), Watcher(NumberWatch(user=2))
        hub.join(first)
        heard = [await first.next()]
        free = hub._loop.create_future()

        async def slowly(work):
            await free
            return await NumberHub._in_thread(hub, work)

        hub._in_thread = slowly
        hub.type.number = 1
        hub._refresh("ABCDE")
        await asyncio.sleep(0)
        hub.join(second)
        free.set_result(None)
        return [*heard, await second.next()]

    assert run(watch()) == [b"0 ", b"1 "]


def test_a_change_while_a_newcomer_is_being_drawn_reaches_them_too():
    async def watch() -> list[bytes | None]:
        hub = NumberHub(NumberTopic())
        hub._loop = asyncio.get_running_loop()
        watcher = Watcher(NumberWatch())
        hub.join(watcher)
        reading: asyncio.Future[None] = hub._loop.create_future()

        async def slowly(work):
            drawn = work()
            await reading
            return drawn

        hub._in_thread = slowly
        await asyncio.sleep(0)
        hub.type.number = 7
        hub._refresh("ABCDE")
        reading.set_result(None)
        heard = [await watcher.next()]
        while heard[-1] != b"7 ":
            heard.append(await watcher.next())
        hub.leave(watcher)
        return heard

    assert run(watch())[-1] == b"7 "


def test_that_a_class_has_come_is_written_once_however_many_pictures_are_drawn_meanwhile():
    class ClassTopic(NumberTopic):
        def seat_of(self, watch: NumberWatch) -> int | None:
            return watch.user

    async def come() -> list[set[int]]:
        hub = NumberHub(ClassTopic())
        hub._loop = asyncio.get_running_loop()
        waiting = []
        hub.do = waiting.append
        for seat in range(1, 4):
            hub.join(Watcher(NumberWatch(user=seat)))
        await hub._topics["ABCDE"].task
        for number in range(1, 6):
            hub.type.number = number
            hub._refresh("ABCDE")
            await hub._topics["ABCDE"].task
        for work in waiting:
            work()
        return hub.type.came_seats

    assert run(come()) == [{1, 2, 3}]


@dataclass(frozen=True)
class SeatWatch(NumberWatch):
    user: int | None = 1


class RightTopic(NumberTopic):
    """Everybody has seat 1, except user 2, who isn't allowed in."""

    def seat_of(self, watch: NumberWatch) -> int | None:
        return 1

    def draw(
        self,
        code: str,
        watches: Collection[NumberWatch],
        newcomers: Collection[NumberWatch],
        shown: Mapping[Group, Picture],
    ) -> Drawn[NumberWatch]:
        return Drawn([(None, NumberPicture(self.number))], self.without_right(newcomers))

    def without_right(self, watches: Collection[NumberWatch]) -> Collection[NumberWatch]:
        return {watch for watch in watches if watch.user == 2}

    def find_missed(self, watched: Watched[NumberWatch]) -> Missed[NumberWatch]:
        if watched.seats:
            self.came_seats.append({number for _code, number in watched.seats})
        return Missed()


def test_a_seat_counts_as_there_only_once_its_screen_was_found_to_have_a_right():
    topic = RightTopic()

    class SlowHub(NumberHub):
        """Receives a newer number while a newcomer's permission is being checked."""

        async def _in_thread(self, work):
            done = work()
            self._look()
            topic.number += 1
            self.show("ABCDE", {None: NumberPicture(topic.number)})
            await asyncio.sleep(0)
            return done

        def do(self, work):
            work()

    async def watch(user: int) -> tuple[list[bytes | None], list[set[int]]]:
        hub = SlowHub(topic)
        hub._loop = asyncio.get_running_loop()
        watcher = Watcher(SeatWatch(user=user))
        hub.join(watcher)
        heard = []
        while not watcher.is_closed and not heard:
            heard.append(await watcher.next())
        hub.leave(watcher)
        return [each for each in heard if each], [seats for seats in topic.came_seats if seats]

    heard, came = run(watch(2))
    assert not heard
    assert not came, "nobody is there who had no right to be"
    heard, came = run(watch(1))
    assert heard == [f"{topic.number} ".encode()]
    assert {1} in came
