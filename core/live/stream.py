"""Event streams as an ASGI app that needs no thread or database connection while it waits."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs

from core import streams
from core.clients import network_of
from core.live.events import event
from core.live.hub import Hub, Watcher
from core.signed_in import session_key_of

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


async def serve(hub: Hub[Any], scope: Scope, receive: Receive, send: Send) -> None:
    """Send the current picture, then each change, until the client disconnects or the server stops."""
    path = hub.type.path.match(scope["path"])
    tokens = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
    watch = hub.type.read(tokens[0])
    if scope["method"] != "GET" or path is None or watch is None or watch.code != path["code"]:
        await _refuse(send, HTTPStatus.FORBIDDEN)
        return
    watch = replace(watch, session=session_key_of(scope))
    client = Client.of(scope, (hub.type.name, watch.code), hub.type.counted_seat(watch))
    await follow(Watcher(watch), hub, receive, send, client=client)


@dataclass(frozen=True, slots=True)
class Client:
    """Whose stream it is, for counting against limits."""

    topic: tuple[str, str]
    seat: int | None
    address: str

    @classmethod
    def of(cls, scope: Scope, topic: tuple[str, str], seat: int | None) -> Client:
        return cls(topic, seat, network_of((scope.get("client") or ("", 0))[0]))


async def follow(watcher: Watcher[Any], hub: Hub[Any], receive: Receive, send: Send, *, client: Client) -> None:
    """Answer with a stream, unless the client has too many."""
    try:
        with streams.limits.opened(client.topic, client.seat, client.address, watcher.close):
            await _follow(watcher, hub, receive, send)
    except streams.TooManyStreams as error:
        await _refuse(
            send,
            HTTPStatus.SERVICE_UNAVAILABLE if error.is_total else HTTPStatus.TOO_MANY_REQUESTS,
            (b"retry-after", b"30"),
        )


async def _follow(watcher: Watcher[Any], hub: Hub[Any], receive: Receive, send: Send) -> None:
    """Send the server's clock, then whatever the watcher is given."""
    await send({"type": "http.response.start", "status": HTTPStatus.OK, "headers": _HEADERS})
    hello = b"retry: 1000\n\n" + event("clock", f"{time.time():.3f}")
    await send({"type": "http.response.body", "body": hello, "more_body": True})
    hub.join(watcher)
    gone = asyncio.ensure_future(_wait_until_gone(receive, watcher))
    try:
        while (message := await watcher.next()) or not watcher.is_closed:
            # A comment keeps proxies from closing a quiet stream.
            await send({"type": "http.response.body", "body": message or b": \n\n", "more_body": True})
        with contextlib.suppress(OSError):
            await send({"type": "http.response.body", "body": b""})
    finally:
        gone.cancel()
        hub.leave(watcher)


async def _refuse(send: Send, status: int, *headers: tuple[bytes, bytes]) -> None:
    start = {"type": "http.response.start", "status": status, "headers": [(b"content-length", b"0"), *headers]}
    await send(start)
    await send({"type": "http.response.body", "body": b""})


async def _wait_until_gone(receive: Receive, watcher: Watcher[Any]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    watcher.close()
