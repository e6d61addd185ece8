"""Many players act simultaneously in real processes on real databases: one is first, and nobody gets an error."""

from __future__ import annotations

import json
import os
import threading
import time
from collections import Counter

import pytest
from django.db import connection, connections, transaction

from core.db.fair_lock import lock_of
from games.matches import service as matches
from games.models import Match, Way
from games.players import Player
from games.rules import Options
from games.rules import commands as ask
from games.rules.errors import Refused
from games.rules.records import event_from
from tests.scale.engines import run

ROUNDS = 100


@pytest.fixture
def race(database):
    """Runs a race on the database, then checks that every table's log is complete and replays to its state."""

    def start(name: str, rounds: int) -> dict:
        report = json.loads(run(["-m", "tests.scale.race", name, str(rounds)], database))
        assert len(report["told"]) == rounds
        for table in report["tables"]:
            assert not table["has_gaps"]
            assert table["replays"]
        return report

    return start


def errors(report: dict) -> Counter[str]:
    return Counter(told.split("\n")[0] for round_ in report["told"] for told in round_ if told.startswith("error"))


def test_of_forty_who_call_at_once_exactly_one_has_control(race):
    report = race("call_at_one_table", ROUNDS)
    for told, (table,) in zip(report["told"], report["rounds"], strict=True):
        # Five connections per seat: the winner's other four get no error, because they're in control already.
        assert Counter(told) == {"Called": 1, "nothing new": 4, "board-held": 35}
        assert table["written"] == ["Called"]
        assert told.index("Called") // 5 == table["control"]
    assert report["tables"][0]["kinds"]["Called"] == ROUNDS


def test_of_forty_at_five_tables_exactly_one_at_each_has_control(race):
    report = race("call_at_five_tables", ROUNDS // 5)
    for told, tables in zip(report["told"], report["rounds"], strict=True):
        assert Counter(told) == {"Called": 5, "board-held": 35}
        assert [table["written"] for table in tables] == [["Called"]] * 5
        winners = [player for player, answer in enumerate(told) if answer == "Called"]
        assert sorted((player % 5, player // 5) for player in winners) == [
            (number, table["control"]) for number, table in enumerate(tables)
        ]


def test_a_call_that_is_sent_ten_times_is_one_call_even_after_it_is_over(race):
    report = race("retry_a_call", 50)
    for told, (table,) in zip(report["told"], report["rounds"], strict=True):
        assert Counter(told) == {"Called": 1, "nothing new": 9, "CallFailed": 1}
        assert table["written"] == ["Called", "CallFailed"]
    for table in report["tables"]:
        assert table["kinds"]["Called"] == 1, "the late retry, after the round, has called again"


def test_of_two_picks_that_overlap_one_takes_its_set_and_the_other_costs_nothing(race):
    report = race("pick_overlapping", 50)
    for told, (table,) in zip(report["told"], report["rounds"], strict=True):
        assert sorted(told) == ["SetTaken", "taken"]
        assert (table["written"], table["lost"]) == (["SetTaken"], 0)


def test_of_two_picks_apart_both_take_their_sets(race):
    report = race("pick_apart", 20)
    for told, (table,) in zip(report["told"], report["rounds"], strict=True):
        assert told == ["SetTaken", "SetTaken"]
        assert (table["written"], table["lost"]) == (["SetTaken", "SetTaken"], 0)


def test_who_sits_down_at_once_with_others_gets_a_seat_of_their_own_or_is_told_it_is_full(race):
    report = race("join_a_table", 30)
    assert not errors(report)
    for told, table in zip(report["told"], report["tables"], strict=True):
        assert told[::2] == told[1::2], "two tabs of one player are one seat"
        assert sorted(told[::2]) == [*(f"seat {number}" for number in range(1, 8)), *["table-full"] * 3]
        assert table["seats"] == table["seats_in_state"] == 8


def test_the_log_goes_forward_in_time_whoever_had_to_wait(db):
    match = matches.open_match(way=Way.TOGETHER, options=Options(), player=Player(name="Ann", guest="a" * 32), now=1.0)
    matches.command(match.code, ask.Deal(0), now=2.0)
    matches.command(match.code, ask.Call(0), now=3.0)
    matches.command(match.code, ask.Withdraw(0), now=2.9)
    moments = [event_from(row.record).at for row in match.events.all()]
    assert moments == sorted(moments)


def test_in_one_process_on_sqlite_the_first_to_come_is_the_first_to_be_heard(transactional_db):
    if connection.vendor != "sqlite":
        pytest.skip("other databases have a queue of their own")
    guests = [Player(name=f"Guest {number}", guest=f"{number:032}") for number in range(8)]
    code = matches.open_match(way=Way.TOGETHER, options=Options(window=None), player=guests[0], now=0.0).code
    for guest in guests[1:]:
        matches.join(code, guest, now=0.0)
    version = matches.command(code, ask.Deal(0), now=0.0).match.version
    lock = lock_of(os.path.realpath(connection.settings_dict["NAME"]))
    heard: list[int] = []

    def call(player: int) -> None:
        try:
            matches.command(code, ask.Call(player % 8), now=float(player), seen=version)
        except Refused:
            pass
        finally:
            heard.append(player)
            connections.close_all()

    # The last seat is first; the other callers follow one by one.
    threads = [threading.Thread(target=call, args=(player,)) for player in range(39, -1, -1)]
    deadline = time.monotonic() + 60
    with transaction.atomic():
        for place, thread in enumerate(threads, 1):
            thread.start()
            while lock.waiting < place:
                assert time.monotonic() < deadline
                time.sleep(0.001)
    for thread in threads:
        thread.join(timeout=60)
    last = Match.objects.get(code=code).events.last()
    assert (event_from(last.record).seat, event_from(last.record).at) == (39 % 8, 39.0)
    assert sorted(heard) == list(range(40))
