"""Metrics for clients with the token, and logs that name nobody."""

from __future__ import annotations

import json
import logging
import sys

import pytest
from django.db import IntegrityError
from django.test import RequestFactory

from core.logs import JsonLines, log_request
from games.models import Match
from tests.scale.people import Answer, fetch
from tools.scale.engines import wait_until


def ask(site: str, token: str | None) -> Answer:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    return fetch(f"{site}/metrics", headers=headers)


def figures(site: str) -> dict[str, float]:
    lines = ask(site, "figures").text.splitlines()
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines if not line.startswith("#")}


def count_of(found: dict[str, float], route: str) -> float:
    return sum(v for k, v in found.items() if k.startswith("setsite_request_seconds_count") and f'route="{route}"' in k)


def test_what_is_played_is_counted(scaled_site, people):
    first, _second = scaled_site.web
    ann, ben, _cleo = people
    # Streams left by other tests may end during this count.
    Match.objects.all().delete()
    wait_until(lambda: figures(first.url)['setsite_streams{of="match"}'] == 0, "nobody watches any more")
    before = figures(first.url)
    code = ann.open_table(first.url)
    ben.join(first.url, code)
    ann.do(first.url, code, "deal")
    with ann.watch(first.url, code) as screen:
        screen.table()
        ben.do(first.url, code, "call")
        screen.table(lambda shown: shown.control == 1)
        during = figures(first.url)
    assert during['setsite_streams{of="match"}'] == before['setsite_streams{of="match"}'] + 1
    assert during['setsite_pushes_total{of="match"}'] >= before['setsite_pushes_total{of="match"}'] + 2
    assert during["setsite_matches_open"] == before["setsite_matches_open"] + 1
    assert count_of(during, "play:call") == count_of(before, "play:call") + 1
    assert during["setsite_bus_up"] == 1
    assert {f'setsite_jobs{{state="{state}"}}' for state in ("waiting", "running", "done", "failed")} <= set(during)
    assert not any(code in name for name in during)


@pytest.mark.parametrize("token", [None, "", "wrong", "figures2"])
def test_without_the_token_there_are_no_figures(scaled_site, token):
    assert ask(scaled_site.web[0].url, token).status == 404


@pytest.mark.parametrize("token", [None, "", "None"])
def test_where_no_token_is_set_nobody_has_it(site, token):
    assert ask(site, token).status == 404


def test_a_request_is_one_line_that_says_nothing_about_anybody(scaled_site, people):
    web = scaled_site.web[0]
    ann = people[0]
    # Ignore earlier log lines of other tests: an unreachable database is logged with its address.
    before = len(web.log_text())
    code = ann.open_table(web.url)
    ann.get(web.url, f"/play/{code}/?name=Ann")
    ann.get(web.url, "/no/such/page/")
    figures(web.url)
    said = web.log_text()[before:]
    lines = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    requests = [line for line in lines if line["logger"] == "setsite.requests"]
    assert requests
    for line in requests:
        assert set(line) == {"timestamp", "level", "logger", "event", "method", "route", "status", "ms"}
    assert {"play:open", "play:table"} <= {line["route"] for line in requests}
    assert any((line["route"], line["status"]) == ("unknown", 404) for line in requests)
    assert code not in said
    assert "127.0.0.1" not in said


def line_of(record: logging.LogRecord) -> dict:
    text = JsonLines().format(record)
    assert "\n" not in text
    return json.loads(text)


def record_of(error: BaseException, **more) -> logging.LogRecord:
    try:
        raise error
    except type(error):
        words = "%s: %s", ("Trouble", "/play/ABCDE/")
        record = logging.LogRecord("django.request", logging.ERROR, __file__, 1, *words, sys.exc_info())
    for name, value in more.items():
        setattr(record, name, value)
    return record


def test_an_error_has_its_trace_and_not_the_address():
    line = line_of(record_of(ValueError("broken"), request=RequestFactory().get("/play/ABCDE/"), status_code=500))
    assert (line["event"], line["status"], line["route"]) == ("request.failed", 500, "unknown")
    assert "ValueError: broken" in line["trace"]
    assert "ABCDE" not in json.dumps(line)


def test_a_database_does_not_quote_its_rows():
    detail = "duplicate key\nDETAIL:  Key (email)=(mia@home.example) already exists."
    error = IntegrityError(detail)
    error.__cause__ = IntegrityError(detail)
    line = line_of(record_of(error, request=None))
    assert "duplicate key" in line["trace"]
    assert "mia@" not in line["trace"]


def test_a_line_of_a_request(caplog):
    with caplog.at_level(logging.INFO, logger="setsite.requests"):
        log_request(method="GET", route="front", status=200, seconds=0.01234)
    line = line_of(caplog.records[-1])
    assert {name: line[name] for name in ("event", "method", "route", "status", "ms")} == {
        "event": "request.answered",
        "method": "GET",
        "route": "front",
        "status": 200,
        "ms": 12.3,
    }


def test_lanes_are_in_the_figures(scaled_site):
    found = figures(scaled_site.web[0].url)
    for lane in ("fast", "heavy", "sign_in"):
        for what in ("waiting", "running", "refused_total"):
            assert found[f'setsite_lane_{what}{{lane="{lane}"}}'] >= 0
