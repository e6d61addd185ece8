"""Whatever anybody sends to any address: no error, and nothing written by who is refused.

The addresses are those of the resolver, the fields those of our own forms; the rest is made up. Each address gets its
share of requests, and the shares make 20,000.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote, quote_from_bytes, urlencode

import pytest
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from classrooms.models import AuditEntry
from classrooms.sessions import live as lessons
from games.live import stream as tables
from games.live import tokens
from tests.safety.town import HALFWAY, Answered, Asked, Form, Town
from tests.test_pages import run
from tests.test_permissions import POLICIES, Role

IN_ALL = 20_000
SHARE = -(-IN_ALL // len(POLICIES))
"""Of each address."""
GROUPS = 8

# Texts that have broken something somewhere, as they come over the wire.
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
    "cookie": [b"sessionid=nobody", b"known=a:b:c", b"django_language=../..", b"messages=x", b"=;=;", b'csrftoken="'],
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
SAFE = {"GET", "HEAD", "OPTIONS"}
BOUNDARY = "a-line-between"

odd = st.one_of(
    st.sampled_from(ODD),
    st.text(max_size=12).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.integers().map(lambda number: str(number).encode()),
)
Pairs = list[tuple[bytes, bytes]]


@st.composite
def pairs(draw: st.DrawFn, known: dict[str, list[str]]) -> Pairs:
    """Fields as a form sends them, of which some are bent, missing, doubled or not ours."""
    given: Pairs = []
    for name, values in known.items():
        how = draw(
            st.sampled_from(["as it is", "as it is", "as it is", "odd", "odd", "missing", "doubled", "another's"])
        )
        value = draw(st.sampled_from(values)).encode() if values else b""
        if how == "as it is":
            given.append((name.encode(), value))
        elif how == "odd":
            given.append((name.encode(), draw(odd)))
        elif how == "doubled":
            given += [(name.encode(), value), (name.encode(), draw(odd))]
        elif how == "another's":
            another = draw(st.sampled_from(sorted(known)))
            given += [(name.encode(), each.encode()) for each in known[another][:3]]
    if not known or draw(st.integers(0, 3)) == 0:
        given.append((draw(st.sampled_from(NAMES)).encode(), draw(odd)))
    return given


def bend(text: str, how: str) -> str:
    """A code, number or sealed word that is not quite the right one."""
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


@st.composite
def paths(draw: st.DrawFn, path: str, others: list[str]) -> str:
    """The address itself, another of the same kind, or one that is bent."""
    if others and draw(st.booleans()):
        path = draw(st.sampled_from(others))
    parts = path.split("/")
    places = [place for place, part in enumerate(parts) if part]
    if not places or draw(st.integers(0, 4)):
        return path
    place = draw(st.sampled_from(places))
    if draw(st.booleans()):
        parts[place] = quote(bend(parts[place], draw(st.sampled_from(BENT))), safe=":")
    else:
        parts[place] = quote_from_bytes(draw(odd)[:300], safe="")
    return "/".join(parts)


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


@st.composite
def bodies(draw: st.DrawFn, form: Form) -> tuple[bytes, bytes]:
    """A body and what it says it is."""
    given = draw(pairs(form.fields))
    how = draw(st.sampled_from(["form", "form", "form", "form", "files", "raw", "mislabelled"]))
    if how == "form":
        return urlencode(given).encode(), b"application/x-www-form-urlencoded"
    if how == "files":
        names = [b"files", *(name.encode() for name in form.fields)]
        files = draw(st.lists(st.tuples(st.sampled_from(names), st.sampled_from(FILES)), max_size=3))
        return multipart(given, files), b"multipart/form-data; boundary=" + BOUNDARY.encode()
    if how == "raw":
        return draw(st.binary(max_size=60)), draw(st.sampled_from(CONTENT_TYPES))
    return urlencode(given).encode(), draw(st.sampled_from(CONTENT_TYPES))


@st.composite
def requests(draw: st.DrawFn, path: str, form: Form, whose: list[str]) -> Asked:
    method = draw(st.sampled_from(METHODS))
    names = draw(st.lists(st.sampled_from(sorted(HEADERS)), max_size=3, unique=True))
    headers = [(name, draw(st.sampled_from(HEADERS[name]))) for name in names]
    body = b""
    if method not in SAFE:
        body, kind = draw(bodies(form))
        headers.append(("content-type", kind))
    return Asked(
        who=draw(st.sampled_from(whose)),
        method=method,
        path=draw(paths(path, form.paths)),
        query=urlencode(draw(pairs(form.queries))).encode() if draw(st.booleans()) else b"",
        headers=tuple(headers),
        body=body,
        has_token=draw(st.integers(0, 9)) > 0,
    )


STREAMS = [
    pytest.param(tables.stream, "/play/", tokens.sign(tokens.Watch("ABCDEF", 1, "en-us")), id="a table"),
    pytest.param(lessons.stream, "/session/", lessons.sign(lessons.Watch("ABCDEF", 1)), id="a lesson"),
]
INLINE = re.compile(
    rb"<script(?![^>]*\s(?:src=|type=\"application/json\"))|<style|<[a-z][^<>]*\s(?:style|on[a-z]+)=", re.IGNORECASE
)


NOTED = {AuditEntry._meta.db_table}
"""Where it is written down that a teacher has taken data out."""
BY_ITSELF = "/family/letters/"
"""Mail programs stop letters without having seen a form (RFC 8058): the address itself is the proof."""


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


def test_the_shares_make_twenty_thousand():
    assert SHARE * len(POLICIES) >= IN_ALL


@pytest.mark.parametrize("group", range(GROUPS))
def test_no_request_whatever_breaks_an_address_or_writes_where_it_is_refused(town: Town, group: int):
    for name in sorted(POLICIES)[group::GROUPS]:
        fuzz(town, name)


def fuzz(town: Town, name: str) -> None:
    path, policy = town.path_of(name), POLICIES[name]
    may = {role.value for role in policy.may} | set(HALFWAY)
    whose = [role.value for role in Role] + HALFWAY * policy.is_halfway
    count = 0

    @settings(max_examples=SHARE, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(requests(path, town.form_of(name), whose))
    def ask(asked: Asked) -> None:
        nonlocal count
        count += 1
        judge(asked, town.ask(asked), may=asked.who in may or asked.path != path)

    ask()
    assert count >= SHARE


@pytest.mark.parametrize("number", [2**31, 2**63, 10**30])
def test_a_number_that_no_database_holds_is_nobodys(town: Town, number: int):
    tried = 0
    for name, policy in POLICIES.items():
        arguments = policy.arguments(town.world)
        for place in [place for place, each in enumerate(arguments) if isinstance(each, int)]:
            path = reverse(name, args=[*arguments[:place], number, *arguments[place + 1 :]])
            for method in ("GET", "POST"):
                for role in policy.may - {Role.ANONYMOUS}:
                    answered = town.ask(Asked(role.value, method, path))
                    assert answered.status in {404, 405}, path
                    assert not answered.written
                    tried += 1
    assert tried > 100


# Streams


@st.composite
def words(draw: st.DrawFn, good: str) -> bytes:
    """What a stream is asked with: the right word bent, another one, or something odd."""
    how = draw(st.sampled_from(["bent", "odd", "raw"]))
    if how == "bent":
        return b"token=" + quote(bend(good, draw(st.sampled_from(BENT)))).encode()
    if how == "odd":
        return b"token=" + quote_from_bytes(draw(odd)).encode()
    return draw(st.binary(max_size=40))


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

    @settings(max_examples=300, deadline=None, database=None)
    @given(words(good), st.sampled_from(["ABCDEF", "ABCDE", "A" * 500]))
    def refused(query: bytes, code: str) -> None:
        assert run(ask(query, code))[0]["status"] == 403

    refused()
