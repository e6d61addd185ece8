"""The site and minimal baselines to compare it with, on one server."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import parse_qs

from core.http.wsgi_adapter import Receive, Scope, Send
from setsite.asgi import application as site

_streams: set[asyncio.Queue[bytes]] = set()


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    await _BASELINES.get(scope.get("path", ""), site)(scope, receive, send)


async def _stream(scope: Scope, receive: Receive, send: Send) -> None:
    """The simplest possible stream: one queue per client. It doesn't even notice disconnects."""
    queue: asyncio.Queue[bytes] = asyncio.Queue()
    _streams.add(queue)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
    await send({"type": "http.response.body", "body": b": here\n\n", "more_body": True})
    while True:
        await send({"type": "http.response.body", "body": await queue.get(), "more_body": True})


async def _push(scope: Scope, receive: Receive, send: Send) -> None:
    """Send a message of the given size to every baseline stream."""
    query = parse_qs(scope["query_string"].decode())
    head = f'event: table\ndata: <div data-version="{query["version"][0]}">'.encode()
    message = head.ljust(int(query["bytes"][0]) - 2, b".") + b"\n\n"
    for queue in _streams:
        queue.put_nowait(message)
    await _answer(send, b"pushed")


async def _usage(scope: Scope, receive: Receive, send: Send) -> None:
    """CPU seconds and bytes of memory used by this process."""
    used = time.process_time()
    if scope["query_string"] == b"tidy":
        gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    await _answer(send, json.dumps({"seconds": used, "bytes": pages * os.sysconf("SC_PAGE_SIZE")}).encode())


async def _answer(send: Send, body: bytes) -> None:
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


_BASELINES: dict[str, Callable[[Scope, Receive, Send], Awaitable[None]]] = {
    "/bench/stream/": _stream,
    "/bench/push/": _push,
    "/bench/usage/": _usage,
}
