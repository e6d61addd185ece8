"""The site, plus groups of minimal streams as a baseline: the least that could bring a table to its screens."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from urllib.parse import parse_qs

from core.http.wsgi_adapter import Receive, Scope, Send, answer
from tools.bench.app import application as site
from tools.load.client import PUSH, STREAM

_groups: defaultdict[str, set[asyncio.Queue[bytes]]] = defaultdict(set)


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    path = scope.get("path", "")
    if path == STREAM:
        await _stream(scope, send)
    elif path == PUSH:
        await _push(scope, send)
    else:
        await site(scope, receive, send)


def _query(scope: Scope) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(scope["query_string"].decode()).items()}


async def _stream(scope: Scope, send: Send) -> None:
    queue: asyncio.Queue[bytes] = asyncio.Queue()
    _groups[_query(scope)["group"]].add(queue)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
    await send({"type": "http.response.body", "body": _message(0, 64), "more_body": True})
    while True:
        await send({"type": "http.response.body", "body": await queue.get(), "more_body": True})


async def _push(scope: Scope, send: Send) -> None:
    """Send a message of the given size to every stream of a group."""
    query = _query(scope)
    message = _message(int(query["version"]), int(query["bytes"]))
    for queue in _groups[query["group"]]:
        queue.put_nowait(message)
    await answer(send, 200, [], b"pushed")


def _message(version: int, size: int) -> bytes:
    return f'event: table\ndata: <div data-version="{version}">'.encode().ljust(size - 2, b".") + b"\n\n"
