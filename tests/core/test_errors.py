"""Every error has a friendly page that says what to do next."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.conf import settings as site
from django.core.cache import cache
from django.http import HttpResponse
from django.test import Client, RequestFactory

from classrooms.accounts import allauth_limits
from core.http import error_pages as errors
from core.http import middleware
from core.http.error_pages import words_for
from core.limits import TooMany, wait_text
from games.views import front
from tests.classrooms.people import make_adult, signed_in

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

    monkeypatch.setattr("setsite.context.appearance_of", fail)
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
    answer = middleware.error_pages(lambda request: HttpResponse("taken", status=409))(rf.get("/"))
    assert answer.content == b"taken"


# Too many tries


@pytest.fixture
def clock(monkeypatch) -> SimpleNamespace:
    """The clock of allauth's rate limits; it moves only when the test moves it."""
    clock = SimpleNamespace(now=1_800_000_000.0, monotonic=lambda: 0.0, sleep=lambda seconds: None)
    clock.time = lambda: clock.now
    monkeypatch.setattr("allauth.core.internal.ratelimit.time", clock)
    monkeypatch.setattr("classrooms.accounts.allauth_limits.time", clock)
    cache.clear()
    return clock


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en-us", "Wait 10 minutes, then try again."),
        ("en-gb", "Wait 10 minutes, then try again."),
        ("fr", "Il faut attendre 10 minutes avant de réessayer."),
        ("es", "Espera 10 minutos e inténtalo de nuevo."),
    ],
)
def test_a_limit_of_allauth_is_told_by_our_page_in_the_language_of_the_reader(client, clock, settings, language, words):
    settings.ACCOUNT_RATE_LIMITS = {"signup": "2/10m/ip"}
    client.cookies[site.LANGUAGE_COOKIE_NAME] = language
    for _try in range(2):
        assert client.post("/account/signup/", {}).status_code == 200
    page = client.post("/account/signup/", {})
    assert page.status_code == 429
    assert page.headers["Retry-After"] == "600"
    assert words in page.text
    assert 'class="error-page"' in page.text
    assert "<nav" in page.text


def test_the_wait_grows_shorter_and_is_that_of_the_limit_which_was_reached(clock, settings):
    settings.ACCOUNT_RATE_LIMITS = {"change_password": "1/m/user,3/d/user"}
    client = signed_in(make_adult())
    change = lambda: client.post("/account/password/change/", {})  # noqa: E731
    change()
    clock.now += 20
    assert change().headers["Retry-After"] == "40"
    for _try in range(2):
        clock.now += 60
        assert change().status_code != 429
    assert change().headers["Retry-After"] == str(86_400 - 140)
    assert "Wait 24 hours, then try again." in change().text


def test_mails_to_one_address_are_limited_by_a_known_wait(client, clock, settings):
    settings.ACCOUNT_RATE_LIMITS = {"confirm_email": "1/10s/key"}
    form = {"display_name": "Ada", "email": "Ada@people.example", "password1": "under the third oval"}
    form["is_adult"] = "yes"
    assert client.post("/account/signup/", form).status_code == 302
    assert Client().post("/account/signup/", form).headers["Retry-After"] == "10"


def test_a_limit_on_an_unlisted_page_has_no_known_wait(rf: RequestFactory):
    answer = allauth_limits.too_many(rf.post("/account/elsewhere/"))
    assert answer.status_code == 429
    assert "Retry-After" not in answer.headers


def test_programs_are_told_by_headers_alone(client, clock, settings):
    settings.ACCOUNT_RATE_LIMITS = {"signup": "1/m/ip"}
    client.post("/account/signup/", {})
    answer = client.post("/account/signup/", {}, headers={"Accept": "application/json"})
    assert (answer.status_code, answer.headers["Retry-After"], answer.content) == (429, "60", b"")


def test_our_own_limits_say_how_long_to_wait(client, monkeypatch):
    def refuse(*_arguments):
        raise TooMany("boards", 3_000)

    monkeypatch.setattr(front, "front_board", refuse)
    page = client.get("/")
    assert (page.status_code, page.headers["Retry-After"]) == (429, "3000")
    assert "Wait 50 minutes, then try again." in page.text


def test_htmx_is_told_of_a_limit_with_a_notice_above_the_page(client, monkeypatch):
    def refuse(*_arguments):
        raise TooMany("boards", 3_000)

    monkeypatch.setattr(front, "front_board", refuse)
    page = client.get("/", headers={"HX-Request": "true"})
    assert (page.status_code, page.headers["Retry-After"]) == (429, "3000")
    assert page.headers["HX-Retarget"] == "#notice"
    assert page.text == '<p class="notice">Too many tries. Wait 50 minutes, then try again.</p>\n'
    assert 'id="notice"' in client.get("/learn/").text


def test_who_was_merely_fast_waits_for_a_moment():
    words = words_for(429, 10)
    assert f"{words.title}. {words.text}" == "That was very fast. Wait a moment."


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(1, "a minute"), (60, "a minute"), (61, "2 minutes"), (5_400, "90 minutes"), (5_401, "2 hours")],
)
def test_a_wait_is_told_in_round_figures(seconds, words):
    assert wait_text(seconds) == f"Wait {words}, then try again."
