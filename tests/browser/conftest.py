"""Somebody who inspects pages: axe finds nothing, all fits and is easy to hit."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from axe_playwright_python.base import AxeResults
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings as site_settings
from django.core.cache import cache
from playwright.sync_api import BrowserContext, Page

from classrooms.models import User
from tests.browser.players import forget_refusals, give_session
from tests.classrooms.people import signed_in

PHONE, LAPTOP = {"width": 320, "height": 568}, {"width": 1280, "height": 800}

# Every control is large enough for a finger by the rules of the web (24 pixels, but for links within a text), and what
# one comes for is as large as a fingertip (44).
HARD_TO_HIT = """() => [...document.querySelectorAll("a, button, input, select, textarea, summary")].flatMap((each) => {
  if (each.type === "hidden" || each.matches(".skip") || !each.checkVisibility()) return [];
  const own = each.getBoundingClientRect();
  const label = /^(checkbox|radio)$/.test(each.type) && each.labels[0]?.getBoundingClientRect();
  const height = Math.max(own.height, label?.height ?? 0), width = own.width + (label?.width ?? 0);
  const around = each.parentElement.closest("p, li, dd, div");
  const isInText = each.matches("a") && getComputedStyle(each).display === "inline"
    && around && around.textContent.trim() !== each.textContent.trim();
  const isMain = each.matches("button, input, select, summary, .button, .main-button, .quiet, .tabs a, .top-links a");
  const least = isInText ? 0 : isMain ? 43.5 : 24;
  const what = (each.innerText || each.name || each.className).trim();
  return height < least || width < Math.min(least, 24) ? [`${what}: ${Math.round(width)} x ${Math.round(height)}`] : [];
})"""


class Inspector:
    """Somebody who looks at each page on a light phone and on a dark laptop, at the next the other way round."""

    def __init__(self, site: str, context: BrowserContext) -> None:
        self.site = site
        self.page: Page = context.new_page()
        self.axe = Axe()
        self.complaints: list[str] = []
        self.looks = 0

    def visit(self, *paths: str) -> None:
        for path in paths:
            answer = self.page.goto(self.site + path)
            if answer is None or answer.status != 200:
                self.complaints.append(f"{path}: {answer and answer.status}")
            self.look(path)

    def press(self, button: str, what: str) -> None:
        """Look at what comes when a button of the page is pressed."""
        with self.page.expect_navigation():
            self.page.get_by_role("button", name=button).first.click()
        self.look(what)

    def look(self, what: str) -> None:
        self.looks += 1
        schemes = ("light", "dark") if self.looks % 2 else ("dark", "light")
        for scheme, size in zip(schemes, (PHONE, LAPTOP), strict=True):
            self.page.emulate_media(color_scheme=scheme)
            self.page.set_viewport_size(size)
            where = f"{what}, {scheme}, {size['width']} wide"
            self.complaints += [f"{where}: {each}" for each in self.flaws(size["width"])]

    def flaws(self, width: int) -> Iterator[str]:
        needed = self.page.evaluate("document.documentElement.scrollWidth")
        if needed > width:
            yield f"needs {needed} pixels"
        yield from (f"hard to hit: {each}" for each in self.page.evaluate(HARD_TO_HIT))
        # As `Axe.run` does, which would load the whole of axe for every look.
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(self.axe.axe_script)
        violations = self.page.evaluate("axe.run({resultTypes: ['violations']}).then((found) => found.violations)")
        if violations:
            yield AxeResults({"violations": violations}).generate_report()


@pytest.fixture
def inspect(site, new_context) -> Iterator[Callable[..., Inspector]]:
    """Makes an inspector who is signed in as somebody, or as nobody."""
    cache.clear()
    inspectors: list[Inspector] = []

    def make(user: User | None = None) -> Inspector:
        context = new_context()
        if user is not None:
            cookie = signed_in(user).cookies[site_settings.SESSION_COOKIE_NAME]
            give_session(context, site, cookie.value)
        inspectors.append(Inspector(site, context))
        return inspectors[-1]

    yield make
    forget_refusals(new_context)
    new_context.troubles[:] = [trouble for trouble in new_context.troubles if "status of 404" not in trouble]
    complaints = [each for inspector in inspectors for each in inspector.complaints]
    assert not complaints, "\n".join(complaints)
