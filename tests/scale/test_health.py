"""Health checks: liveness, readiness, and what they report when something is down."""

from __future__ import annotations

import json

from core.lanes import pools as lanes
from tests.scale.people import fetch
from tools.scale.engines import wait_until


def ask(address: str) -> tuple[int, dict[str, bool]]:
    answer = fetch(address)
    return answer.status, json.loads(answer.text)


def test_the_embedded_site_is_ready_by_itself(site):
    assert ask(f"{site}/healthz/") == (200, {"alive": True})
    lanes = {"fast_lane": True, "heavy_lane": True, "sign_in_lane": True, "reports_lane": True}
    everything = {"ready": True, "database": True, "bus": True, "worker": True, **lanes}
    wait_until(lambda: ask(f"{site}/readyz/") == (200, everything), "the worker in the site has worked")


def test_one_thing_can_be_asked_for(site):
    assert ask(f"{site}/readyz/database/") == (200, {"ready": True, "database": True})
    assert ask(f"{site}/readyz/bus/") == (200, {"ready": True, "bus": True})
    assert ask(f"{site}/readyz/weather/") == (404, {"ready": False})


def test_a_lane_that_is_full_says_so_and_only_the_fast_one_makes_the_site_unready(site, monkeypatch):
    wait_until(lambda: ask(f"{site}/readyz/")[0] == 200, "everything is there")
    for name in ("heavy", "sign_in", "fast"):
        lane = next(each for each in lanes.in_use if each.name == name)
        with monkeypatch.context() as full:
            full.setattr(type(lane), "is_saturated", property(lambda self, name=name: self.name == name))
            assert ask(f"{site}/readyz/{name}_lane/") == (503, {"ready": False, f"{name}_lane": False})
            status, said = ask(f"{site}/readyz/")
            assert (status, said[f"{name}_lane"]) == (503 if name == "fast" else 200, False)


def test_a_host_that_is_not_ours_may_ask_for_health_and_nothing_else(site):
    def status(path: str) -> int:
        return fetch(f"{site}{path}", headers={"Host": "10.1.2.3"}).status

    assert (status("/healthz/"), status("/readyz/database/"), status("/")) == (200, 200, 400)


def test_a_process_says_what_is_away_and_that_it_is_back(scaled_site):
    web = scaled_site.web[0]
    wait_until(lambda: ask(f"{web.url}/readyz/")[0] == 200, "everything is there")
    scaled_site.redis.halt()
    wait_until(lambda: ask(f"{web.url}/readyz/bus/")[0] == 503, "the bus is away")
    status, said = ask(f"{web.url}/readyz/")
    assert (status, said["ready"], said["database"], said["bus"]) == (503, False, True, False)
    assert ask(f"{web.url}/healthz/")[0] == 200
    scaled_site.redis.start()
    scaled_site.postgresql.halt()
    wait_until(lambda: ask(f"{web.url}/readyz/database/")[0] == 503, "the database is away")
    assert ask(f"{web.url}/healthz/")[0] == 200
    scaled_site.postgresql.start()
    wait_until(lambda: ask(f"{web.url}/readyz/")[0] == 200, "everything is there again")


def test_a_worker_that_is_gone_is_missed(scaled_site):
    from redis import Redis  # noqa: PLC0415

    web = scaled_site.web[0]
    wait_until(lambda: ask(f"{web.url}/readyz/worker/")[0] == 200, "the worker works")
    scaled_site.worker.kill()
    # Simulate that its sign of life has expired.
    with Redis.from_url(scaled_site.redis.address) as client:
        keys = [key for key in client.keys("*") if b"worker-is-alive" in key]
        assert keys
        assert 0 < client.ttl(keys[0]) <= 30
        client.delete(*keys)
    wait_until(lambda: ask(f"{web.url}/readyz/worker/")[0] == 503, "the worker is missed")
    scaled_site.worker.start()
    wait_until(lambda: ask(f"{web.url}/readyz/worker/")[0] == 200, "the worker works again")
