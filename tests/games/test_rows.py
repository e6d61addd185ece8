"""The hot path's plain SQL reads and writes what the models do."""

from __future__ import annotations

import time

import pytest

from games import matches, rows
from games.models import Event, Match, Seat, Way
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
    read = rows.match_of(known.code)
    assert read == known
    for field in Match._meta.concrete_fields:
        assert getattr(read, field.attname) == getattr(known, field.attname), field.name


def test_a_match_that_is_not_there_is_missing():
    with pytest.raises(Match.DoesNotExist):
        rows.match_of("NOSUCH")


def test_a_seat_is_found_by_the_guest_or_the_user_who_sits_on_it(django_user_model):
    cara = django_user_model.objects.create_student(display_name="Cara")
    match = open_dealt()
    matches.join(match.code, Player(name="Cara", user=cara), now=time.time())
    for player, number in ((ANN, 0), (BEN, 1), (Player(name="Cara", user=cara), 2)):
        seat = rows.acting_seat(match.code, player)
        known = Seat.objects.get(match=match, number=number)
        assert seat == known
        for field in Seat._meta.concrete_fields:
            assert getattr(seat, field.attname) == getattr(known, field.attname), field.name
    assert rows.acting_seat(match.code, Player(name="Dan", guest="d" * 32)) is None


def test_nobody_acts_from_a_seat_of_a_whole_class():
    assert rows.acting_seat(open_dealt(Way.CLASS).code, ANN) is None


def test_names_strengths_and_the_end_of_the_log_are_the_models():
    match = open_dealt(Way.COMPUTER, computers=["expert"])
    seats = list(match.seats.all())
    assert rows.strengths(match) == {seat.number: seat.strength for seat in seats if seat.strength} != {}
    log = [event.record for event in match.events.all()]
    names = {seat.number: seat.name for seat in seats}
    assert rows.names_and_records(match, 2) == (names, log[-2:])
    assert rows.names_and_records(match, 100) == (names, log)


def test_a_long_log_is_written_whole():
    match = open_dealt()
    records = [{"kind": "test", "number": number} for number in range(250)]
    rows.append(match, match.version, records)
    assert [event.record for event in match.events.all()][-250:] == records


def test_a_match_and_what_its_log_has_more_are_written_together():
    match = rows.match_of(open_dealt().code)
    read, records = match.version, [{"kind": "test", "number": number} for number in range(250)]
    match.version += len(records)
    assert rows.save(match, read, records)
    assert Match.objects.get(code=match.code).version == match.version
    log = Event.objects.filter(match=match).order_by("number")
    assert [(event.number, event.record) for event in log][read:] == list(enumerate(records, read + 1))


def test_a_match_is_not_written_over_a_newer_one():
    match = rows.match_of(open_dealt().code)
    newer = matches.command(match.code, ask.Call(0), now=time.time()).match
    match.version += 1
    assert not rows.save(match, match.version - 1, [{"kind": "test"}])
    assert Match.objects.get(code=match.code).snapshot == newer.snapshot
    assert Event.objects.filter(match=match).count() == newer.version
