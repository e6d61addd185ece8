"""Runs Django's WSGI handler inside the ASGI server, on a small pool of threads, with one thread hop a request.

Django's own ASGI handler switches threads some fifteen times for a request with ordinary middleware. The pool is small
on purpose: translated templates are rendered under a lock, so more threads are slower, and the way to scale is more
processes. Slow requests have their own lanes, see `core.lanes.pools`.
"""

from __future__ import annotations

import asyncio
import io
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, MutableMapping
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import Any, Protocol

from core.clients import network_of
from core.lanes.marks import FAST, HEAVY
from core.lanes.pools import Busy, ClientGone, FastLane, SlowLane

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
WSGIApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

ROUTE = "setsite.route"
"""The key of the WSGI environ under which the route is noted."""
LARGEST_BODY = 12 * 1024 * 1024
"""Of an upload, in bytes."""
LARGEST_FORM = 256 * 1024
"""Of the body sent to a URL that takes no upload."""
SMALL_BODY = 64 * 1024
MOST_HELD = 16 * LARGEST_BODY
"""Bytes of large bodies held in memory at once, whether still arriving or waiting for a thread."""
MOST_HELD_OF_ADDRESS = MOST_HELD // 4
"""Room for two dozen lists of the largest size, sent by one school at the same moment."""
BODY_GRACE_SECONDS = 20.0
SLOWEST_BODY = 16 * 1024
"""Bytes a second that a body must average once the grace period is over."""
LEAST_PROGRESS = 64 * 1024
"""Bytes that must arrive within each `BODY_GRACE_SECONDS`, however fast the body was before."""
FASTEST_BODIES = 4 * 1024 * 1024
"""Bytes a second at which all large bodies together are read, since reading them takes time from the games. A list
from a school arrives more slowly than this anyway; a script on a fast line has to wait.
"""
_MOST_PASSED_OVER = 4 * LARGEST_BODY
_LONGEST_NUMBER = 20
_rest = asyncio.sleep
_CLOSING = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
Answer = tuple[int, list[tuple[bytes, bytes]], bytes]


class BodyTooLarge(Exception):
    pass


class BodyTooSlow(Exception):
    pass


class PageListener(Protocol):
    """Called after every page."""

    def __call__(self, *, method: str, route: str, status: int, seconds: float) -> None: ...


class WsgiAdapter:
    """An ASGI app that serves a WSGI app."""

    def __init__(
        self,
        wsgi: WSGIApp,
        *,
        threads: int,
        answered: PageListener | None = None,
        slow: Iterable[SlowLane] = (),
        choose: Callable[[str, str], str] = lambda method, path: FAST,
        busy_page: Callable[[Scope, int], Answer] | None = None,
    ) -> None:
        self.wsgi = wsgi
        self.answered = answered
        self.fast = FastLane(threads=threads)
        self.pool = self.fast.pool
        self._slow = {lane.name: lane for lane in slow}
        self._choose = choose
        self._busy_page = busy_page or _bare_busy_page
        self.held = _HeldBodies()

    @property
    def lanes(self) -> list[FastLane | SlowLane]:
        return [self.fast, *self._slow.values()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        lane = self._choose(scope["method"], scope["path"])
        # Only views in the heavy lane take uploads; no other request has a long body.
        takes_uploads = lane == HEAVY and scope["method"] == "POST"
        body = _Body(_address_of(scope), self.held, most=LARGEST_BODY if takes_uploads else LARGEST_FORM)
        try:
            status, headers, content = await self._answer(scope, receive, body, self._slow.get(lane))
        except ClientGone:
            return
        except BodyTooLarge:
            await answer(send, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _CLOSING, b"That is too large.", is_over=False)
            await body.pass_over(receive)
            await send({"type": "http.response.body", "body": b""})
            return
        except BodyTooSlow:
            status, headers, content = 408, _CLOSING, b"That took too long."
        await answer(send, status, headers, content)

    async def _answer(self, scope: Scope, receive: Receive, body: _Body, lane: SlowLane | None) -> Answer:
        try:
            whole = await body.read(receive, _declared_length(scope))
            work = partial(self.run, scope, whole, time.perf_counter())
            if lane is None:
                return await self.fast.run(work)
            return await self._in_slow_lane(lane, scope, receive, work)
        except Busy as busy:
            return self._busy_page(scope, busy.retry_after)
        finally:
            self.held.release(body)

    async def _in_slow_lane(self, lane: SlowLane, scope: Scope, receive: Receive, work: Callable[[], Answer]) -> Answer:
        gone = asyncio.ensure_future(_until_gone(receive))
        try:
            return await lane.run(_address_of(scope), work, gone)
        finally:
            gone.cancel()

    def run(self, scope: Scope, body: bytes, came: float) -> Answer:
        """Handle one request from start to finish, in one thread."""
        started: dict[str, Any] = {}

        def start_response(status: str, headers: list[tuple[str, str]], exc_info: object = None) -> None:
            started["status"] = int(status.split(" ", 1)[0])
            started["headers"] = [(k.lower().encode("latin-1"), v.strip().encode("latin-1")) for k, v in headers]

        environ = _environ(scope, body)
        response = self.wsgi(environ, start_response)
        try:
            content = b"".join(response)
        finally:
            if hasattr(response, "close"):
                response.close()
        if self.answered:
            seconds = time.perf_counter() - came
            route = environ.get(ROUTE, "unknown")
            self.answered(method=scope["method"], route=route, status=started["status"], seconds=seconds)
        return started["status"], started["headers"], content


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _address_of(scope: Scope) -> str:
    return network_of((scope.get("client") or ("", 0))[0])


def _declared_length(scope: Scope) -> int:
    """The Content-Length, or 0 if there is none."""
    said = next((value for name, value in scope["headers"] if name == b"content-length"), b"")
    return int(said[:_LONGEST_NUMBER]) if said.isdigit() else 0


class _HeldBodies:
    """Bytes of large bodies in memory, by address. When there are too many, the largest body is dropped."""

    def __init__(self) -> None:
        self.total = 0
        self._of: dict[str, dict[_Body, int]] = {}
        self._read_until = 0.0
        """When everything read so far would have arrived at the fastest allowed pace."""

    def hold(self, body: _Body, size: int) -> None:
        """Count a body that has grown to this size; raises `Busy` if it's the one to be dropped."""
        if not body.gave_way:
            own = self._of.setdefault(body.address, {})
            self.total += size - own.get(body, 0)
            own[body] = size
            while sum(own.values()) > MOST_HELD_OF_ADDRESS and not body.gave_way:
                self._drop_heaviest([own], body)
            while self.total > MOST_HELD and not body.gave_way:
                self._drop_heaviest(self._of.values(), body)
        if body.gave_way:
            raise Busy(FastLane.retry_after)

    async def pace(self, size: int) -> None:
        """Wait as long as this many bytes should take. Meanwhile backpressure keeps the client from sending more."""
        now = asyncio.get_running_loop().time()
        self._read_until = max(self._read_until, now) + size / FASTEST_BODIES
        await _rest(self._read_until - now)

    def release(self, body: _Body) -> None:
        own = self._of.get(body.address, {})
        self.total -= own.pop(body, 0)
        if not own:
            self._of.pop(body.address, None)

    def _drop_heaviest(self, addresses: Iterable[dict[_Body, int]], growing: _Body) -> None:
        """Drop the largest unfinished body of the address that holds the most, so that a flood drops its own."""
        unfinished = [[each for each in own if each.is_on_its_way or each is growing] for own in addresses]
        heaviest = max(filter(None, unfinished), key=lambda bodies: sum(self._of[bodies[0].address].values()))
        dropped = max(heaviest, key=self._of[heaviest[0].address].__getitem__)
        self.release(dropped)
        dropped.give_way()


class _Body:
    """One request's body while it arrives, with limits on its size, its pace and the memory of all large ones."""

    def __init__(self, address: str, held: _HeldBodies, *, most: int) -> None:
        self.address = address
        self.is_on_its_way = True
        self.gave_way = False
        self._held, self._most = held, most
        self._limit: asyncio.Timeout | None = None
        """Timeout for the part being waited for."""

    def give_way(self) -> None:
        self.gave_way = True
        if self._limit and not self._limit.expired():
            self._limit.reschedule(asyncio.get_running_loop().time())

    async def read(self, receive: Receive, declared: int) -> bytes:
        if declared > self._most:
            raise BodyTooLarge
        parts: list[bytes] = []
        size = 0
        try:
            async for part in self._parts(receive):
                size += len(part)
                if size > self._most:
                    raise BodyTooLarge
                parts.append(part)
                if size > SMALL_BODY:
                    self._held.hold(self, size)
                    await self._held.pace(len(part))
        except TimeoutError:
            raise (Busy(FastLane.retry_after) if self.gave_way else BodyTooSlow) from None
        return b"".join(parts)

    async def pass_over(self, receive: Receive) -> None:
        """Read and discard the rest, since a browser reads the response only once it has sent everything."""
        size = 0
        if not self.is_on_its_way:
            return
        with suppress(TimeoutError, ClientGone):
            async for part in self._parts(receive):
                size += len(part)
                if size > _MOST_PASSED_OVER:
                    return

    async def _parts(self, receive: Receive) -> AsyncIterator[bytes]:
        """Yield each part as it arrives; raises `TimeoutError` if they arrive too slowly."""
        now = asyncio.get_running_loop().time
        start = checked = now()
        size = size_checked = 0
        while self.is_on_its_way:
            until = min(checked + BODY_GRACE_SECONDS, start + BODY_GRACE_SECONDS + size / SLOWEST_BODY)
            try:
                async with asyncio.timeout_at(until) as self._limit:
                    message = await receive()
            finally:
                self._limit = None
            if message["type"] == "http.disconnect":
                raise ClientGone
            self.is_on_its_way = bool(message.get("more_body"))
            size += len(message.get("body", b""))
            if size - size_checked >= LEAST_PROGRESS:
                checked, size_checked = now(), size
            yield message.get("body", b"")


def _bare_busy_page(scope: Scope, retry_after: int) -> Answer:
    return HTTPStatus.SERVICE_UNAVAILABLE, [(b"retry-after", b"%d" % retry_after)], b""


async def answer(
    send: Send, status: int, headers: list[tuple[bytes, bytes]], content: bytes, *, is_over: bool = True
) -> None:
    if not any(name == b"content-length" for name, _ in headers):
        headers = [*headers, (b"content-length", str(len(content)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content, "more_body": not is_over})


def _environ(scope: Scope, body: bytes) -> dict[str, Any]:
    host, port = scope.get("server") or ("localhost", 80)
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        # WSGI carries bytes as latin-1 text.
        "PATH_INFO": scope["path"].encode().decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": host,
        "SERVER_PORT": str(port or 0),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": (scope.get("client") or ("", 0))[0],
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.get("scheme", "http"),
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for name_bytes, value_bytes in scope["headers"]:
        if b"_" in name_bytes:
            # Could be used to spoof the header spelled with a hyphen.
            continue
        name = name_bytes.decode("latin-1").upper().replace("-", "_")
        value = value_bytes.decode("latin-1")
        if name == "CONTENT_TYPE":
            environ[name] = value
        elif name != "CONTENT_LENGTH":
            key = f"HTTP_{name}"
            # HTTP/2 may split cookies over several headers.
            joint = "; " if name == "COOKIE" else ","
            environ[key] = f"{environ[key]}{joint}{value}" if key in environ else value
    return environ
