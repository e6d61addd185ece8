"""Each person chooses the site's theme, motion and sounds."""

from __future__ import annotations

import pytest
from django.test import Client

from games.art.palettes import PALETTES
from setsite.appearance import Appearance, read_appearance
from tests.classrooms.people import make_adult, signed_in

pytestmark = pytest.mark.django_db
CHOSEN = {"theme": "dark", "palette": "deuteranopia", "marks": "on", "motion": "on", "sound": "on"}


def test_nothing_is_set_until_somebody_chooses(client):
    assert '<html lang="en-us">' in client.get("/").text


def test_a_visitors_browser_remembers_what_was_chosen(client):
    assert client.post("/look/", CHOSEN).status_code == 302
    page = client.get("/learn/")
    wanted = 'data-theme="dark" data-palette="deuteranopia" data-marks="on" data-motion="less" data-sound="on"'
    assert wanted in page.text
    client.post("/look/", {"theme": "", "palette": "standard"})
    assert '<html lang="en-us">' in client.get("/").text


def test_an_account_takes_it_along_to_another_device():
    adult = make_adult("Rivera")
    signed_in(adult).post("/look/", CHOSEN)
    assert 'data-palette="deuteranopia"' in signed_in(adult).get("/account/").text
    assert 'data-palette="deuteranopia"' not in Client().get("/").text


@pytest.mark.parametrize("name", PALETTES)
def test_every_palette_of_the_art_can_be_chosen(client, name):
    client.post("/look/", {"theme": "", "palette": name})
    has = f'data-palette="{name}"' in client.get("/help/").text
    assert has == (name != "standard")


@pytest.mark.parametrize("bad", [{"theme": "pink", "palette": "standard"}, {"theme": "dark", "palette": "none"}, {}])
def test_what_is_not_offered_is_refused_with_the_page(client, bad):
    answer = client.post("/look/", bad)
    assert answer.status_code == 422
    assert "Choose one of each" in answer.text


@pytest.mark.parametrize("text", ["", "theme=pink", 'theme="><script>', "a" * 5000, "theme=dark;&palette=%00", "=&=&"])
def test_a_cookie_that_makes_no_sense_changes_nothing(client, text):
    client.cookies["look"] = text
    assert '<html lang="en-us">' in client.get("/").text
    assert read_appearance(text) == Appearance()


def test_one_comes_back_to_where_one_was_and_nowhere_else(client):
    assert client.post("/look/", CHOSEN | {"next": "/play/"}).headers["Location"] == "/play/"
    assert client.post("/look/", CHOSEN | {"next": "https://elsewhere.example/"}).headers["Location"] == "/look/"
