"""The bus alone: processes receive each other's messages once, and notice a gap after an interruption."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from core.live.bus import Bus
from tests.coroutines import run
from tests.games.live import PATIENCE


class Ear:
    """A listening process: the messages received, and how often the connection was restored."""

    def __init__(self, address: str) -> None:
        self.bus = Bus(address)
        self.heard: list[tuple[object, ...]] = []
        self.gaps = 0
        self.bus.on("match", lambda *values: self.heard.append(values))
        self.bus.on_gap(self._after_gap)

    def _after_gap(self) -> None:
        self.gaps += 1


@asynccontextmanager
async def listening(*addresses: str) -> AsyncIterator[list[Ear]]:
    ears = [Ear(address) for address in addresses]
    for ear in ears:
        ear.bus.start()
    for ear in ears:
        await until(lambda ear=ear: ear.bus.is_up)
    try:
        yield ears
    finally:
        for ear in ears:
            await ear.bus.stop()


async def until(is_so) -> None:
    async with asyncio.timeout(PATIENCE):
        while not is_so():
            await asyncio.sleep(0.01)


def test_others_hear_it_in_order_and_who_told_it_does_not(redis):
    async def tell() -> None:
        async with listening(redis.address, redis.address) as (here, there):
            for number in range(1000):
                here.bus.tell("match", "ABCDE", number)
            here.bus.tell("other", "nobody listens to this")
            there.bus.tell("match", "BACK", 1)
            await until(lambda: len(there.heard) == 1000 and here.heard)
            assert there.heard == [("ABCDE", number) for number in range(1000)]
            assert here.heard == [("BACK", 1)]

    run(tell())


def test_sites_in_two_databases_of_one_redis_do_not_hear_each_other(redis):
    other = redis.address.removesuffix("/0") + "/7"

    async def tell() -> None:
        async with listening(redis.address, other, other) as (here, there, beside):
            here.bus.tell("match", "HERE", 1)
            there.bus.tell("match", "THERE", 1)
            await until(lambda: beside.heard)
            assert (here.heard, there.heard, beside.heard) == ([], [], [("THERE", 1)])

    run(tell())


def test_when_redis_is_away_telling_goes_on_and_afterwards_all_hear_each_other_again(redis):
    async def tell() -> None:
        async with listening(redis.address, redis.address) as (here, there):
            assert (here.gaps, there.gaps) == (1, 1)
            redis.halt()
            await until(lambda: not here.bus.is_up and not there.bus.is_up)
            here.bus.tell("match", "LOST", 1)
            redis.start()
            await until(lambda: here.gaps == there.gaps == 2)
            await until(lambda: here.bus.tell("match", "AGAIN", 2) or ("AGAIN", 2) in there.heard)

    run(tell())


def test_a_word_that_makes_no_sense_stops_nobody(redis, caplog):
    from redis import Redis  # noqa: PLC0415

    async def tell() -> None:
        async with listening(redis.address, redis.address) as (here, there):
            with Redis.from_url(redis.address) as client:
                for nonsense in (b"\xff", b"{}", b"[1]", b'[["x"]]', b'[["x", "match"]]'):
                    client.publish("setsite/0", nonsense)
            here.bus.tell("match", "ABCDE", 1)
            await until(lambda: ("ABCDE", 1) in there.heard)

    run(tell())


def test_a_copy_of_a_process_that_has_spoken_can_speak_too(redis):
    async def tell() -> None:
        async with listening(redis.address, redis.address, redis.address) as (here, there, beside):
            here.bus.tell("match", "PARENT", 1)
            await until(lambda: there.heard and beside.heard)
            is_heard, say_so = os.pipe()
            child = os.fork()
            if child == 0:
                here.bus.tell("match", "CHILD", 2)
                os.read(is_heard, 1)
                os._exit(0)
            try:
                await until(lambda: ("CHILD", 2) in there.heard and ("CHILD", 2) in beside.heard)
            finally:
                os.write(say_so, b".")
                os.waitpid(child, 0)
                os.close(is_heard)
                os.close(say_so)

    run(tell())


def test_alone_nobody_is_told_and_nothing_is_started():
    bus = Bus("")
    bus.tell("match", "ABCDE", 1)
    bus.start()
    assert bus.is_up
    assert bus._sender is None
