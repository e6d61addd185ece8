"""The match service: what commands log, what time alone changes, and which listeners are told."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime

import pytest
from django.contrib.auth import get_user_model
from django.db import IntegrityError, connections, transaction

from games import codes
from games.matches import service as matches
from games.matches import store as match_store
from games.matches.history import moments
from games.models import Event, Match, Seat, Way
from games.players import Player, friendly_names
from games.rules import Card, Options, decide, replay
from games.rules import commands as ask
from games.rules import events as did
from games.rules.errors import BadOption, RefusalReason, Refused
from games.rules.opponents import STRENGTHS, UnknownStrength, computer_move
from games.rules.records import event_from, match_from
from games.rules.state import Failing, Phase
from tests.builders.cards import a_set, no_set

pytestmark = pytest.mark.django_db

NOW = 1_800_000_000.0
ANN = Player(name="Ann", guest="a" * 32)
BEN = Player(name="Ben", guest="b" * 32)


def open_together(*others: Player, dealt: bool = True, options: Options | None = None, now: float = NOW) -> str:
    """Open a match of Ann with others; return its code."""
    match = matches.open_match(way=Way.TOGETHER, options=options or Options(), player=ANN, seed="together", now=now)
    for other in others:
        matches.join(match.code, other, now=now)
    if dealt:
        matches.command(match.code, ask.Deal(0), now=now)
    return match.code


def open_against(*computers: str, options: Options | None = None, seed: str = "computer") -> str:
    """Open and deal a match of Ann against computers; return its code."""
    match = matches.open_match(
        way=Way.COMPUTER, options=options or Options(), player=ANN, computers=computers, seed=seed, now=NOW
    )
    matches.command(match.code, ask.Deal(0), now=NOW)
    return match.code


def stored(code: str) -> Match:
    return Match.objects.get(code=code)


def log(code: str) -> list[did.Event]:
    return [event_from(event.record) for event in stored(code).events.all()]


def kinds(events) -> list[str]:
    return [type(event).__name__ for event in events]


def points(code: str) -> list[int]:
    return [seat.points for seat in stored(code).state.seats]


def table(code: str) -> tuple[Card, ...]:
    return stored(code).state.table


def everything(code: str) -> tuple:
    """Everything stored about a match."""
    match = Match.objects.filter(code=code).values().get()
    rows = [list(model.objects.filter(match__code=code).order_by("pk").values()) for model in (Event, Seat)]
    return match, *rows


def refused(code: str, order: ask.Command, *, now: float = NOW, **more) -> RefusalReason:
    with pytest.raises(Refused) as refusal:
        matches.command(code, order, now=now, **more)
    return refusal.value.reason


def assert_the_log_is_whole(code: str) -> None:
    """The log is numbered without gaps up to the version, sorted by time, and replays to the snapshot."""
    match = stored(code)
    assert list(match.events.values_list("number", flat=True)) == list(range(1, match.version + 1))
    events = log(code)
    assert [event.at for event in events] == sorted(event.at for event in events)
    assert replay(match_from(match.start), events) == match.state
    assert match.phase == match.state.phase


# Opening


def test_the_opener_sits_down_first_and_the_computers_after():
    code = open_against("newcomer", "expert")
    seats = list(stored(code).seats.values_list("number", "name", "guest", "strength"))
    assert seats == [
        (0, "Ann", ANN.guest, ""),
        (1, "Ada (computer)", "", "newcomer"),
        (2, "Blaise (computer)", "", "expert"),
    ]
    assert [seat.number for seat in stored(code).state.seats] == [0, 1, 2]


def test_a_new_match_waits_and_its_log_begins_with_who_joined():
    match = matches.open_match(way=Way.COMPUTER, options=Options(), player=ANN, computers=["learner"], now=NOW)
    kept = stored(match.code)
    assert (kept.phase, kept.version, kept.due, kept.is_open) == (Phase.WAITING, 2, None, False)
    assert log(match.code) == [did.Joined(at=NOW, seat=0), did.Joined(at=NOW, seat=1)]
    assert kept.opened_at.timestamp() == kept.touched_at.timestamp() == NOW
    assert_the_log_is_whole(match.code)


def test_without_a_seed_no_two_matches_are_dealt_alike():
    tables = set()
    for _ in range(3):
        match = matches.open_match(way=Way.TOGETHER, options=Options(), player=ANN, now=NOW)
        tables.add(matches.command(match.code, ask.Deal(0), now=NOW).state.table)
    assert len(tables) == 3


def test_a_computer_that_nobody_has_made_opens_nothing():
    with pytest.raises(UnknownStrength):
        matches.open_match(way=Way.COMPUTER, options=Options(), player=ANN, computers=["genius"], now=NOW)
    assert not Match.objects.exists()


def test_a_solitaire_has_no_room_for_a_computer():
    with pytest.raises(Refused):
        matches.open_match(
            way=Way.ALONE, options=Options.of("us", alone=True), player=ANN, computers=["player"], now=NOW
        )
    assert not Match.objects.exists()


def test_there_are_three_computers_to_play_against_and_no_more():
    code = open_against("player", "player", "player")
    assert stored(code).seats.count() == len(stored(code).state.seats) == 4
    with pytest.raises(BadOption):
        open_against("player", "player", "player", "player")
    assert Match.objects.count() == 1


def test_no_two_tables_have_one_code(monkeypatch):
    monkeypatch.setattr(codes, "LENGTH", 1)
    monkeypatch.setattr(codes, "LETTERS", "BCD")
    assert {open_together(dealt=False) for _ in range(3)} == {"B", "C", "D"}


def test_an_unknown_code_is_no_match():
    for touch in (
        lambda: matches.command("NONE", ask.Call(0), now=NOW),
        lambda: matches.catch_up("NONE", now=NOW),
        lambda: matches.join("NONE", ANN, now=NOW),
    ):
        with pytest.raises(Match.DoesNotExist):
            touch()


# Commands


def test_a_command_appends_numbered_events_and_moves_the_version_by_their_number():
    code = open_together(BEN)
    before = stored(code)
    written = matches.command(code, ask.Call(1), now=NOW + 3)
    assert kinds(written.events) == ["Called"]
    assert written.match.version == before.version + 1
    written = matches.command(code, ask.Pick(1, a_set(table(code))), now=NOW + 4)
    assert kinds(written.events) == ["SetTaken"]
    assert stored(code).version == before.version + 2
    assert tuple(log(code)[-1:]) == written.events
    assert stored(code).state == written.state
    assert stored(code).touched_at.timestamp() == NOW + 4
    assert points(code) == [0, 1]
    assert_the_log_is_whole(code)


def test_a_command_that_changes_nothing_writes_nothing():
    code = open_together(BEN)
    matches.command(code, ask.Call(1), now=NOW)
    before = everything(code)
    assert matches.command(code, ask.Call(1), now=NOW + 1).events == ()
    assert matches.catch_up(code, now=NOW + 1).events == ()
    assert everything(code) == before


def test_a_refused_command_writes_nothing():
    code = open_together(BEN)
    before = everything(code)
    assert refused(code, ask.Pick(0, a_set(table(code)))) is RefusalReason.CALL_FIRST
    assert refused(code, ask.Call(7)) is RefusalReason.NO_SUCH_SEAT
    assert refused(code, ask.Deal(0)) is RefusalReason.ALREADY_STARTED
    assert everything(code) == before


def test_a_player_acts_from_the_own_seat_only():
    cara = Player(name="Cara", user=get_user_model().objects.create_student(display_name="Cara"))
    code = open_together(BEN, cara)
    for number, player in enumerate((ANN, BEN, cara)):
        (called,) = matches.act(code, player, ask.Call, now=NOW, seen=stored(code).version).events
        assert called == did.Called(at=NOW, seat=number, deadline=called.deadline)
        matches.command(code, ask.Withdraw(number), now=NOW)
    before = everything(code)
    with pytest.raises(Refused) as refusal:
        matches.act(code, Player(name="Dan", guest="d" * 32), ask.Call, now=NOW, seen=0)
    assert refusal.value.reason is RefusalReason.NO_SUCH_SEAT
    assert everything(code) == before


def test_at_the_table_of_a_whole_class_nobody_acts_from_a_seat():
    match = matches.open_match(way=Way.CLASS, options=Options(), player=ANN, now=NOW)
    with pytest.raises(Refused) as refusal:
        matches.act(match.code, ANN, ask.Deal, now=NOW, seen=0)
    assert refusal.value.reason is RefusalReason.NO_SUCH_SEAT


def test_a_wrong_pick_is_in_the_log_with_its_price():
    code = open_together(BEN)
    matches.command(code, ask.Call(0), now=NOW)
    (failed,) = matches.command(code, ask.Pick(0, no_set(table(code))), now=NOW + 1).events
    assert (failed.why, failed.cost, points(code)) == (Failing.WRONG, 1, [-1, 0])


# The same command twice


def test_what_a_stranger_asks_changes_nothing_not_even_what_is_due():
    code = open_together(BEN)
    matches.command(code, ask.Call(0), now=NOW)
    before = log(code)
    stranger = Player(name="Cleo", guest="c" * 32)
    with pytest.raises(Refused) as refusal:
        matches.act(code, stranger, ask.Call, now=NOW + 60, seen=stored(code).version)
    assert refusal.value.reason is RefusalReason.NO_SUCH_SEAT
    assert log(code) == before


def test_a_call_that_the_network_sends_twice_is_one_call():
    code = open_together(BEN)
    seen = stored(code).version
    matches.command(code, ask.Call(0), now=NOW, seen=seen)
    matches.command(code, ask.Pick(0, no_set(table(code))), now=NOW + 1, seen=seen + 1)
    before = everything(code)
    assert matches.command(code, ask.Call(0), now=NOW + 2, seen=seen).events == ()
    assert everything(code) == before


def test_a_pick_that_the_network_sends_twice_is_one_pick():
    code = open_together(BEN, options=Options(quick=True))
    seen, cards = stored(code).version, a_set(table(code))
    matches.command(code, ask.Pick(0, cards), now=NOW, seen=seen)
    assert matches.command(code, ask.Pick(0, cards[::-1]), now=NOW + 1, seen=seen).events == ()
    assert points(code) == [1, 0]
    assert refused(code, ask.Pick(1, cards), seen=seen) is RefusalReason.TAKEN, "another's pick is another pick"


def test_another_pick_from_the_same_page_is_another_pick():
    code = open_together(BEN, options=Options(quick=True))
    seen, wrong, right = stored(code).version, no_set(table(code)), a_set(table(code))
    matches.command(code, ask.Pick(0, wrong), now=NOW, seen=seen)
    assert kinds(matches.command(code, ask.Pick(0, right), now=NOW + 1, seen=seen).events) == ["SetTaken"]
    assert points(code) == [0, 0]


def test_an_agreement_that_the_network_sends_twice_is_one_agreement():
    code = open_together(BEN)
    seen = stored(code).version
    matches.command(code, ask.AgreeNoSet(0), now=NOW, seen=seen)
    matches.command(code, ask.TakeBack(0), now=NOW + 1)
    assert matches.command(code, ask.AgreeNoSet(0), now=NOW + 2, seen=seen).events == ()
    assert stored(code).state.votes == frozenset()


def test_a_call_after_one_has_seen_the_end_of_the_last_is_a_new_one():
    code = open_together(BEN)
    matches.command(code, ask.Call(0), now=NOW, seen=stored(code).version)
    seen = matches.command(code, ask.Withdraw(0), now=NOW + 1).match.version
    matches.command(code, ask.AgreeNoSet(1), now=NOW + 2)
    assert kinds(matches.command(code, ask.Call(0), now=NOW + 3, seen=seen).events) == ["Called"]


def test_who_saw_an_older_table_may_still_call_first():
    code = open_together(BEN)
    seen = stored(code).version
    matches.command(code, ask.AgreeNoSet(1), now=NOW)
    assert kinds(matches.command(code, ask.Call(0), now=NOW, seen=seen).events) == ["Called"]


def test_a_table_that_is_yet_to_come_was_not_seen():
    code = open_together(BEN)
    before = everything(code)
    assert refused(code, ask.Call(0), seen=stored(code).version + 1) is RefusalReason.UNSEEN_VERSION
    assert everything(code) == before


# What time alone changes


def test_a_match_says_when_a_window_closes():
    code = open_together(BEN)
    assert stored(code).due is None
    matches.command(code, ask.Call(0), now=NOW)
    assert stored(code).due == NOW + 5
    matches.command(code, ask.Pick(0, a_set(table(code))), now=NOW + 1)
    assert stored(code).due is None


def test_a_pick_after_the_window_is_refused_and_the_penalty_is_written_all_the_same():
    code = open_together(BEN)
    matches.command(code, ask.Call(0), now=NOW)
    version = stored(code).version
    assert refused(code, ask.Pick(0, a_set(table(code))), now=NOW + 6) is RefusalReason.WINDOW_OVER
    assert log(code)[version:] == [did.CallFailed(at=NOW + 5, seat=0, why=Failing.LATE, cost=1)]
    assert (points(code), stored(code).state.control, stored(code).due) == ([-1, 0], None, None)
    assert_the_log_is_whole(code)


def test_a_deadline_is_enforced_by_the_next_touch_and_only_once():
    code = open_together(BEN)
    matches.command(code, ask.Call(0), now=NOW)
    assert matches.catch_up(code, now=NOW + 4.99).state.control.seat == 0
    assert matches.catch_up(code, now=NOW + 60).state.control is None
    assert log(code)[-1] == did.CallFailed(at=NOW + 5, seat=0, why=Failing.LATE, cost=1)
    before = everything(code)
    matches.catch_up(code, now=NOW + 90)
    assert everything(code) == before


def test_whoever_calls_after_a_deadline_enforces_it_first():
    code = open_together(BEN)
    matches.command(code, ask.Call(0), now=NOW)
    written = matches.command(code, ask.Call(1), now=NOW + 9)
    assert kinds(written.events) == ["Called"], "the penalty was due anyway and is not the call's doing"
    assert kinds(log(code)[-2:]) == ["CallFailed", "Called"]
    assert stored(code).due == NOW + 14
    assert_the_log_is_whole(code)


def test_a_join_after_a_deadline_enforces_it_too():
    code = open_together()
    matches.command(code, ask.Call(0), now=NOW)
    matches.join(code, BEN, now=NOW + 9)
    assert kinds(log(code)[-2:]) == ["CallFailed", "Joined"]
    assert_the_log_is_whole(code)


# Computer opponents


def test_a_match_says_when_its_computer_moves():
    code = open_against("expert")
    moment, order = computer_move(stored(code).state, 1, STRENGTHS["expert"])
    assert order == ask.Call(1)
    assert stored(code).due == moment > NOW


def test_a_computer_moves_by_itself_when_its_time_has_come_and_not_before():
    code = open_against("expert")
    due = stored(code).due
    assert matches.catch_up(code, now=due - 0.01).state.control is None
    assert matches.catch_up(code, now=due).state.control.seat == 1


def test_while_the_clocks_stand_no_time_of_any_kind_runs_out():
    code = open_against("expert")
    moment = stored(code).due
    matches.command(code, ask.Pause(), now=NOW)
    assert stored(code).due is None
    assert matches.catch_up(code, now=NOW + 1_000).events == ()
    matches.command(code, ask.Resume(), now=NOW + 1_000)
    assert stored(code).due == pytest.approx(moment + 1_000)


def test_computers_do_not_play_on_while_the_site_is_away():
    code = open_against("expert", "expert")
    moment = stored(code).due
    matches.catch_up(code, now=NOW + 3600)
    assert kinds(log(code)[-2:]) == ["Paused", "Resumed"]
    assert stored(code).due == pytest.approx(moment + 3600)
    assert_the_log_is_whole(code)


@pytest.mark.parametrize("jump", [3600, -3600])
def test_when_the_clock_is_set_a_call_has_the_time_that_it_had(jump):
    code = open_together(BEN)
    matches.command(code, ask.Call(0), now=NOW + 1)
    assert matches.catch_up_all(now=NOW + 2 + jump) == 1
    assert stored(code).state.control.seat == 0
    assert stored(code).due == pytest.approx(NOW + 2 + jump + 5)
    assert matches.catch_up_all(now=NOW + 3 + jump) == 0
    assert matches.catch_up_all(now=NOW + 8 + jump) == 1
    assert stored(code).state.control is None
    assert replay(match_from(stored(code).start), log(code)) == stored(code).state
    assert [round(moment.seconds) for moment in moments(stored(code))] == [0, 1, 6]


def test_a_clock_that_is_set_back_moves_nothing_at_a_table_that_waits_for_nothing():
    code = open_together(BEN)
    before = everything(code)
    assert matches.catch_up_all(now=NOW - 3600) == 0
    matches.catch_up(code, now=NOW - 3600)
    assert everything(code) == before


def test_others_come_along_under_names_of_their_own():
    namesake = Player(name="Ann", guest="c" * 32)
    match = matches.open_match(
        way=Way.TABLE, options=Options(), player=ANN, others=[BEN, namesake], place="session/ABC", now=NOW
    )
    assert [seat.name for seat in match.seats.all()] == ["Ann", "Ben", "Ann 2"]
    assert len(match.state.seats) == 3
    assert stored(match.code).place == "session/ABC"


def test_what_computers_did_carries_its_own_moment_and_not_that_of_the_look():
    code = open_against("expert")
    state = stored(code).state
    called, call = computer_move(state, 1, STRENGTHS["expert"])
    state = replay(state, decide(state, call, called))
    picked, _ = computer_move(state, 1, STRENGTHS["expert"])
    later = matches.catch_up(code, now=picked + 0.5)
    assert later.events == (), "nothing of it is the doing of the look"
    assert [(type(event), event.at) for event in log(code)[-2:]] == [(did.Called, called), (did.SetTaken, picked)]
    assert points(code) == [0, 1]
    assert_the_log_is_whole(code)


def test_one_late_look_and_many_looks_give_the_same_game():
    seldom, often = open_against("learner", "expert"), open_against("learner", "expert")
    for second in range(60):
        matches.catch_up(often, now=NOW + second)
    matches.catch_up(seldom, now=NOW + 59)
    assert len(log(seldom)) > 10
    assert log(seldom) == log(often)
    assert stored(seldom).state == stored(often).state


def test_a_player_is_heard_after_the_computer_that_called_before():
    code = open_against("expert")
    due = stored(code).due
    assert refused(code, ask.Call(0), now=due + 0.1) is RefusalReason.BOARD_HELD
    assert log(code)[-1].at == due
    assert stored(code).state.control.seat == 1


def test_a_player_who_is_faster_than_the_computer_gets_the_board():
    code = open_against("expert")
    due = stored(code).due
    matches.command(code, ask.Call(0), now=due - 0.5)
    assert stored(code).due == due + 4.5
    assert matches.catch_up(code, now=due + 4).state.control.seat == 0


def test_computers_do_not_play_on_when_nobody_is_there():
    code = open_against("expert", "expert")
    matches.command(code, ask.Disconnect(0), now=NOW + 1)
    before = everything(code)
    assert stored(code).due is None
    matches.catch_up(code, now=NOW + 86_400)
    assert everything(code) == before


def test_computers_take_up_the_game_when_the_player_is_back():
    code = open_against("expert")
    matches.command(code, ask.Disconnect(0), now=NOW + 1)
    matches.command(code, ask.Connect(0), now=NOW + 1000)
    assert stored(code).due > NOW + 1000
    matches.catch_up(code, now=stored(code).due)
    assert log(code)[-1].at > NOW + 1000
    assert_the_log_is_whole(code)


def test_computers_do_not_make_up_for_the_time_in_which_the_player_had_left():
    code = open_against("expert")
    matches.command(code, ask.Leave(0), now=NOW + 1)
    matches.join(code, ANN, now=NOW + 1000)
    matches.catch_up(code, now=NOW + 1000.1)
    assert_the_log_is_whole(code)
    assert kinds(log(code)[-2:]) == ["Left", "Joined"]


def test_a_computer_that_had_the_board_without_a_window_does_not_make_up_for_the_time_away():
    code = open_against("expert", options=Options(window=None))
    called = stored(code).due
    matches.catch_up(code, now=called)
    matches.command(code, ask.Disconnect(0), now=called + 0.1)
    matches.command(code, ask.Connect(0), now=called + 1000)
    matches.catch_up(code, now=called + 1000.1)
    assert_the_log_is_whole(code)
    assert points(code)[1] <= 1


def play_against_the_computer(code: str) -> None:
    """Ann finds no SET, and agrees whenever the computer finds none either."""
    for _ in range(500):
        match = stored(code)
        if match.phase == Phase.OVER:
            return
        matches.catch_up(code, now=match.due)
        if stored(code).state.votes == {1}:
            matches.command(code, ask.AgreeNoSet(0), now=match.due)
    raise AssertionError("the game did not end")


@pytest.mark.parametrize("strength", ["newcomer", "expert"])
def test_the_log_of_a_whole_game_against_the_computer_replays_to_the_snapshot(strength):
    code = open_against(strength, options=Options.of("us", easy=True))
    play_against_the_computer(code)
    match = stored(code)
    assert match.state.outcome.winners
    assert match.due is None
    assert len(match.state.seats[1].sets) > 3
    assert_the_log_is_whole(code)


# Seats


def test_a_player_who_joins_twice_has_one_seat():
    code = open_together()
    first = matches.join(code, BEN, now=NOW)
    before = everything(code)
    assert matches.join(code, BEN, now=NOW + 1) == first
    assert (first.number, first.name) == (1, "Ben")
    assert everything(code) == before


def test_the_opener_who_joins_has_the_first_seat():
    code = open_together(BEN)
    assert matches.join(code, ANN, now=NOW).number == 0


def test_a_guest_and_a_user_each_find_their_own_seat():
    mia = get_user_model().objects.create_student(display_name="Mia")
    noah = get_user_model().objects.create_student(display_name="Noah")
    code = open_together(BEN)
    players = [ANN, BEN, Player(name="Mia", user=mia), Player(name="Noah", user=noah)]
    seats = [matches.join(code, player, now=NOW) for player in players]
    assert [(seat.number, seat.name) for seat in seats[:2]] == [(0, "Ann"), (1, "Ben")]
    assert [seat.number for seat in seats[2:]] == [2, 3]
    again = [matches.join(code, player, now=NOW) for player in reversed(players)]
    assert again == seats[::-1]
    assert (seats[2].user, seats[2].guest, seats[1].user, seats[1].guest) == (mia, "", None, BEN.guest)


def test_nobody_with_an_account_is_at_a_table_for_all_under_their_own_name():
    people = [get_user_model().objects.create_student(display_name=f"Mia {number}") for number in range(8)]
    players = [Player(name=str(person), user=person) for person in people]
    code = matches.open_match(way=Way.TOGETHER, options=Options(), player=players[0], now=NOW).code
    for player in players[1:]:
        matches.join(code, player, now=NOW)
    names = [seat.name for seat in stored(code).seats.all()]
    assert len(set(names)) == 8
    assert set(names) <= set(friendly_names())


def test_alone_and_in_a_lesson_people_have_their_own_names():
    mia = get_user_model().objects.create_student(display_name="Mia")
    player = Player(name="Mia", user=mia)
    for way in (Way.ALONE, Way.PRACTICE, Way.COMPUTER, Way.TABLE, Way.CLASS):
        match = matches.open_match(way=way, options=Options(), player=player, now=NOW)
        assert match.seats.get(user=mia).name == "Mia"


def test_who_left_comes_back_to_the_same_seat_with_the_same_points():
    code = open_together(BEN)
    matches.command(code, ask.Call(1), now=NOW)
    matches.command(code, ask.Pick(1, a_set(table(code))), now=NOW)
    matches.command(code, ask.Leave(1), now=NOW)
    assert matches.join(code, BEN, now=NOW + 10).number == 1
    assert stored(code).state.seats[1].is_seated
    assert (points(code), stored(code).seats.count()) == ([0, 1], 2)


def test_a_full_table_seats_nobody_more():
    others = [Player(name=f"Guest {number}", guest=f"{number:032}") for number in range(7)]
    code = open_together(*others)
    before = everything(code)
    with pytest.raises(Refused) as refusal:
        matches.join(code, BEN, now=NOW)
    assert refusal.value.reason is RefusalReason.TABLE_FULL
    assert everything(code) == before


def test_a_seat_is_one_persons_and_one_person_has_one_seat():
    match = stored(open_together(BEN))
    mia = get_user_model().objects.create_student(display_name="Mia")
    for wrong in (
        {"number": 2},
        {"number": 2, "user": mia, "guest": "c" * 32},
        {"number": 2, "guest": "c" * 32, "strength": "expert"},
        {"number": 2, "guest": BEN.guest},
        {"number": 1, "guest": "c" * 32},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            Seat.objects.create(match=match, name="Wrong", **wrong)


def test_who_is_nobody_does_not_find_the_computers_seat():
    code = open_against("expert")
    with pytest.raises((ValueError, IntegrityError)), transaction.atomic():
        matches.join(code, Player(name="Nobody"), now=NOW)


# Two writers


def outrun(monkeypatch, times: int = 1) -> None:
    """Make another write happen between reading and writing of the next `times` commands."""
    honest, left = match_store.save, iter(range(times))

    def save(match, read, records):
        return next(left, None) is None and honest(match, read, records)

    monkeypatch.setattr(match_store, "save", save)


def test_a_write_on_an_old_version_is_decided_again_and_written_once(monkeypatch):
    code = open_together(BEN)
    version = stored(code).version
    tries: list[int] = []

    def call(match, state, now):
        tries.append(match.version)
        return decide(state, ask.Call(0), NOW)

    outrun(monkeypatch)
    written = matches._write(code, call, now=NOW)
    assert tries == [version, version]
    assert kinds(written.events) == ["Called"]
    assert stored(code).version == version + 1
    assert_the_log_is_whole(code)


def test_who_is_outrun_is_judged_by_what_the_other_has_written(monkeypatch):
    code = open_together(BEN)
    honest = matches._try_to_write

    def outrun_by_ben(code, decision, now, keep):
        monkeypatch.setattr(matches, "_try_to_write", honest)
        try:
            return honest(code, decision, now, keep)
        except matches.VersionConflict:
            matches.command(code, ask.Call(1), now=now)
            raise

    outrun(monkeypatch)
    monkeypatch.setattr(matches, "_try_to_write", outrun_by_ben)
    assert refused(code, ask.Call(0)) is RefusalReason.BOARD_HELD
    assert stored(code).state.control.seat == 1
    assert_the_log_is_whole(code)


def test_a_join_that_is_outrun_leaves_no_second_seat(monkeypatch):
    code = open_together()
    outrun(monkeypatch)
    assert matches.join(code, BEN, now=NOW).number == 1
    assert stored(code).seats.count() == len(stored(code).state.seats) == 2
    assert_the_log_is_whole(code)


def test_who_is_always_outrun_is_told_so_in_the_end(monkeypatch):
    monkeypatch.setattr(matches, "_MOST_TRIES", 5)
    code = open_together(BEN)
    before = everything(code)
    tries = []

    def call(match, state, now):
        tries.append(match.version)
        return decide(state, ask.Call(0), NOW)

    outrun(monkeypatch, times=5)
    with pytest.raises(matches.VersionConflict, match=code):
        matches._write(code, call, now=NOW)
    assert len(tries) == 5
    assert everything(code) == before


@pytest.mark.django_db(transaction=True)
def test_of_four_who_call_at_the_same_moment_one_gets_the_board():
    # Committed data is seen by the site other tests run, which would close a window by the real clock.
    now = time.time()
    others = [Player(name=f"Guest {number}", guest=f"{number:032}") for number in range(3)]
    code = open_together(*others, options=Options(window=None), now=now)
    version = stored(code).version
    ready = threading.Barrier(4, timeout=60)
    heard: dict[int, object] = {}

    def call(seat: int) -> None:
        ready.wait()
        try:
            heard[seat] = kinds(matches.command(code, ask.Call(seat), now=now).events)
        except Refused as refusal:
            heard[seat] = refusal.reason
        finally:
            connections.close_all()

    threads = [threading.Thread(target=call, args=(seat,)) for seat in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    holder = stored(code).state.control.seat
    assert heard == {seat: ["Called"] if seat == holder else RefusalReason.BOARD_HELD for seat in range(4)}
    assert stored(code).version == version + 1
    assert_the_log_is_whole(code)


# Who is told


@pytest.fixture
def told():
    """Records what listeners are told, in order."""
    heard: list[tuple[str, int]] = []

    def listener(written: matches.Written) -> None:
        heard.append((written.match.code, written.match.version))

    matches.on_change(listener)
    yield heard
    matches.off_change(listener)
    assert listener not in matches._listeners


def test_listeners_are_told_code_and_version_after_the_commit(told, django_capture_on_commit_callbacks):
    code = open_together(BEN)
    told.clear()
    with django_capture_on_commit_callbacks(execute=True):
        matches.command(code, ask.Call(0), now=NOW)
        assert told == []
    assert told == [(code, stored(code).version)]


def test_listeners_are_told_once_of_what_was_due_and_done_together(told, django_capture_on_commit_callbacks):
    code = open_together(BEN)
    matches.command(code, ask.Call(0), now=NOW)
    with django_capture_on_commit_callbacks(execute=True):
        matches.command(code, ask.Call(1), now=NOW + 9)
    assert told == [(code, stored(code).version)]


def test_listeners_are_told_of_what_was_due_when_the_command_is_refused(told, django_capture_on_commit_callbacks):
    code = open_together(BEN)
    matches.command(code, ask.Call(0), now=NOW)
    with django_capture_on_commit_callbacks(execute=True):
        assert refused(code, ask.Pick(0, a_set(table(code))), now=NOW + 6) is RefusalReason.WINDOW_OVER
    assert told == [(code, stored(code).version)]


def test_listeners_hear_nothing_where_nothing_was_written(told, django_capture_on_commit_callbacks):
    code = open_together(BEN)
    with django_capture_on_commit_callbacks(execute=True) as callbacks:
        matches.catch_up(code, now=NOW + 1)
        refused(code, ask.Withdraw(0))
        matches.join(code, BEN, now=NOW + 1)
    assert (told, callbacks) == ([], [])


def test_a_write_that_was_outrun_is_not_told(told, monkeypatch, django_capture_on_commit_callbacks):
    code = open_together(BEN)
    outrun(monkeypatch)
    with django_capture_on_commit_callbacks(execute=True):
        matches.command(code, ask.Call(0), now=NOW)
    assert told == [(code, stored(code).version)]


# Abandoned matches


def test_a_match_that_nobody_finished_is_removed_after_a_while_and_a_finished_one_stays():
    begun, over = open_together(BEN), open_together(BEN)
    for seat in (0, 1):
        matches.command(over, ask.Leave(seat), now=NOW)
    a_day_later = datetime.fromtimestamp(NOW + 86_400, UTC)
    assert matches.forget_abandoned(datetime.fromtimestamp(NOW - 1, UTC)) == 0
    assert matches.forget_abandoned(a_day_later) == 1
    assert matches.forget_abandoned(a_day_later) == 0
    assert list(Match.objects.values_list("code", flat=True)) == [over]
    assert not Seat.objects.filter(match__code=begun).exists()
