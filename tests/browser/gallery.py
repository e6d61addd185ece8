"""`make gallery`: screenshots of every page of the browser tests at four sizes, in var/gallery/.

A few of them are also the pictures of the documentation and the README, in docs/pictures/; only those are in git, and
GALLERY=docs takes no others.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from django.conf import settings
from PIL import Image
from playwright.sync_api import ViewportSize

from tests.browser.page_visits import PAGES
from tests.browser.visitor import Visitor
from tests.browser.visits import Visit
from tests.browser.world import World, a_world

# Some visits are to pages of refusals, whose status the visitor checks.
pytestmark = pytest.mark.console_errors(r"the server responded with a status of \d+")
FOLDER = settings.VAR_DIR / "gallery"
PICTURES = settings.BASE_DIR / "docs" / "pictures"
# The pictures of the documentation, by the name of a page in the gallery.
CHOSEN = {
    "front": "front",
    "learn-home": "learn",
    "learn-practice-is-set-right": "practice",
    "play-table-playing": "table",
    "play-daily": "daily",
    "lead-projector-triples-revealed": "projector",
    "lead-remote-triples": "remote",
    "session-device-triples": "device",
    "teach-class": "class",
    "family-child": "family",
}
# The strip in the README: pages of the gallery, and which of the screens below.
STRIP = (
    ("front", 0),
    ("learn-practice-is-set-right", 0),
    ("play-table-playing", 2),
    ("lead-projector-triples-revealed", 3),
    ("family-child", 0),
)
STRIP_HEIGHT = 300
# For each screen: its size, the largest height shown, and its width in the picture.
SCREENS = (
    ({"width": 390, "height": 844}, 1700, 176),
    ({"width": 820, "height": 1180}, 1700, 264),
    ({"width": 1366, "height": 768}, 1300, 400),
    ({"width": 1920, "height": 1080}, 1250, 460),
)
GAP, PAPER = 16, "#8a8a8a"
MOST_BYTES = 27_000
QUALITIES = (80, 70, 60, 50, 40, 30, 20)
# Pages that are also shown in other themes and languages.
KEY_PAGES = (
    "front",
    "learn:home",
    "learn:step, five-examples/fifth-tell, answered",
    "play:table, playing",
    "play:daily",
    "lead:projector, triples, revealed",
    "lead:remote, triples",
    "teach:class",
    "family:child",
    "look",
)
CLOTHES = {"dark": "en-us", "contrast": "en-us", "light": "fr"}
WEAR = """(theme) => {
  document.documentElement.dataset.theme = theme;
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""


class Photographer(Visitor):
    def photograph(self, visit: Visit, world: World, *, language: str = "en-us", theme: str = "light") -> bytes:
        """Take screenshots of all screens and put them side by side."""
        with self.at(visit, world, language, SCREENS[0][0]):
            shots = self.where_it_ends(lambda: [self.shoot(theme, *screen) for screen in SCREENS])
            assert not self.troubles, (visit.title, self.troubles)
        return written(side_by_side(shots))

    def shoot(self, theme: str, size: ViewportSize, most: int, width: int) -> Image.Image:
        self.page.set_viewport_size(size)
        self.page.evaluate(WEAR, theme)
        high = self.page.evaluate("document.documentElement.scrollHeight")
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(high, most)}
        shot = Image.open(BytesIO(self.page.screenshot(full_page=True, clip=clip, caret="initial")))
        return shot.convert("RGB").resize((width, round(shot.height * width / shot.width)), Image.LANCZOS)


def side_by_side(shots: list[Image.Image]) -> Image.Image:
    width = sum(shot.width for shot in shots) + GAP * (len(shots) + 1)
    picture = Image.new("RGB", (width, max(shot.height for shot in shots) + 2 * GAP), PAPER)
    left = GAP
    for shot in shots:
        picture.paste(shot, (left, GAP))
        left += shot.width + GAP
    return picture


def screen_of(picture: Image.Image, number: int) -> Image.Image:
    """What one of the screens shows without scrolling, cut out of a picture of all of them."""
    size, _most, width = SCREENS[number]
    left = GAP * (number + 1) + sum(each for _size, _most, each in SCREENS[:number])
    return picture.crop((left, GAP, left + width, GAP + round(size["height"] * width / size["width"])))


def write_pictures() -> None:
    """Copy the pictures of the documentation from the gallery, and put the strip together."""
    PICTURES.mkdir(exist_ok=True)
    for slug, name in CHOSEN.items():
        shutil.copyfile(FOLDER / f"{slug}.webp", PICTURES / f"{name}.webp")
    shots = [screen_of(Image.open(FOLDER / f"{slug}.webp").convert("RGB"), number) for slug, number in STRIP]
    high = [
        each.resize((round(each.width * STRIP_HEIGHT / each.height), STRIP_HEIGHT), Image.LANCZOS) for each in shots
    ]
    (PICTURES / "strip.webp").write_bytes(written(side_by_side(high)))


def written(picture: Image.Image) -> bytes:
    """Encode with the best quality that fits the size limit."""
    for quality in QUALITIES:
        content = BytesIO()
        picture.save(content, "WEBP", quality=quality, method=6)
        if content.tell() <= MOST_BYTES:
            break
    return content.getvalue()


@pytest.fixture
def photographer(site, _browser) -> Iterator[Photographer]:
    photographer = Photographer(site, _browser)
    yield photographer
    photographer.close()


def test_the_gallery_is_made(photographer, tmp_path):
    if os.environ.get("GALLERY") == "docs":
        pytest.skip("asked for the pictures of the documentation only")
    with a_world(mail=tmp_path) as world:
        make_gallery(photographer, world)


def test_the_pictures_of_the_documentation_are_taken(photographer, tmp_path):
    if os.environ.get("GALLERY") != "docs":
        pytest.skip("taken with all others")
    FOLDER.mkdir(exist_ok=True, parents=True)
    with a_world(mail=tmp_path) as world:
        for visit in (visit for visits in PAGES.values() for visit in visits if visit.slug in CHOSEN):
            Path(FOLDER, f"{visit.slug}.webp").write_bytes(photographer.photograph(visit, world))
    write_pictures()


def make_gallery(photographer: Photographer, world: World) -> None:
    FOLDER.mkdir(exist_ok=True, parents=True)
    for old in FOLDER.glob("*.webp"):
        old.unlink()
    index = Index()
    for group, visits in PAGES.items():
        index.begin(group)
        for visit in visits:
            index.add(visit, visit.slug, photographer.photograph(visit, world))
    index.begin("In other clothes")
    for visit in (visit for visits in PAGES.values() for visit in visits if is_key(visit)):
        for theme, language in CLOTHES.items():
            what = {"light": "in French"}.get(theme, theme)
            picture = photographer.photograph(visit, world, language=language, theme=theme)
            index.add(visit, f"{visit.slug}-{what.replace(' ', '-').lower()}", picture, what)
    index.write()
    write_pictures()


def is_key(visit: Visit) -> bool:
    return any(f"{visit.name}{visit.state and ', ' + visit.state}" == each for each in KEY_PAGES)


class Index:
    """The list of pictures, by group."""

    def __init__(self) -> None:
        self.lines = [
            "# Every page of the site",
            "",
            "Made by `make gallery` from the visits of the browser tests: a phone, a tablet, a laptop and a projector",
            "side by side, long pages cut.",
        ]

    def begin(self, group: str) -> None:
        self.lines += ["", f"## {group}", "", "| page | who visits | what there is to see |", "|---|---|---|"]

    def add(self, visit: Visit, slug: str, picture: bytes, clothes: str = "") -> None:
        Path(FOLDER, f"{slug}.webp").write_bytes(picture)
        state = ", ".join(filter(None, (visit.state, clothes)))
        self.lines.append(f"| [{visit.name}]({slug}.webp) | {visit.who.value} | {state} |")

    def write(self) -> None:
        Path(FOLDER, "README.md").write_text("\n".join(self.lines) + "\n")
