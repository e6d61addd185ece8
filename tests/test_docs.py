"""The documentation builds as a site with no broken link, loads nothing from elsewhere, and its figures are right."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from justhtml import JustHTML
from PIL import Image

from games.odds.exact import exact_no_set, hands_without_set
from lessons.progress.mastery import REVIEW_SHARE, THRESHOLDS, Level
from lessons.progress.tracing import CEILING, HELP, LEARN, PRIOR
from lessons.skills import Skill
from tests.test_settings import ROOT

PICTURES = ROOT / "docs" / "pictures"
LINK = re.compile(r"!?\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
LOADED = "script[src], img[src], link[rel=stylesheet], link[rel=preconnect], link[rel=icon], iframe, source"


def build(folder: Path, *, config: Path = ROOT / "mkdocs.yml") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", config, "-d", folder]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    done = build(folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_document_is_in_the_site(built):
    for document in (ROOT / "docs").glob("*.md"):
        assert (built / document.with_suffix(".html").name).is_file(), document.name


def test_a_page_of_the_documentation_loads_nothing_from_elsewhere(built):
    pages = list(built.glob("*.html"))
    assert len(pages) > 12
    for page in pages:
        for element in JustHTML(page.read_text(encoding="utf-8"), sanitize=False).query(LOADED):
            source = element.attrs.get("src") or element.attrs.get("href") or ""
            assert not re.match(r"(https?:)?//", source), f"{page.name}: {source}"
        for style in built.rglob("*.css"):
            assert not re.search(r"url\(\s*['\"]?(https?:)?//", style.read_text(encoding="utf-8")), style


def test_the_search_is_built_in(built):
    index = (built / "search" / "search_index.json").read_text(encoding="utf-8")
    assert "Bayesian knowledge tracing" in index


def test_a_broken_link_fails_the_build(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("[gone](nowhere.md)\n", encoding="utf-8")
    (tmp_path / "mkdocs.yml").write_text("site_name: x\ntheme: {name: material, font: false}\n", encoding="utf-8")
    done = build(tmp_path / "site", config=tmp_path / "mkdocs.yml")
    assert done.returncode != 0
    assert "nowhere.md" in done.stdout + done.stderr


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "SECURITY.md"])
def test_a_link_outside_of_the_documentation_leads_to_a_file(name):
    for link in LINK.findall((ROOT / name).read_text(encoding="utf-8")):
        assert "://" in link or (ROOT / link).exists(), link


def test_pictures_are_few_small_and_all_shown():
    pictures = [path for path in PICTURES.iterdir() if path.suffix != ".svg"]
    assert len(pictures) <= 12
    texts = "".join(path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
    for picture in pictures:
        assert picture.stat().st_size < 60_000, picture.name
        assert f"pictures/{picture.name}" in texts, picture.name
        with Image.open(picture) as image:
            assert image.width >= 600


def test_the_page_about_odds_and_mastery_has_the_figures_of_the_code():
    text = (ROOT / "docs" / "odds-and-mastery.md").read_text(encoding="utf-8")
    for cards, digits in ((3, 2), (12, 2), (15, 4), (18, 7)):
        chance = exact_no_set("full", cards)
        assert f"| {cards} | {float(100 * chance):.{digits}f} % |" in text
    assert f"1 in {round(1 / exact_no_set('full', 15)):,}" in text
    assert f"{hands_without_set('full', 12):,} have no SET" in text
    assert hands_without_set("full", 20)
    assert not hands_without_set("full", 21)
    for level, least in THRESHOLDS.items():
        assert f"| {level.name.lower()} | from {least:.0%}".replace("%", " %") in text
    assert f"| started | below {THRESHOLDS[Level.GROWING]:.0%}".replace("%", " %") in text
    for probability in (
        PRIOR[Skill.COLOR],
        PRIOR[Skill.NUMBER],
        PRIOR[Skill.SHADING],
        PRIOR[Skill.IS_SET],
        LEARN,
        CEILING,
    ):
        assert f"{probability:.0%}".replace("%", " %") in text
    assert len(Skill) == 15
    assert "fifteen **skills**" in text
    assert (HELP, REVIEW_SHARE) == (0.5, 0.2), "the text says: halves, one of five"
