"""Browsers of many schools, and screens that note when they have been told of a change."""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import urlencode

from tools.bench.loads import HOST, Answer, Connection, Visitor

PATIENCE = 15.0
"""Seconds after which a change that is not on every screen counts as lost."""
STREAM, PUSH = "/bench/group/stream/", "/bench/group/push/"
"""Of bare streams."""
_STREAM = re.compile(r'(?:sse-connect|data-stream)="([^"]+)"')
_VERSION = b'data-version="'


@dataclass
class Notes:
    """What was measured while people played; times in seconds."""

    answered: list[float] = field(default_factory=list)
    """From the request to its answer."""
    on_all: list[float] = field(default_factory=list)
    """From the request until the last screen of its table had the change."""
    pushes: int = 0
    refused: int = 0
    """The referee said no: somebody else was faster, as happens among people."""
    errors: int = 0
    late: int = 0
    """Screens that did not get a change in time."""
    dropped: int = 0
    """Streams that the server has closed."""

    @property
    def changes(self) -> int:
        return len(self.on_all)


def percentile(values: list[float], share: float) -> float:
    """The smallest value that so large a share of all does not exceed; nothing measured is not fast."""
    if not values:
        return float("nan")
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)]


def address_of(school: int) -> str:
    """Each school comes from an address of its own, as the site's limits expect."""
    return f"127.0.{1 + school // 250 % 250}.{1 + school % 250}"


class Browser(Visitor):
    """A visitor from an address of its own, who comes back when an idle connection was closed."""

    def __init__(self, connection: Connection, port: int, school: int) -> None:
        super().__init__(connection)
        self.port, self.school = port, school
        self._turn = asyncio.Lock()

    @classmethod
    async def at(cls, port: int, school: int) -> Browser:
        return cls(await _connection(port, school), port, school)

    async def send(self, method: str, path: str, form: Mapping[str, object] | None = None, **headers: str) -> Answer:
        """Ask for something; any answer is one."""
        request = self.request(method, path, form, **headers)
        async with self._turn:
            await self._come_back()
            try:
                return await self.connection.ask(request)
            except ConnectionResetError:
                # The server was just closing an idle connection: a browser tries once more.
                self.connection = await _connection(self.port, self.school)
                return await self.connection.ask(request)

    async def ask(
        self, method: str, path: str, form: Mapping[str, object] | None = None, *, status: int = 200, **headers: str
    ) -> Answer:
        async with self._turn:
            await self._come_back()
            return await super().ask(method, path, form, status=status, **headers)

    async def _come_back(self) -> None:
        if self.connection.transport.is_closing():
            self.connection = await _connection(self.port, self.school)

    def request(self, method: str, path: str, form: Mapping[str, object] | None = None, **headers: str) -> bytes:
        bare = super().request(method, path, None, **headers)
        if not form:
            return bare
        # One name may have several values, as the cards of a pick.
        body = urlencode(form, doseq=True).encode()
        return bare.replace(b"Content-Length: 0", b"Content-Length: %d" % len(body)) + body

    async def stream_of(self, path: str) -> str:
        """The address of the stream that a page names."""
        page = await self.ask("GET", path)
        found = _STREAM.search(page.content.decode())
        if not found:
            raise ValueError(f"{path} has no stream")
        return unescape(found[1])


async def _connection(port: int, school: int) -> Connection:
    loop = asyncio.get_running_loop()
    _, made = await loop.create_connection(Connection, HOST, port, local_addr=(address_of(school), 0))
    return made


class Screen(asyncio.Protocol):
    """An open stream; its circle hears of each version that comes."""

    def __init__(self, path: str, circle: Circle, *, cookies: str = "") -> None:
        self.path, self.circle, self.cookies = path, circle, cookies
        self.version = -1
        self.turn = 0
        """The last change that it was counted for."""
        self._parts: list[bytes] = []

    async def open(self, port: int, school: int) -> None:
        loop = asyncio.get_running_loop()
        self.circle.screens.append(self)
        await loop.create_connection(lambda: self, HOST, port, local_addr=(address_of(school), 0))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(f"GET {self.path} HTTP/1.1\r\nHost: {HOST}\r\nCookie: {self.cookies}\r\n\r\n".encode())

    def data_received(self, data: bytes) -> None:
        self._parts.append(data)
        # An event ends so, and a chunk of the answer with it.
        if not data.endswith(b"\n\n\r\n"):
            return
        message = b"".join(self._parts)
        self._parts.clear()
        self.take(message)

    def take(self, message: bytes) -> None:
        start = message.rfind(_VERSION) + len(_VERSION)
        if start >= len(_VERSION):
            self.version = int(message[start : message.index(b'"', start)])
            self.circle.heard(self, message)

    def connection_lost(self, exc: Exception | None) -> None:
        if self in self.circle.screens:
            self.circle.notes.dropped += 1


@dataclass
class Change:
    number: int
    seen: int
    """The version before it."""
    start: float
    missing: int
    notes: Notes
    """Where it is noted, also when it arrives after they are closed."""
    on_all: asyncio.Future[float]


class Circle:
    """The screens of one table, and when all of them have a change."""

    def __init__(self) -> None:
        self.screens: list[Screen] = []
        self.notes = Notes()
        self.shown = b""
        """The last message of the first screen."""
        self.browsers: list[Browser] = []
        self._change: Change | None = None
        self._changes = 0

    @property
    def version(self) -> int:
        return max((screen.version for screen in self.screens), default=-1)

    def heard(self, screen: Screen, message: bytes) -> None:
        if screen is self.screens[0]:
            self.shown = message
        change = self._change
        if change and screen.version > change.seen and screen.turn != change.number:
            screen.turn = change.number
            change.notes.pushes += 1
            change.missing -= 1
            if not change.missing:
                change.on_all.set_result(time.perf_counter())

    def begin_change(self) -> Change:
        self._changes += 1
        on_all: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._change = Change(self._changes, self.version, time.perf_counter(), len(self.screens), self.notes, on_all)
        return self._change

    async def see(self, change: Change) -> None:
        """Wait until the change is on every screen, and note how long it took."""
        try:
            seen = await asyncio.wait_for(change.on_all, PATIENCE)
        except TimeoutError:
            change.notes.late += change.missing
        else:
            change.notes.on_all.append(seen - change.start)
        self._change = None

    async def settle(self) -> None:
        """Wait until all screens show the same; those that never do are found by the check at the end."""
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
