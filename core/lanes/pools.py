"""Lanes for requests: one for pages and game moves, others for slow work, each with a bounded queue.

A lane's bookkeeping lives on the event loop and needs no lock; only the work itself runs in a thread. A stuck thread
can't be killed: its request is answered with "busy" after the lane's time limit, but the thread stays occupied until
the work ends. So a lane never grows, and whatever runs in it must have its own limit (`core.offload` ends heavy work;
mail servers and other hosts are called with timeouts).
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from core.lanes.marks import FAST

T = TypeVar("T")

log = logging.getLogger(__name__)
in_use: list[FastLane | SlowLane] = []
"""The lanes of this process, for readiness and metrics."""


class Busy(Exception):
    """The lane is full, or the request waited or ran for too long."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"busy for {retry_after} seconds")
        self.retry_after = retry_after


class ClientGone(Exception):
    """The client has disconnected."""


class FastLane:
    """First come, first served. Uses the executor's own queue, so a request costs one thread hop and nothing more."""

    name = FAST
    retry_after = 2

    def __init__(self, *, threads: int, most: int = 2_000, seconds: float = 10.0) -> None:
        self.threads, self.most, self.seconds = threads, most, seconds
        self.pool = ThreadPoolExecutor(threads, thread_name_prefix="page")
        self.inside = 0
        self.refused = 0

    @property
    def running(self) -> int:
        return min(self.inside, self.threads)

    @property
    def waiting(self) -> int:
        return self.inside - self.running

    @property
    def is_saturated(self) -> bool:
        """Whether the lane is so far behind that new requests are, or will soon be, refused."""
        return self.waiting >= self.most // 2

    async def run(self, work: Callable[[], T]) -> T:
        if self.inside >= self.most:
            self.refused += 1
            raise Busy(self.retry_after)
        came = time.monotonic()
        self.inside += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self.pool, self._unless_late, came, work)
        except Busy:
            self.refused += 1
            raise
        finally:
            self.inside -= 1

    def _unless_late(self, came: float, work: Callable[[], T]) -> T:
        """Run the work, in the thread, unless it has waited too long. Dropping it shortens the backlog."""
        if time.monotonic() - came > self.seconds:
            raise Busy(self.retry_after)
        return work()


@dataclass(eq=False, slots=True)
class _Ticket:
    client: str
    work: Callable[[], Any]
    answer: asyncio.Future[Any]


class SlowLane:
    """A lane in which clients take turns, so that one who sends a hundred requests delays only themselves.

    When the queue is full, the client with the longest line gives up its last place to a newcomer with a shorter one.
    No client may occupy every thread. A school behind one address may fill the queue while nobody else needs it.
    """

    retry_after = 5

    def __init__(self, name: str, *, threads: int, most_waiting: int = 128, seconds: float = 25.0) -> None:
        self.name = name
        self.threads, self.most_waiting, self.seconds = threads, most_waiting, seconds
        self.pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self.running = 0
        self.refused = 0
        self.waiting = 0
        self._lines: dict[str, deque[_Ticket]] = {}
        self._running_of: Counter[str] = Counter()
        self._most_of_client = max(1, threads - 1)

    @property
    def is_saturated(self) -> bool:
        return self.waiting >= self.most_waiting

    async def run(self, client: str, work: Callable[[], T], gone: asyncio.Future[None] | None = None) -> T:
        """Wait for a turn and do the work in a thread. Give up after the lane's limit, or once the client is `gone`."""
        ticket = _Ticket(client, work, asyncio.get_running_loop().create_future())
        self._line_up(ticket)
        first = {ticket.answer, gone} if gone else {ticket.answer}
        await asyncio.wait(first, timeout=self.seconds, return_when=asyncio.FIRST_COMPLETED)
        if not ticket.answer.done():
            self._give_up(ticket)
            if gone and gone.done():
                raise ClientGone
            raise self._refusal()
        result: T = ticket.answer.result()
        return result

    def _refusal(self) -> Busy:
        self.refused += 1
        return Busy(self.retry_after)

    def _line_up(self, ticket: _Ticket) -> None:
        if self.waiting >= self.most_waiting:
            self._make_room(ticket.client)
        self._lines.setdefault(ticket.client, deque()).append(ticket)
        self.waiting += 1
        self._start_waiting()

    def _make_room(self, client: str) -> None:
        """Drop the last request of the longest line, unless the newcomer's own would be as long."""
        longest = max(self._lines.values(), key=len)
        if len(longest) <= len(self._lines.get(client, ())) + 1:
            raise self._refusal()
        dropped = longest.pop()
        self.waiting -= 1
        dropped.answer.set_exception(self._refusal())

    def _start_waiting(self) -> None:
        while self.running < self.threads and (ticket := self._next()):
            self.waiting -= 1
            self.running += 1
            self._running_of[ticket.client] += 1
            started = asyncio.get_running_loop().run_in_executor(self.pool, ticket.work)
            started.add_done_callback(lambda ended, ticket=ticket: self._ended(ticket, ended))  # type: ignore[misc]

    def _next(self) -> _Ticket | None:
        """The first request of the client whose turn it is, who then goes to the back of the round."""
        for client, line in self._lines.items():
            if self._running_of[client] < self._most_of_client:
                ticket = line.popleft()
                del self._lines[client]
                if line:
                    self._lines[client] = line
                return ticket
        return None

    def _ended(self, ticket: _Ticket, ended: asyncio.Future[Any]) -> None:
        self.running -= 1
        self._running_of -= Counter([ticket.client])
        error = ended.exception()
        if ticket.answer.done():
            if error:
                log.error("lanes.abandoned_request_failed", exc_info=error)
        elif error:
            ticket.answer.set_exception(error)
        else:
            ticket.answer.set_result(ended.result())
        self._start_waiting()

    def _give_up(self, ticket: _Ticket) -> None:
        """Give up on a request: one that's waiting is dropped, one that's running keeps its thread until it ends."""
        ticket.answer.cancel()
        line = self._lines.get(ticket.client)
        if line and ticket in line:
            line.remove(ticket)
            self.waiting -= 1
            if not line:
                del self._lines[ticket.client]
        else:
            log.warning("lanes.running_request_given_up", extra={"lane": self.name})
