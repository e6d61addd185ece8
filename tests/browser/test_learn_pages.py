"""The pages of learning for every eye, ear and screen: axe finds nothing, all fits, and words are spoken."""

from __future__ import annotations

import json
import random
import re
import time

import pytest
from axe_playwright_python.base import AxeResults
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Page, expect

from games.players import Player
from lessons.skills import Kind, Wanted
from lessons.views import practice
from tests.browser.players import forget_refusals, sign_in
from tests.browser.test_course import Pupil
from tests.lessons.test_learning import finish_step, learn_for_days

# One step for each kind of question.
STEPS = {
    "look": "same-or-different/not-a-set",
    "name-value": "cards/color-green",
    "what-changed": "cards/number-changed",
    "pick-all": "cards/shape-squiggle",
    "is-set": "five-examples/fourth-decide",
    "which-breaks": "magic-rule/say-it",
    "explain": "five-examples/fifth-tell",
    "third-card": "third-card/first-try",
    "find-one": "easy-start/with-hints",
    "find-all": "full-deck/find-all",
    "any-set": "full-deck/any-set",
    "scene": "the-play/pick",
    "experiment": "odds/twelve-cards",
    "no-set-builder": "beyond/four-of-nine",
    "magic-square": "beyond/magic-square",
}
NEVER_WRONG = {"look", "experiment", "no-set-builder"}
NARROW, WIDE = {"width": 360, "height": 740}, {"width": 1280, "height": 800}
SMALLEST = {"width": 320, "height": 568}
DAY = 86_400


# A change of colors goes through the page from parent to child, a frame for each.
AT_REST = """async () => {
  for (let calm = 0; calm < 2; ) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const moving = document.getAnimations();
    await Promise.allSettled(moving.map((each) => each.finished));
    calm = moving.length ? 0 : calm + 1;
  }
}"""


class Inspector:
    """Looks at pages in light and dark, on narrow and wide screens, and keeps what is wrong for the end."""

    def __init__(self, site: str, context: BrowserContext) -> None:
        self.axe = Axe()
        self.complaints: list[str] = []
        self.looks = 0
        self.home = site.removeprefix("http://")
        context.on("request", self.hear)

    def hear(self, request) -> None:
        if request.url.split("/")[2] != self.home:
            self.complaints.append(f"asks another host: {request.url}")

    def look(self, page: Page, what: str) -> None:
        """In light and dark; the sizes take turns, so that two looks see a kind of page in all four ways."""
        self.looks += 1
        ways = [("light", NARROW), ("dark", WIDE)] if self.looks % 2 else [("dark", NARROW), ("light", WIDE)]
        for scheme, size in ways:
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size(size)
            page.evaluate(AT_REST)
            results = self.run(page)
            if results.violations_count:
                self.complaints.append(f"{what}, {scheme}, {size['width']} wide: {results.generate_report()}")

    def run(self, page: Page) -> AxeResults:
        """As `Axe.run` does, which would load the whole of axe for every look."""
        if not page.evaluate("'axe' in window"):
            page.evaluate(self.axe.axe_script)
        violations = page.evaluate("axe.run({resultTypes: ['violations']}).then((results) => results.violations)")
        return AxeResults({"violations": violations})

    def measure(self, page: Page, what: str) -> None:
        page.set_viewport_size(SMALLEST)
        needed = page.evaluate("document.documentElement.scrollWidth")
        if needed > SMALLEST["width"]:
            self.complaints.append(f"{what}: {needed} pixels on a screen of {SMALLEST['width']}")
        page.set_viewport_size(WIDE)

    def report(self) -> None:
        assert not self.complaints, "\n\n".join(self.complaints)


@pytest.fixture
def context(new_context) -> BrowserContext:
    return new_context()


@pytest.fixture
def page(context) -> Page:
    return context.new_page()


@pytest.fixture
def inspector(site, context) -> Inspector:
    return Inspector(site, context)


# For every eye and on every screen


def test_the_path_and_my_page_of_a_newcomer(site, page, inspector):
    for path in ("/learn/", "/learn/me/"):
        page.goto(site + path)
        inspector.look(page, path)
        inspector.look(page, path)
        inspector.measure(page, path)
    inspector.report()


@pytest.fixture
def learner(site, context) -> Player:
    """Somebody who has tried a little of everything."""
    ann = sign_in(context, site, "Ann")
    now = time.time()
    learn_for_days(ann, random.Random("my page"), tries=40, start=now - 90 * DAY)
    finish_step(ann, "cards", "four-features", now=now)
    return ann


def test_the_path_and_my_page_of_a_learner(site, learner, page, inspector):
    for path in ("/learn/", "/learn/me/"):
        page.goto(site + path)
        inspector.look(page, f"{path} with tries")
        inspector.look(page, f"{path} with tries")
    for title in ("What I can", "What I miss most", "My slowest boards", "My best times", "My path"):
        expect(page.get_by_role("heading", name=title)).to_be_visible()
    inspector.report()


def test_my_page_of_a_learner_fits_the_smallest_screen(site, learner, page, inspector):
    page.goto(f"{site}/learn/me/")
    inspector.measure(page, "/learn/me/ with tries")
    inspector.report()


@pytest.mark.parametrize("kind", STEPS)
def test_a_step_before_and_after_an_answer(site, page, new_context, inspector, kind):
    pupil = Pupil(page)
    page.goto(f"{site}/learn/{STEPS[kind]}/")
    assert pupil.kind(pupil.see()) == kind
    inspector.look(page, f"{kind}, asked")
    inspector.measure(page, f"{kind}, asked")
    if page.get_by_role("button", name="Help me").count():
        pupil.press(page.get_by_role("button", name="Help me"))
    if kind in NEVER_WRONG:
        pupil.answer()
    else:
        pupil.answer_wrongly()
    inspector.look(page, f"{kind}, answered")
    inspector.measure(page, f"{kind}, answered")
    forget_refusals(new_context)
    inspector.report()


def test_practice_of_every_kind(site, page, monkeypatch, inspector):
    pupil = Pupil(page)
    for kind in Kind:
        monkeypatch.setattr(practice, "next_wanted", lambda *args, kind=kind, **more: Wanted(kind, 3))
        page.goto(f"{site}/learn/practice/")
        assert pupil.kind(pupil.see()) == kind
        pupil.press(page.get_by_role("button", name="Help me"))
        pupil.answer()
        expect(page.get_by_text("Yes!", exact=True)).to_be_visible()
        inspector.look(page, f"practice of {kind}")
        inspector.measure(page, f"practice of {kind}")
    inspector.report()


def test_the_whole_deck_to_build_from(site, page, inspector):
    page.goto(f"{site}/learn/beyond/sixteen-of-81/")
    inspector.look(page, "81 cards")
    inspector.measure(page, "81 cards")
    inspector.report()


def test_what_is_widest_fits_the_smallest_screen(site, page, inspector):
    for place in ("the-play/fifteen-cards", "the-play/not-a-set", "five-examples/fifth-look", "odds/always"):
        page.goto(f"{site}/learn/{place}/")
        inspector.measure(page, place)
    inspector.report()


# For every ear


def voices(*languages: str) -> str:
    """A browser with voices for these languages, that writes down what it is to say."""
    return f"""
      window.spoken = [];
      window.SpeechSynthesisUtterance = class {{ constructor(text) {{ this.text = text; }} }};
      const voices = {json.dumps([{"lang": language, "name": language} for language in languages])};
      const synthesis = new EventTarget();
      Object.assign(synthesis, {{
        getVoices: () => voices,
        cancel: () => {{}},
        speak: (speech) => window.spoken.push({{text: speech.text, lang: speech.lang}}),
      }});
      Object.defineProperty(window, "speechSynthesis", {{value: synthesis, configurable: true}});
    """


NO_SPEECH = "delete window.speechSynthesis; delete Window.prototype.speechSynthesis;"


def words_on(page: Page) -> list[str]:
    return page.locator(".lesson-words h1, .lesson-words p").all_inner_texts()


def test_the_words_of_a_step_are_read_aloud_on_request(site, context, page):
    context.add_init_script(voices("en-US"))
    page.goto(f"{site}/learn/cards/color-green/")
    button = page.get_by_role("button", name="Read it to me")
    expect(button).to_be_visible()
    assert page.evaluate("window.spoken") == [], "only on request"
    for place in ("cards/color-green", "cards/number-three"):
        page.goto(f"{site}/learn/{place}/")
        button.click()
        (said,) = page.evaluate("window.spoken")
        at = [said["text"].find(words) for words in words_on(page)]
        assert -1 not in at
        assert at == sorted(at), "in the order in which they stand there"
        assert said["lang"].lower().startswith("en")


def test_a_sentence_that_is_read_ends_once(site, context, page):
    context.add_init_script(voices("en-US"))
    page.goto(f"{site}/learn/cards/color-green/")
    page.get_by_role("button", name="Read it to me").click()
    (said,) = page.evaluate("window.spoken")
    assert not re.search(r"[.?!]\.", said["text"])


def test_words_are_still_read_after_an_answer(site, context, page):
    context.add_init_script(voices("en-US"))
    page.goto(f"{site}/learn/cards/color-green/")
    Pupil(page).answer()
    page.get_by_role("button", name="Read it to me").click()
    (said,) = page.evaluate("window.spoken")
    assert all(words in said["text"] for words in words_on(page))


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(NO_SPEECH, id="no speech"),
        pytest.param(voices(), id="no voice"),
        pytest.param(voices("de-DE", "ja-JP"), id="voices of other languages"),
    ],
)
def test_without_a_voice_nothing_offers_to_read(site, context, page, script):
    context.add_init_script(script)
    page.goto(f"{site}/learn/cards/color-green/")
    button = page.get_by_role("button", name="Read it to me")
    expect(button).to_be_hidden(timeout=1_000)
    Pupil(page).answer()
    expect(button).to_be_hidden(timeout=1_000)


def test_a_voice_that_comes_late_is_found(site, context, page):
    """Browsers load their voices after the page, and say so."""
    context.add_init_script(voices())
    page.goto(f"{site}/learn/cards/color-green/")
    page.evaluate(
        "() => { const voices = [{lang: 'en-US', name: 'late'}]; speechSynthesis.getVoices = () => voices;"
        " speechSynthesis.dispatchEvent(new Event('voiceschanged')); speechSynthesis.onvoiceschanged?.(); }"
    )
    expect(page.get_by_role("button", name="Read it to me")).to_be_visible()


def test_with_scripts_off_nothing_offers_to_read(site, new_context):
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"{site}/learn/cards/color-green/")
    expect(page.get_by_role("button", name="Read it to me")).to_be_hidden(timeout=1_000)
