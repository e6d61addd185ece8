"""An unreliable network: the page says so, and returns to the current table."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import Page, expect

from core.live import hub as live
from games.live.topic import hub
from games.rules import Options
from tests.browser.players import (
    Game,
    card_of,
    enter,
    expect_in_step,
    expect_points,
    marked,
    open_game,
    pick,
    say_set,
    session_of,
    sign_in,
    tap,
)

LOST = "The connection is lost. Trying again…"


@pytest.fixture
def ann(site, new_context, console, monkeypatch) -> tuple[Page, Game]:
    """Ann in a match with Ben, who plays elsewhere."""
    # A browser logs what it can't load, and htmx what it can't send.
    console.allow(r"net::ERR_.*/play/", r"^htmx:(sendError|afterRequest)")
    # No grace period: offline players never leave.
    monkeypatch.setattr(live, "GRACE_SECONDS", 600.0)
    context = new_context()
    players = [sign_in(context, site, "Ann"), session_of("Ben")[0]]
    game = open_game(site, players, options=Options.of("us", easy=True, window=60.0))
    page = context.new_page()
    enter(page, game)
    expect(page.get_by_text(LOST)).to_be_hidden()
    return page, game


def end_streams(game: Game) -> None:
    """End every stream of a match, as the server does when it stops."""
    deadline = time.monotonic() + 30
    while game.code not in hub._topics:
        # A stream receives new tables only after its first message.
        assert time.monotonic() < deadline
        time.sleep(0.01)
    for watcher in list(hub._topics[game.code].watchers):
        hub._loop.call_soon_threadsafe(watcher.close)


def lose_network(page: Page, game: Game) -> None:
    page.context.set_offline(True)
    end_streams(game)
    expect(page.get_by_text(LOST)).to_be_visible()


@pytest.mark.on_engines
def test_a_lost_network_is_said_and_the_present_table_comes_with_it_back(ann):
    page, game = ann
    version = game.version
    kept = next(card for card in game.state.table if card not in game.a_set())
    tap(page, [kept])
    page.evaluate("window.isTheSamePage = true")
    lose_network(page, game)

    # Ben takes a SET, which this page can't know.
    game.take(1)
    expect(page.locator("#table .state")).to_have_attribute("data-version", str(version))

    page.context.set_offline(False)
    expect(page.get_by_text(LOST)).to_be_hidden()
    expect(page.locator("#table .state")).to_have_attribute("data-version", str(game.version))
    expect_in_step([page], game)
    expect_points([page], "Ben", 1)
    assert page.evaluate("window.isTheSamePage"), "nobody had to load the page again"

    # She still has her seat and her marked cards.
    expect(page.locator("#play")).to_have_attribute("data-me", "0")
    expect(marked(page)).to_have_count(1)
    expect(card_of(page, kept)).to_be_checked()
    tap(page, [kept])
    say_set(page)
    pick(page, game.a_set())
    expect_points([page], "Ann", 1)


def test_a_network_that_goes_without_a_word_is_said_too(ann):
    """Out of network range no stream ends; only the browser knows that it's offline."""
    page, _game = ann
    page.context.set_offline(True)
    expect(page.get_by_text(LOST)).to_be_visible()
    page.context.set_offline(False)
    expect(page.get_by_text(LOST)).to_be_hidden()


def test_a_call_that_the_network_swallows_is_said_and_can_be_made_again(ann):
    page, game = ann
    lose_network(page, game)
    with page.expect_event("requestfailed", lambda request: request.url.endswith("/call/")):
        page.get_by_role("button", name="SET!").click()
    assert game.state.control is None
    page.context.set_offline(False)
    expect(page.get_by_text(LOST)).to_be_hidden()
    say_set(page)
    expect(page.get_by_text("Tap three cards")).to_be_visible()
    assert game.state.control.seat == 0


def test_a_stream_that_the_server_ends_comes_back_by_itself(ann):
    page, game = ann
    # The connection may return before Playwright sees that it's gone, so let the page itself watch.
    page.evaluate(
        """() => {
          const line = document.querySelector(".offline");
          const watch = () => { if (!line.hidden) line.dataset.wasShown = ""; };
          new MutationObserver(watch).observe(line, { attributeFilter: ["hidden"] });
        }"""
    )
    end_streams(game)
    expect(page.locator(".offline")).to_have_attribute("data-was-shown", "")
    game.take(1)
    expect(page.get_by_text(LOST)).to_be_hidden()
    expect(page.locator("#table .state")).to_have_attribute("data-version", str(game.version))
    expect_points([page], "Ben", 1)

    # The new stream receives changes.
    game.take(1)
    expect_points([page], "Ben", 2)
    expect_in_step([page], game)


def test_a_page_that_comes_back_from_the_background_shows_the_present_table(ann):
    page, game = ann

    def be_hidden(is_hidden: bool) -> None:
        page.evaluate(
            """(isHidden) => {
              Object.defineProperty(document, "hidden", { configurable: true, get: () => isHidden });
              document.dispatchEvent(new Event("visibilitychange"));
            }""",
            is_hidden,
        )

    be_hidden(True)
    game.take(1)
    with page.expect_response(lambda response: "/stream/" in response.url):
        be_hidden(False)
    expect_points([page], "Ben", 1)
    expect_in_step([page], game)
    expect(page.get_by_text(LOST)).to_be_hidden()
