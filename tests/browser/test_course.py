"""The course in a real browser, done by a pupil who knows the rules of SET and otherwise only reads the page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from games import limits
from games.rules import Card, Feature, explain, find_sets, is_set, third_card
from games.rules.cards import VALUES
from games.rules.triples import Verdict
from games.words import verdict_line
from lessons.course.units import course
from lessons.models import LearningEvent, StepDone

UNITS = [unit.slug for unit in course()]

# Everything a question shows, read at once.
LOOK = """() => {
  const form = document.querySelector("form.question");
  const all = (what) => [...form.querySelectorAll(what)];
  const cards = (what) => all(what).map((each) => Number(each.dataset.card ?? each.value));
  return {
    words: document.querySelector(".lesson-words")?.innerText ?? "",
    ask: form.querySelector(".ask")?.innerText ?? "",
    shown: cards("[data-card]"),
    choices: cards("button[name=card]"),
    boxes: cards("input[type=checkbox]:enabled"),
    table: cards("input[type=checkbox]"),
    checked: cards("input[type=checkbox]:checked"),
    impossible: cards(".is-impossible input"),
    buttons: all("button[type=submit]").map((button) => button.innerText.trim()),
    features: all("button[name=breaks], button[name=feature]").map((button) => button.value),
    values: all("button[name=value]").map((button) => button.value),
    is_builder: Boolean(form.querySelector(".builder")),
    is_scene: Boolean(form.querySelector(".scene")),
  };
}"""


def cards_of(indices: Iterable[int]) -> list[Card]:
    return [Card.from_index(index) for index in indices]


def a_triple_that_is(wanted: bool, cards: Iterable[Card]) -> tuple[Card, Card, Card]:
    return next(triple for triple in combinations(cards, 3) if is_set(*triple) is wanted)


def broken_in(verdict: Verdict) -> list[Feature]:
    return [each.feature for each in verdict.broken]


@dataclass(frozen=True)
class Seen:
    """A snapshot of a question."""

    words: str
    ask: str
    shown: list[int]
    choices: list[int]
    boxes: list[int]
    table: list[int]
    checked: list[int]
    impossible: list[int]
    buttons: list[str]
    features: list[str]
    values: list[str]
    is_builder: bool
    is_scene: bool

    @property
    def cards(self) -> list[Card]:
        return cards_of(self.shown)

    @property
    def board(self) -> list[Card]:
        return cards_of(self.table) or self.cards


class Pupil:
    """Reads the page, decides and clicks."""

    def __init__(self, page: Page, *, has_scripts: bool = True) -> None:
        self.page = page
        self.has_scripts = has_scripts

    def see(self) -> Seen:
        return Seen(**self.page.evaluate(LOOK))

    @contextmanager
    def sending(self) -> Iterator[None]:
        """Wait until the action inside got its response: a page part, or without scripts a whole page."""
        if not self.has_scripts:
            with self.page.expect_navigation():
                yield
            return
        self.page.evaluate(
            "() => { window.answered = new Promise((resolve) =>"
            " document.addEventListener('htmx:afterSettle', () => resolve(true), {once: true})); }"
        )
        yield
        self.page.evaluate("() => window.answered")

    def press(self, button: Locator) -> None:
        with self.sending():
            button.click()

    def button(self, name: str) -> Locator:
        return self.page.locator("form.question").get_by_role("button", name=name, exact=True)

    def by_value(self, name: str, value: object) -> Locator:
        return self.page.locator(f"form.question button[name='{name}'][value='{value}']")

    def tap(self, cards: Iterable[Card]) -> None:
        for card in cards:
            self.page.locator(f"label.card:has(input[value='{card.index}'])").click()

    def pick_three(self, cards: Iterable[Card]) -> None:
        """Pick three cards; the third tap submits, or without scripts a button does."""
        if self.has_scripts:
            with self.sending():
                self.tap(cards)
        else:
            self.tap(cards)
            self.press(self.button("Check my three"))

    def choose(self, cards: Iterable[Card], button: str) -> None:
        self.tap(cards)
        self.press(self.button(button))

    # The right answers, and wrong ones

    def answer(self) -> None:
        """Give a right answer to any question."""
        seen = self.see()
        _WAYS[self.kind(seen)](self, seen, True)

    def answer_wrongly(self) -> None:
        seen = self.see()
        _WAYS[self.kind(seen)](self, seen, False)

    def kind(self, seen: Seen) -> str:
        for kind, is_it in _SIGNS.items():
            if is_it(seen):
                return kind
        raise AssertionError(f"what is asked here? {seen}")

    def _yes_or_no(self, seen: Seen, right: bool) -> None:
        yes = bool(find_sets(seen.cards)) is right
        self.press(self.button("Yes" if yes else "No"))

    def _which_breaks(self, seen: Seen, right: bool) -> None:
        broken = broken_in(explain(*seen.cards))
        self.press(self.by_value("breaks", next(name for name in seen.features if (name in broken) is right)))

    def _explain(self, seen: Seen, right: bool) -> None:
        words = {"all-same": "all the same", "all-different": "all different", "two-and-one": "two and one"}
        for each in explain(*seen.cards).features:
            make = each.kind.value if right else next(make for make in words if make != each.kind.value)
            group = self.page.get_by_role("group", name=each.feature.value, exact=True)
            group.locator("label", has_text=words[make]).click()
        self.press(self.button("Check"))

    def _third_card(self, seen: Seen, right: bool) -> None:
        wanted = third_card(*seen.cards)
        self.press(self.by_value("card", next(i for i in seen.choices if (i == wanted.index) is right)))

    def _find_one(self, seen: Seen, right: bool) -> None:
        self.pick_three(a_triple_that_is(right, seen.board))

    def _find_all(self, seen: Seen, right: bool) -> None:
        if not right:
            self.pick_three(a_triple_that_is(False, seen.board))
            return
        for triple in find_sets(seen.board)[self.page.locator(".found li").count() :]:
            self.pick_three(triple)

    def _name_value(self, seen: Seen, right: bool) -> None:
        feature = next(f for f in Feature if {value.name.lower() for value in VALUES[f]} == set(seen.values))
        value = seen.cards[0].value(feature).name.lower()
        self.press(self.by_value("value", next(each for each in seen.values if (each == value) is right)))

    def _what_changed(self, seen: Seen, right: bool) -> None:
        first, second = seen.cards
        changed = next(feature for feature in Feature if first.value(feature) is not second.value(feature))
        self.press(self.by_value("feature", next(name for name in seen.features if (name == changed) is right)))

    def _pick_all(self, seen: Seen, right: bool) -> None:
        asked = re.search(r"Pick every (\w+)", seen.words)[1]
        feature = next(f for f in Feature if asked in {value.name.lower() for value in VALUES[f]})
        wanted = [card for card in seen.board if card.value(feature).name.lower() == asked]
        chosen = set(wanted) if right else set(wanted[:1])
        # Untick what's still ticked from an earlier try.
        self.choose(chosen ^ set(cards_of(seen.checked)), "Check")

    def _scene(self, seen: Seen, right: bool) -> None:
        if seen.boxes:
            self.choose(a_triple_that_is(right, seen.board), "Pick these three")
            return
        (button,) = seen.buttons
        if button in {"No SET here", "I see none: three more"}:
            assert not find_sets(seen.board), "the page says that there is none"
        self.press(self.button(button))

    def _build(self, seen: Seen, right: bool) -> None:
        """Take cards that aren't disabled until there are enough."""
        while not self.is_done():
            taken = {*seen.impossible, *seen.checked}
            self.take_one(next(card for card in seen.board if card.index not in taken))
            seen = self.see()

    def take_one(self, card: Card) -> None:
        if self.has_scripts:
            with self.sending():
                self.tap([card])
        else:
            self.choose([card], "Check")

    def _make_a_square(self, seen: Seen, right: bool) -> None:
        self.choose(a_triple_that_is(not right, seen.board), "Make the square")
        if right:
            square = self.page.locator(".square .card")
            expect(square).to_have_count(9)

    def _press_the_only_button(self, seen: Seen, right: bool) -> None:
        (button,) = seen.buttons
        self.press(self.button(button))

    # From step to step

    def is_done(self) -> bool:
        return self.page.locator(".next-button").count() > 0

    def do_the_step(self) -> None:
        """Answer until the button to the next step is there."""
        for _each in range(20):
            self.answer()
            if self.is_done():
                return
            with self.sending():
                self.page.locator(".next-exercise").click()
        raise AssertionError("the step has no end")

    def go_on(self) -> None:
        with self.page.expect_navigation():
            self.page.locator(".next-button").click()

    @property
    def place(self) -> tuple[str, ...]:
        """The pupil's position: ("cards", "four-features")."""
        return tuple(urlsplit(self.page.url).path.strip("/").split("/"))[1:]


# How to recognize a question: by its sentence, or by its controls.
_SIGNS: dict[str, Callable[[Seen], bool]] = {
    "is-set": lambda seen: seen.ask == "Is it a SET?",
    "any-set": lambda seen: seen.ask == "Is there a SET here?",
    "which-breaks": lambda seen: seen.ask == "It is not a SET. Which one breaks it?",
    "explain": lambda seen: seen.ask == "Say for each how it is.",
    "third-card": lambda seen: seen.ask == "Which card makes it a SET?",
    "find-one": lambda seen: seen.ask == "Find a SET.",
    "find-all": lambda seen: bool(re.fullmatch(r"Find (the one SET|all \d SETs)\.", seen.ask)),
    "name-value": lambda seen: bool(seen.values),
    "what-changed": lambda seen: bool(seen.features),
    "no-set-builder": lambda seen: seen.is_builder,
    "scene": lambda seen: seen.is_scene,
    "magic-square": lambda seen: seen.buttons == ["Make the square"],
    "pick-all": lambda seen: "Pick every" in seen.words,
    "experiment": lambda seen: bool(re.fullmatch(r"Deal [\d,]+ times", "".join(seen.buttons))),
    "look": lambda seen: seen.buttons == ["I see"],
}
_WAYS: dict[str, Callable[[Pupil, Seen, bool], None]] = {
    "is-set": Pupil._yes_or_no,
    "any-set": Pupil._yes_or_no,
    "which-breaks": Pupil._which_breaks,
    "explain": Pupil._explain,
    "third-card": Pupil._third_card,
    "find-one": Pupil._find_one,
    "find-all": Pupil._find_all,
    "name-value": Pupil._name_value,
    "what-changed": Pupil._what_changed,
    "no-set-builder": Pupil._build,
    "scene": Pupil._scene,
    "magic-square": Pupil._make_a_square,
    "pick-all": Pupil._pick_all,
    "experiment": Pupil._press_the_only_button,
    "look": Pupil._press_the_only_button,
}


@pytest.fixture(autouse=True)
def no_hurry(monkeypatch):
    """Lift the rate limit, because a script answers faster than people."""
    monkeypatch.setattr(limits, "MOVES", limits.Limit("moves", most=100_000, seconds=10))


def do_the_unit(site: str, pupil: Pupil, unit: str) -> list[tuple[str, ...]]:
    """Go from the path through every step of a unit; return the steps seen."""
    page = pupil.page
    page.goto(f"{site}/learn/")
    if unit == UNITS[0]:
        page.get_by_role("link", name="Start the course").click()
    else:
        page.locator(".path-unit a").nth(UNITS.index(unit)).click()
    page.wait_for_url(f"**/learn/{unit}/*/")
    met = []
    while pupil.place[0] == unit:
        met.append(pupil.place)
        pupil.do_the_step()
        pupil.go_on()
    return met


@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_is_completed_from_the_page_alone(site, page, unit):
    pupil = Pupil(page)
    met = do_the_unit(site, pupil, unit)
    assert sorted(StepDone.objects.values_list("unit", "step")) == sorted(met)
    assert met == [(each.slug, step.slug) for each in course() if each.slug == unit for step in each.steps]
    if unit != UNITS[-1]:
        assert pupil.place[0] == UNITS[UNITS.index(unit) + 1], "Next leads to the next unit"
    page.goto(f"{site}/learn/")
    row = page.locator(".path-unit").nth(UNITS.index(unit))
    expect(row).to_have_class(re.compile("is-done"))
    expect(row.locator(".path-done")).to_have_text(f"{len(met)} of {len(met)}")
    expect(page.locator(".path-unit.is-done")).to_have_count(1)


def test_when_the_last_step_is_done_the_path_shows_every_unit_as_done(site, page):
    pupil = Pupil(page)
    page.goto(f"{site}/learn/{UNITS[0]}/four-features/")
    pupil.do_the_step()
    guest = StepDone.objects.get().guest
    steps = [(unit.slug, step.slug) for unit in course() for step in unit.steps]
    now = datetime.now(UTC)
    StepDone.objects.bulk_create(StepDone(guest=guest, unit=unit, step=step, at=now) for unit, step in steps[1:-1])
    page.goto(f"{site}/learn/")
    with page.expect_navigation():
        page.get_by_role("link", name="Go on", exact=True).click()
    assert pupil.place == steps[-1]
    pupil.do_the_step()
    page.get_by_role("link", name="You have done it all!").click()
    page.wait_for_url("**/learn/me/")
    for path in ("/learn/me/", "/learn/"):
        page.goto(site + path)
        expect(page.locator(".path-unit.is-done")).to_have_count(len(UNITS))
    expect(page.get_by_role("link", name="Go on", exact=True)).to_have_count(0)


def test_a_unit_is_completed_with_scripts_off(site, new_context):
    pupil = Pupil(new_context(java_script_enabled=False).new_page(), has_scripts=False)
    met = do_the_unit(site, pupil, "cards")
    assert sorted(StepDone.objects.values_list("unit", "step")) == sorted(met)


def test_every_kind_of_question_is_answered_with_scripts_off(site, new_context):
    page = new_context(java_script_enabled=False).new_page()
    pupil = Pupil(page, has_scripts=False)
    places = ["five-examples/fourth-decide", "five-examples/fifth-tell", "magic-rule/say-it", "third-card/first-try"]
    places += ["easy-start/with-hints", "easy-start/find-all", "easy-start/any-set", "the-play/pick"]
    places += ["odds/twelve-cards", "beyond/four-of-nine", "beyond/magic-square"]
    kinds = {"look", "name-value", "what-changed", "pick-all"}  # in the unit above
    for place in places:
        page.goto(f"{site}/learn/{place}/")
        kinds.add(pupil.kind(pupil.see()))
        pupil.answer()
        expect(page.get_by_text("Yes!", exact=True)).to_be_visible()
    assert kinds == set(_SIGNS)


# Wrong answers


def lines_on(page: Page) -> list[str]:
    return [" ".join(text.split()) for text in page.locator(".feedback .verdict-lines li").all_inner_texts()]


def lines_of(cards: Iterable[Card]) -> list[str]:
    """The page's expected explanation of three cards: each feature, and which cards break it."""
    lines = [verdict_line(each) for each in explain(*cards).features]
    return [f"{line.feature}: {line.text}" for line in lines]


ABOUT_THREE_CARDS = ["magic-rule/say-it", "five-examples/fourth-decide", "five-examples/fifth-tell"]
ABOUT_THREE_CARDS += ["same-or-different/two-differ", "same-or-different/say-why", "magic-rule/almost"]


@pytest.mark.parametrize("place", ABOUT_THREE_CARDS)
def test_a_wrong_answer_about_three_cards_is_told_why_and_can_be_put_right(site, page, place):
    pupil = Pupil(page)
    page.goto(f"{site}/learn/{place}/")
    cards = pupil.see().cards
    pupil.answer_wrongly()
    expect(page.get_by_text("Not this time. Look why, and put it right.")).to_be_visible()
    assert lines_on(page) == lines_of(cards)
    assert [(" two " in line) for line in lines_on(page)] == [each.is_broken for each in explain(*cards).features]
    assert pupil.see().cards == cards, "the question is still there"
    assert not pupil.is_done()
    pupil.answer()
    expect(page.get_by_text("Yes!", exact=True)).to_be_visible()
    tries = LearningEvent.objects.order_by("pk")
    assert [(each.is_right, each.is_first) for each in tries] == [(False, True), (True, False)]


def test_a_wrong_third_card_is_told_why_and_can_be_put_right(site, page):
    pupil = Pupil(page)
    page.goto(f"{site}/learn/third-card/first-try/")
    first, second = pupil.see().cards
    wrong = next(card for card in cards_of(pupil.see().choices) if card is not third_card(first, second))
    pupil.press(pupil.by_value("card", wrong.index))
    assert lines_on(page) == lines_of([first, second, wrong])
    expect(page.locator(".feedback .is-broken").first).to_contain_text("two ")
    pupil.do_the_step()


@pytest.mark.parametrize("place", ["easy-start/with-hints", "easy-start/find-all", "the-play/pick", "solitaire/alone"])
def test_three_cards_that_are_no_set_are_told_why_and_can_be_put_right(site, page, place):
    pupil = Pupil(page)
    page.goto(f"{site}/learn/{place}/")
    wrong = a_triple_that_is(False, pupil.see().board)
    pupil.answer_wrongly()
    assert lines_on(page) == lines_of(wrong)
    expect(page.locator(".feedback .is-broken").first).to_contain_text("two ")
    pupil.do_the_step()


def test_an_overlooked_set_is_shown(site, page):
    pupil = Pupil(page)
    page.goto(f"{site}/learn/easy-start/any-set/")
    while not find_sets(pupil.see().board):
        page.reload()
    board = pupil.see().board
    pupil.answer_wrongly()
    assert lines_on(page) in [lines_of(triple) for triple in find_sets(board)]


@pytest.mark.console_errors(r"status of 422 .*/learn/")
@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("cards/color-green", "Not quite. Look once more."),
        ("cards/number-changed", "Not quite. Look once more."),
        ("cards/shape-squiggle", "Some are still missing."),
        ("beyond/magic-square", "These three are a SET already. Pick three that are none."),
    ],
)
def test_a_question_of_the_course_alone_can_be_put_right(site, page, place, says):
    pupil = Pupil(page)
    page.goto(f"{site}/learn/{place}/")
    pupil.answer_wrongly()
    expect(page.get_by_text(says)).to_be_visible()
    assert not pupil.is_done()
    pupil.do_the_step()


def test_a_builder_that_holds_a_set_names_it_and_a_card_can_be_taken_back(site, page):
    pupil = Pupil(page)
    page.goto(f"{site}/learn/beyond/four-of-nine/")
    first, second, *_rest = pupil.see().board
    for card in (first, second):
        pupil.take_one(card)
    third = third_card(first, second)
    assert pupil.see().impossible == [third.index]
    expect(page.get_by_role("checkbox", name=f"{third}, makes a SET", exact=True)).to_have_count(1)
    pupil.take_one(third)
    expect(page.get_by_text("There is a SET among them.")).to_be_visible()
    assert lines_on(page) == lines_of(sorted([first, second, third]))
    pupil.take_one(third)
    assert cards_of(pupil.see().checked) == [first, second]
    pupil.do_the_step()


@pytest.mark.console_errors(r"^htmx:(abort|afterRequest|sendAbort)")
def test_two_quick_taps_in_a_builder_both_count_however_the_answers_come_in(site, page):
    pupil = Pupil(page)
    page.goto(f"{site}/learn/beyond/four-of-nine/")
    first, second, *_rest = pupil.see().board
    held = []

    def hold_the_first(route) -> None:
        if held:
            route.continue_()
        else:
            held.append(route)

    page.route("**/four-of-nine/", hold_the_first)
    with page.expect_request("**/four-of-nine/"):
        pupil.tap([first])
    # The second tap gives the first request up, so that its response can't come after the second's.
    with page.expect_event("requestfailed", lambda request: request == held[0].request), pupil.sending():
        pupil.tap([second])
    assert set(cards_of(pupil.see().checked)) == {first, second}


# Help


@pytest.mark.parametrize(
    "place",
    [
        "same-or-different/two-differ",
        "magic-rule/almost",
        "same-or-different/say-why",
        "third-card/two-differ",
        "easy-start/with-hints",
        "easy-start/any-set",
    ],
)
def test_help_comes_in_stages_and_goes_on_to_the_answer(site, page, place):
    pupil = Pupil(page)
    page.goto(f"{site}/learn/{place}/")
    cards, told = pupil.see().board, []
    helps = page.locator(".helps .notice")
    expect(helps).to_have_count(0)
    while page.get_by_role("button", name="Help me").count():
        pupil.press(page.get_by_role("button", name="Help me"))
        assert helps.all_inner_texts()[:-1] == told, "what was said stays, and one thing more is said"
        told = helps.all_inner_texts()
    assert len(set(told)) == len(told) >= 3
    assert pupil.see().board == cards
    assert not LearningEvent.objects.exists(), "to ask for help is no try"
    pupil.answer()
    expect(page.get_by_text("Yes!", exact=True)).to_be_visible()
    assert LearningEvent.objects.get().hints == len(told)


# Drills


def tally(page: Page) -> str:
    return page.locator(".tally").inner_text()


def test_a_drill_does_not_count_a_question_twice(site, page):
    pupil = Pupil(page)
    page.goto(f"{site}/learn/same-or-different/two-differ/")
    assert tally(page) == "0 of 3 right"
    for _each in range(3):
        pupil.answer()
        assert tally(page) == "1 of 3 right"
    with pupil.sending():
        page.locator(".next-exercise").click()
    pupil.answer_wrongly()
    assert tally(page) == "1 of 3 right"
    pupil.answer()
    assert tally(page) == "2 of 3 right"
    assert not pupil.is_done()


def test_a_question_that_was_helped_on_or_left_does_not_spoil_the_drill(site, page):
    pupil = Pupil(page)
    page.goto(f"{site}/learn/magic-rule/almost/")
    pupil.answer_wrongly()
    page.reload()
    pupil.do_the_step()
    assert tally(page) == "4 of 4 right"


def test_a_step_that_is_done_can_be_done_again_and_stays_done(site, page):
    pupil = Pupil(page)
    page.goto(f"{site}/learn/five-examples/fourth-decide/")
    pupil.do_the_step()
    page.reload()
    assert pupil.is_done()
    pupil.answer_wrongly()
    assert pupil.is_done()
    assert StepDone.objects.count() == 1


def test_going_back_to_a_drill_shows_the_page_and_not_only_a_part_of_it(site, page):
    pupil = Pupil(page)
    page.goto(f"{site}/learn/full-deck/one-differs/")
    pupil.answer()
    with pupil.sending():
        page.locator(".next-exercise").click()
    page.goto(f"{site}/learn/")
    page.go_back()
    assert page.get_by_role("banner").count() == 1
