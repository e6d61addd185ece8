"""A populated site, and an inspector for its pages: axe finds no problems, everything fits and is easy to tap."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import pytest
from axe_playwright_python.base import AxeResults
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from playwright.sync_api import Browser, ViewportSize

from games.matches import service as matches
from tests.browser.console import Console
from tests.browser.visitor import Visitor
from tests.browser.visits import Visit
from tests.browser.world import World
from tests.seeds import run_seed


@pytest.fixture(autouse=True)
def _own_names_at_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show real names at tables to tell people apart. test_who_sees_names.py proves that strangers never see them."""
    monkeypatch.setattr(
        "games.matches.service._name_at", lambda _way, player, taken: matches._own_name(player.name, taken)
    )


@pytest.fixture(autouse=True)
def _quiet_console(console: Console) -> None:
    """Every test of this folder fails if a page logs an error, however the test opens its pages."""


PHONE, LAPTOP = {"width": 320, "height": 568}, {"width": 1280, "height": 800}
LANGUAGES = [code for code, _name in settings.LANGUAGES]
THEMES = ("light", "dark", "contrast")
TRANSLATED = ("fr", "es")
IS_THOROUGH = os.environ.get("AXE") == "all"
"""`make axe` checks every page in every language and theme at both widths, instead of only two looks each."""


@dataclass(frozen=True)
class Look:
    language: str
    theme: str
    size: ViewportSize


def looks_at(number: int) -> list[Look]:
    """How the page with this number is looked at in this run: in one language, with a theme on each size.

    The run's seed decides where the turns begin, so over some runs every page is seen in every way.
    """
    if IS_THOROUGH:
        return [Look(*each) for each in product(LANGUAGES, THEMES, (PHONE, LAPTOP))]
    turn = run_seed() + number
    language, theme = LANGUAGES[turn % len(LANGUAGES)], turn // len(LANGUAGES)
    return [
        Look(language, THEMES[theme % len(THEMES)], PHONE),
        Look(language, THEMES[(theme + 1) % len(THEMES)], LAPTOP),
    ]


def languages_of(number: int) -> set[str]:
    """The languages whose HTML of the page with this number is read: one that we write in, and one translated."""
    if IS_THOROUGH:
        return set(LANGUAGES)
    turn = run_seed() + number
    return {("en-us", "en-gb")[turn % 2], TRANSLATED[turn // 2 % len(TRANSLATED)]}


# Every control is at least 24 pixels (WCAG 2.5.8), except links in text; a page's main controls are
# at least 44.
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

LOOK = """async ([theme, isOpen]) => {
  for (const each of document.querySelectorAll("details")) each.open = isOpen;
  document.documentElement.dataset.theme = theme;
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const needed = document.documentElement.scrollWidth;
  const { violations } = await axe.run({ resultTypes: ["violations"], preload: false, elementRef: false });
  return { needed, violations };
}"""


class Inspector(Visitor):
    """Checks each page on a phone and on a laptop, and collects the problems."""

    def __init__(self, site: str, browser: Browser) -> None:
        super().__init__(site, browser)
        self.axe = Axe().axe_script
        self.complaints: list[str] = []

    def visit(self, visit: Visit, world: World, language: str, looks: list[Look]) -> None:
        with self.at(visit, world, language, PHONE):
            self.where_it_ends(lambda: self.look_at_all(f"{visit.title}, {language}", looks))
        self.complaints += [f"{visit.title}, {language}: {trouble}" for trouble in self.troubles]

    def look_at_all(self, what: str, looks: list[Look]) -> None:
        self.page.evaluate(self.axe)
        for look in looks:
            self.page.set_viewport_size(look.size)
            # Open folded sections at the narrowest size.
            self.look(what, look.size, look.theme, is_open=look.size == PHONE)

    def look(self, what: str, size: ViewportSize, theme: str, *, is_open: bool) -> None:
        where = f"{what}, {theme}, {size['width']} wide"
        found = self.page.evaluate(LOOK, [theme, is_open])
        if found["needed"] > size["width"]:
            self.complaints.append(f"{where}: needs {found['needed']} pixels")
        self.complaints += [f"{where}: hard to hit: {each}" for each in self.page.evaluate(HARD_TO_HIT)]
        if found["violations"]:
            self.complaints.append(f"{where}: {AxeResults(found).generate_report()}")


@pytest.fixture
def inspector(_site, _browser) -> Iterator[Inspector]:
    inspector = Inspector(_site.url, _browser)
    yield inspector
    inspector.close()
