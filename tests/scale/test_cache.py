"""Limits across processes: counted together, and not forgotten while Redis is down."""

from __future__ import annotations

import pickle
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
from redis.exceptions import OutOfMemoryError

from core.cache.process import OwnCache
from core.cache.shared import SharedCache
from core.limits import RateLimit, Window
from games.limits import MOVES, Limit, TooMany
from tests.games.live import PATIENCE
from tools.scale.engines import wait_until

FEW = Limit("few", most=3, seconds=3600)


@pytest.fixture
def processes(redis, clock_of_limits, monkeypatch) -> Iterator[list[SharedCache]]:
    """The caches of two processes: the same Redis, with separate local memory."""
    monkeypatch.setattr(SharedCache, "_is_away", False)
    # It counts as down only when stopped, however slow it is.
    options = {"socket_timeout": PATIENCE, "socket_connect_timeout": PATIENCE}
    made = [SharedCache(redis.address, {"KEY_PREFIX": "setsite", "OPTIONS": options}) for _process in range(2)]
    for number, cache in enumerate(made):
        cache._own = OwnCache(f"process {number}", {})
        cache._own.clear()
    made[0].clear()
    yield made
    for cache in made:
        for pool in cache._cache._pools.values():
            pool.disconnect()


def count(cache: SharedCache, monkeypatch, times: int) -> None:
    monkeypatch.setattr("games.limits.cache", cache)
    for _time in range(times):
        FEW.count("somebody")


def test_what_is_done_in_two_processes_is_counted_together(processes, monkeypatch):
    here, there = processes
    count(here, monkeypatch, 2)
    count(there, monkeypatch, 1)
    for cache in processes:
        with pytest.raises(TooMany):
            count(cache, monkeypatch, 1)


def test_a_count_is_forgotten_some_time_after_its_first_and_not_kept_by_those_that_follow(processes):
    cache = processes[0]
    assert [cache.count("moves", 1000), cache.count("moves", 5000)] == [1, 2]
    assert cache.get("moves") == 2
    assert 0 < cache._cache.get_client().ttl(cache.make_key("moves")) <= 1000


class Planted:
    """What an attacker with access to Redis would store: code that runs when unpickled."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self):
        return Path.touch, (self.place,)


@pytest.mark.parametrize("protocol", [0, pickle.HIGHEST_PROTOCOL])
def test_code_that_somebody_has_planted_in_redis_does_not_run(processes, tmp_path, protocol):
    cache, place = processes[0], tmp_path / "has run"
    cache._cache.get_client(write=True).set(cache.make_key("planted"), pickle.dumps(Planted(place), protocol))
    assert cache.get("planted", "a miss") == "a miss"
    assert cache.get_many(["planted"]) == {}
    assert not place.exists()


@pytest.mark.parametrize(
    "value",
    [0, -7, 10**30, 1.5, 1_800_000_000.25, True, False, None, "", "words", "12", [1_800_000_000.5, 2.0], {"a": [1]}],
)
def test_what_limits_and_sign_ins_keep_comes_back_as_it_was(processes, value):
    here, there = processes
    here.set("kept", value)
    assert there.get("kept", "a miss") == value
    assert type(there.get("kept")) is type(value)


def test_while_redis_is_away_each_process_counts_by_itself(processes, monkeypatch, redis):
    here, there = processes
    count(here, monkeypatch, 2)
    redis.halt()
    try:
        for cache in (here, there):
            count(cache, monkeypatch, 3)
            with pytest.raises(TooMany):
                count(cache, monkeypatch, 1)
    finally:
        redis.start()
    wait_until(lambda: not SharedCache._is_away, "somebody has found out that it is back")
    count(here, monkeypatch, 3)


class Full:
    """A full Redis that refuses to evict keys, configured as in compose.yaml."""

    def __init__(self, cache: SharedCache) -> None:
        self._client = cache._cache.get_client(write=True)
        self._client.config_set("maxmemory-policy", "noeviction")
        used = self._client.info("memory")["used_memory"]
        self._client.config_set("maxmemory", max(used + 200_000, 1_000_000))
        self.fill()

    def fill(self) -> None:
        for size in (10_000, 100, 1):
            with suppress(OutOfMemoryError):
                while True:
                    self._client.rpush(f"filling {size}", b"x" * size)

    def make_room(self) -> None:
        self._client.config_set("maxmemory", 0)


@pytest.fixture
def questions(monkeypatch) -> list[float]:
    """Records each check whether Redis is back, without the one-second wait."""
    asked: list[float] = []
    clock = SimpleNamespace(sleep=lambda seconds: asked.append(seconds) or time.sleep(0.01))
    monkeypatch.setattr("core.cache.shared.time", clock)
    return asked


@pytest.fixture
def full(processes, questions) -> Iterator[Full]:
    filled = Full(processes[0])
    yield filled
    filled.make_room()
    wait_until(lambda: not SharedCache._is_away, "it takes what is written again")
    processes[0]._cache.get_client(write=True).delete("filling 10000", "filling 100", "filling 1")


def is_refused(limit: Limit | RateLimit, who: str = "somebody") -> bool:
    try:
        limit.check(who)
    except TooMany:
        return True
    return False


def wait_for_questions(questions: list[float]) -> None:
    """Wait until pending checks are answered."""
    before = len(questions)
    wait_until(lambda: not SharedCache._is_away or len(questions) > before + 1, "somebody asks")


def test_while_redis_is_full_what_is_past_a_limit_is_refused_again_and_again(processes, full, questions, monkeypatch):
    monkeypatch.setattr("games.limits.cache", processes[0])
    for _try in range(FEW.most):
        assert not is_refused(FEW)
        FEW.count("somebody")
        wait_for_questions(questions)
    for _try in range(5):
        assert is_refused(FEW)
        assert SharedCache._is_away, "that it answers doesn't help where it counts nothing"
        wait_for_questions(questions)


def test_what_a_process_has_counted_by_itself_still_counts_when_redis_is_back(processes, full, monkeypatch):
    windows = RateLimit("few", (Window(5, 3600),))
    monkeypatch.setattr("games.limits.cache", processes[0])
    monkeypatch.setattr("core.limits.cache", processes[0])
    for _try in range(FEW.most):
        FEW.count("somebody")
        windows.take("somebody")
    full.make_room()
    wait_until(lambda: not SharedCache._is_away, "it is back")
    assert is_refused(FEW)
    for _try in range(2):
        windows.take("somebody")
    assert is_refused(windows), "three of its own and two at Redis"
    windows.forget("somebody")
    for _try in range(5):
        windows.take("somebody")


def test_room_for_a_few_bytes_is_not_room(processes, full, questions):
    cache = processes[0]
    cache.count("moves", 1000)
    used = cache._cache.get_client().info("memory")["used_memory"]
    cache._cache.get_client(write=True).config_set("maxmemory", used + 20_000)
    wait_for_questions(questions)
    assert SharedCache._is_away


def test_a_page_is_answered_while_redis_is_away(scaled_site, people):
    ann = people[0]
    web = scaled_site.web[0]
    scaled_site.redis.halt()
    assert ann.get(web.url, "/").status == 200
    code = ann.open_table(web.url)
    assert ann.get(web.url, f"/play/{code}/").status == 200


def test_the_moves_of_a_hand_are_counted_by_each_process_without_a_trip(processes, monkeypatch):
    monkeypatch.setattr("games.limits.cache", processes[0])
    for _time in range(MOVES.most):
        MOVES.count("somebody")
    with pytest.raises(TooMany):
        MOVES.count("somebody")
    assert not processes[0]._cache.get_client().keys("*moves*")


def test_what_is_cleared_is_forgotten_by_the_process_too(processes):
    processes[0]._own.set("moves", 7)
    processes[0].clear()
    assert processes[0]._own.get("moves") is None
