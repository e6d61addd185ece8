"""The web server (uvicorn), which closes its streams when it stops."""

import socket

import uvicorn
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from classrooms.live.topic import hub as lessons
from core.http.connections import patient
from core.serving import begin_serving
from games.live.topic import hub as tables

_OWN_ADDRESSES = {"127.0.0.1", "localhost", "::1"}
MOST_WAITING = 16 * 1024
"""Unsent bytes that a connection may have in the kernel, beyond those in flight."""
UNREAD_MS = 60_000
"""A client that reads nothing for this long counts as gone: it's asleep, or only pretends to listen."""


class Server(uvicorn.Server):
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for server in self.servers:
            for listening in server.sockets:
                # A slow reader should get the newest table next, not megabytes of old ones from the kernel's buffer.
                listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, MOST_WAITING)
                if hasattr(socket, "TCP_USER_TIMEOUT"):
                    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_MS)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # Streams never end on their own; without this the server would wait for all of them.
        tables.stop()
        lessons.stop()
        await super().shutdown(sockets)


def server(*, port: int, host: str = "127.0.0.1") -> Server:
    """Configure a server for the site. A demo or debug site may only listen on the local machine."""
    if settings.IS_LOCAL and host not in _OWN_ADDRESSES:
        raise ImproperlyConfigured(f"a demo and debug mode are for this machine alone, not for {host}")
    begin_serving()
    config = uvicorn.Config(
        "setsite.asgi:application",
        host=host,
        port=port,
        # uvloop and httptools, where they exist, make a busy process a quarter cheaper.
        loop="auto",
        http=patient(AutoHTTPProtocol),
        log_config=None,
        log_level="warning",
        access_log=False,
        # Longer than a proxy keeps its connections, or it could send a form into one that's just being closed.
        timeout_keep_alive=75,
        timeout_graceful_shutdown=3,
    )
    return Server(config)
