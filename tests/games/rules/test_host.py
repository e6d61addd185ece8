"""What a match's host may do: stop the clocks, give somebody more time, deal three more cards, end it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.rules import Options, decide, replay
from games.rules import commands as ask
from games.rules import events as did
from games.rules.editions import MOST_AT_A_TABLE, MOST_IN_A_CLASS
from games.rules.errors import BadOption, RefusalReason
from games.rules.records import match_from, match_record
from games.rules.state import Ending, Failing, Phase
from tests.games.rules.tables import Table, has_no_set, table_where

moments = st.floats(0.0, 4.0)
long_times = st.floats(0.0, 10_000.0)


def test_while_the_clocks_stand_nobody_plays():
    table = Table()
    table.do(ask.Pause())
    for command in (
        ask.Deal(0),
        ask.Call(0),
        ask.Pick(0, table.a_set()),
        ask.Withdraw(0),
        ask.AgreeNoSet(0),
        ask.TakeBack(0),
        ask.LayThree(),
    ):
        table.refuses(command, RefusalReason.PAUSED)


def test_people_come_and_go_while_the_clocks_stand():
    table = Table()
    table.do(ask.Pause())
    table.do(ask.Join())
    table.do(ask.Disconnect(1))
    table.do(ask.Connect(1))
    table.do(ask.Leave(0))
    assert [seat.is_seated for seat in table.match.seats] == [False, True, True]


def test_a_call_has_as_much_time_left_after_a_pause_as_before():
    table = Table()
    table.do(ask.Call(0))
    table.now += 3.0
    table.do(ask.Pause())
    table.now += 600.0
    assert table.do(ask.Tick()) == ()
    table.do(ask.Resume())
    table.now += 1.9
    assert isinstance(table.do(ask.Pick(0, table.a_set()))[0], did.SetTaken)


def test_a_call_runs_out_after_a_pause_when_its_time_is_over():
    table = Table()
    table.do(ask.Call(0))
    table.now += 3.0
    table.do(ask.Pause())
    table.now += 600.0
    table.do(ask.Resume())
    table.now += 2.0
    (failed,) = table.do(ask.Tick())
    assert (failed.why, failed.at) == (Failing.LATE, table.now)


def test_a_window_that_closed_before_the_pause_is_closed():
    table = Table()
    table.do(ask.Call(0))
    table.now += 5.5
    failed, paused = table.do(ask.Pause())
    assert (failed.why, failed.at) == (Failing.LATE, 105.0)
    assert paused == did.Paused(at=105.5)


@given(moments, long_times, moments)
def test_a_pause_moves_every_clock_by_its_length(before, length, again):
    table = Table()
    table.do(ask.Call(0))
    control, since = table.match.control, table.match.since
    for wait, stood in ((before, length), (again if before + again < 5 else 0.0, 2 * length)):
        table.now += wait
        table.do(ask.Pause())
        table.now += stood
        table.do(ask.Resume())
    moved = table.match.control
    assert moved.since == pytest.approx(control.since + 3 * length)
    assert moved.deadline == pytest.approx(control.deadline + 3 * length)
    assert table.match.since == pytest.approx(since + 3 * length)


def test_who_comes_to_look_during_a_pause_begins_when_it_is_over():
    table = Table()
    table.do(ask.Pause())
    table.now += 10.0
    table.do(ask.Join())
    table.now += 10.0
    table.do(ask.Resume())
    assert table.match.since == table.now


def test_pausing_twice_is_pausing_once():
    table = Table()
    table.do(ask.Pause())
    table.now += 5.0
    assert table.do(ask.Pause()) == ()
    assert table.match.paused_at == 100.0
    table.do(ask.Resume())
    assert table.do(ask.Resume()) == ()


def test_votes_are_counted_when_the_clocks_go_on():
    table = table_where(has_no_set)
    table.do(ask.AgreeNoSet(0))
    table.do(ask.Pause())
    table.do(ask.Disconnect(1))
    assert len(table.match.table) == 12
    assert [type(each) for each in table.do(ask.Resume())] == [did.Resumed, did.VoteCarried]
    assert len(table.match.table) == 15


def test_a_seat_that_was_given_time_has_a_longer_window_and_the_others_have_not():
    table = Table()
    table.do(ask.GiveTime(1, 2.0))
    table.do(ask.Call(1))
    assert table.match.control.deadline == 110.0
    table.do(ask.Withdraw(1))
    table.do(ask.Call(0))
    assert table.match.control.deadline == 105.0


def test_time_that_somebody_has_already_is_not_given_again():
    table = Table()
    table.do(ask.GiveTime(1, 2.0))
    assert table.do(ask.GiveTime(1, 2.0)) == ()
    table.do(ask.GiveTime(1, 1.0))
    assert table.match.seats[1].factor == 1.0


@pytest.mark.parametrize("factor", [0.5, 0.0, -1.0, 11.0, float("nan")])
def test_nobody_gets_less_time_than_the_rules_give(factor):
    with pytest.raises(BadOption):
        ask.GiveTime(0, factor)


def test_the_host_lays_three_more_even_where_there_is_a_set():
    table = Table()
    table.do(ask.AgreeNoSet(0))
    (laid,) = table.do(ask.LayThree())
    assert len(laid.laid) == 3
    assert len(table.match.table) == 15
    assert table.match.votes == frozenset()


def test_the_host_lays_no_more_than_the_rules_allow():
    table = Table()
    table.do(ask.Call(0))
    table.refuses(ask.LayThree(), RefusalReason.BOARD_HELD)
    table.do(ask.Withdraw(0))
    for _ in range(3):
        table.do(ask.LayThree())
    table.refuses(ask.LayThree(), RefusalReason.ALWAYS_A_SET)
    table.match = replace(table.match, deck=())
    table.refuses(ask.LayThree(), RefusalReason.DECK_USED_UP)


def test_a_match_that_is_stopped_is_won_by_who_has_most():
    table = Table(players=3)
    table.take(1)
    table.do(ask.Call(2))
    table.do(ask.Pause())
    ended, over = table.do(ask.Stop())
    assert ended.why is Ending.STOPPED
    assert (over.why, over.winners) == (Ending.STOPPED, (1,))
    assert table.match.phase is Phase.OVER
    assert table.match.paused_at is None
    table.refuses(ask.Resume(), RefusalReason.MATCH_OVER)
    table.refuses(ask.Pause(), RefusalReason.MATCH_OVER)


def test_a_match_that_is_stopped_before_any_set_is_nobodys():
    table = Table(players=3, dealt=False)
    (over,) = table.do(ask.Stop())
    assert over.winners == ()


def test_a_whole_class_finds_room_and_friends_do_not():
    table = Table(Options(whole_class=True), players=MOST_IN_A_CLASS, dealt=False)
    table.refuses(ask.Join(), RefusalReason.TABLE_FULL)
    table = Table(players=MOST_AT_A_TABLE, dealt=False)
    table.refuses(ask.Join(), RefusalReason.TABLE_FULL)
    with pytest.raises(BadOption, match="alone"):
        Options.of("us", alone=True, whole_class=True)


def test_a_match_from_before_there_was_a_host_can_be_read():
    table = Table()
    table.take(0)
    record = json.loads(json.dumps(match_record(table.match)))
    del record["paused_at"], record["options"]["whole_class"]
    for seat in record["seats"]:
        del seat["factor"]
    assert match_from(record) == table.match
    assert replay(table.start, table.log) == table.match
    assert decide(match_from(record), ask.Pause(), 200.0) == (did.Paused(at=200.0),)
