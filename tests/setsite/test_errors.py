"""Every error has a page that is kind and says what to do."""

from __future__ import annotations

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory

from games.views import front
from setsite import errors, middleware
from setsite.errors import words_for

pytestmark = pytest.mark.django_db


def test_an_address_that_is_nowhere(client):
    page = client.get("/nowhere/")
    assert page.status_code == 404
    assert "Nothing lies here" in page.text
    assert "/help/trouble/" in page.text


def test_an_address_that_only_takes_answers(client):
    page = client.get("/look/language/")
    assert page.status_code == 405
    assert page.headers["Allow"] == "POST"
    assert "There is nothing to see here" in page.text


def test_a_form_without_its_token():
    page = Client(enforce_csrf_checks=True).post("/look/", {})
    assert page.status_code == 403
    assert "This page was open for too long" in page.text


def test_a_request_that_is_too_large(client, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10
    page = client.post("/look/", {"theme": "x" * 100})
    assert page.status_code in {400, 413}
    assert "<h1>" in page.text


def test_a_mistake_of_ours(client, monkeypatch):
    def fail(*_arguments):
        raise RuntimeError("not today")

    monkeypatch.setattr(front, "front_board", fail)
    client.raise_request_exception = False
    page = client.get("/")
    assert page.status_code == 500
    assert "We made a mistake" in page.text
    assert "not today" not in page.text
    assert "<nav" in page.text


def test_a_mistake_is_told_even_where_the_frame_of_the_page_breaks_too(rf: RequestFactory, monkeypatch):
    def fail(*_arguments):
        raise RuntimeError("the database is away")

    monkeypatch.setattr("setsite.context.look_of", fail)
    page = errors.our_mistake(rf.get("/"))
    assert page.status_code == 500
    assert b"We made a mistake" in page.content
    assert b"<nav" not in page.content


@pytest.mark.parametrize(
    "status", [400, 403, 404, 405, 408, 410, 413, 414, 415, 418, 422, 429, 431, 500, 502, 503, 504]
)
def test_every_status_has_words(status):
    assert str(words_for(status).title)
    assert str(words_for(status).text)


@pytest.mark.parametrize(
    ("headers", "is_page"), [({}, True), ({"HX-Request": "true"}, False), ({"Accept": "application/json"}, False)]
)
def test_a_bare_refusal_gets_a_page_for_those_who_read_pages(client, headers, is_page):
    answer = client.get("/look/language/", headers={"Accept": "text/html", **headers})
    assert answer.status_code == 405
    assert (b"<h1>" in answer.content) == is_page


def test_what_an_answer_says_itself_is_left_alone(rf: RequestFactory):
    answer = middleware.kind_errors(lambda request: HttpResponse("taken", status=409))(rf.get("/"))
    assert answer.content == b"taken"
