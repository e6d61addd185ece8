"""What pages log during a test: an error on a console, or an exception that nobody caught, fails the test.

A test that provokes one says so, with `@pytest.mark.console_errors(PATTERN)` or `console.allow(PATTERN)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage


class Console:
    """The errors of all browser windows of one test."""

    def __init__(self) -> None:
        self._errors: list[str] = []
        self._allowed: list[re.Pattern[str]] = []

    def begin(self, patterns: Iterable[str] = ()) -> None:
        self._errors.clear()
        self._allowed.clear()
        self.allow(*patterns)

    def allow(self, *patterns: str) -> None:
        """Allow errors in which a pattern is found: the text, then the address it's about."""
        self._allowed += [re.compile(pattern) for pattern in patterns]

    def watch(self, context: BrowserContext) -> None:
        context.on("console", self._hear)
        context.on("weberror", lambda error: self._errors.append(f"uncaught: {error.error}"))

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._errors.append(f"{message.text} {message.location['url']}")

    def check(self) -> None:
        unexpected = [error for error in self._errors if not any(each.search(error) for each in self._allowed)]
        assert not unexpected, "on the console:\n" + "\n".join(unexpected)


CONSOLE = Console()
"""The console of the running test."""


def watch_everything(browser: Browser) -> None:
    """Watch all contexts that the browser opens from now on."""
    open_context = browser.new_context

    def new_context(**options: Any) -> BrowserContext:
        context = open_context(**options)
        CONSOLE.watch(context)
        return context

    browser.new_context = new_context  # type: ignore[method-assign]
