"""The replay of a finished match: forward, back, play, and every SET on the table."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import Page, expect

from games.matches.history import Moment, moments
from games.rules import Options
from games.rules import commands as ask
from games.rules.state import Phase
from games.words import card_name, effort_word
from tests.browser.players import Game, open_game, session_of, sign_in

# In milliseconds: longer than one replay step is shown, and shorter than two.
STEP = 1_600


def play_slowly(game: Game) -> None:
    """Play a match in which calls take some seconds, and some are wrong."""
    now = float(int(time.time()) - 3_600)
    game.do(ask.Deal(0), now=now)
    for turn in range(100):
        if game.state.phase is Phase.OVER:
            return
        seat = turn % 2
        now += 3 + 4 * turn
        if turn == 1:
            game.do(ask.AgreeNoSet(0), now=now)
            game.do(ask.AgreeNoSet(1), now=now + 1)
            now += 2
        game.do(ask.Call(seat), now=now)
        now += 2
        game.do(ask.Pick(seat, game.no_set() if turn == 2 else game.a_set()), now=now)
    raise AssertionError("the match does not end")


@pytest.fixture
def finished(site, new_context) -> tuple[Game, Page]:
    """A finished match of Ann and Ben, and Ann's browser."""
    context = new_context()
    players = [sign_in(context, site, "Ann"), session_of("Ben")[0]]
    # No time window for calls: the match was played an hour ago, and the site would apply its deadlines.
    game = open_game(site, players, options=Options.of("fr", easy=True), dealt=False)
    play_slowly(game)
    return game, context.new_page()


def expect_moment(page: Page, moment: Moment, step: int, last: int) -> None:
    expect(page.locator(".replay-step")).to_have_text(f"{step} of {last} · {moment.seconds:.0f} s")
    page.wait_for_load_state()
    table = moment.before.table or moment.after.table
    shown = page.locator(".replay-board .card .visually-hidden").all_text_contents()
    assert shown == [card_name(card) for card in table]
    picked = page.locator(".replay-board .card.is-picked .visually-hidden").all_text_contents()
    assert set(picked) == {card_name(card) for card in getattr(moment.event, "cards", ())}
    points = page.locator(".replay .seat-points").all_text_contents()
    assert points == [str(seat.points) for seat in moment.after.seats]
    expect_what_was_there(page, moment)


def expect_what_was_there(page: Page, moment: Moment) -> None:
    count = len(moment.waiting)
    expect(page.get_by_role("heading", name=re.compile(rf"^{count} SETs? (was|were) there$"))).to_be_visible()
    rows = page.locator("table.waiting tbody tr").evaluate_all(
        """rows => rows.map((row) => [
          [...row.querySelectorAll(".card .visually-hidden")].map((name) => name.textContent),
          ...[...row.querySelectorAll("td")].map((cell) => cell.textContent.trim()),
        ])"""
    )
    assert rows == [
        [[card_name(card) for card in each.cards], effort_word(each.effort), f"{each.waited:.0f} s"]
        for each in moment.waiting
    ]


def test_each_step_tells_every_set_that_was_there_how_hard_and_how_long(finished):
    game, page = finished
    told = moments(game.match)
    assert any(len(moment.waiting) > 1 for moment in told)
    assert any(each.waited > 10 for moment in told for each in moment.waiting)
    page.goto(f"{game.url}replay/")
    for step, moment in enumerate(told, 1):
        expect_moment(page, moment, step, len(told))
        if step < len(told):
            page.get_by_role("link", name="Next").click()
    expect(page.get_by_role("link", name="Next")).to_have_count(0)
    expect(page.locator(".answer-title")).to_have_text(re.compile("wins|shared win"))


def test_one_can_step_back_and_begin_again(finished):
    game, page = finished
    told = moments(game.match)
    last = len(told)
    page.goto(f"{game.url}replay/?step={last}")
    expect_moment(page, told[-1], last, last)
    page.get_by_role("link", name="Previous").click()
    expect_moment(page, told[-2], last - 1, last)
    page.get_by_role("link", name="Next").click()
    page.get_by_role("link", name="From the start").click()
    expect_moment(page, told[0], 1, last)
    expect(page.get_by_role("link", name="Previous")).to_have_count(0)


def test_it_plays_by_itself_to_the_end_and_can_be_stopped(finished):
    game, page = finished
    told = moments(game.match)
    last = len(told)
    page.clock.install(time=0)
    page.clock.pause_at(3_600)
    page.goto(f"{game.url}replay/?step={last - 2}")
    page.get_by_role("link", name="Play", exact=True).last.click()
    expect(page.get_by_role("link", name="Stop")).to_be_visible()
    for step in (last - 2, last - 1, last):
        expect_moment(page, told[step - 1], step, last)
        page.clock.run_for(STEP)
    expect(page.get_by_role("link", name="Stop")).to_have_count(0)

    page.goto(f"{game.url}replay/?step=2&play=1")
    page.get_by_role("link", name="Stop").click()
    expect(page.get_by_role("link", name="Play", exact=True).last).to_be_visible()
    expect(page.locator("[data-hx-trigger*='load']")).to_have_count(0)


def test_a_pick_is_shown_with_its_verdict(finished):
    game, page = finished
    told = moments(game.match)
    for kind, lines in (("CallFailed", ".is-broken"), ("SetTaken", ".is-fine")):
        step = next(number for number, each in enumerate(told, 1) if type(each.event).__name__ == kind)
        page.goto(f"{game.url}replay/?step={step}")
        expect(page.locator(".verdict-lines li")).to_have_count(4)
        expect(page.locator(f".verdict-lines {lines}").first).to_be_visible()


def test_a_step_that_is_not_there_shows_one_that_is(finished):
    game, page = finished
    last = len(moments(game.match))
    for asked, step in (("0", 1), ("-1", 1), ("x", 1), ("100000", last), ("9" * 30, 1)):
        page.goto(f"{game.url}replay/?step={asked}")
        expect(page.locator(".replay-step")).to_contain_text(f"{step} of {last}")


def test_a_match_that_is_on_has_no_replay_yet(site, new_context):
    context = new_context()
    game = open_game(site, [sign_in(context, site, "Ann")], options=Options.of("us", easy=True))
    page = context.new_page()
    page.goto(f"{game.url}replay/?step=2")
    assert page.url == game.url
    expect(page.locator("#table input[name=card]")).to_have_count(12)
