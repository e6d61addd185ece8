"""Table layout: every screen shows all cards, the scores and the button, without scrolling."""

from __future__ import annotations

from itertools import combinations

import pytest
from playwright.sync_api import Page

from games.players import Player
from games.rules import Options
from games.rules import commands as ask
from games.rules.editions import Votes
from tests.browser.players import Game, enter, expect_in_step, open_game, session_of, sign_in

SIZES = ((320, 568), (360, 640), (820, 1180), (1280, 800), (1920, 1080), (740, 360))
Box = dict[str, float]


def resize(page: Page, width: int, height: int) -> None:
    """Resize the screen and wait until the page is laid out for it."""
    page.set_viewport_size({"width": width, "height": height})
    size = page.evaluate(
        """async ([width, height]) => {
          const frame = () => new Promise(requestAnimationFrame);
          for (let tries = 0; tries < 300 && (innerWidth !== width || innerHeight !== height); tries++) await frame();
          await frame();
          await frame();
          return [innerWidth, innerHeight];
        }""",
        [width, height],
    )
    assert size == [width, height]


def friends(count: int) -> list[Player]:
    """Players without a browser in the test."""
    names = ("Brave Badger", "Clever Crane", "Daring Dolphin", "Gentle Giraffe", "Lively Lynx", "Playful Puffin", "Ben")
    return [session_of(name)[0] for name in names[-count:]]


def boxes(page: Page, selector: str) -> list[Box]:
    return page.locator(selector).evaluate_all(
        """all => all.filter((each) => each.checkVisibility()).map((each) => {
          const { x, y, width, height } = each.getBoundingClientRect();
          return { x, y, width, height };
        })"""
    )


def overlap(one: Box, other: Box) -> bool:
    """Whether two boxes overlap by more than rounding."""
    return all(
        min(one[at] + one[size], other[at] + other[size]) - max(one[at], other[at]) > 0.5
        for at, size in (("x", "width"), ("y", "height"))
    )


def complaints_about(page: Page, count: int, width: int, height: int) -> list[str]:
    """Problems with the layout of this many cards on a screen of this size."""
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
    # At least 24 pixels (WCAG 2.5.8), and large enough to tell the shadings apart.
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
