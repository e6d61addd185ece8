"""The table's URLs: permissions, responses, and refusals that explain themselves and change nothing."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from django.contrib.auth import get_user_model
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from games.forms import FORMS
from games.live import render, tokens
from games.matches import service as matches
from games.models import Match, Way
from games.players import Player
from games.rules import EDITIONS, Card, Options
from games.rules import commands as ask
from games.rules import events as did
from games.rules.errors import RefusalReason
from games.rules.records import event_from
from games.rules.state import Phase
from games.words import REFUSALS
from tests.builders.cards import a_set, indices, no_set

pytestmark = pytest.mark.django_db

ANN = Player(name="Ann", guest="a" * 32)
BEN = Player(name="Ben", guest="b" * 32)
EVE = Player(name="Eve", guest="e" * 32)
HTMX = {"HX-Request": "true"}
MOVES = ["deal", "call", "pick", "withdraw", "no-set", "take-back"]
POSTED = [*MOVES, "join", "leave", "again"]
READ = ["", "hint", "replay"]


@pytest.fixture(autouse=True)
def nothing_counted_yet():
    cache.clear()


def client_of(player: Player) -> Client:
    """A browser with this guest's session."""
    client = Client()
    session = client.session
    session["guest"] = {"key": player.guest, "name": player.name}
    session.save()
    return client


def open_together(*others: Player, dealt: bool = True, **options) -> str:
    """Open a match of Ann, Ben and others; return its code."""
    now = time.time()
    options = {"window": None, **options}
    match = matches.open_match(way=Way.TOGETHER, options=Options(**options), player=ANN, seed="play", now=now)
    for other in (BEN, *others):
        matches.join(match.code, other, now=now)
    if dealt:
        matches.command(match.code, ask.Deal(0), now=now)
    return match.code


def open_for_one(way: Way, player: Player = ANN) -> str:
    options = {
        Way.ALONE: Options.of("us", alone=True, window=None, quick=True),
        Way.PRACTICE: Options(window=None, quick=True, relaxed=True),
        Way.COMPUTER: Options(),
    }[way]
    computers = ["newcomer"] if way == Way.COMPUTER else []
    now = time.time()
    match = matches.open_match(way=way, options=options, player=player, computers=computers, seed="play", now=now)
    matches.command(match.code, ask.Deal(0), now=time.time())
    return match.code


def do(code: str, *orders: ask.Command) -> None:
    for order in orders:
        matches.command(code, order, now=time.time())


def stored(code: str) -> Match:
    return Match.objects.get(code=code)


def stored_state(code: str) -> tuple:
    """Everything a refused request must leave unchanged."""
    match = Match.objects.filter(code=code).values().get()
    return match, list(stored(code).events.values()), list(stored(code).seats.values())


def table(code: str) -> tuple[Card, ...]:
    return stored(code).state.table


def log(code: str) -> list[did.Event]:
    return [event_from(row.record) for row in stored(code).events.all()]


def post(client: Client, code: str, action: str, *, htmx: bool = False, **data):
    data = {"version": stored(code).version, **data}
    return client.post(f"/play/{code}/{action}/", data, headers=HTMX if htmx else {})


def assert_refused(answer, reason: RefusalReason | str, *, htmx: bool) -> None:
    """It's refused with an explanation: a notice for the shown table, or a whole page containing it."""
    words = str(REFUSALS[reason]) if isinstance(reason, RefusalReason) else reason
    content = answer.content.decode()
    assert answer.status_code == 422
    assert f'<p class="notice">{words}</p>' in content
    if htmx:
        assert (answer["HX-Retarget"], answer["HX-Reswap"]) == ("#notice", "innerHTML")
        assert "<html" not in content
        assert 'class="state"' not in content
    else:
        assert "HX-Retarget" not in answer
        assert "<html" in content
        assert 'class="state"' in content


plain_and_htmx = pytest.mark.parametrize("htmx", [False, True], ids=["plain", "htmx"])


# What is done


DONE = {
    "deal": ([], {}, did.DealBegan),
    "call": ([ask.Deal(0)], {}, did.Called),
    "pick": ([ask.Deal(0), ask.Call(0)], {"card": a_set}, did.SetTaken),
    "withdraw": ([ask.Deal(0), ask.Call(0)], {}, did.CallFailed),
    "no-set": ([ask.Deal(0)], {}, did.Agreed),
    "take-back": ([ask.Deal(0), ask.AgreeNoSet(0)], {}, did.TookBack),
}


@plain_and_htmx
@pytest.mark.parametrize("action", MOVES)
def test_a_player_moves_and_gets_the_table(action, htmx):
    before, data, kind = DONE[action]
    code = open_together(dealt=False)
    do(code, *before)
    data = {name: indices(cards_of(table(code))) for name, cards_of in data.items()}
    answer = post(client_of(ANN), code, action, htmx=htmx, **data)
    assert isinstance(log(code)[-1], kind)
    assert getattr(log(code)[-1], "seat", 0) == 0
    if htmx:
        assert answer.status_code == 200
        assert answer.content.decode().startswith(f'<div class="state" data-version="{stored(code).version}"')
        assert "<html" not in answer.content.decode()
    else:
        assert (answer.status_code, answer.url) == (302, f"/play/{code}/")


@plain_and_htmx
def test_a_wrong_pick_is_a_move_too_and_says_why(htmx):
    code = open_together()
    do(code, ask.Call(0))
    answer = post(client_of(ANN), code, "pick", card=indices(no_set(table(code))), htmx=htmx)
    assert answer.status_code == (200 if htmx else 302)
    page = answer if htmx else client_of(ANN).get(answer.url)
    assert "The Magic Rule" in page.content.decode()
    assert stored(code).state.seats[0].points == -1


def test_a_signed_in_player_moves_from_the_own_seat():
    mia = get_user_model().objects.create_student(display_name="Mia")
    code = open_together(Player(name="Mia", user=mia))
    client = Client()
    client.force_login(mia)
    assert post(client, code, "call").status_code == 302
    assert stored(code).state.control.seat == 2


def test_nobody_moves_from_somebody_elses_seat():
    code = open_together()
    post(client_of(BEN), code, "call", seat=0, player=0, guest=ANN.guest)
    assert stored(code).state.control.seat == 1


def test_a_form_brings_no_clock_of_its_own(monkeypatch):
    code, now = open_together(), time.time() + 100
    monkeypatch.setattr("games.views.play.time.time", lambda: now)
    earlier = dict.fromkeys(("now", "at", "time", "when", "called_at"), "12.5")
    answer = client_of(BEN).post(f"/play/{code}/call/?now=12.5&at=12.5", {"version": stored(code).version, **earlier})
    assert answer.status_code == 302
    called = event_from(stored(code).events.order_by("number").last().record)
    assert (type(called), called.seat, called.at) == (did.Called, 1, now)


def test_a_code_in_small_letters_is_the_same_table():
    code = open_together()
    assert client_of(ANN).get(f"/play/{code.lower()}/").status_code == 200
    answer = client_of(ANN).post(f"/play/{code.lower()}/call/", {"version": stored(code).version})
    assert (answer.status_code, answer.url) == (302, f"/play/{code}/")


def test_a_form_from_elsewhere_is_not_taken():
    code = open_together()
    before = stored_state(code)
    strict = Client(enforce_csrf_checks=True)
    session = strict.session
    session["guest"] = {"key": ANN.guest, "name": ANN.name}
    session.save()
    for action in POSTED:
        assert post(strict, code, action).status_code == 403
    assert stored_state(code) == before


# Who may not


@plain_and_htmx
@pytest.mark.parametrize("action", MOVES)
def test_a_stranger_cannot_move_and_does_not_become_a_guest(action, htmx):
    code = open_together()
    before = stored_state(code)
    stranger = Client()
    assert_refused(
        post(stranger, code, action, htmx=htmx, card=indices(a_set(table(code)))), RefusalReason.NO_SUCH_SEAT, htmx=htmx
    )
    assert stored_state(code) == before
    assert not stranger.session.get("guest")


@plain_and_htmx
@pytest.mark.parametrize("action", MOVES)
def test_a_watcher_cannot_move(action, htmx):
    code = open_together()
    do(code, ask.Call(0))
    before = stored_state(code)
    eve = client_of(EVE)
    assert eve.get(f"/play/{code}/").status_code == 200
    assert_refused(
        post(eve, code, action, htmx=htmx, card=indices(a_set(table(code)))), RefusalReason.NO_SUCH_SEAT, htmx=htmx
    )
    assert stored_state(code) == before


@plain_and_htmx
@pytest.mark.parametrize("action", MOVES)
def test_a_user_without_a_seat_cannot_move(action, htmx):
    code = open_together()
    before = stored_state(code)
    client = Client()
    client.force_login(get_user_model().objects.create_student(display_name="Mia"))
    assert_refused(
        post(client, code, action, htmx=htmx, card=indices(a_set(table(code)))), RefusalReason.NO_SUCH_SEAT, htmx=htmx
    )
    assert stored_state(code) == before


@pytest.mark.parametrize("way", [Way.ALONE, Way.PRACTICE, Way.COMPUTER])
@pytest.mark.parametrize("action", [*POSTED, *READ])
def test_a_game_that_somebody_plays_alone_is_not_there_for_others(way, action):
    code = open_for_one(way)
    before = stored_state(code)
    mia = Client()
    mia.force_login(get_user_model().objects.create_student(display_name="Mia"))
    path = f"/play/{code}/{action}/" if action else f"/play/{code}/"
    for client in (Client(), client_of(EVE), mia):
        for headers in ({}, HTMX):
            sent = client.get if action in READ else client.post
            assert sent(path, {"version": stored(code).version}, headers=headers).status_code == 404
    assert stored_state(code) == before


@pytest.mark.parametrize("action", [*POSTED, *READ])
def test_a_code_that_is_nobodys_is_not_there(action):
    path = f"/play/NONE/{action}/" if action else "/play/NONE/"
    answer = client_of(ANN).get(path) if action in READ else client_of(ANN).post(path, {"version": 1})
    assert answer.status_code == 404


@pytest.mark.parametrize("method", ["get", "put", "patch", "delete"])
@pytest.mark.parametrize("action", POSTED)
def test_what_changes_something_is_only_posted(action, method):
    code = open_together()
    before = stored_state(code)
    assert getattr(client_of(ANN), method)(f"/play/{code}/{action}/").status_code == 405
    assert stored_state(code) == before


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
@pytest.mark.parametrize("action", READ)
def test_what_is_only_read_is_not_posted(action, method):
    code = open_together()
    path = f"/play/{code}/{action}/" if action else f"/play/{code}/"
    assert getattr(client_of(ANN), method)(path).status_code == 405


@pytest.mark.parametrize(
    ("method", "path"), [("post", "/play/"), ("get", "/play/find/"), ("get", "/play/open/together/")]
)
def test_the_lobby_is_read_and_its_forms_are_posted(method, path):
    assert getattr(Client(), method)(path).status_code == 405


# What the referee refuses


def cards(*indices: object) -> Callable[[str], dict]:
    return lambda code: {"card": list(indices)}


def of_table(*places: int) -> Callable[[str], dict]:
    return lambda code: {"card": [stored(code).state.table[place].index for place in places]}


def not_on_the_table(code: str) -> dict:
    state = stored(code).state
    return {"card": [state.table[0].index, state.table[1].index, state.deck[0].index]}


def just_taken(code: str) -> dict:
    return {"card": [card.index for card in stored(code).state.taken[:3]]}


def nothing(code: str) -> dict:
    return {}


def take_a_set(code: str) -> None:
    do(code, ask.Call(1), ask.Pick(1, a_set(table(code))))


def given(*orders: ask.Command) -> Callable[[str], None]:
    return lambda code: do(code, *orders)


REFUSED = {
    "a call while another has the board": (given(ask.Call(1)), "call", nothing, RefusalReason.BOARD_HELD),
    "a vote while another has the board": (given(ask.Call(1)), "no-set", nothing, RefusalReason.BOARD_HELD),
    "a pick without a call": (given(), "pick", of_table(0, 1, 2), RefusalReason.CALL_FIRST),
    "a pick while another has the board": (
        given(ask.Call(1)),
        "pick",
        of_table(0, 1, 2),
        RefusalReason.NOT_YOUR_CONTROL,
    ),
    "giving back what one has not": (given(), "withdraw", nothing, RefusalReason.NOT_YOUR_CONTROL),
    "giving back what another has": (given(ask.Call(1)), "withdraw", nothing, RefusalReason.NOT_YOUR_CONTROL),
    "no card": (given(ask.Call(0)), "pick", nothing, RefusalReason.FEWER_THAN_THREE),
    "two cards": (given(ask.Call(0)), "pick", of_table(0, 1), RefusalReason.FEWER_THAN_THREE),
    "four cards": (given(ask.Call(0)), "pick", of_table(0, 1, 2, 3), RefusalReason.MORE_THAN_THREE),
    "eighty cards": (given(ask.Call(0)), "pick", cards(*range(80)), RefusalReason.MORE_THAN_THREE),
    "one card twice": (given(ask.Call(0)), "pick", of_table(0, 1, 1), RefusalReason.SAME_CARD_TWICE),
    "a card of the deck": (given(ask.Call(0)), "pick", not_on_the_table, RefusalReason.NOT_ON_TABLE),
    "cards that are taken": (take_a_set, "pick", just_taken, RefusalReason.TAKEN),
    "another deal": (given(), "deal", nothing, RefusalReason.ALREADY_STARTED),
    "a move after leaving": (given(ask.Leave(0)), "call", nothing, RefusalReason.SEAT_LEFT),
    "a card that is no number": (given(ask.Call(0)), "pick", cards("red", "0", "1"), RefusalReason.NOT_ON_TABLE),
    "a card 81": (given(ask.Call(0)), "pick", cards("81", "0", "1"), RefusalReason.NOT_ON_TABLE),
    "a negative card": (given(ask.Call(0)), "pick", cards("-1", "0", "1"), RefusalReason.NOT_ON_TABLE),
    "an empty card": (given(ask.Call(0)), "pick", cards("", "0", "1"), RefusalReason.NOT_ON_TABLE),
    "a card with a point": (given(ask.Call(0)), "pick", cards("1.0", "0", "1"), RefusalReason.NOT_ON_TABLE),
    "a huge card": (given(ask.Call(0)), "pick", cards("9" * 5000, "0", "1"), RefusalReason.NOT_ON_TABLE),
}


@plain_and_htmx
@pytest.mark.parametrize("case", REFUSED)
def test_a_move_against_the_rules_is_refused_in_words_and_changes_nothing(case, htmx):
    prepare, action, data, reason = REFUSED[case]
    code = open_together()
    prepare(code)
    before = stored_state(code)
    assert_refused(post(client_of(ANN), code, action, htmx=htmx, **data(code)), reason, htmx=htmx)
    assert stored_state(code) == before


@plain_and_htmx
@pytest.mark.parametrize("action", ["call", "pick", "withdraw", "no-set", "take-back"])
def test_nothing_is_played_before_the_deal(action, htmx):
    code = open_together(dealt=False)
    before = stored_state(code)
    answer = post(client_of(ANN), code, action, htmx=htmx, card=[0, 1, 2])
    assert_refused(answer, RefusalReason.NOT_STARTED, htmx=htmx)
    assert stored_state(code) == before


@plain_and_htmx
@pytest.mark.parametrize("action", MOVES)
def test_nothing_is_played_when_the_match_is_over(action, htmx):
    code = open_together()
    do(code, ask.Leave(1), ask.Leave(0))
    assert stored(code).phase == Phase.OVER
    before = stored_state(code)
    assert_refused(post(client_of(ANN), code, action, htmx=htmx, card=[0, 1, 2]), RefusalReason.MATCH_OVER, htmx=htmx)
    assert stored_state(code) == before


@pytest.mark.parametrize(
    "version",
    [None, "", "two", "-1", "1.0", "+1", " 1", "1_0", "\u0663", "99999", "2147483648", "9" * 5000],
    ids=repr,
)
def test_a_version_that_nobody_was_shown_is_refused(version):
    code, ann = open_together(), client_of(ANN)
    before = stored_state(code)
    data = {"card": indices(a_set(table(code)))} | ({} if version is None else {"version": version})
    for action in MOVES:
        answer = ann.post(f"/play/{code}/{action}/", data, headers=HTMX)
        assert_refused(answer, RefusalReason.UNSEEN_VERSION, htmx=True)
    assert_refused(ann.post(f"/play/{code}/call/", data), RefusalReason.UNSEEN_VERSION, htmx=False)
    assert stored_state(code) == before


@plain_and_htmx
def test_a_pick_after_the_window_is_late_and_only_that_is_written(htmx):
    code = open_together(window=3.0)
    matches.command(code, ask.Call(0), now=time.time() - 60)
    before = stored(code).version
    assert_refused(
        post(client_of(ANN), code, "pick", htmx=htmx, card=indices(a_set(table(code)))),
        RefusalReason.WINDOW_OVER,
        htmx=htmx,
    )
    assert [type(event) for event in log(code)[before:]] == [did.CallFailed]
    assert stored(code).state.seats[0].points == -1


# The same thing sent twice


def test_a_call_that_is_sent_again_calls_once():
    code = open_together()
    seen = stored(code).version
    ann = client_of(ANN)
    for htmx in (True, False, True):
        assert post(ann, code, "call", htmx=htmx, version=seen).status_code in (200, 302)
    assert [type(event) for event in log(code)[seen:]] == [did.Called]


def test_a_call_that_comes_again_after_it_was_resolved_does_not_call_again():
    code = open_together()
    seen = stored(code).version
    ann = client_of(ANN)
    post(ann, code, "call", version=seen)
    post(ann, code, "pick", card=indices(a_set(table(code))))
    before = stored_state(code)
    answer = post(ann, code, "call", htmx=True, version=seen)
    assert answer.status_code == 200
    assert f'data-version="{stored(code).version}"' in answer.content.decode(), "the page is brought up to date"
    assert stored_state(code) == before


@pytest.mark.parametrize("pick", [a_set, no_set])
def test_a_pick_that_is_sent_again_counts_once(pick):
    code = open_together()
    do(code, ask.Call(0))
    seen, three, ann = stored(code).version, indices(pick(table(code))), client_of(ANN)
    post(ann, code, "pick", version=seen, card=three)
    before = stored_state(code)
    assert post(ann, code, "pick", version=seen, card=three[::-1]).status_code == 302
    assert stored_state(code) == before


# Sitting down and leaving


def test_a_stranger_who_sits_down_becomes_a_guest_with_a_seat():
    code = open_together()
    stranger = Client()
    answer = stranger.post(f"/play/{code}/join/")
    assert (answer.status_code, answer.url) == (302, f"/play/{code}/")
    seat = stored(code).seats.last()
    assert (seat.number, seat.name, seat.guest) == (
        2,
        stranger.session["guest"]["name"],
        stranger.session["guest"]["key"],
    )
    assert post(stranger, code, "call").status_code == 302


def test_who_sits_down_twice_has_one_seat():
    code = open_together()
    eve = client_of(EVE)
    eve.post(f"/play/{code}/join/")
    before = stored_state(code)
    assert eve.post(f"/play/{code}/join/").status_code == 302
    assert stored_state(code) == before


def test_nobody_sits_down_at_a_full_table():
    code = open_together(*(Player(name=f"Guest {number}", guest=f"{number:032}") for number in range(6)))
    before = stored_state(code)
    assert_refused(client_of(EVE).post(f"/play/{code}/join/"), RefusalReason.TABLE_FULL, htmx=False)
    assert_refused(client_of(EVE).post(f"/play/{code}/join/", headers=HTMX), RefusalReason.TABLE_FULL, htmx=True)
    assert stored_state(code) == before


def test_nobody_sits_down_when_the_match_is_over():
    code = open_together()
    do(code, ask.Leave(1), ask.Leave(0))
    before = stored_state(code)
    assert_refused(client_of(EVE).post(f"/play/{code}/join/"), RefusalReason.MATCH_OVER, htmx=False)
    assert stored_state(code) == before


def test_who_leaves_goes_to_the_lobby_and_may_come_back_to_the_seat():
    code = open_together()
    ben = client_of(BEN)
    answer = ben.post(f"/play/{code}/leave/")
    assert (answer.status_code, answer.url) == (302, "/play/")
    assert not stored(code).state.seats[1].is_seated
    page = ben.get(f"/play/{code}/").content.decode()
    assert "Sit down and play" in page
    assert "set-button" not in page
    ben.post(f"/play/{code}/join/")
    assert stored(code).state.seats[1].is_seated
    assert stored(code).seats.count() == 2


def test_leaving_where_one_is_not_changes_nothing():
    code = open_together()
    do(code, ask.Leave(1))
    before = stored_state(code)
    for client in (Client(), client_of(EVE), client_of(BEN)):
        answer = client.post(f"/play/{code}/leave/")
        assert (answer.status_code, answer.url) == (302, "/play/")
    assert stored_state(code) == before


# The page


def test_a_player_a_watcher_and_a_stranger_see_the_same_table_and_each_their_own_buttons():
    code = open_together()
    pages = [client.get(f"/play/{code}/").content.decode() for client in (client_of(BEN), client_of(EVE), Client())]
    assert all(render.render(stored(code), "en-us").html in page for page in pages)
    assert ["set-button" in page for page in pages] == [True, False, False]
    assert ["Sit down and play" in page for page in pages] == [False, True, True]
    assert [re.search(r'data-me="(\d*)"', page)[1] for page in pages] == ["1", "", ""]


def test_the_token_on_the_page_is_for_the_seat_of_who_looks():
    code = open_together()
    watches = []
    for client in (client_of(BEN), client_of(EVE), Client()):
        page = client.get(f"/play/{code}/").content.decode()
        watches.append(tokens.read(re.search(r"stream/\?token=([^\"]+)", page)[1]))
    assert watches == [tokens.TableWatch(code, seat, "en-us") for seat in (1, None, None)]


def test_looking_never_makes_a_guest_and_changes_nothing():
    code = open_together()
    before = stored_state(code)
    stranger = Client()
    for path in ("/play/", f"/play/{code}/", f"/play/{code}/replay/", f"/play/{code}/hint/"):
        stranger.get(path)
    assert not stranger.session.get("guest")
    assert stored_state(code) == before


def test_a_page_never_shows_a_call_that_has_run_out():
    code = open_together(window=3.0)
    matches.command(code, ask.Call(0), now=time.time() - 60)
    page = Client().get(f"/play/{code}/").content.decode()
    assert 'data-control=""' in page
    assert stored(code).state.control is None


def test_a_name_that_looks_like_markup_is_shown_as_written():
    code = open_together(Player(name="<b>Bob</b>", guest="c" * 32))
    page = Client().get(f"/play/{code}/").content.decode()
    assert "<b>Bob" not in page
    assert "&lt;b&gt;Bob&lt;/b&gt;" in page


def queries_of(code: str, client: Client) -> int:
    """The number of queries for a table page that isn't cached yet."""
    render._kept.clear()
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert client.get(f"/play/{code}/").status_code == 200
    return len(queries)


def test_the_page_of_a_long_match_takes_no_more_queries_than_that_of_a_short_one():
    code, ann = open_together(), client_of(ANN)
    do(code, ask.Call(0), ask.Withdraw(0))
    assert len(log(code)) == 5
    few = queries_of(code, ann)
    while len(log(code)) < 60:
        do(code, ask.Call(1), ask.Withdraw(1))
    assert queries_of(code, ann) == few


def test_the_page_of_a_full_table_takes_no_more_queries_than_that_of_two():
    two = open_together()
    eight = open_together(*(Player(name=f"Guest {number}", guest=f"{number:032}") for number in range(6)))
    assert queries_of(eight, client_of(ANN)) == queries_of(two, client_of(ANN))


# Hints


@pytest.mark.parametrize("stage", [1, 2, 3, 4])
def test_a_hint_says_more_at_each_stage(stage):
    code = open_for_one(Way.PRACTICE)
    answer = client_of(ANN).get(f"/play/{code}/hint/", {"stage": stage}, headers=HTMX)
    content = answer.content.decode()
    assert answer.status_code == 200
    assert "<html" not in content
    hinted = [int(text) for text in re.findall(r'data-hint="(\d+)"', content)]
    assert len(hinted) == stage - 1
    assert set(hinted) <= {card.index for card in stored(code).state.table}
    plain = client_of(ANN).get(f"/play/{code}/hint/", {"stage": stage})
    assert plain.status_code == 200
    assert "<html" in plain.content.decode()


@pytest.mark.parametrize("stage", ["", "0", "5", "-1", "two", "1.0", "9" * 5000])
def test_a_stage_that_is_none_is_the_first(stage):
    code = open_for_one(Way.PRACTICE)
    first = client_of(ANN).get(f"/play/{code}/hint/", headers=HTMX).content
    assert client_of(ANN).get(f"/play/{code}/hint/", {"stage": stage}, headers=HTMX).content == first


@plain_and_htmx
def test_there_are_no_hints_where_people_play_against_each_other(htmx):
    codes = [open_together(), open_for_one(Way.COMPUTER), open_for_one(Way.ALONE)]
    for code in codes:
        answer = client_of(ANN).get(f"/play/{code}/hint/", headers=HTMX if htmx else {})
        assert_refused(answer, "Hints are for practice.", htmx=htmx)


# Opening a table


DEFAULTS = {
    "alone": {"edition": "us", "deck": "full"},
    "practice": {"deck": "full"},
    "computer": {"edition": "us", "deck": "full", "opponents": "1", "strength": "newcomer"},
    "together": {"edition": "us", "deck": "full", "votes": "checked"},
}
CHOICES = [
    (way, name, str(value))
    for way, form in FORMS.items()
    for name, field in form().fields.items()
    for value in ([choice for choice, _title in field.choices] if hasattr(field, "choices") else ["on"])
]


def opened(answer) -> Match:
    assert answer.status_code == 302
    return stored(re.fullmatch(r"/play/([A-Z0-9]+)/", answer.url)[1])


@pytest.mark.parametrize(("way", "name", "value"), CHOICES)
def test_every_option_of_every_way_opens_a_table_that_has_it(way, name, value):
    client = Client()
    match = opened(client.post(reverse("play:open", args=[way]), {**DEFAULTS[way], name: value}))
    state, options = match.state, match.state.options
    assert match.way == way
    assert state.phase == (Phase.WAITING if way == "together" else Phase.PLAYING)
    has_it = {
        "edition": options.edition == value,
        "deck": (options.left_out is not None) is (value == "easy"),
        "window": options.window == {"": 5.0, "none": None}.get(value, value if not value.isdigit() else float(value)),
        "quick": options.quick,
        "opponents": value.isdigit() and match.seats.exclude(strength="").count() == int(value),
        "strength": [seat.strength for seat in match.seats.all()][1:] == [value],
        "votes": options.votes == value,
        "longer": options.everyone_deals,
        "listed": match.is_open,
    }
    assert has_it[name]
    assert client.get(f"/play/{match.code}/").status_code == 200


@pytest.mark.parametrize("deck", ["full", "easy"])
@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("way", FORMS)
def test_every_edition_and_deck_opens_and_is_dealt(way, edition, deck):
    client = Client()
    data = {**DEFAULTS[way], "edition": edition, "deck": deck}
    match = opened(client.post(reverse("play:open", args=[way]), data))
    if way == "together":
        post(client, match.code, "deal")
    state = stored(match.code).state
    printed = EDITIONS[edition]
    assert len(state.table) == (printed.easy_laid if deck == "easy" else 12)
    assert len(state.table) + len(state.deck) == (27 if deck == "easy" else 81)
    assert state.options.solitaire == (printed.solitaire if way == "alone" else None)
    assert state.options.relaxed is (way == "practice")


def test_a_table_is_by_invitation_unless_it_is_listed():
    hidden = opened(Client().post("/play/open/together/", DEFAULTS["together"]))
    listed = opened(Client().post("/play/open/together/", {**DEFAULTS["together"], "listed": "on"}))
    lobby = Client().get("/play/").content.decode()
    assert listed.code in lobby
    assert hidden.code not in lobby


def test_own_games_are_in_the_lobby_of_who_plays_them():
    client = Client()
    match = opened(client.post("/play/open/alone/", DEFAULTS["alone"]))
    assert match.code in client.get("/play/").content.decode()
    assert match.code not in client_of(EVE).get("/play/").content.decode()


WRONG = [
    ("alone", {"edition": "2050"}),
    ("alone", {"edition": ""}),
    ("alone", {"deck": "huge"}),
    ("alone", {"deck": ""}),
    ("practice", {"deck": "huge"}),
    ("computer", {"opponents": "0"}),
    ("computer", {"opponents": "4"}),
    ("computer", {"opponents": "many"}),
    ("computer", {"opponents": ""}),
    ("computer", {"strength": "genius"}),
    ("computer", {"window": "2"}),
    ("computer", {"window": "-5"}),
    ("together", {"window": "1000"}),
    ("together", {"window": "nan"}),
    ("together", {"votes": "none"}),
    ("together", {"votes": ""}),
]


@pytest.mark.parametrize(("way", "wrong"), WRONG)
def test_an_option_that_is_none_brings_back_the_form_and_opens_nothing(way, wrong):
    client = Client()
    answer = client.post(reverse("play:open", args=[way]), {**DEFAULTS[way], **wrong})
    content = answer.content.decode()
    assert answer.status_code == 422
    assert content.count("Please check the options.") == 1
    assert 'class="errorlist"' in content
    assert '<details class="options" open>' in content
    assert not Match.objects.exists()
    assert not client.session.get("guest")


@pytest.mark.parametrize("way", ["nothing", "ALONE", "alone-2", "together_"])
def test_a_way_that_there_is_not_is_not_found(way):
    answer = Client().post(f"/play/open/{way}/", DEFAULTS["together"])
    assert answer.status_code == 404
    assert "There is no such way to play." in answer.content.decode()
    assert not Match.objects.exists()


@pytest.mark.parametrize("way", [Way.ALONE, Way.PRACTICE, Way.COMPUTER])
def test_playing_again_opens_another_match_like_the_last(way):
    code = open_for_one(way)
    again = opened(client_of(ANN).post(f"/play/{code}/again/"))
    assert again.code != code
    assert (again.way, again.state.options) == (way, stored(code).state.options)
    assert again.seats.count() == stored(code).seats.count()
    assert again.state.table != stored(code).state.table


@pytest.mark.parametrize("who", [ANN, EVE])
def test_a_table_of_many_is_not_opened_again_by_one(who):
    code = open_together()
    answer = client_of(who).post(f"/play/{code}/again/")
    assert answer.status_code == 422
    assert "Open a new table for that." in answer.content.decode()
    assert Match.objects.count() == 1


# Finding a table


@pytest.mark.parametrize(
    "written",
    [str, str.lower, str.title, lambda code: f"  {code} ", " ".join, lambda code: f"{code[:2]}\t{code[2:]}\n"],
    ids=["as it is", "small", "mixed", "spaces around", "spaces between", "other blanks"],
)
def test_a_code_leads_to_its_table_however_it_is_typed(written):
    code = open_together()
    answer = Client().post("/play/find/", {"code": written(code)})
    assert (answer.status_code, answer.url) == (302, f"/play/{code}/")


@pytest.mark.parametrize("written", ["", "   ", "WRONG", "B" * 5000, "../admin", "<b>", "caf\u00e9", None])
def test_a_wrong_code_is_told_so_and_leads_nowhere(written):
    open_together()
    answer = Client().post("/play/find/", {} if written is None else {"code": written})
    assert answer.status_code == 422
    assert "No table has this code. Check each letter." in answer.content.decode()
    assert "<b>" not in answer.content.decode()


def test_the_code_of_a_game_that_somebody_plays_alone_is_a_wrong_code_for_others():
    code = open_for_one(Way.ALONE)
    assert client_of(ANN).post("/play/find/", {"code": code}).status_code == 302
    assert client_of(EVE).post("/play/find/", {"code": code}).status_code == 422
