"""Move limits: fast players never reach them; scripts do, and get an explanation."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest
from django.test import Client

from core.cache.process import OwnCache
from games import limits
from games.matches import service as matches
from games.models import Match, Way
from games.players import Player
from games.rules import Options
from games.rules import commands as ask

ANN = Player(name="Ann", guest="a" * 32)
BEN = Player(name="Ben", guest="b" * 32)
HTMX = {"HX-Request": "true"}
TOGETHER = {"edition": "us", "deck": "full", "votes": "checked"}


@pytest.fixture(autouse=True)
def clock(clock_of_limits: SimpleNamespace) -> SimpleNamespace:
    return clock_of_limits


def client_of(player: Player) -> Client:
    client = Client()
    session = client.session
    session["guest"] = {"key": player.guest, "name": player.name}
    session.save()
    return client


def open_together() -> str:
    match = matches.open_match(way=Way.TOGETHER, options=Options(window=None), player=ANN, now=time.time())
    matches.join(match.code, BEN, now=time.time())
    matches.command(match.code, ask.Deal(0), now=time.time())
    return match.code


def version(code: str) -> int:
    return Match.objects.get(code=code).version


def call(client: Client, code: str, **more):
    return client.post(f"/play/{code}/call/", {"version": version(code)}, **more)


# Counting


@pytest.mark.parametrize("offset", [0.0, 3.3, 5.0, 9.9])
def test_thirty_moves_in_ten_seconds_are_never_too_many(clock, offset):
    clock.now += offset
    for _ in range(600):
        limits.MOVES.count("somebody")
        clock.now += 10 / 30


def test_a_burst_of_five_moves_a_second_for_a_minute_is_never_too_many(clock):
    for _second in range(60):
        for _ in range(5):
            limits.MOVES.count("somebody")
        clock.now += 1


@pytest.mark.parametrize("limit", [limits.MOVES, limits.OPENINGS, limits.OPENINGS_OF_ADDRESS])
def test_one_more_than_the_most_is_too_many_until_the_time_is_over(limit, clock):
    for _ in range(limit.most):
        limit.count("script")
    for _ in range(3):
        with pytest.raises(limits.TooMany):
            limit.count("script")
    limit.count("somebody")
    clock.now += limit.seconds
    limit.count("script")


def test_limits_do_not_count_for_one_another():
    for _ in range(limits.MOVES.most):
        limits.MOVES.count("somebody")
    limits.OPENINGS.count("somebody")


def test_a_count_that_the_cache_drops_begins_anew_and_is_no_error(monkeypatch):
    class Full(OwnCache):
        """A cache that lost its counts and accepts nothing new."""

        def incr(self, key, *args, **kwargs):
            raise ValueError(f"{key} is gone")

        def add(self, *args, **kwargs):
            return False

    monkeypatch.setattr(limits, "cache", Full("full", {}))
    limits.OPENINGS.count("somebody")


# At the table


@pytest.mark.django_db
def test_a_player_who_moves_thirty_times_in_ten_seconds_is_never_stopped(clock):
    code, ann = open_together(), client_of(ANN)
    for move in range(60):
        action = "withdraw" if move % 2 else "call"
        answer = ann.post(f"/play/{code}/{action}/", {"version": version(code)}, headers=HTMX)
        assert answer.status_code == 200
        clock.now += 10 / 30


@pytest.mark.django_db
@pytest.mark.parametrize("action", ["deal", "call", "pick", "withdraw", "no-set", "take-back", "join"])
def test_a_script_is_stopped_in_words_and_changes_nothing(action):
    code, ann = open_together(), client_of(ANN)
    for _ in range(limits.MOVES.most):
        limits.MOVES.count(ANN.word)
    before = version(code)
    for headers in ({}, HTMX):
        answer = ann.post(f"/play/{code}/{action}/", {"version": before}, headers=headers)
        assert answer.status_code == 429
        assert "That was very fast" in answer.content.decode()
        assert "Wait a moment." in answer.content.decode()
        assert (answer.headers.get("HX-Retarget") == "#notice") is bool(headers)
    assert version(code) == before


@pytest.mark.django_db
def test_sixty_refused_moves_count_like_others():
    code, ann = open_together(), client_of(ANN)
    matches.command(code, ask.Call(1), now=time.time())
    answers = [call(ann, code, headers=HTMX).status_code for _ in range(limits.MOVES.most + 1)]
    assert answers == [422] * limits.MOVES.most + [429]


@pytest.mark.django_db
def test_a_script_does_not_stop_the_others_at_its_table():
    code, ann, ben = open_together(), client_of(ANN), client_of(BEN)
    for _ in range(limits.MOVES.most):
        limits.MOVES.count(ANN.word)
    assert call(ann, code).status_code == 429
    assert call(ben, code).status_code == 302


@pytest.mark.django_db
def test_who_was_stopped_still_sees_the_table_and_may_leave():
    code, ann = open_together(), client_of(ANN)
    for _ in range(limits.MOVES.most):
        limits.MOVES.count(ANN.word)
    assert ann.get(f"/play/{code}/").status_code == 200
    assert ann.post(f"/play/{code}/leave/").status_code == 302


@pytest.mark.django_db
def test_who_was_stopped_plays_on_after_a_moment(clock):
    code, ann = open_together(), client_of(ANN)
    for _ in range(limits.MOVES.most):
        limits.MOVES.count(ANN.word)
    assert call(ann, code).status_code == 429
    clock.now += limits.MOVES.seconds
    assert call(ann, code).status_code == 302


# Opening tables


@pytest.mark.django_db
def test_a_player_may_open_a_handful_of_tables_and_a_script_may_not():
    ann = client_of(ANN)
    for _ in range(limits.OPENINGS.most):
        assert ann.post("/play/open/together/", TOGETHER).status_code == 302
    answer = ann.post("/play/open/together/", TOGETHER)
    assert answer.status_code == 429
    assert "Too many tries" in answer.content.decode()
    assert Match.objects.count() == limits.OPENINGS.most
    assert client_of(BEN).post("/play/open/together/", TOGETHER).status_code == 302


@pytest.mark.django_db
def test_playing_again_counts_as_opening():
    ann = client_of(ANN)
    code = ann.post("/play/open/practice/", {"deck": "easy"}).url.split("/")[2]
    for _ in range(limits.OPENINGS.most - 1):
        limits.OPENINGS.count(ANN.word)
    answer = ann.post(f"/play/{code}/again/")
    assert answer.status_code == 429
    assert "Too many tries" in answer.content.decode()


@pytest.mark.django_db
def test_thirty_children_behind_one_address_may_each_open_twenty_tables_and_a_crowd_of_scripts_no_more():
    for _ in range(30 * 20 - 1):
        limits.OPENINGS_OF_ADDRESS.count("127.0.0.1")
    assert Client().post("/play/open/together/", TOGETHER).status_code == 302
    answer = Client().post("/play/open/together/", TOGETHER)
    assert answer.status_code == 429
    assert Match.objects.count() == 1
    elsewhere = Client(REMOTE_ADDR="192.0.2.7").post("/play/open/together/", TOGETHER)
    assert elsewhere.status_code == 302


@pytest.mark.django_db
def test_a_form_that_was_filled_in_wrong_does_not_count():
    ann = client_of(ANN)
    for _ in range(limits.OPENINGS.most + 1):
        assert ann.post("/play/open/together/", {}).status_code == 422
    assert ann.post("/play/open/together/", TOGETHER).status_code == 302
