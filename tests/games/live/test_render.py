"""Each change is rendered once per match, version and language, and contains no secrets."""

from __future__ import annotations

import re
import threading
import time
from collections import Counter
from contextlib import ExitStack
from itertools import combinations

import pytest
from django.db import connections
from django.utils import translation

from games.live import render
from games.matches import service as matches
from games.models import Match, Way
from games.players import Player
from games.rules import FULL_DECK, Options, find_sets, is_set
from games.rules import commands as ask
from games.rules.records import event_from
from games.words import card_name
from tests.games.live import PATIENCE, Screen

ANN = Player(name="Ann", guest="a" * 32)
BEN = Player(name="Ben", guest="b" * 32)
SEED = "a seed that nobody may see"


def open_together(**options) -> str:
    now = time.time()
    options = {"window": None, **options}
    match = matches.open_match(way=Way.TOGETHER, options=Options(**options), player=ANN, seed=SEED, now=now)
    matches.join(match.code, BEN, now=now)
    matches.command(match.code, ask.Deal(0), now=now)
    return match.code


@pytest.fixture
def renders(monkeypatch) -> Counter:
    """How often each table was rendered, by match, version and language."""
    count: Counter = Counter()
    honest = render._draw

    def counted(match, state, language):
        count[match.code, match.version, translation.get_language()] += 1
        return honest(match, state, language)

    monkeypatch.setattr(render, "_draw", counted)
    return count


def test_thirty_screens_in_two_languages_cost_two_renders_a_change_and_get_the_same_bytes(site, renders):
    code = open_together()
    first = Match.objects.get(code=code).version
    with ExitStack() as open_screens:
        screens = {
            language: [
                open_screens.enter_context(Screen.of(site, code, language=language, seat=number % 2))
                for number in range(15)
            ]
            for language in ("en-us", "fr")
        }
        seen: list[int] = [first]
        for step in range(6):
            if step:
                order = ask.Call(0) if step % 2 else ask.Withdraw(0)
                seen.append(matches.command(code, order, now=time.time()).match.version)
            for language, watching in screens.items():
                assert len({_message_of(screen, seen[-1]) for screen in watching}) == 1, language
    assert renders == {(code, version, language): 1 for version in seen for language in screens}


def _message_of(screen: Screen, version: int) -> bytes:
    """Read until the message with this version of the table."""
    wanted = f'data-version="{version}"'.encode()
    while True:
        name, content = screen.message()
        if name == "table" and wanted in content:
            return content


def test_pages_and_streams_share_the_rendering(site, renders, client):
    code = open_together()
    with Screen.of(site, code) as screen:
        streamed = screen.table().html
        page = client.get(f"/play/{code}/")
    assert streamed in page.content.decode()
    assert list(renders.values()) == [1]


def test_forty_who_ask_for_a_new_table_at_once_are_given_one_rendering(transactional_db, renders):
    match = Match.objects.get(code=open_together())
    ready = threading.Barrier(40, timeout=PATIENCE)
    given: list[render.Rendered] = []

    def look() -> None:
        ready.wait()
        try:
            given.append(render.render(match, "en-us"))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=look) for _ in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=PATIENCE)
    assert len(given) == 40
    assert len({id(rendered) for rendered in given}) == 1
    assert list(renders.values()) == [1]


def test_old_renderings_are_let_go(db, monkeypatch, renders):
    monkeypatch.setattr(render, "_KEPT", 3)
    monkeypatch.setattr(render, "_kept", type(render._kept)())
    match = Match.objects.get(code=open_together())
    for language in ("en-us", "en-gb", "fr", "es"):
        render.render(match, language)
    assert len(render._kept) == 3
    render.render(match, "es")
    assert sum(renders.values()) == 4
    render.render(match, "en-us")
    assert sum(renders.values()) == 5


# Nothing beyond what's on the table


def every_table(code: str):
    """The match at each version of its play, from the deal to the end."""
    yield Match.objects.get(code=code)
    for step in range(400):
        state = Match.objects.get(code=code).state
        if state.phase == "over":
            return
        sets = find_sets(state.table)
        seat, now = step % 2, time.time()
        if step % 5 == 4 and state.table:
            wrong = next((triple for triple in combinations(state.table, 3) if not is_set(*triple)), None)
            sets = [wrong] if wrong else sets
        if sets:
            matches.command(code, ask.Call(seat), now=now)
            yield Match.objects.get(code=code)
            matches.command(code, ask.Pick(seat, sets[0]), now=now)
        else:
            matches.command(code, ask.AgreeNoSet(0), now=now)
            matches.command(code, ask.AgreeNoSet(1), now=now)
        yield Match.objects.get(code=code)
    raise AssertionError("the game did not end")


def test_no_card_that_is_not_dealt_is_in_a_table_from_the_deal_to_the_end(db):
    code = open_together()
    looked = 0
    for match in every_table(code):
        state = match.state
        html = render.render(match, "en-us").html
        indices = [int(text) for text in re.findall(r'name="card" value="(\d+)"', html)]
        assert indices == [card.index for card in state.table]
        named = {card for card in FULL_DECK if card_name(card) in html}
        assert set(state.table) <= named
        assert not named & set(state.deck)
        assert named <= set(state.table) | _last_picked(match)
        looked += 1
    assert looked > 40


def _last_picked(match: Match) -> set:
    picks = [event_from(row.record) for row in match.events.filter(record__kind__in=["SetTaken", "CallFailed"])]
    return set(next((pick.cards for pick in reversed(picks) if pick.cards), ()))


def test_the_seed_and_the_order_of_the_deck_are_in_no_page_and_no_stream(site, client):
    code = open_together()
    match = Match.objects.get(code=code)
    with Screen.of(site, code, seat=0) as screen:
        streamed = screen.data("table").decode()
    for html in (streamed, client.get(f"/play/{code}/").content.decode()):
        assert SEED not in html
        order = [card.index for card in match.state.deck]
        for glue in (",", ", ", " "):
            assert glue.join(map(str, order[:4])) not in html
        numbers = set(re.findall(r'(?:value|data-[a-z]+|id)="(\d+)"', html))
        on_table = {str(card.index) for card in match.state.table}
        allowed = on_table | {str(match.version), "0", "1", "4"}
        assert numbers <= allowed, "every number in an attribute is a card of the table, a seat, or the version"


def test_a_waiting_table_shows_no_card_at_all(db):
    match = matches.open_match(way=Way.TOGETHER, options=Options(), player=ANN, seed=SEED, now=time.time())
    html = render.render(match, "en-us").html
    assert 'name="card"' not in html
    assert not [card for card in FULL_DECK if card_name(card) in html]


def test_a_name_that_looks_like_markup_is_shown_as_written(db):
    wicked = Player(name="<script>alert(1)</script>", guest="c" * 32)
    match = matches.open_match(way=Way.TOGETHER, options=Options(), player=wicked, now=time.time())
    html = render.render(match, "en-us").html
    assert "<script" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


def test_a_message_is_one_line_of_data(db):
    match = matches.open_match(
        way=Way.TOGETHER, options=Options(), player=Player(name="A\nB\r\rC\u2028D", guest="c" * 32), now=time.time()
    )
    message = render.render(match, "en-us").event
    assert message.startswith(b"event: table\ndata: <div")
    assert message.endswith(b"</div>\n\n")
    assert message.count(b"\n") == 3
    assert b"\r" not in message
