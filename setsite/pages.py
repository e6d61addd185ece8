"""Django's pages inside the ASGI server: its WSGI handler on a small pool of threads, one hop a request.

Django's own ASGI handler changes threads some fifteen times for a request with ordinary middleware; this way a page
takes one. The pool is small on purpose: translated templates are rendered under a lock, so that more threads are
slower, and more processes are the way to grow.
"""

from __future__ import annotations

import asyncio
import io
import sys
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
WSGIApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

ROUTE = "setsite.route"
"""Where in a request's environment its route is noted."""
LARGEST_BODY = 12 * 1024 * 1024
_MOST_PASSED_OVER = 4 * LARGEST_BODY
_TOO_LARGE = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]


class BodyTooLarge(Exception):
    pass


class ClientGone(Exception):
    pass


class Answered(Protocol):
    """Told of every page."""

    def __call__(self, *, method: str, route: str, status: int, seconds: float) -> None: ...


class Pages:
    """An ASGI app that answers with a WSGI app."""

    def __init__(self, wsgi: WSGIApp, *, threads: int, answered: Answered | None = None) -> None:
        self.wsgi = wsgi
        self.answered = answered
        self.pool = ThreadPoolExecutor(threads, thread_name_prefix="page")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body = await _read(receive)
        except ClientGone:
            return
        except BodyTooLarge:
            await answer(send, 413, _TOO_LARGE, b"That is too large.")
            return
        loop = asyncio.get_running_loop()
        status, headers, content = await loop.run_in_executor(self.pool, self.run, scope, body, time.perf_counter())
        await answer(send, status, headers, content)

    def run(self, scope: Scope, body: bytes, came: float) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
        """One request, from its first to its last byte, in one thread."""
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


async def _read(receive: Receive) -> bytes:
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        part = message.get("body", b"")
        size += len(part)
        is_over = not message.get("more_body")
        if size > LARGEST_BODY:
            parts.clear()
            # A browser hears our answer only once it has sent everything; one that never has is not waited for.
            if is_over or size > _MOST_PASSED_OVER:
                raise BodyTooLarge
        else:
            parts.append(part)
        if is_over:
            return b"".join(parts)


async def answer(send: Send, status: int, headers: list[tuple[bytes, bytes]], content: bytes) -> None:
    if not any(name == b"content-length" for name, _ in headers):
        headers = [*headers, (b"content-length", str(len(content)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})


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
            # It could pose as the header with a hyphen in its place.
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
