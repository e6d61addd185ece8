"""Limits across processes: counted together, and not forgotten while Redis is away."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from games.limits import MOVES, Limit, TooMany
from setsite.cache import SharedCache
from setsite.own_cache import OwnCache
from tests.games.live import PATIENCE

FEW = Limit("few", most=3, seconds=3600)


@pytest.fixture
def processes(redis, clock_of_limits, monkeypatch) -> Iterator[list[SharedCache]]:
    """The caches of two processes: the same Redis, and memories of their own."""
    monkeypatch.setattr(SharedCache, "_away_until", 0.0)
    # It is away only when it is stopped, however long it may take to answer.
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
    monkeypatch.setattr(SharedCache, "_away_until", 0.0)
    count(here, monkeypatch, 3)


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
