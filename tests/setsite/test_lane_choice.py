"""The lane of a request: by method and path, from the marks on the views, without starting a thread."""

from __future__ import annotations

import re

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import include, path

from core.lanes.choice import LaneChoice
from core.lanes.marks import FAST, HEAVY, REPORTS, SIGN_IN, slow
from tests import lanes
from tests.classrooms.people import enrol, make_adult, make_classroom, signed_in
from tests.lanes import InFastLane

choose = LaneChoice()


@pytest.mark.parametrize(
    ("method", "address", "lane"),
    [
        ("GET", "/", FAST),
        ("POST", "/play/ABCDEF/call/", FAST),
        ("POST", "/session/ABCDEF/act/", FAST),
        ("POST", "/join/ABCDEF/7/", FAST),
        ("GET", "/account/login/", FAST),
        ("POST", "/account/login/", SIGN_IN),
        ("POST", "/account/signup/", SIGN_IN),
        ("POST", "/account/password/change/", SIGN_IN),
        ("POST", "/account/password/reset/", SIGN_IN),
        ("POST", "/account/reauthenticate/", SIGN_IN),
        ("POST", "/account/2fa/authenticate/", SIGN_IN),
        ("POST", "/account/logout/", FAST),
        ("POST", "/teach/7/students/import/", HEAVY),
        ("POST", "/teach/7/students/paste/", HEAVY),
        ("GET", "/teach/7/students/", REPORTS),
        ("GET", "/teach/7/", REPORTS),
        ("GET", "/teach/", REPORTS),
        ("GET", "/teach/7/students/9/", FAST),
        ("GET", "/teach/7/report.xlsx", HEAVY),
        ("HEAD", "/teach/7/report.xlsx", HEAVY),
        ("GET", "/teach/7/cards/", HEAVY),
        ("GET", "/teach/session/ABCDEF/paper.pdf", HEAVY),
        ("GET", "/play/daily/full/picture.png", HEAVY),
        ("GET", "/print/deck/", HEAVY),
        ("GET", "/privacy/class/7/export/", FAST),
        ("POST", "/privacy/class/7/export/", HEAVY),
        ("GET", "/nowhere/", FAST),
        ("BREW", "/account/login/", FAST),
    ],
)
def test_slow_requests_have_lanes_of_their_own(method, address, lane):
    assert choose(method, address) == lane


@pytest.mark.parametrize("address", ["//account/login/", "/account/login", "/account/login/x", "/ACCOUNT/login/"])
def test_an_address_that_only_looks_like_a_slow_one_is_none_for_django_either(address, client):
    assert choose("POST", address) == FAST
    assert client.post(address, {"login": "a@b.example", "password": "x"}).status_code in {301, 404, 500}


@slow()
def heavy(request, number=0):
    return HttpResponse()


def quick(request, word):
    return HttpResponse()


inner = [path("<slug:word>/", quick), path("<int:number>/", heavy)]
urlpatterns = [path("first/", include(inner)), path("<int:number>/all/", heavy)]


def test_the_first_address_that_fits_counts_as_it_does_for_django():
    own = LaneChoice(__name__)
    assert own("GET", "/first/7/") == FAST, "a slug comes first, and fits"
    assert own("GET", "/7/all/") == HEAVY


def test_a_page_that_is_not_slow_is_never_resolved(monkeypatch):
    fresh = LaneChoice()
    assert fresh("POST", "/account/login/") == SIGN_IN
    monkeypatch.setattr(type(fresh._resolver), "resolve", lambda *_: pytest.fail("that takes too long"))
    assert fresh("POST", "/play/ABCDEF/call/") == FAST


def test_every_slow_pattern_is_a_whole_expression():
    assert len(choose._slow) > 30
    for regex, _methods in choose._slow:
        assert re.compile(regex)


# The fast lane check itself


@pytest.mark.django_db
def test_heavy_work_in_the_fast_lane_fails_its_test(monkeypatch):
    monkeypatch.setattr("core.lanes.choice._HASHES_NOTHING", frozenset({"account_login"}))
    with pytest.raises(InFastLane):
        Client().post("/account/login/", {"login": "nobody@school.example", "password": "correct horse battery"})


@pytest.mark.parametrize(
    ("owner", "name", "what"), lanes.HEAVY_WORK, ids=[name for _owner, name, _what in lanes.HEAVY_WORK]
)
def test_each_sort_of_heavy_work_looks_at_its_lane(monkeypatch, owner, name, what):
    monkeypatch.setattr(lanes._here, "lane", FAST, raising=False)
    with pytest.raises(InFastLane, match=what):
        getattr(owner, name)()


@pytest.mark.django_db
def test_files_and_pictures_are_made_in_the_heavy_lane(monkeypatch):
    """Request each once; in the fast lane, the check that runs in every test would fail it."""
    teacher = make_adult()
    classroom = make_classroom(teacher)
    enrol(classroom, "Mia Okafor")
    client = signed_in(teacher)
    for address in (f"/teach/{classroom.pk}/report.xlsx", "/play/daily/full/picture.png", "/print/deck/"):
        assert client.get(address).status_code == 200
