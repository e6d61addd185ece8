"""Simulated browsers from many schools, and screens that measure when they receive a change."""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import urlencode

from tools.bench.http_client import HOST, Answer, Connection, Visitor

PATIENCE = 15.0
"""Seconds after which a change that isn't on every screen counts as lost."""
STREAM, PUSH = "/bench/group/stream/", "/bench/group/push/"
"""URLs of the baseline streams."""
_STREAM = re.compile(r'(?:sse-connect|data-stream)="([^"]+)"')
_VERSION = b'data-version="'


@dataclass
class Measurements:
    """Measurements taken while people played; times in seconds."""

    answered: list[float] = field(default_factory=list)
    """Time from a request to its answer."""
    shown_on_all: list[float] = field(default_factory=list)
    """Time from a request until the last screen of its table had the change."""
    pushes: int = 0
    refused: int = 0
    """Moves the referee refused because somebody else was faster."""
    errors: int = 0
    late: int = 0
    """Screens that didn't receive a change in time."""
    dropped: int = 0
    """Streams that the server closed."""

    @property
    def changes(self) -> int:
        return len(self.shown_on_all)


def percentile(values: list[float], share: float) -> float:
    """The smallest value that at least this share of the values doesn't exceed; NaN if there are none."""
    if not values:
        return float("nan")
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)]


def address_of(school: int) -> str:
    """A separate IP address for each school, as the site's rate limits expect."""
    return f"127.0.{1 + school // 250 % 250}.{1 + school % 250}"


class Browser(Visitor):
    """A visitor with its own IP address, which reconnects when an idle connection was closed."""

    def __init__(self, connection: Connection, port: int, school: int) -> None:
        super().__init__(connection)
        self.port, self.school = port, school
        self._request_lock = asyncio.Lock()

    @classmethod
    async def at(cls, port: int, school: int) -> Browser:
        return cls(await _connection(port, school), port, school)

    async def send(self, method: str, path: str, form: Mapping[str, object] | None = None, **headers: str) -> Answer:
        """Send a request and return the answer, whatever its status."""
        request = self.request(method, path, form, **headers)
        async with self._request_lock:
            await self._reconnect_if_closed()
            try:
                return await self.connection.ask(request)
            except ConnectionResetError:
                # The server was just closing an idle connection; browsers retry once.
                self.connection = await _connection(self.port, self.school)
                return await self.connection.ask(request)

    async def ask(
        self, method: str, path: str, form: Mapping[str, object] | None = None, *, status: int = 200, **headers: str
    ) -> Answer:
        async with self._request_lock:
            await self._reconnect_if_closed()
            return await super().ask(method, path, form, status=status, **headers)

    async def _reconnect_if_closed(self) -> None:
        if self.connection.transport.is_closing():
            self.connection = await _connection(self.port, self.school)

    def request(self, method: str, path: str, form: Mapping[str, object] | None = None, **headers: str) -> bytes:
        request = super().request(method, path, None, **headers)
        if not form:
            return request
        # A name may have several values, like the cards of a pick.
        body = urlencode(form, doseq=True).encode()
        return request.replace(b"Content-Length: 0", b"Content-Length: %d" % len(body)) + body

    async def stream_of(self, path: str) -> str:
        """The stream URL in a page."""
        page = await self.ask("GET", path)
        found = _STREAM.search(page.content.decode())
        if not found:
            raise ValueError(f"{path} has no stream")
        return unescape(found[1])


async def _connection(port: int, school: int) -> Connection:
    loop = asyncio.get_running_loop()
    _, connection = await loop.create_connection(Connection, HOST, port, local_addr=(address_of(school), 0))
    return connection


class Screen(asyncio.Protocol):
    """An open stream, which reports each new version to its group."""

    def __init__(self, path: str, group: ScreenGroup, *, cookies: str = "") -> None:
        self.path, self.group, self.cookies = path, group, cookies
        self.version = -1
        self.counted_change = 0
        """Number of the last change this screen was counted for."""
        self._parts: list[bytes] = []

    async def open(self, port: int, school: int) -> None:
        loop = asyncio.get_running_loop()
        self.group.screens.append(self)
        await loop.create_connection(lambda: self, HOST, port, local_addr=(address_of(school), 0))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(f"GET {self.path} HTTP/1.1\r\nHost: {HOST}\r\nCookie: {self.cookies}\r\n\r\n".encode())

    def data_received(self, data: bytes) -> None:
        self._parts.append(data)
        # This ends an event and its chunk of the response.
        if not data.endswith(b"\n\n\r\n"):
            return
        message = b"".join(self._parts)
        self._parts.clear()
        self.handle(message)

    def handle(self, message: bytes) -> None:
        start = message.rfind(_VERSION) + len(_VERSION)
        if start >= len(_VERSION):
            self.version = int(message[start : message.index(b'"', start)])
            self.group.received(self, message)

    def connection_lost(self, exc: Exception | None) -> None:
        if self in self.group.screens:
            self.group.measurements.dropped += 1


@dataclass
class Change:
    number: int
    version_before: int
    """The version before this change."""
    start: float
    remaining: int
    measurements: Measurements
    """Where to record the change, even if it arrives after a new measurement began."""
    shown_on_all: asyncio.Future[float]


class ScreenGroup:
    """The screens of one table; measures when all of them have received a change."""

    def __init__(self) -> None:
        self.screens: list[Screen] = []
        self.measurements = Measurements()
        self.shown = b""
        """The last message of the first screen."""
        self.browsers: list[Browser] = []
        self._change: Change | None = None
        self._changes = 0

    @property
    def version(self) -> int:
        return max((screen.version for screen in self.screens), default=-1)

    def received(self, screen: Screen, message: bytes) -> None:
        if screen is self.screens[0]:
            self.shown = message
        change = self._change
        if change and screen.version > change.version_before and screen.counted_change != change.number:
            screen.counted_change = change.number
            change.measurements.pushes += 1
            change.remaining -= 1
            if not change.remaining:
                change.shown_on_all.set_result(time.perf_counter())

    def begin_change(self) -> Change:
        self._changes += 1
        shown_on_all: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._change = Change(
            self._changes, self.version, time.perf_counter(), len(self.screens), self.measurements, shown_on_all
        )
        return self._change

    async def wait_for(self, change: Change) -> None:
        """Wait until the change is on every screen, and record how long it took."""
        try:
            shown_at = await asyncio.wait_for(change.shown_on_all, PATIENCE)
        except TimeoutError:
            change.measurements.late += change.remaining
        else:
            change.measurements.shown_on_all.append(shown_at - change.start)
        self._change = None

    async def settle(self) -> None:
        """Wait until all screens show the same version; the check at the end finds those that never do."""
        deadline = time.perf_counter() + PATIENCE
        while time.perf_counter() < deadline:
            if len({screen.version for screen in self.screens}) <= 1 and self.version >= 0:
                return
            await asyncio.sleep(0.02)

    def close(self) -> None:
        screens, self.screens = self.screens, []
        for screen in screens:
            screen.transport.close()

    def leave(self) -> None:
        self.close()
        for browser in self.browsers:
            browser.close()
