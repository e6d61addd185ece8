"""The web server, told to let go of its streams when it stops."""

import socket

import uvicorn

from classrooms.sessions import live as sessions
from games.live.hub import hub


class Server(uvicorn.Server):
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # A stream never ends by itself: without this the server would wait for all of them.
        hub.stop()
        sessions.hub.stop()
        await super().shutdown(sockets)


def server(*, port: int) -> Server:
    """The site on this machine's own address."""
    config = uvicorn.Config(
        "setsite.asgi:application", host="127.0.0.1", port=port, log_level="warning", timeout_graceful_shutdown=3
    )
    return Server(config)
