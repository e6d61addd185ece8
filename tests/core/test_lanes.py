"""Slow work never holds up a page: lanes with bounded queues, fairness between clients, and a time limit."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

from core.http.busy import busy_page
from core.http.wsgi_adapter import WsgiAdapter
from core.lanes.marks import FAST, HEAVY
from core.lanes.pools import Busy, ClientGone, FastLane, SlowLane
from tests.coroutines import run
from tests.test_pages import Exchange, Listening

HERE, THERE, ELSEWHERE = "192.0.2.1", "192.0.2.2", "192.0.2.3"


class Blocked:
    """Work that runs until released, and signals when it has begun."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self.free = threading.Event()
        self.done: list[str] = []

    def named(self, name: str) -> Callable[[], str]:
        def work() -> str:
            self.begun.release()
            assert self.free.wait(60)
            self.done.append(name)
            return name

        return work


async def settle() -> None:
    """Let everything that's ready on the event loop run."""
    for _turn in range(5):
        await asyncio.sleep(0)


async def begin(lane: SlowLane, blocked: Blocked, names: list[tuple[str, str]]) -> list[asyncio.Task]:
    tasks = [asyncio.ensure_future(lane.run(client, blocked.named(name))) for client, name in names]
    await settle()
    return tasks


@pytest.fixture
def blocked():
    made = Blocked()
    yield made
    made.free.set()


def test_one_more_than_the_queue_holds_is_refused(blocked):
    async def fill() -> None:
        lane = SlowLane(HEAVY, threads=2, most_waiting=3)
        others = await begin(lane, blocked, [(f"192.0.2.{number}", str(number)) for number in range(5)])
        assert (lane.running, lane.waiting, lane.is_saturated) == (2, 3, True)
        with pytest.raises(Busy) as refusal:
            await lane.run(ELSEWHERE, blocked.named("one too many"))
        assert refusal.value.retry_after > 0
        assert lane.refused == 1
        blocked.free.set()
        assert await asyncio.gather(*others) == ["0", "1", "2", "3", "4"]
        assert (lane.running, lane.waiting) == (0, 0)

    run(fill())


def test_clients_take_turns_so_that_a_flood_delays_only_itself(blocked):
    async def flood() -> None:
        lane = SlowLane(HEAVY, threads=1, most_waiting=50)
        tasks = await begin(lane, blocked, [(HERE, f"flood {number}") for number in range(20)])
        tasks += await begin(lane, blocked, [(THERE, "a guest")])
        blocked.free.set()
        await asyncio.gather(*tasks)

    run(flood())
    assert blocked.done.index("a guest") <= 2


def test_a_client_who_fills_the_queue_makes_room_for_others_and_not_for_themselves(blocked):
    async def flood() -> None:
        lane = SlowLane(HEAVY, threads=1, most_waiting=4)
        flooding = await begin(lane, blocked, [(HERE, f"flood {number}") for number in range(5)])
        with pytest.raises(Busy):
            await lane.run(HERE, blocked.named("more of the same"))
        (guest,) = await begin(lane, blocked, [(THERE, "a guest")])
        assert lane.waiting == 4
        blocked.free.set()
        assert await guest == "a guest"
        outcomes = await asyncio.gather(*flooding, return_exceptions=True)
        assert [isinstance(each, Busy) for each in outcomes] == [False] * 4 + [True], "the last in line gave way"

    run(flood())


def test_a_school_behind_one_address_may_use_the_whole_queue_while_nobody_else_needs_it(blocked):
    async def school() -> None:
        lane = SlowLane(HEAVY, threads=3)
        tasks = await begin(lane, blocked, [(HERE, str(number)) for number in range(100)])
        blocked.free.set()
        assert len(await asyncio.gather(*tasks)) == 100

    run(school())


def test_one_client_never_occupies_every_thread(blocked):
    async def occupy() -> None:
        lane = SlowLane(HEAVY, threads=3)
        stuck = await begin(lane, blocked, [(HERE, str(number)) for number in range(6)])
        assert lane.running == 2
        assert await lane.run(THERE, lambda: "straight away") == "straight away"
        blocked.free.set()
        await asyncio.gather(*stuck)

    run(occupy())


def test_a_stuck_request_is_answered_and_keeps_its_place_so_that_the_lane_stays_bounded(blocked):
    async def stick() -> None:
        lane = SlowLane(HEAVY, threads=1, most_waiting=1, seconds=0.05)
        with pytest.raises(Busy):
            await lane.run(HERE, blocked.named("stuck"))
        assert lane.running == 1, "its thread still works, so nobody else gets it"
        with pytest.raises(Busy):
            await lane.run(THERE, blocked.named("never begins"))
        assert lane.waiting == 0, "what waited too long waits no more"
        blocked.free.set()
        while lane.running:
            await asyncio.sleep(0.01)
        assert await lane.run(THERE, lambda: "fine again") == "fine again"

    run(stick())
    assert blocked.done == ["stuck"]


def test_what_waits_for_a_client_who_has_gone_is_never_done(blocked):
    async def leave() -> None:
        lane = SlowLane(HEAVY, threads=1)
        (first,) = await begin(lane, blocked, [(HERE, "first")])
        gone = asyncio.get_running_loop().create_future()
        second = asyncio.ensure_future(lane.run(THERE, blocked.named("second"), gone))
        await settle()
        gone.set_result(None)
        with pytest.raises(ClientGone):
            await second
        blocked.free.set()
        await first
        assert (lane.running, lane.waiting, lane.refused) == (0, 0, 0)

    run(leave())
    assert blocked.done == ["first"]


def test_an_error_of_slow_work_is_its_askers_to_hear():
    def fail() -> None:
        raise ZeroDivisionError

    async def ask() -> None:
        lane = SlowLane(HEAVY, threads=1)
        with pytest.raises(ZeroDivisionError):
            await lane.run(HERE, fail)
        assert lane.running == 0

    run(ask())


def test_the_fast_lane_is_bounded_too_and_drops_what_has_waited_too_long(blocked):
    async def fill() -> None:
        lane = FastLane(threads=1, most=2, seconds=0.0)
        first = asyncio.ensure_future(lane.run(blocked.named("first")))
        await settle()
        assert blocked.begun.acquire(timeout=60) or first.done()
        second = asyncio.ensure_future(lane.run(lambda: "late"))
        await settle()
        with pytest.raises(Busy):
            await lane.run(lambda: "one too many")
        blocked.free.set()
        outcomes = await asyncio.gather(first, second, return_exceptions=True)
        assert isinstance(outcomes[1], Busy), "nobody waits for it any more"
        assert lane.refused >= 2
        assert lane.inside == 0

    run(fill())


# Through the server


def slow_when_told(method: str, path: str) -> str:
    return HEAVY if path == "/slow/" else FAST


def site_with(blocked: Blocked, *, seconds: float = 60.0, busy=None) -> WsgiAdapter:
    def app(environ, start_response):
        if environ["PATH_INFO"] == "/slow/":
            blocked.named("slow")()
        return Listening()(environ, start_response)

    lane = SlowLane(HEAVY, threads=2, most_waiting=2, seconds=seconds)
    return WsgiAdapter(app, threads=1, slow=[lane], choose=slow_when_told, busy_page=busy)


class Waiting(Exchange):
    """A client that waits for its response."""

    async def through(self, app):
        messages = [{"type": "http.request", "body": b"", "more_body": False}]

        async def receive():
            if messages:
                return messages.pop()
            return await asyncio.get_running_loop().create_future()

        async def send(message):
            self.sent.append(message)

        await app({**self.scope, "client": (self.client, 1)}, receive, send)
        return self

    client = HERE


def waiting(client: str, path: str = "/slow/", **more) -> Waiting:
    exchange = Waiting(path=path, **more)
    exchange.client = client
    return exchange


def test_while_every_slow_thread_is_stuck_a_page_is_answered_and_one_slow_request_too_many_is_sent_away(blocked):
    async def site() -> None:
        pages = site_with(blocked)
        clients = [HERE, THERE, ELSEWHERE, "192.0.2.4"]
        slow = [asyncio.ensure_future(waiting(each).through(pages)) for each in clients]
        await settle()
        assert (await waiting(HERE, "/quick/").through(pages)).status == 200
        refused = await waiting("192.0.2.5").through(pages)
        assert refused.status == 503
        assert dict(refused.answer_headers)[b"retry-after"] == b"5"
        assert not any(each.done() for each in slow)
        blocked.free.set()
        assert [each.status for each in await asyncio.gather(*slow)] == [200] * 4

    run(site())


def test_a_slow_request_is_answered_with_busy_after_its_limit(blocked):
    async def site() -> None:
        pages = site_with(blocked, seconds=0.05)
        assert (await waiting(HERE).through(pages)).status == 503
        assert (await waiting(HERE, "/quick/").through(pages)).status == 200

    run(site())


# What a busy site says


def test_people_are_told_in_their_language_that_we_are_busy():
    headers = [(b"accept", b"text/html,*/*;q=0.8"), (b"accept-language", b"en-US")]
    status, said, page = busy_page(Exchange(headers=headers).scope, 7)
    said = dict(said)
    assert (status, said[b"retry-after"], said[b"content-language"]) == (503, b"7", b"en-us")
    assert b"We&#x27;re busy" in page
    assert b"Try again" in page
    assert b"style-src 'self'" in said[b"content-security-policy"]
    french = busy_page(Exchange(headers=[(b"accept-language", b"fr")]).scope, 7)
    assert b'lang="fr"' in french[2]
    chosen = busy_page(
        Exchange(headers=[(b"accept-language", b"fr"), (b"cookie", b"a=b; django_language=es")]).scope, 7
    )
    assert b'lang="es"' in chosen[2]


@pytest.mark.parametrize("headers", [[(b"hx-request", b"true")], [(b"accept", b"application/json")]])
def test_htmx_and_scripts_are_told_by_the_status_alone(headers):
    status, said, page = busy_page(Exchange(headers=headers).scope, 7)
    assert (status, dict(said)[b"retry-after"], page) == (503, b"7", b"")
