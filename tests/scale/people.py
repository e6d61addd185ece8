"""Somebody with a browser, as far as HTTP goes: cookies, forms and streams, at any process of the site."""

from __future__ import annotations

import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from html import unescape
from http.cookiejar import Cookie, CookieJar

from django.conf import settings

from classrooms.models import User
from tests.browser.players import session_key_of
from tests.games.live import PATIENCE, Screen


@dataclass(frozen=True)
class Answer:
    status: int
    url: str
    text: str
    headers: Message

    @property
    def version(self) -> int:
        return int(re.search(r'data-version="(\d+)"', self.text)[1])

    @property
    def control(self) -> int | None:
        """The seat that has the board."""
        found = re.search(r'data-control="(\d+)"', self.text)
        return int(found[1]) if found else None

    @property
    def cards(self) -> list[int]:
        """The cards on the table."""
        return [int(number) for number in re.findall(r'name="card" value="(\d+)"', self.text)]


class Person:
    """One session; cookies do not know of ports, so that any process of the site takes them."""

    def __init__(self) -> None:
        self.jar = CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))

    def sign_in(self, user: User) -> None:
        """As somebody whom the database knows."""
        self.jar.set_cookie(_cookie(settings.SESSION_COOKIE_NAME, session_key_of(user)))

    @property
    def session(self) -> str:
        """The key of the session that the cookie names; "" for somebody who has none yet."""
        return next((cookie.value or "" for cookie in self.jar if cookie.name == settings.SESSION_COOKIE_NAME), "")

    def get(self, site: str, path: str) -> Answer:
        return fetch(site + path, opener=self._opener)

    def post(self, site: str, path: str, **form: object) -> Answer:
        """Send a form; a redirect is followed."""
        token = next((cookie.value for cookie in self.jar if cookie.name == "csrftoken"), None)
        if token is None:
            # Any page with a form brings the cookie.
            self.get(site, "/play/")
            return self.post(site, path, **form)
        fields = urllib.parse.urlencode({"csrfmiddlewaretoken": token, **form}, doseq=True)
        return fetch(site + path, data=fields.encode(), opener=self._opener)

    def open_table(self, site: str, **form: object) -> str:
        """Open a table for several; its code."""
        form = {"edition": "us", "deck": "full", "window": "none", "votes": "checked", **form}
        answer = self.post(site, "/play/open/together/", **form)
        found = re.search(r"/play/([A-Z0-9]+)/$", answer.url)
        assert found, f"no table was opened: {answer.status} {answer.url}"
        return found[1]

    def join(self, site: str, code: str) -> Answer:
        return self.post(site, f"/play/{code}/join/")

    def do(self, site: str, code: str, order: str, **form: object) -> Answer:
        """Deal, call, pick, withdraw ... with the version that this person sees now, unless it is given."""
        if "version" not in form:
            form["version"] = self.get(site, f"/play/{code}/").version
        return self.post(site, f"/play/{code}/{order}/", **form)

    def watch(self, site: str, code: str, *, seconds: float = PATIENCE, buffer: int | None = None) -> Screen:
        return Screen(site, self.stream_of(site, code), session=self.session, seconds=seconds, buffer=buffer)

    def stream_of(self, site: str, code: str) -> str:
        """The address of the stream that the page of a table names."""
        page = self.get(site, f"/play/{code}/").text
        return unescape(re.search(r'sse-connect="([^"]+)"', page)[1])


def seated(people: list[Person], *sites: str, **form: object) -> str:
    """The code of a table at which they all sit, dealt; opened at the first of the sites, and joined at the last."""
    opener, *others = people
    code = opener.open_table(sites[0], **form)
    for person in others:
        assert person.join(sites[-1], code).status == 200
    assert opener.do(sites[0], code, "deal").status == 200
    return code


def fetch(
    address: str,
    *,
    data: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    opener: urllib.request.OpenerDirector | None = None,
) -> Answer:
    """What is answered, whether it is good or bad news; with data it is sent."""
    request = urllib.request.Request(address, data=data, headers=dict(headers or {}))  # noqa: S310 (a site of the tests)
    try:
        with (opener or urllib.request.build_opener()).open(request, timeout=PATIENCE) as response:
            return Answer(response.status, response.url, response.read().decode(), response.headers)
    except urllib.error.HTTPError as error:
        with error:
            return Answer(error.code, address, error.read().decode(), error.headers)


def _cookie(name: str, value: str) -> Cookie:
    return Cookie(
        version=0,
        name=name,
        value=value,
        port=None,
        port_specified=False,
        domain="127.0.0.1",
        domain_specified=False,
        domain_initial_dot=False,
        path="/",
        path_specified=True,
        secure=False,
        expires=None,
        discard=True,
        comment=None,
        comment_url=None,
        rest={},
    )
