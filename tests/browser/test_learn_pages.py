"""Learning pages: the learner's own page, and text read aloud if the browser has a voice for it."""

from __future__ import annotations

import json
import random
import re
import time

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from games.players import Player
from tests.browser.players import sign_in
from tests.browser.test_course import Pupil
from tests.lessons.test_learning import finish_step, learn_for_days

DAY = 86_400


@pytest.fixture
def context(new_context) -> BrowserContext:
    return new_context()


@pytest.fixture
def page(context) -> Page:
    return context.new_page()


@pytest.fixture
def learner(site, context) -> Player:
    """A learner who has tried a little of everything."""
    ann = sign_in(context, site, "Ann")
    now = time.time()
    learn_for_days(ann, random.Random("my page"), tries=40, start=now - 90 * DAY)
    finish_step(ann, "cards", "four-features", now=now)
    return ann


def test_my_page_tells_a_learner_everything(site, learner, page):
    page.goto(f"{site}/learn/me/")
    for title in ("What I can do", "What I miss most", "My slowest boards", "My best times", "My path"):
        expect(page.get_by_role("heading", name=title)).to_be_visible()


def voices(*languages: str) -> str:
    """A fake speech API with voices for these languages, which records what it should say."""
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
    expect(button).to_be_hidden()
    Pupil(page).answer()
    expect(button).to_be_hidden()


def test_a_voice_that_comes_late_is_found(site, context, page):
    """Browsers load their voices after the page, and fire an event."""
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
    expect(page.get_by_role("button", name="Read it to me")).to_be_hidden()
