"""The pages of play for every eye and on every screen: axe finds nothing, nothing scrolls sideways, all cards fit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from games.models import Way
from games.players import Player
from games.puzzles import PuzzleDeck, board_of
from games.rules import Card, Options, find_sets, is_set
from games.rules import commands as ask
from games.rules.editions import Votes
from tests.browser.players import (
    Game,
    enter,
    expect_in_step,
    forget_refusals,
    give_session,
    open_game,
    say_set_in_vain,
    session_of,
    sign_in,
)

LAPTOP = (1280, 800)
SIZES = ((320, 568), (360, 640), (820, 1180), LAPTOP, (1920, 1080), (740, 360))


def resize(page: Page, width: int, height: int) -> None:
    """Give the screen another size, and wait until the page is drawn for it."""
    page.set_viewport_size({"width": width, "height": height})
    size = page.evaluate(
        """() => new Promise((done) => {
          requestAnimationFrame(() => requestAnimationFrame(() => done([innerWidth, innerHeight])));
        })"""
    )
    assert size == [width, height]


class Inspector:
    """Ann at two browsers, a light and a dark one: looks at what they show, and keeps what is wrong for the end."""

    def __init__(self, site: str, new_context: Callable[..., BrowserContext]) -> None:
        self.complaints: list[str] = []
        self.ann, key = session_of("Ann")
        self.pages: dict[str, Page] = {}
        for scheme in ("light", "dark"):
            context = new_context(color_scheme=scheme)
            give_session(context, site, key)
            self.pages[scheme] = context.new_page()

    def do(self, action: Callable[[Page], object]) -> None:
        """The same in both browsers."""
        for page in self.pages.values():
            action(page)

    def look(self, what: str) -> None:
        for scheme, page in self.pages.items():
            results = Axe().run(page)
            if results.violations_count:
                self.complaints.append(f"{what}, {scheme}: {results.generate_report()}")
        page = self.pages["light"]
        for width, height in SIZES:
            resize(page, width, height)
            needed = page.evaluate("document.documentElement.scrollWidth")
            if needed > width:
                self.complaints.append(f"{what}: {needed} pixels on a screen of {width} x {height}")
        resize(page, *LAPTOP)


@pytest.fixture
def inspector(site, new_context) -> Iterator[Inspector]:
    inspector = Inspector(site, new_context)
    yield inspector
    forget_refusals(new_context)
    assert not inspector.complaints, "\n\n".join(inspector.complaints)


def friends(count: int) -> list[Player]:
    """Players who have no browser in the test."""
    names = ("Brave Badger", "Clever Crane", "Daring Dolphin", "Gentle Giraffe", "Lively Lynx", "Playful Puffin", "Ben")
    return [session_of(name)[0] for name in names[-count:]]


def test_the_lobby(site, inspector):
    open_game(site, [inspector.ann], options=Options(), way=Way.ALONE)
    inspector.do(lambda page: page.goto(f"{site}/play/"))
    inspector.look("lobby")

    def open_options(page: Page) -> None:
        for summary in page.get_by_text("Options", exact=True).all():
            summary.click()

    inspector.do(open_options)
    inspector.look("lobby with its options open")

    def type_wrong_code(page: Page) -> None:
        page.get_by_label("Code").fill("XXXXX")
        page.get_by_role("button", name="Go").click()
        expect(page.get_by_role("alert")).to_be_visible()

    inspector.do(type_wrong_code)
    inspector.look("lobby after a wrong code")


@pytest.fixture
def table(site, inspector) -> Callable[..., None]:
    """A match of Ann and Ben on Ann's screens; each call makes a move somewhere and looks at what they show then."""
    game = open_game(site, [inspector.ann, *friends(1)], options=Options.of("us", easy=True, window=60.0), dealt=False)
    inspector.do(lambda page: enter(page, game))

    def show(what: str, *orders: ask.Command, now: float | None = None, sign: str = ".felt") -> None:
        for order in orders:
            game.do(order, now=now)
        expect_in_step(inspector.pages.values(), game)
        inspector.do(lambda page: expect(page.locator(sign)).to_be_visible())
        inspector.look(f"table, {what}")

    show.game = game
    return show


def test_the_table_while_people_wait_call_and_agree(inspector, table):
    table("waiting")
    table("playing", ask.Deal(0))
    table("agreed", ask.AgreeNoSet(0), sign=".take-back-button")
    table("called by another", ask.Call(1), sign=".countdown")
    inspector.do(say_set_in_vain)
    table("refused", sign="#notice .notice")
    table("called by me", ask.Withdraw(1), ask.Call(0), sign=".pick-cue")
    inspector.do(lambda page: page.locator(".offline").evaluate("line => line.hidden = false"))
    table("with the connection lost", sign=".offline")


def test_the_table_while_a_pick_is_shown_and_at_the_end(inspector, table):
    game = table.game
    for order in (ask.Deal(0), ask.Call(1)):
        game.do(order)
    # A pick of the near future is shown until then, which leaves time to look at it.
    soon = time.time() + 50
    table("revealed, wrong", ask.Pick(1, game.no_set()), now=soon, sign=".reveal.is-no-set")
    game.do(ask.Call(0), now=soon)
    table("revealed, right", ask.Pick(0, game.a_set()), now=soon, sign=".reveal.is-set")
    while find_sets(game.state.table):
        game.do(ask.Call(1), now=soon)
        game.do(ask.Pick(1, game.a_set()), now=soon)
    inspector.do(lambda page: page.locator(".reveal").click())
    table("over", sign=".result-text")


def test_the_table_of_a_watcher(site, inspector):
    game = open_game(site, friends(2), options=Options.of("us", easy=True))
    inspector.do(lambda page: enter(page, game))
    inspector.look("table, watched")


def test_practice_with_a_hint(site, inspector):
    options = Options.of("us", easy=True, window=None, quick=True, relaxed=True)
    game = open_game(site, [inspector.ann], options=options, way=Way.PRACTICE)

    def ask_for_all(page: Page) -> None:
        enter(page, game)
        for stage in range(1, 5):
            page.get_by_role("button", name="Hint").click()
            expect(page.locator("#hint [data-hint]")).to_have_count(stage - 1)
            expect(page.locator("#hint .notice")).to_be_visible()

    inspector.do(ask_for_all)
    inspector.look("practice with a hint")


def test_the_daily_puzzle(site, inspector):
    board = board_of(timezone.now().date(), PuzzleDeck.FULL)

    def try_three(page: Page, cards: Iterable[Card]) -> None:
        with page.expect_response(lambda response: response.url.endswith("/find/")):
            for card in cards:
                page.locator(f"#puzzle label.card:has(input[value='{card.index}'])").click()

    def find_all(page: Page) -> None:
        for number, triple in enumerate(find_sets(board), 1):
            try_three(page, triple)
            expect(page.locator(".found li:not(.is-empty)")).to_have_count(number)

    inspector.do(lambda page: page.goto(f"{site}/play/daily/easy/"))
    inspector.look("daily with nine cards")
    inspector.do(lambda page: page.goto(f"{site}/play/daily/full/"))
    inspector.look("daily, open")
    wrong = next(triple for triple in combinations(board, 3) if not is_set(*triple))
    inspector.do(lambda page: try_three(page, wrong))
    inspector.do(lambda page: expect(page.locator("#puzzle .magic")).to_be_visible())
    inspector.look("daily, wrong")
    find_all(inspector.pages["light"])
    inspector.do(lambda page: page.reload())
    inspector.do(lambda page: expect(page.get_by_text("All found!")).to_be_visible())
    inspector.look("daily, done")


def test_the_replay(site, inspector):
    game = open_game(site, [inspector.ann, *friends(1)], options=Options.of("us", easy=True))
    game.do(ask.Call(1))
    game.do(ask.Pick(1, game.no_set()))
    game.play_out(0)
    for step, what in ((1, "the deal"), (3, "a wrong pick"), (5, "a right one"), (100, "the end")):
        inspector.do(lambda page, step=step: page.goto(f"{game.url}replay/?step={step}"))
        inspector.look(f"replay, {what}")


# How the cards lie.

Box = dict[str, float]


def boxes(page: Page, selector: str) -> list[Box]:
    return page.locator(selector).evaluate_all(
        """all => all.filter((each) => each.checkVisibility()).map((each) => {
          const { x, y, width, height } = each.getBoundingClientRect();
          return { x, y, width, height };
        })"""
    )


def overlap(one: Box, other: Box) -> bool:
    """More than the rounding of a pixel."""
    return all(
        min(one[at] + one[size], other[at] + other[size]) - max(one[at], other[at]) > 0.5
        for at, size in (("x", "width"), ("y", "height"))
    )


def complaints_about(page: Page, count: int, width: int, height: int) -> list[str]:
    """What is wrong with how a table of so many cards lies on a screen of this size."""
    cards, seats = boxes(page, ".table-board .card"), boxes(page, "#table .seat")
    button = boxes(page, ".set-button")
    wrong = []
    if len(cards) != count or not seats or len(button) != 1:
        wrong.append("something is missing")
    for name, group in (("card", cards), ("score", seats), ("SET! button", button)):
        for box in group:
            right, bottom = box["x"] + box["width"], box["y"] + box["height"]
            if box["x"] < 0 or box["y"] < 0 or right > width + 0.5 or bottom > height + 0.5:
                wrong.append(f"a {name} is off the screen: {box}")
    if any(overlap(one, other) for one, other in combinations([*cards, *seats, *button], 2)):
        wrong.append("cards, scores or the button overlap")
    columns, rows = ({round(card[at]) for card in cards} for at in ("x", "y"))
    if len(columns) * len(rows) != count or 3 not in (len(columns), len(rows)):
        wrong.append(f"no rectangle with a side of three: {len(columns)} x {len(rows)}")
    # Large enough for a finger by the rules of the web (24 pixels), and to tell the shadings apart.
    smallest = min((card["height"] for card in cards), default=0)
    if smallest < 24:
        wrong.append(f"a card is only {smallest:.0f} pixels high")
    if page.evaluate("document.scrollingElement.scrollHeight") > height:
        wrong.append("the page is higher than the screen")
    return wrong


@pytest.mark.parametrize("people", [2, 8])
def test_every_card_the_scores_and_the_button_are_on_one_screen(site, new_context, people):
    context = new_context(viewport={"width": 360, "height": 640})
    players = [sign_in(context, site, "Witty Wolf"), *friends(people - 1)]
    game = open_game(site, players, options=Options(votes=Votes.PAPER))
    page = context.new_page()
    enter(page, game)
    wrong = []
    for count in (12, 15, 18, 21):
        expect_in_step([page], game)
        for width, height in SIZES:
            resize(page, width, height)
            about = complaints_about(page, count, width, height)
            wrong += [f"{count} cards, {people} people, {width} x {height}: {each}" for each in about]
        if count < 21:
            lay_three_more(game, people)
    assert not wrong, "\n".join(wrong)


def lay_three_more(game: Game, people: int) -> None:
    for seat in range(people):
        game.do(ask.AgreeNoSet(seat))
