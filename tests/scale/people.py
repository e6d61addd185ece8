"""A person with a browser at the HTTP level: cookies, forms and streams, with any process of the site."""

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
        """The seat in control."""
        found = re.search(r'data-control="(\d+)"', self.text)
        return int(found[1]) if found else None

    @property
    def cards(self) -> list[int]:
        """The cards on the table."""
        return [int(number) for number in re.findall(r'name="card" value="(\d+)"', self.text)]


class Person:
    """One session; cookies ignore ports, so any process of the site accepts them."""

    def __init__(self) -> None:
        self.jar = CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))

    def sign_in(self, user: User) -> None:
        """Sign in as a user in the database."""
        self.jar.set_cookie(_cookie(settings.SESSION_COOKIE_NAME, session_key_of(user)))

    @property
    def session(self) -> str:
        """The session key in the cookie, or "" if there's none yet."""
        return next((cookie.value or "" for cookie in self.jar if cookie.name == settings.SESSION_COOKIE_NAME), "")

    def get(self, site: str, path: str) -> Answer:
        return fetch(site + path, opener=self._opener)

    def post(self, site: str, path: str, **form: object) -> Answer:
        """Send a form, following redirects."""
        token = next((cookie.value for cookie in self.jar if cookie.name == "csrftoken"), None)
        if token is None:
            # Any page with a form sets the cookie.
            self.get(site, "/play/")
            return self.post(site, path, **form)
        fields = urllib.parse.urlencode({"csrfmiddlewaretoken": token, **form}, doseq=True)
        return fetch(site + path, data=fields.encode(), opener=self._opener)

    def open_table(self, site: str, **form: object) -> str:
        """Open a multiplayer table; return its code."""
        form = {"edition": "us", "deck": "full", "window": "none", "votes": "checked", **form}
        answer = self.post(site, "/play/open/together/", **form)
        found = re.search(r"/play/([A-Z0-9]+)/$", answer.url)
        assert found, f"no table was opened: {answer.status} {answer.url}"
        return found[1]

    def join(self, site: str, code: str) -> Answer:
        return self.post(site, f"/play/{code}/join/")

    def do(self, site: str, code: str, order: str, **form: object) -> Answer:
        """Deal, call, pick, withdraw etc., by default with the version this person sees now."""
        if "version" not in form:
            form["version"] = self.get(site, f"/play/{code}/").version
        return self.post(site, f"/play/{code}/{order}/", **form)

    def watch(self, site: str, code: str, *, seconds: float = PATIENCE, buffer: int | None = None) -> Screen:
        return Screen(site, self.stream_of(site, code), session=self.session, seconds=seconds, buffer=buffer)

    def stream_of(self, site: str, code: str) -> str:
        """The stream URL in a table's page."""
        page = self.get(site, f"/play/{code}/").text
        return unescape(re.search(r'sse-connect="([^"]+)"', page)[1])


def seated(people: list[Person], *sites: str, **form: object) -> str:
    """A dealt table where everybody sits, opened at the first site and joined at the last; return its code."""
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
    """The response, whatever its status; with data it's a POST."""
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
