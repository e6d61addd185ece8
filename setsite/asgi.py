"""The ASGI entry point: streams are served on the event loop, pages by Django on a thread."""

import os
import sys
from collections.abc import Awaitable, Callable
from functools import partial

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "setsite.settings")
wsgi = get_wsgi_application()

from classrooms.live.topic import hub as lessons  # noqa: E402 (models are there once Django is set up)
from core.http.busy import busy_page  # noqa: E402
from core.http.headers import safe  # noqa: E402
from core.http.wsgi_adapter import Receive, Scope, Send, WsgiAdapter  # noqa: E402
from core.lanes import pools as lanes  # noqa: E402
from core.lanes.choice import LaneChoice  # noqa: E402
from core.lanes.marks import HEAVY, REPORTS, SIGN_IN  # noqa: E402
from core.lanes.pools import SlowLane  # noqa: E402
from core.live.bus import bus  # noqa: E402
from core.live.stream import serve  # noqa: E402
from core.offload import hashing, offload  # noqa: E402
from games.live.topic import hub as tables  # noqa: E402
from setsite import garbage, health, metrics  # noqa: E402
from setsite.embedded import embedded  # noqa: E402

HEAVY_THREADS, SIGN_IN_THREADS = 3, 3
"""These threads mostly wait: for `core.offload`, a hash or the database."""
REPORT_THREADS = 2
"""These compute, competing with pages and game moves, so there are only enough to serve two clients at once."""
SWITCH_SECONDS = 0.0005
"""How long a computing thread may keep others from the GIL. Python's default of 5 ms adds up, since a game move has to
reacquire it after every query.
"""
sys.setswitchinterval(SWITCH_SECONDS)
CHILDREN = max(1, (os.cpu_count() or 1) // 2)
"""Children for each kind of work: on two cores one hashes and one draws, and pages come first on both."""
App = Callable[[Scope, Receive, Send], Awaitable[None]]
pages = WsgiAdapter(
    wsgi,
    threads=2,
    answered=metrics.answered,
    slow=[
        SlowLane(HEAVY, threads=HEAVY_THREADS),
        SlowLane(SIGN_IN, threads=SIGN_IN_THREADS),
        SlowLane(REPORTS, threads=REPORT_THREADS),
    ],
    choose=LaneChoice(),
    busy_page=busy_page,
)
lanes.in_use.extend(pages.lanes)
hubs = (tables, lessons)


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "http":
        await _app_for(scope["path"])(scope, receive, safe(send))
    elif scope["type"] == "lifespan":
        await _lifespan(receive, send)
    else:
        raise ValueError(f"unsupported protocol: {scope['type']}")


def _app_for(path: str) -> App:
    """The app that serves a path."""
    if path == "/healthz/":
        return health.alive
    if path.startswith("/readyz/"):
        return health.ready
    if path == "/metrics":
        return health.figures
    return next((partial(serve, hub) for hub in hubs if hub.type.path.match(path)), pages)


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            for hub in hubs:
                hub.start()
            bus.start()
            embedded.start()
            for work in (offload, hashing):
                work.start(children=CHILDREN)
            garbage.settle()
        elif message["type"] == "lifespan.shutdown":
            for hub in hubs:
                hub.stop()
            await bus.stop()
            embedded.stop()
            for work in (offload, hashing):
                work.stop()
            garbage.unsettle()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
