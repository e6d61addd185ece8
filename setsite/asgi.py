"""The one way in: streams are answered on the event loop, pages go to Django on a thread."""

import os
from collections.abc import Awaitable, Callable

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "setsite.settings")
wsgi = get_wsgi_application()

from classrooms.sessions import live as sessions  # noqa: E402 (models are there once Django is set up)
from games.live import stream as tables  # noqa: E402
from games.live.bus import bus  # noqa: E402
from games.live.hub import hub  # noqa: E402
from setsite import garbage, health, metrics  # noqa: E402
from setsite.embedded import embedded  # noqa: E402
from setsite.headers import safe  # noqa: E402
from setsite.pages import Pages, Receive, Scope, Send  # noqa: E402

App = Callable[[Scope, Receive, Send], Awaitable[None]]
pages = Pages(wsgi, threads=2, answered=metrics.answered)


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "http":
        await _of(scope["path"])(scope, receive, safe(send))
    elif scope["type"] == "lifespan":
        await _lifespan(receive, send)
    else:
        raise ValueError(f"nothing here speaks {scope['type']}")


def _of(path: str) -> App:
    """Who answers at an address."""
    if path == "/healthz/":
        return health.alive
    if path.startswith("/readyz/"):
        return health.ready
    if path == "/metrics":
        return health.figures
    return next((each.stream for each in (tables, sessions) if each.PATH.match(path)), pages)


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            hub.start()
            sessions.hub.start()
            bus.start()
            embedded.start()
            garbage.settle()
        elif message["type"] == "lifespan.shutdown":
            hub.stop()
            sessions.hub.stop()
            await bus.stop()
            embedded.stop()
            garbage.unsettle()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
