"""Solitaire by each edition's rules, practice with hints, and all of it without scripts."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import Client
from playwright.sync_api import Page, expect

from games.forms import FORMS
from games.models import Way
from games.rules import EDITIONS, Card, Options, decide, find_sets, new_match, replay
from games.rules import commands as ask
from games.rules import state as rules
from games.rules.editions import Solitaire
from games.rules.hints import hint, ranked_sets
from games.rules.state import Phase
from games.words import card_name
from tests.browser.players import (
    Game,
    answered,
    cards_on,
    enter,
    expect_in_step,
    expect_points,
    marked,
    open_game,
    pick,
    seat_people,
    session_of,
    sign_in,
    stop_clock,
    tap,
)

WON = "You have won: every SET was found, and nothing is owed."
LOST_AT_ONCE = "This edition ends the game when no SET is found."


def options_of(way: Way, edition: str = "us", deck: str = "full") -> Options:
    """The options the lobby's form produces from these choices."""
    form = FORMS[way]({"edition": edition, "deck": deck})
    assert form.is_valid(), form.errors
    return form.cleaned_data["options"]


def next_move(state: rules.MatchState) -> ask.Command:
    """The move of a player who sees every SET, and gives up only if there's none."""
    sets = find_sets(state.table)
    return ask.Pick(0, sets[0]) if sets else ask.AgreeNoSet(0)


def played(options: Options, seed: str) -> tuple[rules.MatchState, int]:
    """Play a game with this seed; return its end and how often the player gave up."""
    state = new_match(options, seed=seed)
    given_up = 0
    for order in (ask.Join(), ask.Deal(0)):
        state = replay(state, decide(state, order, 0.0))
    while state.phase is Phase.PLAYING:
        order = next_move(state)
        given_up += isinstance(order, ask.AgreeNoSet)
        state = replay(state, decide(state, order, 0.0))
    return state, given_up


@lru_cache
def seed_of(options: Options, *, won: bool) -> str:
    """The first seed that's lost, or won; if the edition allows it, won after a penalty was paid back."""
    pays_back = options.solitaire is Solitaire.OWES_ONE
    for seed in map(str, range(2_000)):
        state, given_up = played(options, seed)
        if won and state.outcome.winners and bool(given_up) == pays_back:
            return seed
        if not won and not state.outcome.winners:
            return seed
    raise LookupError("no seed ends so")


def lost_words(state: rules.MatchState) -> str:
    owed = state.seats[0].owed
    if not owed:
        return LOST_AT_ONCE
    return f"The game is over with {owed} SET{'s' if owed > 1 else ''} still owed."


@pytest.mark.parametrize("won", [True, False], ids=["won", "lost"])
@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.django_db
def test_solitaire_is_played_to_its_end_in_every_edition(edition, won):
    options = options_of(Way.ALONE, edition)
    seed = seed_of(options, won=won)
    expected, given_up = played(options, seed)
    assert given_up or options.solitaire is Solitaire.LOSES
    ann, key = session_of("Ann")
    # This player moves faster than a person, so lift the move limit.
    cache.clear()
    client = Client()
    client.cookies[settings.SESSION_COOKIE_NAME] = key
    game = open_game("", [ann], options=options, way=Way.ALONE, seed=seed)
    while (state := game.state).phase is Phase.PLAYING:
        order = next_move(state)
        cards = [card.index for card in order.cards] if isinstance(order, ask.Pick) else []
        action = "pick" if cards else "no-set"
        answer = client.post(f"{game.url}{action}/", {"version": game.version, "card": cards})
        assert answer.status_code == 302
    assert game.state.outcome == expected.outcome
    page = client.get(game.url).content.decode()
    assert (WON if won else lost_words(expected)) in page


def pick_all(page: Page, game: Game, enough: Callable[[rules.MatchState], bool]) -> None:
    """Take one SET after another by tapping, until `enough`."""
    stop_clock(page)
    while game.state.phase is Phase.PLAYING and not enough(game.state):
        pick(page, game.a_set())
        expect_in_step([page], game)
        # A tap on the last pick's verdict dismisses it.
        page.locator(".reveal").click()


@pytest.mark.console_errors(r"status of 422 .*/no-set/")
def test_solitaire_is_won_by_taps(site, new_context):
    options = options_of(Way.ALONE, "us", "easy")
    game, (page,) = seat_people(site, new_context, ["Ann"], options=options, way=Way.ALONE)
    expect(page.get_by_role("button", name="SET!")).to_be_hidden()
    # Twelve cards of the easy deck always contain a SET, so no more cards are dealt.
    version = game.version
    with answered(page, "no-set"):
        page.get_by_role("button", name="I see none: three more").click()
    expect(page.locator("#notice")).to_have_text("With this many cards there is always a SET.")
    assert game.version == version
    pick_all(page, game, lambda state: False)
    expect(page.locator(".result-text")).to_have_text(WON)
    expect_points([page], "Ann", len(game.state.seats[0].sets))


def test_solitaire_is_lost_by_taps(site, new_context):
    options = options_of(Way.ALONE, "fr", "easy")
    game, (page,) = seat_people(site, new_context, ["Ann"], options=options, way=Way.ALONE)
    give_up = page.get_by_role("button", name="I see none: three more")
    with answered(page, "no-set"):
        give_up.click()
    expect(page.locator("#table input[name=card]")).to_have_count(12)
    expect_points([page], "Ann", -1)
    pick_all(page, game, lambda state: not state.deck)
    with answered(page, "no-set"):
        give_up.click()
    words = lost_words(game.state)
    assert "still owed" in words
    expect(page.locator(".result-text")).to_have_text(words)


def test_a_wrong_pick_alone_is_explained_and_costs_a_point(site, new_context):
    game, (page,) = seat_people(site, new_context, ["Ann"], options=options_of(Way.ALONE), way=Way.ALONE)
    pick(page, game.no_set())
    expect(page.locator(".reveal.is-no-set")).to_contain_text("The Magic Rule")
    expect(page.locator(".reveal .is-broken").first).to_contain_text(re.compile("two .* and one"))
    expect_points([page], "Ann", -1)
    expect(marked(page)).to_have_count(0)


def test_solitaire_is_opened_in_the_lobby_and_dealt_at_once(site, page):
    page.goto(f"{site}/play/")
    page.get_by_role("region", name="Play alone").get_by_role("button", name="Start").click()
    expect(page.locator("#table input[name=card]")).to_have_count(12)
    expect(page.locator("#table .seat.is-me")).to_have_count(1)


@pytest.mark.console_errors(r"status of 404 .*/play/")
def test_a_game_alone_is_nobody_elses_business(site, new_context):
    game, (_ann,) = seat_people(site, new_context, ["Ann"], options=options_of(Way.ALONE), way=Way.ALONE)
    stranger = new_context().new_page()
    answer = stranger.goto(game.url)
    assert answer.status == 404


# Relaxed practice.


def practice(site: str, new_context) -> tuple[Game, Page]:
    options = options_of(Way.PRACTICE, deck="easy")
    game, (page,) = seat_people(site, new_context, ["Ann"], options=options, way=Way.PRACTICE)
    return game, page


def ask_for_hint(page: Page) -> None:
    with page.expect_response(lambda response: "/hint/" in response.url):
        page.get_by_role("button", name="Hint").click()


def test_a_hint_comes_in_stages_and_stands_on_its_cards(site, new_context):
    game, page = practice(site, new_context)
    table = game.state.table
    words = page.locator("#hint")
    hinted = page.locator("#table .card.is-hinted input")

    ask_for_hint(page)
    count = hint(table, 1).count
    expect(words).to_contain_text(re.compile(rf"There (is|are) {count} SETs? here\."))
    expect(hinted).to_have_count(0)
    for stage in (2, 3, 4):
        ask_for_hint(page)
        cards = hint(table, stage).cards
        expect(hinted).to_have_count(stage - 1)
        for card in cards:
            expect(words).to_contain_text(card_name(card))
        indices = sorted(card.index for card in cards)
        assert sorted(map(int, hinted.evaluate_all("boxes => boxes.map((box) => box.value)"))) == indices
    expect(words).to_contain_text("A SET:")

    # After taking the SET that was given away, hints start again.
    pick(page, ranked_sets(table)[0][1])
    expect_in_step([page], game)
    expect(words).to_have_text("")
    ask_for_hint(page)
    expect(words).to_contain_text(re.compile(r"There (is|are) \d+ SETs? here\."))


def test_in_practice_a_mistake_is_explained_and_costs_nothing(site, new_context):
    game, page = practice(site, new_context)
    pick(page, game.no_set())
    expect(page.locator(".reveal.is-no-set")).to_contain_text("The Magic Rule")
    expect_points([page], "Ann", 0)
    expect(page.locator(".countdown")).to_have_count(0)
    pick(page, game.a_set())
    expect_points([page], "Ann", 1)


def test_hints_are_for_practice_only(site, new_context):
    game, (page,) = seat_people(site, new_context, ["Ann"], options=options_of(Way.ALONE), way=Way.ALONE)
    expect(page.get_by_role("button", name="Hint")).to_have_count(0)
    answer = page.request.get(f"{game.url}hint/?stage=4")
    assert answer.status == 422
    assert "Hints are for practice." in answer.text()


# Without scripts


@pytest.fixture
def plain(site, new_context, console):
    """Opens a known game for Ann in a browser without scripts."""
    console.allow(r"status of 422 .*/play/")

    def start(way: Way, options: Options, seed: str = "plain", **more: object) -> tuple[Game, Page]:
        context = new_context(java_script_enabled=False, **more)
        game = open_game(site, [sign_in(context, site, "Ann")], options=options, way=way, seed=seed)
        page = context.new_page()
        page.goto(game.url)
        return game, page

    return start


def pick_by_form(page: Page, cards: tuple[Card, ...]) -> None:
    tap(page, cards)
    page.get_by_role("button", name="Pick these three").click()


def expect_cards(page: Page, game: Game) -> None:
    assert cards_on(page) == [card.index for card in game.state.table]


PHONE = {"viewport": {"width": 360, "height": 640}}


@pytest.mark.parametrize("screen", [{}, PHONE], ids=["laptop", "phone"])
def test_with_scripts_off_a_game_is_played_by_forms_and_reloads(plain, screen):
    game, page = plain(Way.ALONE, options_of(Way.ALONE), **screen)
    pick_by_form(page, game.no_set())
    expect(page.get_by_text("The Magic Rule")).to_be_visible()
    expect(page.locator(".seat-points")).to_contain_text("-1")
    expect_cards(page, game)

    # Every card can still be reached after the verdict on the last pick.
    pick_by_form(page, game.a_set())
    expect(page.locator(".reveal-title")).to_have_text("Ann: a SET!")
    expect(page.locator(".seat-points")).to_contain_text("0")
    expect_cards(page, game)

    page.get_by_role("button", name="I see none: three more").click()
    expect(page.locator("#table input[name=card]")).to_have_count(15)
    expect_cards(page, game)
    assert page.url == game.url


def test_with_scripts_off_a_refusal_is_said_in_words(plain):
    game, page = plain(Way.ALONE, options_of(Way.ALONE))
    tap(page, game.state.table[:2])
    page.get_by_role("button", name="Pick these three").click()
    expect(page.get_by_role("alert")).to_have_text("Pick three cards.")
    expect_cards(page, game)


def test_with_scripts_off_a_call_comes_before_the_pick(plain):
    game, page = plain(Way.TOGETHER, Options.of("us", easy=True, window=60.0))
    expect(page.get_by_role("button", name="Pick these three")).to_be_hidden()
    page.get_by_role("button", name="SET!").click()
    expect(page.locator(".control-text")).to_have_text("Ann calls SET! and picks.")
    pick_by_form(page, game.a_set())
    expect_points([page], "Ann", 1)
    assert game.points() == [1]
    expect(page.get_by_role("button", name="SET!")).to_be_visible()


def test_with_scripts_off_hints_come_in_stages_too(plain):
    game, page = plain(Way.PRACTICE, options_of(Way.PRACTICE, deck="easy"))
    words = page.locator("#hint")
    page.get_by_role("button", name="Hint").click()
    expect(words).to_contain_text(re.compile(r"There (is|are) \d+ SETs? here\."))
    page.get_by_role("button", name="Hint").click()
    expect(words).to_contain_text("In a SET:")
    expect(words).to_contain_text(card_name(hint(game.state.table, 2).cards[0]))
    pick_by_form(page, game.a_set())
    expect_points([page], "Ann", 1)
    assert game.points() == [1]


def test_with_scripts_off_a_table_is_opened_joined_and_dealt(site, new_context):
    ann, ben = (new_context(java_script_enabled=False).new_page() for _person in range(2))
    ann.goto(f"{site}/play/")
    ann.get_by_role("region", name="Together").get_by_role("button", name="Start").click()
    ann.wait_for_url(re.compile(r"/play/[A-Z0-9]{9}/$"))
    game = Game(site, ann.url.rstrip("/").rsplit("/", 1)[1])
    ben.goto(game.url)
    ben.get_by_role("button", name="Sit down and play").click()
    ben.get_by_role("button", name="Deal the cards").click()
    expect(ben.locator("#table input[name=card]")).to_have_count(12)
    ann.reload()
    expect(ann.locator("#table input[name=card]")).to_have_count(12)
    expect(ann.locator("#table .seat")).to_have_count(2)


def test_the_page_comes_back_to_a_game_alone_after_a_reload(site, new_context):
    game, (page,) = seat_people(site, new_context, ["Ann"], options=options_of(Way.ALONE), way=Way.ALONE)
    pick(page, game.a_set())
    enter(page, game)
    expect_in_step([page], game)
    expect_points([page], "Ann", 1)
