"""A whole game with the keyboard alone, with every card and event announced to screen readers."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from games.models import Way
from games.rules import Card, Options
from games.rules import commands as ask
from games.rules.editions import Votes
from games.rules.state import Phase
from games.words import card_name
from tests.browser.players import (
    Game,
    answered,
    card_of,
    enter,
    expect_in_step,
    marked,
    open_game,
    seat_people,
    session_of,
    sign_in,
)

# Twenty-seven cards, nine at a time; in the paper rules three more are dealt when all agree, SET or not.
SHORT = Options.of("fr", easy=True, votes=Votes.PAPER)
CALLED = re.compile(r"calls SET!")


def letter(game: Game, card: Card) -> str:
    return "ABCDEFGHIJKLMNOPQRSTU"[game.state.table.index(card)]


def call(page: Page) -> None:
    with answered(page, "call"):
        page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_attribute("data-mine", "")


def walk(page: Page, card: Card) -> None:
    """Move from the focused card to another with the arrow keys, using the letters as a map of the grid."""
    for _step in range(12):
        here, there = page.evaluate(
            """(value) => {
              const at = (box) => box.getBoundingClientRect();
              const target = at(document.querySelector(`#table input[value="${value}"]`));
              const from = at(document.activeElement);
              return [[from.x, from.y], [target.x, target.y]];
            }""",
            card.index,
        )
        across, down = there[0] - here[0], there[1] - here[1]
        if abs(across) < 4 and abs(down) < 4:
            return
        if abs(across) >= 4:
            page.keyboard.press("ArrowRight" if across > 0 else "ArrowLeft")
        else:
            page.keyboard.press("ArrowDown" if down > 0 else "ArrowUp")
    raise AssertionError("the arrows do not lead there")


def tab_to(page: Page, name: str) -> None:
    """Press Tab until a button or link with this name has the focus."""
    for _press in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent.trim()") == name:
            return
    raise AssertionError(f"the tab key does not lead to {name}")


@pytest.fixture
def ann(site, new_context) -> tuple[Page, Game]:
    """Ann, alone at a waiting table."""
    game, (page,) = seat_people(site, new_context, ["Ann"], options=SHORT, dealt=False)
    return page, game


def test_a_whole_game_is_played_by_the_keyboard_alone(ann):
    page, game = ann
    spoken = page.locator("#say")
    tab_to(page, "Deal the cards")
    with answered(page, "deal"):
        page.keyboard.press("Enter")
    expect_in_step([page], game)
    expect(spoken).to_contain_text("The cards are dealt.")

    # X: no SET here.
    with answered(page, "no-set"):
        page.keyboard.press("x")
    expect(page.locator("#table input[name=card]")).to_have_count(12)
    expect(spoken).to_contain_text("Three more cards.")

    # Space calls; a letter marks its card, and Z unmarks the last one.
    call(page)
    expect(spoken).to_contain_text(CALLED)
    wrong = game.no_set()
    mistaken = next(card for card in game.state.table if card not in wrong)
    for card in (wrong[0], mistaken):
        page.keyboard.press(letter(game, card).lower())
    expect(marked(page)).to_have_count(2)
    page.keyboard.press("z")
    expect(marked(page)).to_have_count(1)
    page.keyboard.press(letter(game, wrong[1]))
    with answered(page, "pick"):
        page.keyboard.press(letter(game, wrong[2]))
    expect(spoken).to_contain_text("Ann is wrong: not a SET.")
    assert game.points() == [-1]

    # Arrows and Enter.
    call(page)
    for card in game.a_set():
        walk(page, card)
        expect(card_of(page, card)).to_be_focused()
        if card is not game.a_set()[-1]:
            page.keyboard.press("Enter")
    with answered(page, "pick"):
        page.keyboard.press("Enter")
    expect(spoken).to_contain_text("Ann takes a SET.")
    assert game.points() == [0]

    # Continue to the end.
    while game.state.phase is Phase.PLAYING:
        call(page)
        first, second, third = game.a_set()
        page.keyboard.press(letter(game, first))
        page.keyboard.press(letter(game, second))
        with answered(page, "pick"):
            page.keyboard.press(letter(game, third))
        expect_in_step([page], game)
    result = page.locator(".result-text").inner_text()
    assert result
    expect(spoken).to_contain_text(result)
    tab_to(page, "What was there? The replay")
    page.keyboard.press("Enter")
    page.wait_for_url("**/replay/")


def test_a_card_in_focus_is_marked_by_the_space_bar_once_i_have_called(ann):
    page, game = ann
    game.do(ask.Deal(0))
    expect_in_step([page], game)
    page.keyboard.press("ArrowRight")
    first = game.state.table[0]
    expect(card_of(page, first)).to_be_focused()
    call(page)
    expect(marked(page)).to_have_count(0)
    expect(card_of(page, first)).to_be_focused()
    page.keyboard.press("Space")
    expect(card_of(page, first)).to_be_checked()
    page.keyboard.press("Space")
    expect(card_of(page, first)).not_to_be_checked()


def test_a_space_bar_that_is_held_down_calls_and_marks_nothing(ann):
    page, game = ann
    game.do(ask.Deal(0))
    expect_in_step([page], game)
    with answered(page, "call"):
        page.keyboard.down("Space")
    expect(page.locator("#play")).to_have_attribute("data-mine", "")
    # A second `down` is what a held key sends.
    page.keyboard.down("Space")
    page.keyboard.up("Space")
    expect(page.locator("#table input[name=card]").first).to_be_focused()
    expect(marked(page)).to_have_count(0)


def test_the_focus_stays_on_its_place_when_the_table_changes(site, new_context):
    context = new_context()
    players = [sign_in(context, site, "Ann"), session_of("Ben")[0]]
    game = open_game(site, players, options=Options.of("us", easy=True, window=60.0))
    page = context.new_page()
    enter(page, game)
    triple = game.a_set()
    place = game.state.table.index(triple[0])
    walk_from = game.state.table[0]
    page.keyboard.press("ArrowDown")
    expect(card_of(page, walk_from)).to_be_focused()
    walk(page, triple[0])

    # Ben calls: the whole table is redrawn.
    game.do(ask.Call(1))
    expect_in_step([page], game)
    expect(card_of(page, triple[0])).to_be_focused()
    # Ben takes the card that has the focus.
    game.do(ask.Pick(1, triple))
    expect_in_step([page], game)
    expect(card_of(page, game.state.table[place])).to_be_focused()
    # The player's own call and pick.
    call(page)
    expect(card_of(page, game.state.table[place])).to_be_focused()
    own = game.a_set()
    for card in own[:2]:
        page.keyboard.press(letter(game, card))
    last = game.state.table.index(own[2])
    with answered(page, "pick"):
        page.keyboard.press(letter(game, own[2]))
    expect_in_step([page], game)
    expect(card_of(page, game.state.table[last])).to_be_focused()


def test_keys_with_which_a_browser_or_a_field_does_something_else_are_left_alone(ann):
    page, game = ann
    game.do(ask.Deal(0))
    expect_in_step([page], game)
    version = game.version
    for key in ("Control+x", "Alt+a", "Control+z", "Meta+b"):
        page.keyboard.press(key)
    expect(marked(page)).to_have_count(0)
    tab_to(page, "Leave")
    page.keyboard.press("a")
    expect(marked(page)).to_have_count(1)
    assert game.version == version


def test_every_card_is_spoken_in_full_and_its_place_has_a_letter(ann):
    page, game = ann
    game.do(ask.Deal(0))
    expect_in_step([page], game)
    for place, card in enumerate(game.state.table):
        box = page.get_by_role("checkbox", name=card_name(card), exact=True)
        expect(box).to_have_count(1)
        expect(box).to_have_attribute("aria-keyshortcuts", "ABCDEFGHI"[place])
        expect(box).to_have_value(str(card.index))
    call(page)
    game_set = game.a_set()
    for card in game_set[:2]:
        page.keyboard.press(letter(game, card))
        expect(page.get_by_role("checkbox", name=card_name(card), exact=True, checked=True)).to_have_count(1)


def test_what_others_do_is_announced(site, new_context):
    context = new_context()
    players = [sign_in(context, site, "Ann"), session_of("Ben")[0]]
    game = open_game(site, players, options=Options.of("us", easy=True, window=60.0))
    page = context.new_page()
    enter(page, game)
    spoken = page.locator("#say")
    expect(spoken).to_have_attribute("aria-live", "polite")

    game.do(ask.Call(1))
    expect(spoken).to_have_text("Ben calls SET!")
    wrong = game.no_set()
    game.do(ask.Pick(1, wrong))
    expect(spoken).to_contain_text("Ben is wrong: not a SET.")
    game.do(ask.AgreeNoSet(1))
    expect(spoken).to_have_text("Ben sees no SET.")
    game.do(ask.AgreeNoSet(0))
    expect(spoken).to_contain_text("Look again: there is a SET.")
    game.take(1)
    expect(spoken).to_contain_text("Ben takes a SET.")
    game.play_out(1)
    expect(spoken).to_contain_text("Ben wins.")


def test_the_verdict_on_a_wrong_pick_is_announced_with_its_reason(site, new_context):
    """Players who can't see the cards set apart for two seconds hear which feature breaks the pick."""
    game, (page,) = seat_people(site, new_context, ["Ann"], options=SHORT)
    game.do(ask.Call(0))
    game.do(ask.Pick(0, game.no_set()))
    spoken = page.locator("#say")
    expect(spoken).to_contain_text(re.compile("two (are|show) .* and one (is|shows) "))


def test_the_score_is_announced_after_a_pick(site, new_context):
    game, (page,) = seat_people(site, new_context, ["Ann"], options=SHORT)
    game.take(0)
    game.take(0)
    expect(page.locator("#say")).to_contain_text(re.compile(r"\b(2|two)\b"))


def test_solitaire_is_played_by_letters_without_a_call(site, new_context):
    options = Options.of("fr", easy=True, alone=True, window=None, quick=True)
    game, (page,) = seat_people(site, new_context, ["Ann"], options=options, way=Way.ALONE)
    for card in game.a_set()[:2]:
        page.keyboard.press(letter(game, card))
    with answered(page, "pick"):
        page.keyboard.press(letter(game, game.a_set()[2]))
    assert game.points() == [1]
    with answered(page, "no-set"):
        page.keyboard.press("x")
    expect(page.locator("#table input[name=card]")).to_have_count(12)
