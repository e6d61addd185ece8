"""Headers of every response over the wire: pages, errors, files, downloads and streams."""

from __future__ import annotations

import http.client
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.test import Client

from classrooms.accounts.signing_in import card_token
from core.http.wsgi_adapter import _MOST_PASSED_OVER, LARGEST_BODY
from games.live.tokens import TableWatch, sign
from games.matches import service as matches
from games.models import Way
from games.players import Player
from games.rules import Options
from tests.classrooms.people import enrol, make_adult, make_classroom, signed_in
from tests.test_settings import PUBLIC, python

MOST_SENT = _MOST_PASSED_OVER + LARGEST_BODY
"""The amount transferred, and what buffers in between may hold."""
WANTED = {
    "content-security-policy": "default-src 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=()",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


@contextmanager
def connected(site: str) -> Iterator[http.client.HTTPConnection]:
    connection = http.client.HTTPConnection(urlsplit(site).netloc, timeout=20)
    yield connection
    connection.close()


def ask(
    site: str, path: str, method: str = "GET", body: bytes | None = None, **headers: str
) -> http.client.HTTPResponse:
    with connected(site) as connection:
        connection.request(method, path, body=body, headers=headers)
        with connection.getresponse() as response:
            return response


def is_safe(response: http.client.HTTPResponse) -> None:
    said = {name.lower(): value for name, value in response.getheaders()}
    for name, value in WANTED.items():
        assert value in said.get(name, "nothing"), f"{name} of {response.status}"
        assert [each.lower() for each, _value in response.getheaders()].count(name) == 1
    policy = said["content-security-policy"]
    assert "unsafe" not in policy
    assert "*" not in policy
    assert "frame-ancestors 'none'" in policy


@pytest.mark.parametrize(
    ("path", "method", "status"),
    [
        ("/", "GET", 200),
        ("/learn/", "GET", 200),
        ("/print/", "GET", 200),
        ("/account/", "GET", 302),
        ("/nothing/here/", "GET", 404),
        ("/play/find/", "GET", 405),
        ("/play/find/", "POST", 403),
        ("/static/css/site.css", "GET", 200),
        ("/static/nothing.css", "GET", 404),
        ("/play/daily/full/picture.png", "GET", 200),
        ("/play/ABCDEF/stream/", "GET", 403),
        ("/session/ABCDEF/stream/?token=a", "GET", 403),
        ("/healthz/", "GET", 200),
    ],
)
def test_every_answer_says_what_a_browser_may_do_with_it(site, path, method, status):
    response = ask(site, path, method)
    assert response.status == status
    is_safe(response)


def test_a_host_that_is_not_ours_and_a_body_that_is_too_large_are_refused_as_safely(site):
    elsewhere = ask(site, "/", Host="elsewhere.example")
    assert elsewhere.status == 400
    is_safe(elsewhere)
    large = ask(site, "/play/find/", "POST", b"x" * (LARGEST_BODY + 1))
    assert large.status == 413
    is_safe(large)


def test_a_body_without_an_end_is_cut_off(site):
    piece = b"%x\r\n%b\r\n" % (1024 * 1024, b"x" * 1024 * 1024)
    sent = 0
    with connected(site) as connection, suppress(OSError):
        connection.putrequest("POST", "/play/find/")
        connection.putheader("Transfer-Encoding", "chunked")
        connection.endheaders()
        while sent < MOST_SENT:
            connection.send(piece)
            sent += 1024 * 1024
    assert sent < MOST_SENT, "it would be read for ever"
    # The site still serves others.
    assert ask(site, "/").status == 200


def test_an_open_stream_is_safe_too(site):
    match = matches.open_match(
        way=Way.TOGETHER, options=Options.of("us"), player=Player(name="Ada", guest="a" * 32), now=time.time()
    )
    response = ask(site, f"/play/{match.code}/stream/?token={sign(TableWatch(match.code, None, 'en-us'))}")
    assert response.status == 200
    assert response.getheader("content-type") == "text/event-stream"
    assert response.getheader("cache-control") == "no-store"
    is_safe(response)


# Shared tablets


@pytest.mark.django_db
def test_what_somebody_with_a_session_sees_is_kept_by_no_browser_and_no_cache():
    teacher = make_adult()
    classroom = make_classroom(teacher)
    (mia,) = enrol(classroom, "Mia Okafor")
    child = signed_in(mia.student)
    for client, path in (
        (signed_in(teacher), "/account/"),
        (signed_in(teacher), f"/teach/{classroom.pk}/"),
        (child, "/learn/me/"),
        (child, "/learn/"),
        (child, "/"),
        (child, "/play/nothing/"),
    ):
        assert "no-store" in client.get(path).headers["Cache-Control"], path
    tablet = Client()
    tablet.get(f"/join/card/{card_token(mia.student)}/")
    entering = tablet.post("/join/card/")
    assert "no-store" in entering.headers["Cache-Control"], "it sets the cookie"


def test_what_anybody_may_see_may_be_kept(client):
    assert "no-store" not in client.get("/").headers.get("Cache-Control", "")


def test_going_back_after_a_sign_out_shows_nothing_of_who_was_there(site, page):
    teacher = make_adult("Rivera")
    (mia,) = enrol(make_classroom(teacher), "Mia Okafor")
    page.goto(f"{site}/join/card/{card_token(mia.student)}/")
    page.locator("main form button").first.click()
    page.wait_for_url(re.compile(r"/learn/$"))
    page.goto(f"{site}/account/")
    assert page.locator("main").get_by_text("Mia").count()
    page.goto(f"{site}/account/logout/")
    page.locator("main form button").first.click()
    page.wait_for_url(f"{site}/")
    for _step in range(3):
        page.go_back()
        page.wait_for_load_state()
        assert "Mia" not in page.locator("body").inner_text()


# Cookies


def test_cookies_are_for_this_site_alone_and_for_no_script(client, db):
    client.post("/learn/cards/four-features/")
    (mia,) = enrol(make_classroom(make_adult()), "Mia Okafor")
    client.get(f"/join/card/{card_token(mia.student)}/")
    client.post("/join/card/")
    for name in ("sessionid", "browser"):
        cookie = client.cookies[name]
        assert cookie["httponly"], name
        assert cookie["samesite"] == "Lax", name


COOKIES = """
import django; django.setup()
from django.core.management import call_command
from django.test import Client
call_command("migrate", verbosity=0)
client = Client(headers={"host": "set.example", "x-forwarded-proto": "https", "referer": "https://set.example/"})
client.get("/")
client.post("/look/language/", {"language": "en-gb"})
client.post("/look/", {"theme": "dark", "palette": "standard"})
client.post("/learn/cards/four-features/")
for name, cookie in client.cookies.items():
    print(name, bool(cookie["secure"]), cookie["samesite"], bool(cookie["httponly"]))
plain = Client(headers={"host": "set.example"}).get("/")
print("plain", plain.status_code, plain.headers["Location"])
print("hsts", client.get("/").headers["Strict-Transport-Security"])
"""


def test_on_a_public_site_every_cookie_goes_over_https_only(tmp_path):
    settings_of = {**PUBLIC, "SETSITE_VAR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "setsite.settings"}
    collected = python("manage.py", "collectstatic", "--noinput", **settings_of)
    assert collected.returncode == 0, collected.stderr
    done = python("-c", COOKIES, **settings_of)
    assert done.returncode == 0, done.stderr
    said = {name: rest for name, *rest in map(str.split, done.stdout.splitlines())}
    assert said.pop("plain") == ["301", "https://set.example/"]
    assert said.pop("hsts")[0] == "max-age=31536000;"
    assert {"csrftoken", "sessionid", settings.LANGUAGE_COOKIE_NAME, "look"} <= set(said)
    for name, (secure, same_site, _httponly) in said.items():
        assert (secure, same_site) == ("True", "Lax"), name
    assert said["sessionid"][2] == "True"
