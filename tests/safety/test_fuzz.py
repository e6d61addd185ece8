"""Fuzz every URL: no request causes an error, and refused requests write nothing.

The URLs come from the resolver and the fields from our own forms; the rest is generated from a seed that's new for each
run. Every URL gets every method at least once; then random requests follow until the time budget is used up.
SETSITE_TEST_SEED repeats a run, SETSITE_FUZZ_SECONDS makes it longer.
"""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any
from urllib.parse import quote, quote_from_bytes, urlencode

import pytest
from django.urls import reverse

from classrooms.live import topic as lessons
from classrooms.models import AuditEntry
from core.live.stream import serve
from games.live import tokens
from games.live import topic as tables
from tests.safety.town import HALFWAY, Answered, Asked, Form, Town
from tests.seeds import fuzz_seconds, how_to_repeat, run_seed
from tests.test_pages import run
from tests.test_permissions import POLICIES, Role

# Texts that have broken something somewhere, as sent over the wire.
ODD = [
    b"",
    b"0",
    b"-1",
    b"1.5",
    b"1e309",
    b"NaN",
    b"Infinity",
    b"9" * 19,
    b"9" * 5_000,
    b"-" + b"9" * 40,
    b"0x10",
    b"1_0",
    b" 7 ",
    b"7\n",
    "²".encode(),
    "٣".encode(),
    b"\0",
    b"a\0b",
    b"\xed\xa0\x80",
    b"\xff\xfe",
    b"\xc3",
    "\u202eadmin\u202c".encode(),
    "e\u0301\u200b\ufeff".encode(),
    "🃏".encode() * 50,
    b"x" * 10_000,
    b"\r\nSet-Cookie: a=b",
    b"null",
    b"true",
    b"[]",
    b"{}",
    b'{"a":' * 200,
    b'"><script>alert(1)</script>',
    b"' onfocus=alert(1) x='",
    b"javascript:alert(1)",
    b"{{ settings.SECRET_KEY }}",
    b"%s%n{0}",
    b"' OR 1=1 --",
    b"../../../etc/passwd",
    b"//elsewhere.example/",
    b"=1+1",
    b"2026-02-30",
    b"99999-12-31T99:99",
    b"a@b",
]
NAMES = ["next", "page", "token", "code", "version", "card", "csrfmiddlewaretoken", "pk", "__proto__", "a[]", ""]
FILES = [
    b"",
    b"name\nMia\n",
    b'name,id\n"Mia,1\n',
    b"PK\x03\x04" + b"\0" * 40,
    b"PK\x05\x06" + b"\0" * 18,
    b"\xff\xfen\0a\0m\0e\0",
    b"name;group\n" + b"=cmd|' /C calc'!A0;x\n" * 3,
    b"sourcedId,role\n1,student\n",
    b"\x89PNG\r\n\x1a\n",
    b"\0" * 1_000,
    "name\nÉlodie\n".encode("latin-1"),
]
HEADERS: dict[str, list[bytes]] = {
    "hx-request": [b"true", b"false", b"\xff"],
    "hx-boosted": [b"true"],
    "hx-target": [b"main", b"table", b'"><b>', b"\xe9"],
    "hx-trigger": [b"x", b"%00"],
    "hx-current-url": [b"http://localhost/", b"http://[", b"\xff", b"javascript:1", b"//a:b:c/"],
    "hx-current-url-uri-autoencoded": [b"true"],
    "accept": [b"application/json", b"*/*;q=x", b"text/event-stream", b""],
    "accept-language": [b"fr", b"xx-" + b"y" * 600, b"*;q=2", b"es,,;;q=", b"\xff", b"zh-hans;q=0.5,\0"],
    "accept-encoding": [b"gzip", b"gzip;q=0, *"],
    "cookie": [
        b"sessionid=nobody",
        b"sessionid=a\0b",
        b"sessionid=a%00b",
        b"known=a:b:c",
        b"django_language=../..",
        b"messages=x",
        b"=;=;",
        b'csrftoken="',
    ],
    "referer": [b"http://localhost/play/", b"http://[", b"https://elsewhere.example/", b"\xff"],
    "origin": [b"https://elsewhere.example", b"null", b"http://["],
    "if-modified-since": [b"yesterday", b"Thu, 01 Jan 1970 00:00:00 GMT"],
    "if-none-match": [b"*", b'W/"', b'"a", "'],
    "range": [b"bytes=0-1", b"bytes=-"],
    "x-forwarded-for": [b"1.2.3.4, \xff", b"::1"],
    "x-requested-with": [b"XMLHttpRequest"],
    "user-agent": [b"\xff" * 300],
    "x-http-method-override": [b"DELETE"],
}
CONTENT_TYPES = [
    b"application/json",
    b"text/plain",
    b"multipart/form-data",
    b"multipart/form-data; boundary=\xff",
    b"multipart/form-data; boundary=" + b"b" * 300,
    b"application/x-www-form-urlencoded; charset=utf-7",
    b"application/x-www-form-urlencoded; charset=nothing",
    b"application/x-www-form-urlencoded; charset=utf-16",
    b"",
    b"; ;;=",
]
METHODS = ["POST", "POST", "POST", "POST", "GET", "GET", "GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "BREW"]
SWEPT = sorted(set(METHODS))
SAFE = {"GET", "HEAD", "OPTIONS"}
BOUNDARY = "a-line-between"

Pairs = list[tuple[bytes, bytes]]


class Mischief:
    """Generates requests: our own forms' fields, some of them altered, missing, doubled or foreign."""

    def __init__(self, seed: str) -> None:
        self._rng = random.Random(seed)
        self.choose = self._rng.choice

    def chance(self, one_in: int) -> bool:
        return self._rng.randrange(one_in) == 0

    def some(self, things: Sequence[Any], most: int) -> list[Any]:
        return self._rng.sample(things, min(len(things), self._rng.randint(0, most)))

    def odd(self) -> bytes:
        how = self._rng.randrange(4)
        if how == 0:
            size = self._rng.randint(0, 12)
            letters = "".join(
                chr(self.choose([self._rng.randrange(0x250), self._rng.randrange(0x110000)])) for _ in range(size)
            )
            return letters.encode("utf-8", "surrogatepass")
        if how == 1:
            return str(self._rng.randint(-1, 1) * self._rng.getrandbits(self.choose([4, 31, 64, 200]))).encode()
        return self.choose(ODD)

    def raw(self, most: int) -> bytes:
        return self._rng.randbytes(self._rng.randint(0, most))

    def pairs(self, known: dict[str, list[str]]) -> Pairs:
        given: Pairs = []
        for name, values in known.items():
            how = self.choose(["as it is", "as it is", "as it is", "odd", "odd", "missing", "doubled", "another's"])
            value = self.choose(values).encode() if values else b""
            if how == "as it is":
                given.append((name.encode(), value))
            elif how == "odd":
                given.append((name.encode(), self.odd()))
            elif how == "doubled":
                given += [(name.encode(), value), (name.encode(), self.odd())]
            elif how == "another's":
                given += [(name.encode(), each.encode()) for each in known[self.choose(sorted(known))][:3]]
        if not known or self.chance(4):
            given.append((self.choose(NAMES).encode(), self.odd()))
        return given

    def path(self, path: str, others: list[str]) -> str:
        """The path itself, another of the same pattern, or an altered one."""
        if others and self.chance(2):
            path = self.choose(others)
        parts = path.split("/")
        places = [place for place, part in enumerate(parts) if part]
        if not places or not self.chance(5):
            return path
        place = self.choose(places)
        if self.chance(2):
            parts[place] = quote(bend(parts[place], self.choose(BENT)), safe=":")
        else:
            parts[place] = quote_from_bytes(self.odd()[:300], safe="")
        return "/".join(parts)

    def body(self, form: Form) -> tuple[bytes, bytes]:
        """A body and its content type."""
        given = self.pairs(form.fields)
        how = self.choose(["form", "form", "form", "form", "files", "raw", "mislabeled"])
        if how == "form":
            return urlencode(given).encode(), b"application/x-www-form-urlencoded"
        if how == "files":
            names = [b"files", *(name.encode() for name in form.fields)]
            files = [(self.choose(names), self.choose(FILES)) for _file in range(self._rng.randint(0, 3))]
            return multipart(given, files), b"multipart/form-data; boundary=" + BOUNDARY.encode()
        if how == "raw":
            return self.raw(60), self.choose(CONTENT_TYPES)
        return urlencode(given).encode(), self.choose(CONTENT_TYPES)

    def request(self, *, method: str, path: str, form: Form, whose: list[str]) -> Asked:
        headers = [(name, self.choose(HEADERS[name])) for name in self.some(sorted(HEADERS), 3)]
        body = b""
        if method not in SAFE:
            body, kind = self.body(form)
            headers.append(("content-type", kind))
        return Asked(
            who=self.choose(whose),
            method=method,
            path=path,
            query=urlencode(self.pairs(form.queries)).encode() if self.chance(2) else b"",
            headers=tuple(headers),
            body=body,
            has_token=not self.chance(10),
        )

    def stream_query(self, good: str) -> bytes:
        """The query of a stream: the right token altered, another token, or something odd."""
        how = self.choose(["bent", "odd", "raw"])
        if how == "bent":
            return b"token=" + quote(bend(good, self.choose(BENT))).encode()
        return b"token=" + quote_from_bytes(self.odd()).encode() if how == "odd" else self.raw(40)


def bend(text: str, how: str) -> str:
    """Alter a code, number or signed value slightly."""
    middle = len(text) // 2
    other = "z" if text[middle : middle + 1] != "z" else "y"
    return {
        "cut": text[:middle],
        "longer": text + "0",
        "flipped": text[:middle] + other + text[middle + 1 :],
        "upside down": text[::-1],
        "lower": text.lower(),
        "upper": text.upper(),
        "one more": str(int(text) + 1) if text.isdecimal() else text + "1",
        "huge": "9" * 30,
        "largest": str(2**63),
    }[how]


BENT = ["cut", "longer", "flipped", "upside down", "lower", "upper", "one more", "huge", "largest"]


def multipart(given: Pairs, files: Pairs) -> bytes:
    def part(name: bytes, more: bytes, content: bytes) -> bytes:
        shown = name.replace(b'"', b"%22")
        return b'--%b\r\nContent-Disposition: form-data; name="%b"%b\r\n\r\n%b\r\n' % (
            BOUNDARY.encode(),
            shown,
            more,
            content,
        )

    parts = [part(name, b"", value) for name, value in given]
    parts += [part(name, b'; filename="roster.csv"\r\nContent-Type: text/csv', content) for name, content in files]
    return b"".join(parts) + b"--%b--\r\n" % BOUNDARY.encode()


STREAMS = [
    pytest.param(
        partial(serve, tables.hub), "/play/", tokens.sign(tokens.TableWatch("ABCDEF", 1, "en-us")), id="a table"
    ),
    pytest.param(
        partial(serve, lessons.hub), "/session/", lessons.sign(lessons.LessonWatch("ABCDEF", 1)), id="a lesson"
    ),
]
INLINE = re.compile(
    rb"<script(?![^>]*\s(?:src=|type=\"application/json\"))|<style|<[a-z](?:[^<>\"']|\"[^\"]*\"|'[^']*')*?\s(?:style|on[a-z]+)=",
    re.IGNORECASE,
)


NOTED = {AuditEntry._meta.db_table}
"""Tables that log a teacher's data exports."""
BY_ITSELF = "/family/letters/"
"""Mail programs stop letters without having seen a form (RFC 8058); the URL itself is the proof."""


def judge(asked: Asked, answered: Answered, *, may: bool) -> None:
    assert answered.status < 500, answered
    if answered.status >= 400:
        assert not answered.written, "refused, and written all the same"
    if not may:
        assert not answered.written, "written by who may not"
    if asked.method in SAFE or not (asked.has_token or asked.path.startswith(BY_ITSELF)):
        assert answered.written <= NOTED, "written by a request that another site could make"
    assert "default-src 'none'" in answered.headers["content-security-policy"]
    if answered.headers.get("content-type", "").startswith("text/html"):
        assert not INLINE.search(answered.content)


@dataclass
class Fuzz:
    """The requests of one run, each generated from the run's seed and its own number."""

    town: Town
    asked: Counter[str] = field(default_factory=Counter)
    """How often each URL was tried."""

    def sweep(self) -> None:
        """Try every URL with every method, as somebody who may open it if there is such a person."""
        for name in sorted(POLICIES):
            for method in SWEPT:
                self._ask(name, method=method, is_swept=True)

    def go_on(self, until: Callable[[], bool]) -> None:
        """Send any request to any URL until it's enough."""
        names = sorted(POLICIES)
        while not until():
            self._ask(Mischief(f"{run_seed()}/{self.asked.total()}/where").choose(names))

    def _ask(self, name: str, *, method: str = "", is_swept: bool = False) -> None:
        number = self.asked.total()
        self.asked[name] += 1
        mischief = Mischief(f"{run_seed()}/{number}")
        path, policy, form = self.town.path_of(name), POLICIES[name], self.town.form_of(name)
        may = [role.value for role in Role if role in policy.may] + HALFWAY * policy.is_halfway
        whose = may if may and is_swept else [role.value for role in Role] + HALFWAY * policy.is_halfway
        asked = mischief.request(
            method=method or mischief.choose(METHODS),
            path=path if is_swept else mischief.path(path, form.paths),
            form=form,
            whose=whose,
        )
        try:
            judge(asked, self.town.ask(asked), may=asked.who in {*may, *HALFWAY} or asked.path != path)
        except Exception as error:
            error.add_note(f"{how_to_repeat()}; request {number}, to {name}: {asked!r}"[:5_000])
            raise


def test_no_request_whatever_breaks_an_address_or_writes_where_it_is_refused(town: Town):
    """Try every URL with every method, then as many random requests as the budget allows."""
    began = time.process_time()
    fuzz = Fuzz(town)
    fuzz.sweep()
    assert min(fuzz.asked[name] for name in POLICIES) == len(SWEPT)
    fuzz.go_on(lambda: time.process_time() - began > fuzz_seconds())


def test_another_seed_makes_other_requests_and_the_same_one_the_same():
    form = Form(fields={"name": ["Mia"], "group": ["A", "B"]}, queries={"page": ["1"]})
    made = [
        [Mischief(f"{seed}/{number}").request(method="POST", path="/", form=form, whose=["x"]) for number in range(20)]
        for seed in (run_seed(), run_seed(), run_seed() + 1)
    ]
    assert made[0] == made[1] != made[2]


def test_a_number_that_no_database_holds_is_nobodys(unread_town: Town):
    tried = 0
    for name, policy in POLICIES.items():
        arguments = policy.arguments(unread_town.world)
        for place in [place for place, each in enumerate(arguments) if isinstance(each, int)]:
            for number in (2**31, 2**63, 10**30):
                path = reverse(name, args=[*arguments[:place], number, *arguments[place + 1 :]])
                for method, role in product(("GET", "POST"), policy.may - {Role.ANONYMOUS}):
                    answered = unread_town.ask(Asked(role.value, method, path))
                    assert answered.status in {404, 405}, path
                    assert not answered.written
                    tried += 1
    assert tried > 300


# Streams


@pytest.mark.parametrize(("stream", "start", "good"), STREAMS)
def test_no_word_that_we_did_not_sign_opens_a_stream(stream: Any, start: str, good: str):
    async def ask(query: bytes, code: str) -> list[dict[str, Any]]:
        sent: list[dict[str, Any]] = []

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        async def receive() -> dict[str, Any]:
            return {"type": "http.disconnect"}

        scope = {"type": "http", "method": "GET", "path": f"{start}{code}/stream/", "query_string": query}
        await stream(scope, receive, send)
        return sent

    for number in range(300):
        mischief = Mischief(f"{run_seed()}/{start}/{number}")
        query, code = mischief.stream_query(good), mischief.choose(["ABCDEF", "ABCDE", "A" * 500])
        assert run(ask(query, code))[0]["status"] == 403, f"{how_to_repeat()}: {query!r} {code}"
