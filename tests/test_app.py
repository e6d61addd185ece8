"""The site as an app: everything in its manifest exists, and only lesson pages may be cached."""

from __future__ import annotations

import json
import re
from io import BytesIO
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from PIL import Image, ImageChops, ImageDraw

from games.art.icons import maskable_icon
from games.art.palettes import STANDARD
from lessons.course.units import course
from tests.classrooms.people import make_adult

pytestmark = pytest.mark.django_db

STEPS = [f"/learn/{unit.slug}/{step.slug}/" for unit in course() for step in unit.steps[:3]]
KEPT = ["/learn/", "/learn/practice/", "/offline/", *STEPS]
NOT_KEPT = [
    "/",
    "/play/",
    "/learn/me/",
    "/learn/sheet/is-set/apple-6-fair/",
    "/account/",
    "/teach/",
    "/family/",
    "/join/",
]


def file_of(address: str) -> bytes:
    return Path(finders.find(address.removeprefix("/static/"))).read_bytes()


def test_the_manifest_is_whole_and_its_icons_are_there(client):
    response = client.get("/app.webmanifest")
    assert response.headers["Content-Type"] == "application/manifest+json"
    manifest = json.loads(response.content)
    assert {"name", "short_name", "description", "start_url", "scope", "display", "icons"} <= set(manifest)
    assert (manifest["lang"], manifest["start_url"], manifest["scope"]) == ("en-us", "/", "/")
    purposes = set()
    for icon in manifest["icons"]:
        image = Image.open(BytesIO(file_of(icon["src"])))
        assert icon["sizes"] == f"{image.width}x{image.height}"
        assert image.format == "PNG"
        purposes.add((icon["purpose"], image.width))
    assert purposes == {("any", 192), ("any", 512), ("maskable", 192), ("maskable", 512)}
    for shortcut in manifest["shortcuts"]:
        assert client.get(shortcut["url"]).status_code == 200


def test_a_page_leads_to_the_manifest_and_its_icons(client):
    head = client.get("/").text
    assert '<link rel="manifest" href="/app.webmanifest"' in head
    (touch,) = re.findall(r'<link rel="apple-touch-icon" href="([^"]+)"', head)
    assert file_of(touch)


@pytest.mark.parametrize("size", [192, 512])
def test_an_icon_that_is_cut_round_loses_nothing(size):
    icon = maskable_icon(size)
    safe = Image.new("L", icon.size, 255)
    edge = size / 10
    ImageDraw.Draw(safe).ellipse((edge, edge, size - edge, size - edge), fill=0)
    paper = Image.new("RGB", icon.size, STANDARD.paper)
    drawn = ImageChops.difference(icon, paper).convert("L")
    assert drawn.getbbox()
    assert ImageChops.multiply(drawn, safe).getbbox() is None


def worker_of(client: Client) -> str:
    response = client.get("/sw.js")
    assert response.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert response.headers["Service-Worker-Allowed"] == "/"
    assert "no-cache" in response.headers["Cache-Control"]
    return response.text


def named(text: str, name: str):
    (value,) = re.findall(rf"^const {name} = (.+);$", text, re.MULTILINE)
    return json.loads(value)


def test_the_service_worker_knows_every_file_that_lessons_need(client):
    files = named(worker_of(client), "FILES")
    assert len(set(files)) == len(files)
    for path in KEPT:
        used = set(re.findall(r'(?:href|src)="(/static/[^"]+)"', client.get(path).text))
        assert used <= set(files), path
    for address in files:
        assert file_of(address)


def test_the_service_worker_is_the_same_for_everybody(client):
    anonymous = worker_of(client)
    client.force_login(make_adult("Rivera"))
    assert worker_of(client) == anonymous
    assert worker_of(Client(headers={"Accept-Language": "fr"})) == anonymous


def test_its_version_follows_its_files(client, monkeypatch):
    before = named(worker_of(client), "VERSION")
    monkeypatch.setattr("core.offline.views.LESSON_STYLES", ("css/lessons.css",))
    assert named(worker_of(client), "VERSION") != before


def test_every_place_that_it_knows_is_one(client):
    for address in named(worker_of(client), "PLACES").values():
        assert client.get(address).status_code == 200


@pytest.mark.parametrize("path", KEPT)
def test_pages_of_lessons_say_for_whom_they_may_be_kept(client, path):
    assert client.get(path).headers["X-Whose"] == "guest"
    assert "X-Whose" not in client.get(path, headers={"HX-Request": "true"}).headers
    client.force_login(make_adult("Rivera"))
    page = client.get(path)
    assert page.headers["X-Whose"] != "guest"
    assert f'data-whose="{page.headers["X-Whose"]}"' in page.text
    assert page.headers["Content-Language"] in page.text


@pytest.mark.parametrize("path", NOT_KEPT)
def test_no_other_page_may_be_kept(client, path):
    assert "X-Whose" not in client.get(path).headers
    client.force_login(make_adult("Rivera"))
    assert "X-Whose" not in client.get(path).headers


def test_an_answer_is_no_page_to_keep(client):
    assert "X-Whose" not in client.post("/learn/cards/four-features/").headers
