"""The stream of a match: an ASGI app of its own, without a thread or a database connection while it waits."""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any, Protocol
from urllib.parse import parse_qs

from core import streams
from core.clients import network_of
from core.signed_in import session_key_of
from games.live.hub import Watcher, hub
from games.live.render import event
from games.live.tokens import BadToken, read

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

PATH = re.compile(r"^/play/(?P<code>[A-Z0-9]+)/stream/$")
_HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


async def stream(scope: Scope, receive: Receive, send: Send) -> None:
    """Send the present table, then each new one, until the client goes or the server stops."""
    path = PATH.match(scope["path"])
    tokens = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
    try:
        watch = read(tokens[0])
    except BadToken:
        watch = None
    if scope["method"] != "GET" or path is None or watch is None or watch.code != path["code"]:
        await forbid(send)
        return
    if watch.user is not None:
        watch = replace(watch, session=session_key_of(scope))
    await follow(Watcher(watch), hub, receive, send, client=Client.of(scope, ("table", watch.code), watch.seat))


@dataclass(frozen=True, slots=True)
class Client:
    """Whose stream it is, as limits count it."""

    topic: tuple[str, str]
    seat: int | None
    address: str

    @classmethod
    def of(cls, scope: Scope, topic: tuple[str, str], seat: int | None) -> Client:
        return cls(topic, seat, network_of((scope.get("client") or ("", 0))[0]))


class Watched(Protocol):
    """What watchers come to and leave."""

    def join(self, watcher: Any) -> None: ...
    def leave(self, watcher: Any) -> None: ...


async def follow(watcher: Watcher[Any], watched: Watched, receive: Receive, send: Send, *, client: Client) -> None:
    """Answer with a stream, unless the client has too many of them."""
    try:
        with streams.limits.opened(client.topic, client.seat, client.address, watcher.close):
            await _follow(watcher, watched, receive, send)
    except streams.TooManyStreams as error:
        await refuse(
            send,
            HTTPStatus.SERVICE_UNAVAILABLE if error.is_total else HTTPStatus.TOO_MANY_REQUESTS,
            (b"retry-after", b"30"),
        )


async def _follow(watcher: Watcher[Any], watched: Watched, receive: Receive, send: Send) -> None:
    """The clock, then whatever the watcher is given."""
    await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
    hello = b"retry: 1000\n\n" + event("clock", f"{time.time():.3f}")
    await send({"type": "http.response.body", "body": hello, "more_body": True})
    watched.join(watcher)
    gone = asyncio.ensure_future(_wait_until_gone(receive, watcher))
    try:
        while not watcher.is_closed:
            message = await watcher.next()
            if not watcher.is_closed:
                # A comment keeps proxies from closing a quiet stream.
                await send({"type": "http.response.body", "body": message or b": \n\n", "more_body": True})
        with contextlib.suppress(OSError):
            await send({"type": "http.response.body", "body": b""})
    finally:
        gone.cancel()
        watched.leave(watcher)


async def forbid(send: Send) -> None:
    await refuse(send, 403)


async def refuse(send: Send, status: int, *headers: tuple[bytes, bytes]) -> None:
    start = {"type": "http.response.start", "status": status, "headers": [(b"content-length", b"0"), *headers]}
    await send(start)
    await send({"type": "http.response.body", "body": b""})


async def _wait_until_gone(receive: Receive, watcher: Watcher[Any]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    watcher.close()
