"""Several people at one table, each with their own browser, all in sync."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Response, expect

from core.live import hub
from games import limits, players
from games.models import Match
from games.rules import Options, find_sets
from games.rules import commands as ask
from games.rules.state import Phase
from games.words import card_name
from tests.browser.players import (
    Game,
    answered,
    card_of,
    cards_on,
    enter,
    expect_in_step,
    expect_points,
    forge,
    marked,
    move_clock,
    open_game,
    pick,
    say_set,
    say_set_in_vain,
    seat,
    seat_people,
    session_of,
    sign_in,
    stop_clock,
    tap,
)
from tests.conftest import PATIENCE
from tests.games.rules.tables import has_no_set, table_where

# Twelve cards of the easy deck always contain a SET; the long window is for slow machines.
WINDOW = 60.0
EASY = Options.of("us", easy=True, window=WINDOW)
NAMES = ("Ann", "Ben", "Cleo")


def own_name(page: Page) -> str:
    return page.locator("#table .seat.is-me .seat-name").inner_text()


def open_by_form(page: Page, site: str, **choices: str) -> Game:
    """Open a table from the lobby."""
    page.goto(f"{site}/play/")
    way = page.get_by_role("region", name="Together")
    way.get_by_text("Options").click()
    for label, choice in choices.items():
        way.get_by_label(label.replace("_", " ")).select_option(choice)
    way.get_by_role("button", name="Start").click()
    page.wait_for_url(re.compile(r"/play/[A-Z0-9]{9}/$"))
    return Game(site, page.url.rstrip("/").rsplit("/", 1)[1])


def sit_down(page: Page) -> None:
    """Sit down as a player, and wait for the seat's stream."""
    watched = page.locator("#play").get_attribute("data-sse-connect")
    with page.expect_response(lambda response: "/stream/" in response.url and not response.url.endswith(watched)):
        page.get_by_role("button", name="Sit down and play").click()
    expect(page.locator("#play")).to_have_attribute("data-me", re.compile(r"\d"))


def gather(site: str, pages: list[Page]) -> tuple[Game, list[str]]:
    """The first opens a table, the second joins by its code, the third by its link, and the fourth only watches.

    The second gets more time than the form allows, for slow machines; the fourth's clock is frozen.
    """
    ann, ben, cleo, watcher = pages
    game = open_by_form(ann, site, Deck="easy", Time_to_pick="15")
    expect(ann.locator(".felt.is-waiting")).to_be_visible()
    ben.goto(f"{site}/play/")
    ben.get_by_label("Code").fill(game.code.lower())
    ben.get_by_role("button", name="Go").click()
    sit_down(ben)
    cleo.goto(ann.locator(".copy-button").get_attribute("data-copy"))
    sit_down(cleo)
    enter(watcher, game)
    stop_clock(watcher)
    game.do(ask.GiveTime(1, 4.0))
    expect_in_step(pages, game)
    for page in pages:
        expect(page.locator("#table .seat")).to_have_count(3)
    return game, [own_name(page) for page in (ann, ben, cleo)]


def look_of_button(page: Page) -> list[str]:
    button = page.get_by_role("button", name="SET!")
    return button.evaluate("button => ['opacity', 'color', 'background'].map((name) => getComputedStyle(button)[name])")


def expect_called(pages: list[Page], name: str) -> None:
    for page in pages:
        expect(page.locator(".control-text")).to_have_text(f"{name} calls SET! and picks.")
        expect(page.locator(".countdown")).to_be_visible()
        expect(page.locator("#table .seat.has-control .seat-name")).to_have_text(name)


def expect_held(page: Page, bright: list[str]) -> None:
    """The button is disabled, and pressing it anyway shows why."""
    expect(page.locator("#play")).to_have_attribute("data-held", "")
    assert look_of_button(page) != bright
    say_set_in_vain(page)
    expect(page.locator("#notice")).to_have_text("Somebody else has called. Wait until they are done.")


def expect_told_wrong(pages: list[Page], name: str) -> None:
    """The last page, whose clock is frozen, still shows it after the others."""
    for page in pages:
        reveal = page.locator(".reveal.is-no-set")
        expect(reveal.locator(".reveal-title")).to_have_text(f"{name}: not a SET.")
        expect(reveal.locator(".verdict-lines li")).to_have_count(4)
        expect(reveal.locator(".is-broken").first).to_contain_text(re.compile("two (are|show) .* and one (is|shows) "))
        expect(reveal).to_contain_text("The Magic Rule")
    expect(pages[-1].locator(".reveal.is-no-set")).to_be_visible()


def expect_told_right(pages: list[Page], name: str) -> None:
    """The last page, whose clock is frozen, still shows it after the others."""
    for page in pages:
        reveal = page.locator(".reveal.is-set")
        expect(reveal.locator(".reveal-title")).to_have_text(f"{name}: a SET!")
        expect(reveal.locator(".is-fine")).to_have_count(4)
        expect(reveal).not_to_contain_text("The Magic Rule")
    expect(pages[-1].locator(".reveal.is-set")).to_be_visible()


def agree(page: Page) -> None:
    with answered(page, "no-set"):
        page.get_by_role("button", name="No SET here").click()


def expect_agreed(pages: list[Page], *names: str) -> None:
    for page in pages:
        badges = page.locator("#table .seat .seat-badge", has_text="no SET")
        expect(badges).to_have_count(len(names))
        for name in names:
            expect(seat(page, name)).to_contain_text("no SET")


def expect_won(pages: list[Page], name: str) -> None:
    for page in pages:
        expect(page.locator(".result-text")).to_have_text(f"{name} wins.")
        expect(seat(page, name)).to_contain_text("winner")
        expect(page.locator("#table .seat", has_text="winner")).to_have_count(1)
        expect(page.get_by_role("link", name="What was there? The replay")).to_be_visible()


@pytest.mark.on_engines
@pytest.mark.console_errors(r"status of 422 .*/play/")
def test_three_play_and_a_fourth_watches_from_the_deal_to_the_end(site, new_context):
    ann, ben, cleo, watcher = pages = [new_context().new_page() for _person in range(4)]
    game, names = gather(site, pages)

    with answered(ann, "deal"):
        ann.get_by_role("button", name="Deal the cards").click()
    expect_in_step(pages, game)
    assert len(cards_on(watcher)) == 12
    expect(watcher.get_by_role("button", name="SET!")).to_have_count(0)

    # Ben calls, so the others have to wait, and he's wrong.
    bright = look_of_button(ann)
    say_set(ben)
    expect_called(pages, names[1])
    expect(ben.get_by_text("Tap three cards")).to_be_visible()
    expect_held(ann, bright)
    wrong = game.no_set()
    pick(ben, wrong)
    expect_told_wrong(pages, names[1])
    expect_points(pages, names[1], -1)
    expect_in_step(pages, game)
    assert set(wrong) <= set(game.state.table), "a wrong pick leaves its cards on the table"
    move_clock(watcher)
    for page in pages:
        expect(page.locator(".reveal")).to_be_hidden()

    # Cleo calls and is right: three new cards appear in the same places.
    before, right = game.state.table, game.a_set()
    say_set(cleo)
    pick(cleo, right)
    expect_told_right(pages, names[2])
    expect_points(pages, names[2], 1)
    expect_in_step(pages, game)
    changed = [old for old, new in zip(before, game.state.table, strict=True) if old != new]
    assert set(changed) == set(right), "the other cards kept their places"
    expect(marked(cleo)).to_have_count(0)

    # All three say that there's no SET, and are told to look again.
    agree(ann)
    expect_agreed(pages, names[0])
    agree(ben)
    expect_agreed(pages, *names[:2])
    expect(ann.get_by_role("button", name="Look again")).to_be_visible()
    agree(cleo)
    for page in pages:
        words = f"{names[2]} sees no SET. Look again: there is a SET."
        expect(page.locator(".control-text")).to_have_text(words)
    expect_agreed(pages)
    expect_in_step(pages, game)
    assert len(game.state.table) == 12

    # Ann takes all the rest, the last SET by hand.
    game.play_out(0, leave=1)
    expect_in_step(pages, game)
    last = game.a_set()
    say_set(ann)
    pick(ann, last)
    expect_won(pages, names[0])
    expect_in_step(pages, game)
    assert game.state.phase is Phase.OVER
    for name, points in zip(names, game.points(), strict=True):
        expect_points(pages, name, points)


def test_when_all_agree_and_no_set_is_there_three_more_cards_are_laid(site, new_context):
    def is_wanted(match):
        return has_no_set(match) and bool(find_sets(match.table + match.deck[:3]))

    known = table_where(is_wanted, Options(window=WINDOW), players=3)
    game, pages = seat_people(site, new_context, NAMES, options=Options(window=WINDOW), seed=known.match.seed)
    assert game.state.table == known.match.table
    before = cards_on(pages[0])
    agree(pages[2])
    expect_agreed(pages, "Cleo")
    agree(pages[0])
    expect_agreed(pages, "Ann", "Cleo")
    agree(pages[1])
    for page in pages:
        expect(page.locator("#table input[name=card]")).to_have_count(15)
        expect(page.locator(".control-text")).to_have_text("Ben sees no SET. Three more cards.")
        assert cards_on(page)[:12] == before, "the twelve kept their places"
    expect_in_step(pages, game)

    # The SET taken next isn't replaced: the table goes back to twelve.
    right = game.a_set()
    say_set(pages[1])
    pick(pages[1], right)
    for page in pages:
        expect(page.locator("#table input[name=card]")).to_have_count(12)
    expect_points(pages, "Ben", 1)
    expect_in_step(pages, game)


def test_who_agreed_can_look_again(site, new_context):
    game, pages = seat_people(site, new_context, NAMES[:2], options=EASY)
    agree(pages[0])
    expect_agreed(pages, "Ann")
    with answered(pages[0], "take-back"):
        pages[0].get_by_role("button", name="Look again").click()
    expect_agreed(pages)
    expect(pages[0].get_by_role("button", name="No SET here")).to_be_visible()
    expect_in_step(pages, game)


def test_who_calls_and_picks_nothing_in_time_is_told_so_without_touching_anything(site, new_context):
    options = Options.of("us", easy=True, window=3.0)
    game, pages = seat_people(site, new_context, NAMES[:2], options=options)
    say_set(pages[0])
    for page in pages:
        expect(page.locator(".control-text")).to_contain_text("Ann ran out of time.")
    expect_points(pages, "Ann", -1)
    expect_in_step(pages, game)


def test_a_call_can_be_given_back_at_the_price_of_a_wrong_one(site, new_context):
    game, pages = seat_people(site, new_context, NAMES[:2], options=EASY)
    say_set(pages[0])
    with answered(pages[0], "withdraw"):
        pages[0].get_by_role("button", name="Give it back").click()
    for page in pages:
        expect(page.locator(".control-text")).to_contain_text("Ann gives the call back.")
    expect_points(pages, "Ann", -1)
    expect_in_step(pages, game)


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_the_countdown_lasts_as_long_as_the_call(site, new_context, motion):
    """Also with reduced motion, because the remaining time isn't decoration."""
    contexts = [new_context(reduced_motion=motion) for _person in range(2)]
    players = [sign_in(context, site, name) for context, name in zip(contexts, NAMES[:2], strict=True)]
    game = open_game(site, players, options=EASY)
    pages = [context.new_page() for context in contexts]
    for page in pages:
        enter(page, game)
    say_set(pages[0])
    for page in pages:
        bar = page.locator(".countdown-bar")
        expect(bar).to_be_attached()
        assert bar.bounding_box()["width"] > page.locator(".countdown").bounding_box()["width"] / 2
        lasts = bar.evaluate("bar => bar.getAnimations()[0].effect.getComputedTiming().duration")
        assert lasts == pytest.approx(1_000 * WINDOW, abs=50)


def test_a_mistaken_tap_can_be_undone_before_the_third(site, new_context):
    game, (page,) = seat_people(site, new_context, NAMES[:1], options=EASY)
    right = game.a_set()
    say_set(page)
    expect_in_step([page], game)
    mistaken = next(card for card in game.state.table if card not in right)
    tap(page, [right[0], mistaken, mistaken])
    expect(marked(page)).to_have_count(1)
    pick(page, right[1:])
    assert game.points() == [1]


def test_in_quick_play_the_third_card_is_call_and_pick_in_one(site, new_context):
    game, pages = seat_people(site, new_context, NAMES[:2], options=Options.of("us", easy=True, quick=True))
    expect(pages[0].get_by_role("button", name="SET!")).to_be_hidden()
    pick(pages[0], game.a_set())
    expect_points(pages, "Ann", 1)
    expect_in_step(pages, game)


def test_nothing_that_a_rival_does_clears_my_selection_except_cards_that_are_gone(site, new_context):
    game, (ann, ben) = seat_people(site, new_context, NAMES[:2], options=EASY)
    right = game.a_set()
    kept = next(card for card in game.state.table if card not in right)
    tap(ann, [right[0], kept])

    def expect_marked(*cards) -> None:
        expect_in_step([ann], game)
        expect(marked(ann)).to_have_count(len(cards))
        for card in cards:
            expect(card_of(ann, card)).to_be_checked()

    say_set(ben)
    expect_marked(right[0], kept)
    pick(ben, game.no_set(with_cards=[kept]))
    expect_marked(right[0], kept)
    say_set(ben)
    pick(ben, right)
    expect(card_of(ann, right[0])).to_have_count(0)
    expect_marked(kept)

    # Marks are kept: two more cards make a pick.
    other = next(triple for triple in find_sets(game.state.table) if kept in triple)
    say_set(ann)
    expect_marked(kept)
    pick(ann, [card for card in other if card != kept])
    assert game.points() == [1, 0]


def test_a_card_that_is_drawn_anew_while_the_mouse_is_down_on_it_is_marked(site, new_context):
    game, (ann, _ben) = seat_people(site, new_context, NAMES[:2], options=EASY)
    taken = game.a_set()
    kept = next(card for card in game.state.table if card not in taken)

    card_of(ann, kept).locator("..").hover()
    ann.mouse.down()
    game.do(ask.Call(1))
    expect_in_step([ann], game)
    ann.mouse.up()
    expect(card_of(ann, kept)).to_be_checked()

    # But a new card in the same place isn't marked.
    card_of(ann, taken[0]).locator("..").hover()
    ann.mouse.down()
    game.do(ask.Pick(1, taken))
    expect_in_step([ann], game)
    ann.mouse.up()
    expect(card_of(ann, kept)).to_be_checked()
    expect(marked(ann)).to_have_count(1)


def test_three_cards_marked_beforehand_are_picked_by_the_call(site, new_context):
    game, (ann, _ben) = seat_people(site, new_context, NAMES[:2], options=EASY)
    tap(ann, game.a_set())
    assert game.state.control is None
    with answered(ann, "pick"):
        say_set(ann)
    assert game.points() == [1, 0]


@pytest.mark.on_engines
def test_two_tabs_of_one_player_are_one_seat(site, new_context, monkeypatch):
    monkeypatch.setattr(hub, "GRACE_SECONDS", 0.2)
    game, (ann, ben, cleo) = seat_people(site, new_context, NAMES, options=EASY)
    tab = ann.context.new_page()
    enter(tab, game)
    for page in (ann, tab):
        expect(page.locator("#play")).to_have_attribute("data-me", "0")
        expect(page.locator("#table .seat")).to_have_count(3)
    say_set(tab)
    for page in (ann, tab):
        expect(page.get_by_text("Tap three cards")).to_be_visible()
    pick(ann, game.a_set())
    expect_points([ann, tab, ben, cleo], "Ann", 1)
    assert game.match.seats.count() == 3

    # With one of her two pages closed she's still connected; Cleo, who closes her only one, isn't.
    tab.close()
    cleo.close()
    expect(seat(ben, "Cleo")).to_contain_text("away")
    expect(seat(ben, "Ann")).not_to_contain_text("away")


def test_a_reload_comes_back_to_the_same_seat(site, new_context, monkeypatch):
    monkeypatch.setattr(hub, "GRACE_SECONDS", 60.0)
    game, (ann, ben) = seat_people(site, new_context, NAMES[:2], options=EASY)
    game.take(1)
    expect_in_step([ann, ben], game)
    say_set(ben)
    version = game.version
    with ben.expect_response(lambda response: "/stream/" in response.url):
        ben.reload()
    expect(ben.locator("#play")).to_have_attribute("data-me", "1")
    expect(ben.locator("#table .seat.is-me .seat-name")).to_have_text("Ben")
    expect_points([ann, ben], "Ben", 1)
    expect(ben.get_by_text("Tap three cards")).to_be_visible()
    assert game.version == version
    pick(ben, game.a_set())
    expect_points([ann, ben], "Ben", 2)


def test_guests_who_drew_the_same_friendly_name_are_told_apart(site, new_context, monkeypatch):
    """Thirty-two names for eight seats: at a full table, two would usually be the same."""
    monkeypatch.setattr(players, "friendly_name", lambda: "Proud Penguin")
    ann, ben = (new_context().new_page() for _person in range(2))
    game = open_by_form(ann, site)
    ben.goto(game.url)
    sit_down(ben)
    expect_in_step([ann, ben], game)
    names = ann.locator("#table .seat-name").all_inner_texts()
    assert len(names) == 2
    assert len(set(names)) == 2


def test_a_guest_who_closes_the_page_finds_the_own_seat_in_the_lobby(site, new_context):
    context = new_context()
    page = context.new_page()
    game = open_by_form(page, site, Deck="easy")
    name = own_name(page)
    page.close()
    page = context.new_page()
    page.goto(f"{site}/play/")
    page.get_by_role("region", name="My games").get_by_role("link", name=game.code).click()
    expect(page.locator("#table .seat.is-me .seat-name")).to_have_text(name)


@pytest.mark.on_engines
def test_a_player_whose_page_is_closed_is_away_until_it_returns(site, new_context, monkeypatch):
    monkeypatch.setattr(hub, "GRACE_SECONDS", 0.2)
    game, (ann, ben) = seat_people(site, new_context, NAMES[:2], options=EASY)
    context = ben.context
    ben.close()
    expect(seat(ann, "Ben")).to_contain_text("away")
    assert [each.is_connected for each in game.state.seats] == [True, False]
    enter(context.new_page(), game)
    expect(seat(ann, "Ben")).not_to_contain_text("away")
    assert [each.is_connected for each in game.state.seats] == [True, True]


# A refusal is explained, and nothing changes. tests/games/test_play.py tries every move that is against the rules.


@pytest.fixture
def ann_and_game(site, new_context, console) -> tuple[Page, Game]:
    """Ann in a match with Ben, who's elsewhere at the moment."""
    console.allow(r"status of 4(22|29) .*/play/", r"Response Status Error Code 429 from /play/")
    context = new_context()
    ann, (ben, _key) = sign_in(context, site, "Ann"), session_of("Ben")
    game = open_game(site, [ann, ben], options=EASY)
    page = context.new_page()
    enter(page, game)
    return page, game


def test_a_refused_move_is_explained_and_changes_nothing(ann_and_game):
    page, game = ann_and_game
    before = Match.objects.values().get(code=game.code)
    forge(page, game, "pick", version=game.version, card=[str(card.index) for card in game.a_set()])
    expect(page.locator("#notice")).to_have_text("Call SET! first, then pick your cards.")
    assert Match.objects.values().get(code=game.code) == before


def test_who_moves_faster_than_a_hand_is_told_to_wait(ann_and_game, monkeypatch):
    page, game = ann_and_game
    version = game.version
    monkeypatch.setattr(limits, "MOVES", limits.Limit("moves-of-nobody", most=0, seconds=10))
    say_set(page)
    expect(page.locator("#notice")).to_have_text("That was very fast. Wait a moment.")
    assert game.version == version


# What the browser must never receive


class Overheard:
    """Records everything the site sent to some pages."""

    def __init__(self, *pages: Page) -> None:
        self.responses: list[Response] = []
        for page in pages:
            page.on("response", self.keep)

    def keep(self, response: Response) -> None:
        self.responses.append(response)

    def new_texts(self) -> list[str]:
        heard, self.responses = list(self.responses), []
        texts = []
        for response in heard:
            kind = response.headers.get("content-type", "")
            # Read streams by hand, because they never end. Static files are the same for everybody.
            if 300 <= response.status < 400 or "event-stream" in kind or "/static/" in response.url:
                continue
            texts.append(f"{json.dumps(response.headers)}\n{response.text()}")
        return texts


def messages(site: str, path: str) -> Iterator[str]:
    """The messages of a stream, read as raw bytes."""
    connection = http.client.HTTPConnection(urlsplit(site).netloc, timeout=PATIENCE / 1_000)
    connection.request("GET", path)
    answer = connection.getresponse()
    assert answer.status == 200
    lines: list[str] = []
    try:
        while line := answer.readline():
            if line.strip():
                lines.append(line.decode())
            elif lines:
                yield "".join(lines)
                lines = []
    finally:
        connection.close()


def expect_no_secret(text: str, game: Game) -> None:
    """It contains neither the seed nor anything about cards still in the deck."""
    state = game.state
    assert state.seed not in text
    for card in state.deck:
        assert card_name(card) not in text
        assert not re.search(rf'(?<!name="version" )(value|data-card|data-hint)="{card.index}"', text)
    order = [str(card.index) for card in state.deck[:4]]
    for joint in (",", ", ", " ", "-"):
        assert not order or joint.join(order) not in text, "the order of the deck"


def test_the_undealt_cards_and_the_seed_never_reach_a_browser(site, new_context):
    player, watcher = (new_context().new_page() for _person in range(2))
    game = open_by_form(player, site, Deck="full", Time_to_pick="none")
    overheard = Overheard(player, watcher)
    player.reload()
    stream = messages(site, player.locator("#play").get_attribute("data-sse-connect"))
    enter(watcher, game)

    def check() -> None:
        """Check everything sent since the last check, and what the screens show now."""
        heard = [next(stream)]
        while f'data-version="{game.version}"' not in heard[-1]:
            heard.append(next(stream))
        expect_in_step([player, watcher], game)
        texts = [*overheard.new_texts(), *heard, player.content(), watcher.content()]
        for text in texts:
            expect_no_secret(text, game)

    check()
    with answered(player, "deal"):
        player.get_by_role("button", name="Deal the cards").click()
    check()
    say_set(player)
    check()
    pick(player, game.no_set())
    check()
    while not find_sets(game.state.table):
        agree(player)
        check()
    say_set(player)
    check()
    pick(player, game.a_set())
    check()
    stream.close()
    player.goto(f"{game.url}replay/")
    assert player.url == game.url, "a match that is on has no replay"
    for text in overheard.new_texts():
        expect_no_secret(text, game)
