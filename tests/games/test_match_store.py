"""The plain SQL of the hot path reads and writes the same as the models."""

from __future__ import annotations

import time

import pytest

from games.matches import service as matches
from games.matches import store as match_store
from games.models import Event, Match, MatchDetails, Sitting, Way
from games.players import Player
from games.rules import Options
from games.rules import commands as ask

ANN = Player(name="Ann", guest="a" * 32)
BEN = Player(name="Ben", guest="b" * 32)

pytestmark = pytest.mark.django_db


def open_dealt(way: Way = Way.TOGETHER, **more) -> Match:
    now = time.time()
    match = matches.open_match(way=way, options=Options(), player=ANN, others=[BEN], now=now, **more)
    matches.command(match.code, ask.Deal(0), now=now)
    return Match.objects.get(code=match.code)


def test_a_match_is_read_as_the_models_read_it():
    known = open_dealt()
    read = match_store.match_of(known.code)
    assert read == known
    for field in Match._meta.concrete_fields:
        assert getattr(read, field.attname) == getattr(known, field.attname), field.name


def test_a_match_that_is_not_there_is_missing():
    with pytest.raises(Match.DoesNotExist):
        match_store.match_of("NOSUCH")


def details_by_the_models(match: Match) -> MatchDetails:
    seats = tuple(Sitting(*row) for row in match.seats.values_list(*Sitting._fields))
    log = tuple(event.record for event in match.events.all())
    return MatchDetails(seats, log[-12:])


@pytest.mark.parametrize("moves", [0, 9])
def test_who_sits_there_and_the_end_of_the_log_are_read_along_as_the_models_read_them(django_user_model, moves):
    cara = Player(name="Cara", user=django_user_model.objects.create_student(display_name="Cara"))
    match = open_dealt(Way.COMPUTER, computers=["expert"])
    joined = matches.join(match.code, cara, now=time.time())
    for _each in range(moves):
        for order in (ask.Call(joined.number), ask.Withdraw(joined.number)):
            matches.command(match.code, order, now=time.time())
    known = Match.objects.get(code=match.code)
    read = match_store.match_of(match.code)
    assert known.details is None
    assert read.details == match_store.match_details(known) == details_by_the_models(known)
    assert {seat.strength for seat in read.details.seats} == {"", "expert"}


def test_around_a_match_that_is_gone_there_is_nothing():
    match = open_dealt()
    Match.objects.filter(pk=match.pk).delete()
    assert match_store.match_details(match) == MatchDetails((), ())


def test_what_is_around_a_match_is_known_after_a_write_as_if_it_were_read():
    match = open_dealt()
    for order in (ask.Call(0), ask.Withdraw(0), ask.Call(1)):
        written = matches.command(match.code, order, now=time.time()).match
        assert written.details == details_by_the_models(written)


def test_who_has_just_sat_down_is_there(django_capture_on_commit_callbacks):
    match = open_dealt()
    told: list[matches.Written] = []
    listen = told.append
    matches.on_change(listen)
    try:
        with django_capture_on_commit_callbacks(execute=True):
            matches.join(match.code, Player(name="Dan", guest="d" * 32), now=time.time())
    finally:
        matches.off_change(listen)
    (written,) = told
    assert match_store.match_details(written.match).names == {0: "Ann", 1: "Ben", 2: "Dan"}


def test_a_long_log_is_written_whole():
    match = open_dealt()
    records = [{"kind": "test", "number": number} for number in range(250)]
    match_store.append(match, match.version, records)
    assert [event.record for event in match.events.all()][-250:] == records


def test_a_match_and_what_its_log_has_more_are_written_together():
    match = match_store.match_of(open_dealt().code)
    read, records = match.version, [{"kind": "test", "number": number} for number in range(250)]
    match.version += len(records)
    assert match_store.save(match, read, records)
    assert Match.objects.get(code=match.code).version == match.version
    log = Event.objects.filter(match=match).order_by("number")
    assert [(event.number, event.record) for event in log][read:] == list(enumerate(records, read + 1))


def test_a_match_is_not_written_over_a_newer_one():
    match = match_store.match_of(open_dealt().code)
    newer = matches.command(match.code, ask.Call(0), now=time.time()).match
    match.version += 1
    assert not match_store.save(match, match.version - 1, [{"kind": "test"}])
    assert Match.objects.get(code=match.code).snapshot == newer.snapshot
    assert Event.objects.filter(match=match).count() == newer.version
