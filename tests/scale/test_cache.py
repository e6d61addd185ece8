"""Limits across processes: counted together, and not forgotten while Redis is away."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.core.cache.backends.locmem import LocMemCache

from games.limits import Limit, TooMany
from setsite.cache import SharedCache
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
        cache._own = LocMemCache(f"process {number}", {})
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


def test_what_is_not_there_is_not_counted_on_from_and_what_is_keeps_its_time(processes):
    cache = processes[0]
    with pytest.raises(ValueError, match="there is no 'moves'"):
        cache.incr("moves")
    assert cache.get("moves") is None
    cache.set("moves", 1, timeout=1000)
    assert [cache.incr("moves"), cache.incr("moves", 5)] == [2, 7]
    assert cache.get("moves") == 7
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
