"""A browser that goes through the list of page visits, each time as the visit's user."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar
from urllib.parse import urlencode

from django.conf import settings
from playwright.sync_api import Browser, Error, Route, expect

from tests.browser.visits import Ready, Visit, ready
from tests.browser.world import World
from tests.conftest import PATIENCE

T = TypeVar("T")
CSRF_TOKEN = "a" * 32
# Browsers log error responses; this checks the expected status instead.
_REFUSAL = re.compile(r"the server responded with a status of \d+")


class Visitor:
    """One browser window for all visits; each visit brings its own cookies."""

    def __init__(self, site: str, browser: Browser, **options: object) -> None:
        self.site = site
        # A service worker would keep answering for the previous user.
        self.context = browser.new_context(reduced_motion="reduce", service_workers="block", **options)
        self.context.set_default_timeout(PATIENCE)
        self.troubles: list[str] = []
        self.token = ""
        self.context.on("weberror", lambda error: self.troubles.append(str(error.error)))
        self.context.on("console", lambda message: message.type == "error" and self.hear(message.text))
        self.page = self.context.new_page()

    def hear(self, words: str) -> None:
        if not _REFUSAL.search(words):
            self.troubles.append(words)

    @contextmanager
    def at(self, visit: Visit, world: World, language: str, size: dict[str, int]) -> Iterator[None]:
        """Show the page of a visit."""
        self.troubles.clear()
        with ready(visit, world, language) as visitor:
            self.become(visitor)
            self.page.set_viewport_size(size)
            status = self.go(visitor)
            if status != visit.status:
                self.troubles.append(f"{status} instead of {visit.status}")
            yield
            # Leave the page, or it would receive changes of the next visit with another user's cookies.
            self.page.goto("about:blank")

    def become(self, visitor: Ready) -> None:
        self.context.clear_cookies()
        cookies = {settings.CSRF_COOKIE_NAME: CSRF_TOKEN}
        cookies |= {name: morsel.value for name, morsel in visitor.client.cookies.items()}
        self.token = cookies[settings.CSRF_COOKIE_NAME]
        self.context.add_cookies([{"name": name, "value": value, "url": self.site} for name, value in cookies.items()])

    def go(self, visitor: Ready) -> int | None:
        """Open the page, or send the form it's the response to; return the status."""
        address = self.site + visitor.path
        if visitor.form is None:
            answer = self.page.goto(address)
        else:
            body = urlencode({**visitor.form, "csrfmiddlewaretoken": self.token}, doseq=True)
            headers = {"content-type": "application/x-www-form-urlencoded", "accept": "text/html"}

            def post(route: Route) -> None:
                route.continue_(method="POST", post_data=body, headers={**route.request.headers, **headers})

            self.page.route(address, post, times=1)
            answer = self.page.goto(address)
        return answer and answer.status

    def where_it_ends(self, look: Callable[[], T]) -> T:
        """A lesson device may be redirected to its table in the meantime; use the page where it ends up."""
        expect(self.page.locator("[data-go]")).to_have_count(0)
        self.page.wait_for_load_state()
        try:
            return look()
        except Error as moved:
            if "context was destroyed" not in str(moved):
                raise
            self.page.wait_for_load_state()
            return look()

    def close(self) -> None:
        self.context.close()
