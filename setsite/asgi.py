"""The one way in: pages go to Django on a thread."""

import os

from django.core.wsgi import get_wsgi_application

from setsite.pages import Pages, Receive, Scope, Send

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "setsite.settings")

pages = Pages(get_wsgi_application(), threads=2)


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "http":
        await pages(scope, receive, send)
    elif scope["type"] == "lifespan":
        await _lifespan(receive, send)
    else:
        raise ValueError(f"nothing here speaks {scope['type']}")


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
