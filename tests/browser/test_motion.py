"""Animations are short and off for people who don't want them; sounds are only for people who want them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from django.core.cache import cache
from playwright.sync_api import BrowserContext, Locator, Page, expect

from classrooms.live.activities.silent_board import Arrangement
from games.boards import front_board
from games.rules import Card, Options, find_sets
from games.rules import commands as ask
from tests.browser.players import (
    Game,
    answered,
    enter,
    expect_in_step,
    expect_points,
    open_game,
    pick,
    say_set,
    sign_in,
)
from tests.browser.test_course import Pupil
from tests.browser.test_session import Lesson, mark
from tests.builders.cards import a_set, no_set
from tests.games.rules.tables import has_no_set, table_where

EASY = Options.of("us", easy=True, window=60.0)

# The clock stands, so that a verdict is still news on a page that a busy machine brings it to after two seconds.
STAND_STILL = "(() => { const now = Date.now(); Date.now = () => now; })();"

# Record all animations except countdowns: name, card and end time. `isHeld` keeps each
# animation from ending.
WATCH = """(() => {
  window.moves = [];
  window.celebrations = [];
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (...how) {
    const card = this.dataset.card ?? (this.value || this.querySelector("input")?.value) ?? "";
    const movement = animate.apply(this, how);
    window.moves.push({ what: movement.id, card, ends: movement.effect.getComputedTiming().endTime });
    if (IS_HELD) movement.pause();
    return movement;
  };
  for (const kind of ["animationstart", "transitionrun"]) {
    document.addEventListener(kind, ({ target }) => {
      if (target.matches(".countdown-bar")) return;
      const ends = Math.max(...target.getAnimations().map((each) => each.effect.getComputedTiming().endTime));
      if (target.closest(".burst")) return window.celebrations.push(ends);
      window.moves.push({ what: kind, card: "", ends });
    });
  }
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { startTime, value } of list.getEntries()) window.shifts.push({ at: startTime, value });
  }).observe({ type: "layout-shift", buffered: true });
})();"""

# The time after which loading, such as a late font, moves nothing any more.
IS_LOADED = """async () => {
  await document.fonts.ready;
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  return performance.now();
}"""

# A running animation continues from its position when the page changes, as a new animation.
IS_AT_REST = "() => document.getAnimations().every(({ effect }) => effect.target.matches('.countdown-bar'))"

# Record the sounds played, by pitch, from the browser's oscillators.
LISTEN = """(() => {
  window.notes = [];
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...when) {
    window.notes.push(Math.round(this.frequency.value));
    return start.apply(this, when);
  };
})();"""
CALL, RIGHT, WRONG, NEAR, TURN = [587], [659, 880], [262, 233], [784, 784], [392, 523]


@pytest.fixture
def lively(new_context) -> Callable[..., BrowserContext]:
    """Creates browsers of people who like motion."""

    def make(*, is_held: bool = False, **options: object) -> BrowserContext:
        context = new_context(**{**options, "reduced_motion": options.get("reduced_motion", "no-preference")})
        context.add_init_script(STAND_STILL)
        context.add_init_script(WATCH.replace("IS_HELD", str(is_held).lower()))
        return context

    return make


def wish(context: BrowserContext, site: str, look: str) -> None:
    """Set the cookie of somebody who chose this on the appearance page."""
    context.add_cookies([{"name": "look", "value": look, "url": site}])


def sit(site: str, contexts: Iterable[BrowserContext], **more: object) -> tuple[Game, list[Page]]:
    contexts = list(contexts)
    people = [sign_in(context, site, name) for context, name in zip(contexts, ("Ann", "Ben"), strict=False)]
    game = open_game(site, people, options=more.pop("options", EASY), **more)
    pages = [context.new_page() for context in contexts]
    for page in pages:
        enter(page, game)
    return game, pages


def moved(page: Page, what: str) -> list[int]:
    """The cards with this animation."""
    return sorted(int(each["card"]) for each in page.evaluate("moves") if each["what"] == what and each["card"])


def numbers(cards: Iterable[Card]) -> list[int]:
    return sorted(card.index for card in cards)


def indices_of(cards: Locator) -> list[int]:
    """The cards shown, in order."""
    return cards.evaluate_all("all => all.map((card) => Number(card.dataset.card ?? card.value))")


def forget(*pages: Page) -> None:
    for page in pages:
        page.wait_for_function(IS_AT_REST)
        page.evaluate("() => { window.moves = []; }")


def expect_quick(*pages: Page) -> None:
    for page in pages:
        moves = page.evaluate("moves")
        assert moves
        assert all(each["ends"] < 200 for each in moves), moves


def take(page: Page, game: Game, pages: list[Page]) -> tuple[Card, ...]:
    triple = game.a_set()
    say_set(page)
    pick(page, triple)
    expect_in_step(pages, game)
    return triple


# At the table


def test_a_set_that_is_taken_leaves_and_three_cards_are_dealt_before_everybody(site, lively):
    game, pages = sit(site, (lively(), lively()))
    loaded = pages[1].evaluate(IS_LOADED)
    before = game.state.table
    taken = take(pages[0], game, pages)
    for page in pages:
        expect(page.locator(".is-leaving")).to_have_count(0)
        assert [each["what"] for each in page.evaluate("moves")].count("leave") == 3
        assert moved(page, "deal") == numbers(set(game.state.table) - set(before))
        assert not moved(page, "shake")
    assert not set(numbers(taken)) & set(moved(pages[0], "deal"))
    expect_quick(*pages)
    assert pages[1].evaluate("loaded => shifts.filter(({ at }) => at > loaded)", loaded) == []


def test_a_deal_is_dealt_card_by_card_and_is_over_as_quickly(site, lively):
    game, (page,) = sit(site, [lively()], dealt=False)
    with answered(page, "deal"):
        page.get_by_role("button", name="Deal the cards").click()
    expect_in_step([page], game)
    assert moved(page, "deal") == numbers(game.state.table)
    ends = [each["ends"] for each in page.evaluate("moves") if each["what"] == "deal"]
    assert ends == sorted(set(ends)), "one after the other"
    expect_quick(page)


def test_a_wrong_pick_shakes_once(site, lively):
    game, pages = sit(site, (lively(), lively()))
    wrong = game.no_set()
    say_set(pages[0])
    pick(pages[0], wrong)
    expect_in_step(pages, game)
    for page in pages:
        assert moved(page, "shake") == numbers(wrong)
        assert not moved(page, "deal")
    expect_quick(*pages)

    # The verdict doesn't shake again because somebody else does something.
    forget(*pages)
    say_set(pages[1])
    expect_in_step(pages, game)
    for page in pages:
        assert not moved(page, "shake")


def sit_and_make_room(site: str, context: BrowserContext) -> tuple[Game, Page]:
    """A table without a SET that has just got three more cards, which now contains one."""

    def is_wanted(match):
        return has_no_set(match) and bool(find_sets(match.table + match.deck[:3]))

    known = table_where(is_wanted, Options(window=60.0), players=1)
    game, (page,) = sit(site, [context], options=Options(window=60.0), seed=known.match.seed)
    game.do(ask.AgreeNoSet(0))
    expect_in_step([page], game)
    assert len(moved(page, "deal")) == 3
    return game, page


def test_cards_that_make_room_and_are_interrupted_go_on_from_where_they_are(site, lively):
    game, page = sit_and_make_room(site, lively(is_held=True))
    making_room = moved(page, "slide")
    assert making_room
    say_set(page)
    expect_in_step([page], game)
    assert moved(page, "slide") == sorted(2 * making_room)


def test_cards_that_close_a_gap_slide_to_it(site, lively):
    game, page = sit_and_make_room(site, lively())
    before = game.state.table
    forget(page)
    taken = take(page, game, [page])
    slid = {card.index for old, card in zip(before, game.state.table, strict=False) if card != old}
    assert slid
    assert slid <= set(moved(page, "slide"))
    assert not set(moved(page, "slide")) & set(numbers(taken))
    expect_quick(page)


def test_while_all_moves_without_end_play_goes_on_and_the_newest_table_wins(site, lively):
    game, pages = sit(site, (lively(is_held=True), lively(is_held=True)))
    take(pages[0], game, pages)
    for page in pages:
        expect(page.locator(".is-leaving")).to_have_count(3)
    take(pages[1], game, pages)
    for page in pages:
        expect(page.locator(".is-leaving")).to_have_count(3)
        expect_points([page], "Ann", 1)
        expect_points([page], "Ben", 1)
    say_set(pages[0])
    pick(pages[0], game.no_set())
    expect_points(pages, "Ann", 0)


def test_a_page_that_is_opened_stands_still(site, lively):
    game, (page,) = sit(site, [lively()])
    take(page, game, [page])
    # The element under the pointer is raised.
    page.mouse.move(0, 0)
    enter(page, game)
    expect_in_step([page], game)
    assert page.evaluate("moves") == []
    for path in ("/", "/?board=7&show=1", "/play/daily/full/", "/learn/practice/"):
        page.goto(site + path)
        assert page.evaluate("moves") == []


# Elsewhere


def tap_three(page: Page, cards: Iterable[Card]) -> None:
    for card in cards:
        page.locator(f"label.card:has(input[value='{card.index}'])").click()


def unmark_all(page: Page) -> None:
    marked = page.locator("label.card:has(:checked)")
    while marked.count():
        marked.first.click()
    expect(marked).to_have_count(0)


def test_on_the_front_page_what_was_picked_shakes_or_is_glad(site, lively):
    page = lively().new_page()
    page.goto(f"{site}/?board=7")
    for is_right, what in ((False, "shake"), (True, "pop"), (False, "shake")):
        triple = (a_set if is_right else no_set)(front_board(7))
        unmark_all(page)
        forget(page)
        with page.expect_response(lambda response: "card=" in response.url):
            tap_three(page, triple)
        page.wait_for_function("what => moves.some((each) => each.what === what)", arg=what)
        assert moved(page, what) == numbers(triple)
        expect_quick(page)
    celebrations = page.evaluate("celebrations")
    assert len(celebrations) == 12, "one burst, for the SET"
    assert max(celebrations) <= 2_000


def test_in_the_puzzle_a_wrong_pick_shakes_and_a_find_comes_to_the_others(site, lively):
    page = lively().new_page()
    page.goto(f"{site}/play/daily/full/")
    board = list(map(Card.from_index, indices_of(page.locator("#puzzle input[name=card]"))))
    wrong = no_set(board)
    tap_three(page, wrong)
    expect(page.get_by_text("Not a SET, and here is why.")).to_be_visible()
    assert moved(page, "shake") == numbers(wrong)
    tap_three(page, a_set(board))
    expect(page.locator(".found li:not(.is-empty)")).to_have_count(1)
    assert "pop" in [each["what"] for each in page.evaluate("moves")]
    assert not moved(page, "deal"), "the board is the same"
    expect_quick(page)


def test_in_practice_a_wrong_answer_shakes_a_right_one_is_glad_and_the_next_is_dealt(site, lively):
    page = lively().new_page()
    page.goto(f"{site}/learn/practice/")
    pupil = Pupil(page)
    pupil.answer_wrongly()
    assert "shake" in [each["what"] for each in page.evaluate("moves")]
    forget(page)
    pupil.answer()
    assert "pop" in [each["what"] for each in page.evaluate("moves")]
    forget(page)
    with pupil.sending():
        page.get_by_role("link", name="Next").click()
    assert moved(page, "deal")
    expect_quick(page)


def test_in_a_lesson_a_device_shakes_for_its_own_answer_only_and_the_room_sees_a_set_go(site, lively):
    lesson = Lesson(site, lively)
    mia, noah = lesson.devices[:2]
    lesson.begin("Silent board")
    for device in (mia, noah):
        expect(device.locator("label.card")).not_to_have_count(0)
    boards = [Arrangement(lesson.activity, lesson.seat(place)).cards for place in (0, 1)]
    wrong = no_set(boards[0])
    mark(mia, wrong)
    expect(mia.get_by_text("Not a SET. Look why.")).to_be_visible()
    assert moved(mia, "shake") == numbers(wrong)
    forget(mia, lesson.projector)
    mark(noah, a_set(boards[1]))
    expect(noah.get_by_text("Yes, a SET!")).to_be_visible()
    expect(lesson.projector.locator("#screen")).to_contain_text("1 of")
    assert not moved(mia, "shake")
    lesson.finish()

    # Twelve cards of the easy deck always contain a SET.
    box = lesson.remote.locator(".activity-card", has=lesson.remote.get_by_role("heading", name="Box game"))
    box.get_by_label("Deck").select_option("easy")
    box.get_by_label("Time to pick after a call").select_option("none")
    lesson.begin("Box game")
    expect(lesson.projector.locator(".box-board .card")).to_have_count(12)
    forget(lesson.projector)
    shown = indices_of(lesson.projector.locator(".box-board .card"))
    mia.get_by_role("button", name="SET!").click()
    expect(mia.get_by_text("Yours! Tap three cards.")).to_be_visible()
    mark(mia, a_set(map(Card.from_index, shown)))
    expect(mia.get_by_text("A SET! Why?")).to_be_visible()
    lesson.projector.wait_for_function("() => moves.some((each) => each.what === 'leave')")
    expect_quick(lesson.projector, mia)


# Reduced motion


@pytest.mark.parametrize("how", ["the system says so", "the site was told so"])
def test_who_wants_less_motion_has_none(site, lively, how):
    contexts = []
    for _person in range(2):
        is_told = how == "the site was told so"
        contexts.append(lively(reduced_motion="no-preference" if is_told else "reduce"))
        if is_told:
            wish(contexts[-1], site, "motion=less")
    game, pages = sit(site, contexts)
    take(pages[0], game, pages)
    say_set(pages[1])
    pick(pages[1], game.no_set())
    expect_in_step(pages, game)
    page = pages[0]
    say_set(page)
    for each in pages:
        assert each.evaluate("moves") == []
    bar = page.locator(".countdown-bar")
    assert bar.evaluate("bar => document.getAnimations().every((each) => each.effect.target === bar)")
    assert bar.evaluate("bar => bar.getAnimations().length") == 1

    page.goto(f"{site}/?board=7")
    tap_three(page, no_set(front_board(7)))
    expect(page.get_by_text("Two are alike and one isn't")).to_be_visible()
    page.goto(f"{site}/learn/practice/")
    Pupil(page).answer_wrongly()
    assert page.evaluate("moves") == []


# Sounds


def expect_heard(page: Page, *sounds: list[int]) -> None:
    notes = [note for sound in sounds for note in sound]
    page.wait_for_function("notes => JSON.stringify(window.notes) === JSON.stringify(notes)", arg=notes)
    page.evaluate("() => { window.notes = []; }")


def test_nothing_sounds_unless_one_has_asked_for_it(site, new_context):
    context = new_context()
    context.add_init_script(LISTEN)
    page = context.new_page()
    page.goto(f"{site}/?board=7")
    wrong, right = no_set(front_board(7)), a_set(front_board(7))
    tap_three(page, wrong)
    expect(page.get_by_text("Two are alike and one isn't")).to_be_visible()
    expect(page.locator("script[src*=sounds]")).to_have_count(0)
    assert page.evaluate("notes") == []

    page.goto(f"{site}/look/?next=/?board=7")
    page.get_by_label("Play small sounds").check()
    page.get_by_role("button", name="Keep it so").click()
    page.wait_for_url(f"{site}/?board=7")
    expect(page.locator("script[src*=sounds]")).to_have_count(1)
    tap_three(page, wrong)
    expect_heard(page, WRONG)
    unmark_all(page)
    tap_three(page, right)
    expect_heard(page, RIGHT)


def test_at_a_table_a_call_its_end_and_a_wrong_pick_are_heard(site, new_context):
    contexts = [new_context(), new_context()]
    contexts[0].add_init_script(LISTEN)
    contexts[0].clock.install()
    contexts[0].add_init_script(STAND_STILL)
    wish(contexts[0], site, "sound=on")
    game, (ann, ben) = sit(site, contexts)
    say_set(ben)
    expect_in_step([ann], game)
    assert ann.evaluate("notes") == [], "a page that nobody has touched is silent"
    pick(ben, game.no_set())
    expect_in_step([ann], game)
    ann.locator(".seats").click()
    say_set(ben)
    expect_heard(ann, CALL)
    pick(ben, game.no_set())
    expect_heard(ann, WRONG)
    say_set(ben)
    expect_heard(ann, CALL)
    pick(ben, game.a_set())
    expect_heard(ann, RIGHT)
    say_set(ben)
    expect_heard(ann, CALL)
    ann.clock.fast_forward("01:00")
    expect_heard(ann, NEAR)


def test_in_a_lesson_a_new_task_is_heard(site, new_context):
    def with_sound(**options: object) -> BrowserContext:
        context = new_context(**options)
        context.add_init_script(LISTEN)
        wish(context, site, "sound=on")
        return context

    cache.clear()
    lesson = Lesson(site, with_sound)
    mia = lesson.devices[0]
    mia.get_by_text("You are in!").click()
    lesson.begin("Is it a SET?")
    expect(mia.get_by_role("button", name="Yes", exact=True)).to_be_visible()
    expect_heard(mia, TURN)
