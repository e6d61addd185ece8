"""At tables that anybody can watch, users' real names stay hidden."""

from __future__ import annotations

import time

import pytest
from django.test import Client

from classrooms.models import User
from games.live.render import render
from games.matches import service as matches
from games.matches.store import match_of
from games.models import Match
from games.rules import commands as ask
from tests.classrooms.people import enrol, make_adult, make_classroom, signed_in

pytestmark = pytest.mark.django_db

NAMES = ("Mia", "Dudley")


@pytest.fixture
def student() -> User:
    return enrol(make_classroom(make_adult("Rivera")), "Mia Okafor")[0].student


@pytest.fixture
def adult() -> User:
    return make_adult("Dudley")


def open_table(opener: User, *, is_listed: bool) -> str:
    form = {"edition": "us", "deck": "full", "votes": "checked", **({"listed": "on"} if is_listed else {})}
    answer = signed_in(opener).post("/play/open/together/", form)
    assert answer.status_code == 302, answer.content
    return answer.url.split("/")[2]


def sit_down(code: str, who: User) -> None:
    assert signed_in(who).post(f"/play/{code}/join/").status_code == 302


def play_to_the_end(code: str) -> None:
    now = time.time()
    matches.command(code, ask.Deal(0), now=now)
    for seat in (0, 1):
        matches.command(code, ask.Leave(seat), now=now)
    assert Match.objects.get(code=code).phase == "over"


@pytest.mark.parametrize("is_listed", [True, False])
def test_a_stranger_learns_no_name_from_lobby_table_stream_or_replay(student, adult, is_listed):
    code = open_table(student, is_listed=is_listed)
    assert Match.objects.get(code=code).is_open is is_listed
    sit_down(code, adult)
    stranger = Client()
    lobby = stranger.get("/play/").text
    assert (code in lobby) is is_listed
    seen = [lobby, stranger.get(f"/play/{code}/").text, render(match_of(code), "en-us").html]
    play_to_the_end(code)
    seen += [stranger.get(f"/play/{code}/").text, stranger.get(f"/play/{code}/replay/").text]
    for text in seen:
        assert not [name for name in NAMES if name in text]


def test_two_at_a_table_learn_each_others_names_neither_there_nor_afterwards(student, adult):
    code = open_table(student, is_listed=True)
    sit_down(code, adult)
    play_to_the_end(code)
    for path in (f"/play/{code}/", "/play/", "/account/"):
        page = signed_in(adult).get(path)
        assert page.status_code == 200
        assert "Mia" not in page.text, path


def test_the_lobby_says_how_many_play_and_nothing_about_who(student, adult):
    code = open_table(student, is_listed=True)
    sit_down(code, adult)
    names = [seat.name for seat in Match.objects.get(code=code).seats.all()]
    page = Client().get("/play/").text
    assert "2 players" in page
    assert not [name for name in names if name in page]


def test_players_are_told_what_they_are_called_at_the_table(student):
    code = open_table(student, is_listed=False)
    name = Match.objects.get(code=code).seats.get().name
    assert f"You're {name} at this table." in signed_in(student).get(f"/play/{code}/").text
