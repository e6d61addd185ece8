"""A small HTTP/1.1 client for simulating many visitors in one process, with keep-alive connections and streams."""

from __future__ import annotations

import asyncio
import re
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

HOST = "127.0.0.1"
_END = b"\r\n\r\n"
# Not random as a browser's would be, but the server only compares the cookie with the header.
_CSRF = "b" * 32
_VERSION = re.compile(rb'data-version="(\d+)"')
_TOKEN = re.compile(rb'sse-connect="([^"]+)"')


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    head: bytes
    body: bytes

    @property
    def size(self) -> int:
        """Total bytes on the wire."""
        return len(self.head) + len(_END) + len(self.body)

    def header(self, name: str) -> str:
        return next(iter(self.headers(name)), "")

    def headers(self, name: str) -> list[str]:
        lines = (line.partition(":") for line in self.head.decode("latin-1").split("\r\n")[1:])
        return [value.strip() for found, _, value in lines if found.lower() == name]

    @property
    def content(self) -> bytes:
        return _unzip(self.body) if self.header("content-encoding") == "gzip" else self.body

    @property
    def version(self) -> int:
        """The version of the table in the answer, read from its first bytes."""
        start = _unzip(self.body, 1024) if self.body.startswith(b"\x1f\x8b") else self.body
        return version_in(start)


def version_in(html: bytes) -> int:
    found = _VERSION.search(html)
    if not found:
        raise ValueError(f"no table in {html[:200]!r}")
    return int(found[1])


def _unzip(body: bytes, most: int = 0) -> bytes:
    return zlib.decompressobj(wbits=31).decompress(body, most)


class Connection(asyncio.Protocol):
    """A keep-alive connection that sends one request at a time."""

    def __init__(self) -> None:
        self._buffer = b""
        self._answer: asyncio.Future[Answer] | None = None

    @classmethod
    async def to(cls, port: int) -> Connection:
        _, connection = await asyncio.get_running_loop().create_connection(cls, HOST, port)
        return connection

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answer and not self._answer.done():
            self._answer.set_exception(exc or ConnectionResetError("the server closed the connection"))

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, end, body = self._buffer.partition(_END)
        if not end or not self._answer or self._answer.done():
            return
        answer = Answer(int(head[9:12]), head, body)
        # When the site has crashed, the server's own error response has no length.
        if len(body) == int(answer.header("content-length") or len(body)):
            self._buffer = b""
            self._answer.set_result(answer)

    async def ask(self, request: bytes) -> Answer:
        self._answer = asyncio.get_running_loop().create_future()
        self.transport.write(request)
        return await self._answer


@dataclass
class Visitor:
    """A browser: a connection and its cookies."""

    connection: Connection
    cookies: dict[str, str] = field(default_factory=lambda: {"csrftoken": _CSRF})

    @classmethod
    async def to(cls, port: int) -> Visitor:
        return cls(await Connection.to(port))

    def request(self, method: str, path: str, form: Mapping[str, object] | None = None, **headers: str) -> bytes:
        body = urlencode(form or {})
        lines = {
            "Host": HOST,
            "Accept-Encoding": "gzip",
            "Accept-Language": "en-US",
            "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        if method == "POST":
            lines |= {
                "X-CSRFToken": _CSRF,
                "Content-Type": "application/x-www-form-urlencoded",
                "Content-Length": str(len(body)),
            }
        head = "\r\n".join([f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in lines.items())])
        return f"{head}\r\n\r\n{body}".encode()

    def close(self) -> None:
        """Close the connection at once, even with an answer still on its way."""
        self.connection.transport.abort()

    async def ask(
        self, method: str, path: str, form: Mapping[str, object] | None = None, *, status: int = 200, **headers: str
    ) -> Answer:
        answer = await self.connection.ask(self.request(method, path, form, **headers))
        if answer.status != status:
            raise RuntimeError(f"{method} {path} gave {answer.status}: {answer.content[:500]!r}")
        for cookie in answer.headers("set-cookie"):
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return answer


class Stream(asyncio.Protocol):
    """An open stream that only reports messages to its audience, which notes when the last stream has a version."""

    def __init__(self, request: bytes, audience: Audience) -> None:
        self.request = request
        self.audience = audience
        self._parts: list[bytes] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(self.request)

    def data_received(self, data: bytes) -> None:
        self._parts.append(data)
        # This ends an event and its chunk of the response.
        if data.endswith(b"\n\n\r\n"):
            self.audience.received(b"".join(self._parts))
            self._parts.clear()

    def connection_lost(self, exc: Exception | None) -> None:
        self.audience.lose(exc)


class Audience:
    """Streams of one URL that all receive the same messages."""

    def __init__(self, port: int, path: str) -> None:
        self.port = port
        self.request = f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()
        self.streams: list[Stream] = []
        self._last_message = b""
        self._expected = b""
        self._remaining = 0
        self._all_received: asyncio.Future[float] | None = None

    async def grow(self, streams: int, version: int | None) -> None:
        """Open streams until there are `streams`, and wait until each has received its first message."""
        loop = asyncio.get_running_loop()
        while len(self.streams) < streams:
            batch = min(25, streams - len(self.streams))
            complete = self.expect(version, batch)
            opened = [
                await loop.create_connection(lambda: Stream(self.request, self), HOST, self.port) for _ in range(batch)
            ]
            self.streams += [stream for _, stream in opened]
            await complete

    def expect(self, version: int | None, streams: int | None = None) -> asyncio.Future[float]:
        """Resolves to the time when all streams, or `streams` of them, have the version (None: any message)."""
        self._expected = b"" if version is None else f'data-version="{version}"'.encode()
        self._remaining = len(self.streams) if streams is None else streams
        self._all_received = asyncio.get_running_loop().create_future()
        return self._all_received

    def close(self) -> None:
        streams, self.streams = self.streams, []
        for stream in streams:
            stream.transport.abort()

    @property
    def size(self) -> int:
        """Size in bytes of the last message that all received; a chunk begins with its size."""
        return int(self._last_message.partition(b"\r\n")[0], 16)

    def lose(self, exc: Exception | None) -> None:
        if self._all_received:
            self._all_received.set_exception(exc or ConnectionResetError("the server closed a stream"))
            self._all_received = None

    def received(self, message: bytes) -> None:
        if self._expected in message and self._all_received:
            self._remaining -= 1
            if not self._remaining:
                self._last_message = message
                self._all_received.set_result(time.perf_counter())
                self._all_received = None


@dataclass
class Player:
    """A guest at a table who calls and withdraws the call."""

    visitor: Visitor
    code: str

    async def deal(self, version: int) -> int:
        """Deal the cards and return the version. Sent as from a page without a stream, so the answer is the table."""
        answer = await self.visitor.ask("POST", self._path("deal"), {"version": version}, HX_Request="true")
        return answer.version

    async def act(self, action: str, version: int) -> None:
        """Send an action the way a page with an open stream does; the stream brings the new table."""
        form = {"version": version}
        await self.visitor.ask("POST", self._path(action), form, status=204, HX_Request="true", X_Live="1")

    def _path(self, action: str) -> str:
        return f"/play/{self.code}/{action}/"


@dataclass
class Table:
    """A table of guests with the cards dealt."""

    players: list[Player]
    version: int
    turn: int = 0

    @classmethod
    async def open(cls, port: int, seats: int) -> Table:
        first = await Visitor.to(port)
        options = {"edition": "us", "deck": "full", "window": "15", "votes": "checked"}
        answer = await first.ask("POST", "/play/open/together/", options, status=302)
        code = answer.header("location").strip("/").split("/")[-1]
        players = [Player(first, code)]
        for _seat in range(seats - 1):
            guest = await Visitor.to(port)
            await guest.ask("POST", f"/play/{code}/join/", status=302)
            players.append(Player(guest, code))
        page = await first.ask("GET", f"/play/{code}/")
        return cls(players, await players[0].deal(version_in(page.content)))

    @property
    def code(self) -> str:
        return self.players[0].code

    @property
    def next_move(self) -> tuple[Player, str]:
        """Players take turns to call and withdraw the call, so that every move is a change."""
        return self.players[self.turn // 2 % len(self.players)], "withdraw" if self.turn % 2 else "call"

    async def move(self) -> None:
        player, action = self.next_move
        await player.act(action, self.version)
        # Each move is one event. If this version were wrong, the server would refuse the next move.
        self.version += 1
        self.turn += 1

    async def audience(self, port: int) -> Audience:
        """Streams of watchers, opened with the token in a watcher's page."""
        watcher = await Visitor.to(port)
        page = await watcher.ask("GET", f"/play/{self.code}/")
        found = _TOKEN.search(page.content)
        if not found:
            raise ValueError("no stream in the page")
        watcher.close()
        return Audience(port, found[1].decode().replace("&amp;", "&"))
