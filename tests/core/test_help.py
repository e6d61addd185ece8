"""Help on every page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.help.topics import TOPICS

pytestmark = pytest.mark.django_db
TEMPLATES = Path(__file__).resolve().parents[2] / "templates" / "help"


def test_every_topic_has_a_page_and_every_page_a_topic(client):
    pages = {path.stem for path in TEMPLATES.glob("*.html")} - {"base", "index"}
    assert {topic.slug for topic in TOPICS} == pages
    index = client.get("/help/").text
    for topic in TOPICS:
        assert f'href="/help/{topic.slug}/"' in index
        page = client.get(f"/help/{topic.slug}/")
        assert page.status_code == 200
        assert f"<h1>{topic.title}</h1>" in page.text


def test_there_is_no_other_topic(client):
    assert client.get("/help/none/").status_code == 404


@pytest.mark.parametrize(
    ("page", "topic"),
    [
        ("/", "game/"),
        ("/play/", "play/"),
        ("/learn/practice/", "learn/"),
        ("/join/", "join/"),
        ("/lab/", "print/"),
        ("/account/login/", "trouble/"),
        ("/nowhere/", ""),
    ],
)
def test_a_page_leads_to_the_help_that_is_about_it(client, page, topic):
    link = re.search(r'class="help-link" href="([^"]+)"', client.get(page).text)[1]
    assert link == f"/help/{topic}"


def test_every_link_of_the_help_leads_somewhere(client):
    links = {
        link for topic in TOPICS for link in re.findall(r'href="(/[^"]*)"', client.get(f"/help/{topic.slug}/").text)
    }
    answers = {link: client.get(link).status_code for link in links if not link.startswith("/static/")}
    assert {link for link, status in answers.items() if status not in {200, 302}} == set()
