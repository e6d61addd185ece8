"""Open streams the way pages do: with the token on the page and the browser's cookie."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from html import unescape

from django.conf import settings
from django.test import Client

from tests.games.live import PATIENCE, Screen


@dataclass(frozen=True)
class PageStream:
    path: str
    session: str = ""

    @classmethod
    def on(cls, page: str, client: Client) -> PageStream:
        """The stream named in a page."""
        html = client.get(page).content.decode()
        return cls(unescape(re.search(r'data-(?:stream|sse-connect)="([^"]+)"', html)[1]), key_of(client))

    def open(self, site: str) -> Screen:
        return Screen(site, self.path, session=self.session)


def key_of(client: Client) -> str:
    """The session key in the browser's cookie."""
    cookie = client.cookies.get(settings.SESSION_COOKIE_NAME)
    return cookie.value if cookie else ""


def is_closed(screen: Screen) -> bool:
    """Read until the stream ends; heartbeats don't keep us reading forever."""
    deadline = time.monotonic() + PATIENCE
    try:
        while time.monotonic() < deadline:
            screen.message()
    except EOFError:
        return True
    return False


def is_refused(site: str, stream: PageStream) -> bool:
    """Whether a stream is closed as soon as it's opened."""
    with stream.open(site) as screen:
        return is_closed(screen)
