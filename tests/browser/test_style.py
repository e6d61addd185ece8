"""The living style page: every component at four sizes and in three themes; PICTURES=1 puts pictures in var/style."""

from __future__ import annotations

import os
import re

import pytest
from axe_playwright_python.base import AxeResults
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings

from core.stylesheets import FOLDER
from tests.browser.conftest import THEMES

SIZES = [(360, 640), (768, 1024), (1366, 768), (1920, 1080)]
PICTURES = settings.VAR_DIR / "style" if os.environ.get("PICTURES") else None
WEAR = """(theme) => {
  document.documentElement.dataset.theme = theme;
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""
TOO_WIDE = """() => [...document.querySelectorAll("main *:not(svg *)")].filter((each) => {
  const { width, right } = each.getBoundingClientRect();
  return width && !each.closest(".visually-hidden, .scroll-x, .burst, svg") && right > innerWidth + 1;
}).map((each) => each.outerHTML.slice(0, 120))"""
AXE = "() => axe.run('main', { resultTypes: ['violations'], preload: false, elementRef: false })"


@pytest.mark.parametrize("theme", THEMES)
def test_every_component_fits_and_is_accessible(site, page, theme):
    page.goto(f"{site}/style/")
    page.evaluate(Axe().axe_script)
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(WEAR, theme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(TOO_WIDE) == []
        if PICTURES:
            PICTURES.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=PICTURES / f"{theme}-{width}.png", full_page=True)
    # The looks of `test_every_page.py` alternate; here each theme is checked, on a phone.
    page.set_viewport_size({"width": SIZES[0][0], "height": SIZES[0][1]})
    found = page.evaluate(AXE)
    assert not found["violations"], AxeResults(found).generate_report()


def test_the_page_shows_every_component_there_is(client):
    text = client.get("/style/").text
    shown = {name for names in re.findall(r'class="([^"]+)"', text) for name in names.split()}
    for part in sorted((FOLDER / "components").glob("*.css")):
        css = re.sub(r"/\*.*?\*/", "", part.read_text(encoding="utf-8"), flags=re.DOTALL)
        missing = set(re.findall(r"\.([a-z][a-z-]*)", css)) - shown - NOT_ON_A_PAGE
        assert not missing, part.name


NOT_ON_A_PAGE = {"is-coming", "is-on", "is-nodding", "is-upright-on-phones", "tray", "is-line", "card-gap"}
"""States that scripts set for a moment, and classes for whole pages."""
