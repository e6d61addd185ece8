"""A game against the computer, whose moves appear on every screen."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from games.models import Way
from games.rules import Options
from games.rules.editions import LONGEST_WINDOW
from games.rules.opponents import STRENGTHS
from games.rules.state import Phase
from tests.browser.players import (
    Game,
    enter,
    expect_in_step,
    expect_points,
    open_game,
    pick,
    say_set,
    say_set_in_vain,
    sign_in,
    stop_clock,
)

COMPUTER = "Ada (computer)"
PATIENT = replace(STRENGTHS["newcomer"], start=600.0, patience=6_000.0, slips=0.0)
HASTY = replace(STRENGTHS["newcomer"], start=0.05, slope=0.0, spread=0.1, slips=0.0, picking=0.3, patience=0.3)
# It calls at once and then picks as late as it may: after half the time of a call.
THOUGHTFUL = replace(HASTY, picking=600.0)


@pytest.fixture
def pace(monkeypatch):
    """Sets the computer's speed from its next move on."""

    def be(strength) -> None:
        monkeypatch.setitem(STRENGTHS, "newcomer", strength)

    be(PATIENT)
    return be


def open_against(page: Page, site: str, opponents: str = "1") -> Game:
    page.goto(f"{site}/play/")
    way = page.get_by_role("region", name="Against the computer")
    way.get_by_text("Options").click()
    way.get_by_label("Deck").select_option("easy")
    way.get_by_label("Time to pick").select_option("15")
    way.get_by_label("Opponents").select_option(opponents)
    with page.expect_response(lambda response: "/stream/" in response.url):
        way.get_by_role("button", name="Start").click()
    return Game(site, page.url.rstrip("/").rsplit("/", 1)[1])


@pytest.mark.on_engines
def test_a_game_against_the_computer_is_played_to_its_end(site, page, pace):
    game = open_against(page, site)
    name = page.locator("#table .seat.is-me .seat-name").inner_text()
    expect(page.locator("#table .seat")).to_have_count(2)
    page.evaluate("window.isTheSamePage = true")

    # First the player takes a SET while the computer is still looking. Later verdicts stay on the screen.
    say_set(page)
    stop_clock(page)
    pace(HASTY)
    pick(page, game.a_set())
    expect_points([page], name, 1)

    # Then it plays on with nobody touching anything.
    expect(page.locator(".reveal-title", has_text=f"{COMPUTER}: a SET!")).to_be_visible()
    expect(page.locator(".result-text")).to_have_text(f"{COMPUTER} wins.")
    assert page.evaluate("window.isTheSamePage"), "nothing was loaded again"
    assert game.state.phase is Phase.OVER
    expect_in_step([page], game)
    mine, its = game.points()
    assert mine == 1
    assert its > 1
    expect_points([page], name, mine)
    expect_points([page], COMPUTER, its)

    page.get_by_role("link", name="What was there? The replay").click()
    page.wait_for_url(re.compile(r"/replay/$"))
    expect(page.get_by_role("heading", name="What was there")).to_be_visible()
    expect(page.locator(".replay-step")).to_contain_text("1 of ")


@pytest.mark.console_errors(r"status of 422 .*/call/")
def test_the_computers_call_holds_the_board(site, new_context, pace):
    context = new_context()
    options = Options.of("us", easy=True, window=LONGEST_WINDOW)
    game = open_game(site, [sign_in(context, site, "Ann")], options=options, way=Way.COMPUTER, computers=["newcomer"])
    page = context.new_page()
    enter(page, game)
    say_set(page)
    pace(THOUGHTFUL)
    pick(page, game.a_set())
    expect(page.locator(".control-text")).to_have_text(f"{COMPUTER} calls SET! and picks.")
    expect(page.locator("#table .seat.has-control .seat-name")).to_have_text(COMPUTER)
    expect(page.locator(".countdown")).to_be_visible()
    say_set_in_vain(page)
    expect(page.locator("#notice")).to_have_text("Somebody else has called. Wait until they are done.")
    assert game.points() == [1, 0]


def test_three_computers_sit_at_the_table_with_names_of_their_own(site, page, pace):
    game = open_against(page, site, opponents="3")
    names = page.locator("#table .seat-name").all_inner_texts()
    assert len(set(names)) == 4
    assert names[1:] == ["Ada (computer)", "Blaise (computer)", "Emmy (computer)"]
    assert game.match.seats.exclude(strength="").count() == 3


def test_when_the_game_is_over_another_one_like_it_can_be_opened(site, page, pace):
    game = open_against(page, site)
    game.play_out(0)
    expect(page.locator(".result-text")).to_be_visible()
    page.get_by_role("button", name="Play again").click()
    page.wait_for_url(lambda url: url != game.url)
    again = Game(site, page.url.rstrip("/").rsplit("/", 1)[1])
    expect(page.locator("#table .seat")).to_have_count(2)
    assert again.state.options == game.state.options
    assert again.state.seed != game.state.seed
    assert again.state.phase is Phase.PLAYING
