"""The site as an app: lessons and practice work offline, and no answer is lost or counted twice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from playwright.sync_api import BrowserContext, Page, expect

from core.offline import views as app
from games.players import Player
from lessons.course.units import course
from lessons.models import LearningEvent, StepDone
from lessons.questions import Exercise
from lessons.skills import ExerciseKind
from lessons.tickets import read_ticket
from tests.browser.players import sign_in
from tests.browser.wire import Wire
from tests.lessons.test_learning import right_answer, wrong_answer

KEPT = "Kept. It is checked when the network is back."
OFFLINE = "You are offline. Lessons and practice still work."
UNIT = course()[0]

# Read what the service worker has stored.
STORE = """async () => {
  const database = await new Promise((resolve) => {
    const request = indexedDB.open("setsite");
    // To look before the worker has made it must not make an empty one in its place.
    request.onupgradeneeded = () => request.transaction.abort();
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => resolve(null);
  });
  if (!database) return { pages: [] };
  const count = (name) => new Promise((resolve) => {
    const request = database.transaction(name).objectStore(name).count();
    request.onsuccess = () => resolve(request.result);
  });
  const found = { answers: await count("answers"), exercises: await count("exercises"), pages: [] };
  database.close();
  for (const name of await caches.keys()) {
    if (!name.startsWith("pages ")) continue;
    for (const { url } of await (await caches.open(name)).keys()) found.pages.push(new URL(url).pathname);
  }
  return found;
}"""


@pytest.fixture
def wire(site, console) -> Iterator[Wire]:
    # A browser logs what it can't load, and htmx what it can't send.
    console.allow(r"net::ERR_", r"^htmx:(sendError|afterRequest|timeout)")
    cache.clear()
    wire = Wire(site)
    yield wire
    wire.close()


@pytest.fixture
def tablet(wire, new_context) -> Iterator[BrowserContext]:
    context = new_context(service_workers="allow")
    yield context
    context.close()


@pytest.fixture
def ann(tablet, wire) -> Player:
    return sign_in(tablet, wire.url, "Ann")


def store(page: Page) -> dict[str, Any]:
    return page.evaluate(STORE)


def until(page: Page, is_so: str, argument: Any = None) -> None:
    """Wait until a JavaScript function returns true. Playwright's own way needs eval, which the site's CSP forbids."""
    page.evaluate(
        f"""async (argument) => {{
          const deadline = Date.now() + 60000;
          while (!(await ({is_so})(argument))) {{
            if (Date.now() > deadline) throw new Error("in vain: " + JSON.stringify(await ({STORE})()));
            await new Promise((resolve) => setTimeout(resolve, 30));
          }}
        }}""",
        argument,
    )


def wait_for(page: Page, **wanted: Any) -> None:
    """Wait until the service worker has stored this much, or at least the named pages."""
    for name, value in wanted.items():
        until(
            page,
            f"""async ([name, value]) => {{
              const found = (await ({STORE})())[name];
              return Array.isArray(value) ? value.every((each) => found.includes(each)) : found === value;
            }}""",
            [name, value],
        )


def install(page: Page, wire: Wire, path: str = "/learn/practice/") -> None:
    """Open a lesson page and wait until everything needed offline is stored."""
    page.goto(wire.url + path)
    until(page, "() => navigator.serviceWorker.controller !== null")
    wait_for(page, exercises=10, pages=["/offline/", "/learn/", "/learn/practice/"])


def lose_network(page: Page, wire: Wire) -> None:
    wire.cut()
    page.context.set_offline(True)


def regain_network(page: Page, wire: Wire) -> None:
    wire.restore()
    page.context.set_offline(False)


def asked(page: Page) -> Exercise:
    return read_ticket(page.locator("form.exercise [name=ticket]").input_value()).question


def ticket_of_the_copy(page: Page) -> str:
    """The ticket in the cached practice page."""
    return page.evaluate(
        """async () => {
          const copy = await caches.match("/learn/practice/", { ignoreVary: true });
          const kept = new DOMParser().parseFromString(await copy.text(), "text/html");
          return kept.querySelector("form.exercise [name=ticket]").value;
        }"""
    )


def answer(page: Page, *, right: bool = True) -> Exercise:
    """Answer the exercise on the page by hand."""
    exercise = asked(page)
    wanted = right_answer(exercise) if right else wrong_answer(exercise)
    match exercise.kind:
        case ExerciseKind.IS_SET | ExerciseKind.ANY_SET:
            page.locator(f"button[name=yes][value='{int(wanted['yes'])}']").click()
        case ExerciseKind.WHICH_BREAKS:
            page.locator(f"button[name=breaks][value='{wanted['breaks']}']").click()
        case ExerciseKind.THIRD_CARD:
            page.locator(f"button[name=card][value='{wanted['card']}']").click()
        case ExerciseKind.FIND_ONE:
            for card in wanted["cards"]:
                page.locator(f"label:has(input[name=cards][value='{card}'])").click()
        case ExerciseKind.EXPLAIN:
            for feature, kind in wanted.items():
                page.locator(f"label:has(input[name='{feature}'][value='{kind}'])").click()
            page.get_by_role("button", name="Check").click()
    return exercise


def answer_offline(page: Page, *rights: bool) -> list[Exercise]:
    """Answer one exercise after another without a network."""
    exercises = []
    for number, right in enumerate(rights, store(page)["answers"] + 1):
        before = page.locator("form.exercise [name=ticket]").input_value()
        exercises.append(answer(page, right=right))
        expect(page.get_by_text(KEPT)).to_be_visible()
        wait_for(page, answers=number)
        expect(page.locator("form.exercise [name=ticket]")).not_to_have_value(before)
    return exercises


def expect_checked(page: Page, checked: int, right: int) -> None:
    expect(page.get_by_text(f"Answers checked: {checked}. Right: {right}.")).to_be_visible(timeout=60_000)
    wait_for(page, answers=0)


# Installing


def test_the_app_can_be_installed(tablet, wire):
    page = tablet.new_page()
    page.goto(wire.url)
    session = tablet.new_cdp_session(page)
    manifest = session.send("Page.getAppManifest")
    assert manifest["url"] == f"{wire.url}/app.webmanifest"
    assert not manifest["errors"]
    until(page, "() => navigator.serviceWorker.controller !== null")
    errors = {each["errorId"] for each in session.send("Page.getInstallabilityErrors")["installabilityErrors"]}
    assert errors <= {"in-incognito"}, "as every browser of a test is"


def test_a_new_version_takes_over_and_throws_the_files_of_the_old_one_away(tablet, wire, monkeypatch):
    page = tablet.new_page()
    install(page, wire)
    (old,) = [name for name in page.evaluate("caches.keys()") if name.startswith("files ")]
    monkeypatch.setattr(app, "LESSON_STYLES", (*app.LESSON_STYLES, "css/lab.css"))
    page.evaluate("navigator.serviceWorker.ready.then((registration) => registration.update())")
    until(
        page,
        """async (old) => {
          const files = (await caches.keys()).filter((name) => name.startsWith("files "));
          return files.length === 1 && files[0] !== old && await caches.match("/static/css/lab.css");
        }""",
        old,
    )
    # The old cached pages are gone too; the next page brings new ones.
    install(page, wire)


# Without a network


def test_lessons_and_practice_are_there_without_a_network(tablet, wire, ann):
    page = tablet.new_page()
    first, second = (f"/learn/{UNIT.slug}/{step.slug}/" for step in UNIT.steps[:2])
    install(page, wire, first)
    wait_for(page, pages=[f"/learn/{UNIT.slug}/{step.slug}/" for step in UNIT.steps])
    lose_network(page, wire)
    expect(page.get_by_text(OFFLINE)).to_be_visible()

    for path, heading in (
        ("/learn/", "Learn to play"),
        (second, UNIT.steps[1].title),
        ("/learn/practice/", "Practice"),
    ):
        page.goto(wire.url + path)
        expect(page.get_by_role("heading", name=str(heading), level=1)).to_be_attached()
        expect(page.get_by_text(OFFLINE)).to_be_visible()
        # It has its style.
        expect(page.locator(".brand-picture")).to_have_css("width", "44px")

    # Uncached pages show a friendly message and the way to what's cached.
    page.goto(f"{wire.url}/play/")
    expect(page.get_by_role("heading", name="There is no network just now")).to_be_visible()
    page.get_by_role("link", name="Lessons").click()
    expect(page.get_by_role("heading", name="Learn to play")).to_be_visible()

    # When the network is back, so is the requested page.
    page.goto(f"{wire.url}/play/")
    expect(page.get_by_text(OFFLINE)).to_be_visible()
    regain_network(page, wire)
    expect(page.get_by_text(OFFLINE)).to_be_hidden(timeout=60_000)
    expect(page.get_by_role("heading", name="There is no network just now")).to_be_hidden()
    expect(page).to_have_url(f"{wire.url}/play/")


@pytest.mark.on_engines
def test_five_answers_without_a_network_are_five_attempts(tablet, wire, ann):
    page = tablet.new_page()
    install(page, wire)
    lose_network(page, wire)
    rights = [True, False, True, True, True]
    exercises = answer_offline(page, *rights)
    assert not LearningEvent.objects.exists()

    regain_network(page, wire)
    expect_checked(page, 5, 4)
    rows = list(LearningEvent.objects.order_by("pk"))
    assert [(row.seed, row.is_right) for row in rows] == [
        (exercise.seed, right) for exercise, right in zip(exercises, rights, strict=True)
    ]
    assert [row.at for row in rows] == sorted(row.at for row in rows)
    assert all(row.user == ann.user and row.is_first and row.source == "practice" for row in rows)
    # Prefetched exercises have no known answer time.
    assert [row.seconds for row in rows] == [None] * 5

    page.get_by_role("link", name="Try a wrong one again").click()
    expect(page).to_have_url(re.compile(rf"/learn/practice/\?again={rows[1].pk}$"))
    assert asked(page).cards == exercises[1].cards
    expect(page.get_by_text("Answers checked")).to_be_hidden()


def test_answers_are_kept_over_a_closed_page_and_a_reload(tablet, wire, ann):
    page = tablet.new_page()
    install(page, wire)
    lose_network(page, wire)
    first = answer_offline(page, True)
    page.reload()
    expect(page.get_by_text(OFFLINE)).to_be_visible()
    # The cached page shows the next exercise in place of its own.
    expect(page.locator("form.exercise [name=ticket]")).not_to_have_value(ticket_of_the_copy(page))
    assert asked(page).seed != first[0].seed
    answer_offline(page, True)
    page.close()
    regain_network(tablet.new_page(), wire)
    page = tablet.pages[-1]
    page.goto(wire.url)
    expect_checked(page, 2, 2)
    assert LearningEvent.objects.filter(is_right=True, is_first=True).count() == 2


def test_a_server_that_comes_back_without_the_browsers_knowing_gets_the_answers(tablet, wire, ann):
    page = tablet.new_page()
    install(page, wire)
    wire.cut()
    answer_offline(page, True, True)
    wire.restore()
    expect_checked(page, 2, 2)
    assert LearningEvent.objects.count() == 2


def test_who_has_used_up_what_is_kept_is_told_so(tablet, wire, ann):
    page = tablet.new_page()
    install(page, wire)
    lose_network(page, wire)
    answer_offline(page, *[True] * 10)
    answer(page)
    expect(page.get_by_text("No more exercises are kept here.")).to_be_visible()
    regain_network(page, wire)
    expect_checked(page, 11, 11)
    assert LearningEvent.objects.count() == 11
    expect(page.get_by_text("No more exercises are kept here.")).to_be_hidden()
    expect(page.locator("form.question[inert]")).to_have_count(0)
    answer(page)
    expect(page.get_by_text("Yes!")).to_be_visible()


def test_steps_of_a_lesson_go_on_without_a_network(tablet, wire, ann):
    page = tablet.new_page()
    steps = UNIT.steps[:3]
    install(page, wire, f"/learn/{UNIT.slug}/{steps[0].slug}/")
    wait_for(page, pages=[f"/learn/{UNIT.slug}/{step.slug}/" for step in UNIT.steps])
    lose_network(page, wire)
    for number, step in enumerate(steps, 1):
        expect(page.get_by_role("heading", name=str(step.title), level=1)).to_be_visible()
        if (boxes := page.locator("form.question label:has(input[type=checkbox])")).count():
            page.locator("form.question button[type=submit]").click()
            expect(page.get_by_text("Choose your cards first.")).to_be_visible()
            boxes.first.click()
        page.locator("form.question button[type=submit]").first.click()
        expect(page.get_by_text(KEPT)).to_be_visible()
        wait_for(page, answers=number)
        if step is not steps[-1]:
            with page.expect_navigation():
                page.get_by_role("link", name="Next").click()
    regain_network(page, wire)
    expect(page.get_by_text(f"Answers checked: {len(steps)}.")).to_be_visible(timeout=60_000)
    expect(page.get_by_text(KEPT)).to_be_hidden()
    expect(page.locator(".dots .is-done")).not_to_have_count(0)
    assert StepDone.objects.filter(user=ann.user, unit=UNIT.slug, step=steps[0].slug).exists()


# Nothing twice


def test_an_answer_whose_confirmation_is_lost_counts_once(tablet, wire, ann):
    page = tablet.new_page()
    install(page, wire)
    # With a network: the answer arrives, but the page gets no response.
    wire.swallows_answers = True
    first = answer(page)
    expect(page.get_by_text(KEPT)).to_be_visible()
    assert wire.swallowed
    assert LearningEvent.objects.get().seed == first.seed
    # And again when it's sent from the queue.
    swallowed = wire.swallowed
    page.context.set_offline(True)
    page.context.set_offline(False)
    wire.wait_until_swallowed(swallowed + 1)
    wire.swallows_answers = False
    expect_checked(page, 1, 1)
    assert LearningEvent.objects.count() == 1


@pytest.mark.console_errors(r"(status of|Status Error Code) 403 .*/learn/practice/")
def test_an_answer_of_a_page_whose_token_is_of_before_is_sent_with_a_new_one(tablet, wire, ann):
    page = tablet.new_page()
    install(page, wire)
    # Change the page, not the cookie: prefetched pages may set the cookie again at any moment.
    page.locator("form.exercise [name=csrfmiddlewaretoken]").evaluate("(field) => { field.value = 'a'.repeat(64) }")
    exercise = answer(page)
    expect_checked(page, 1, 1)
    assert LearningEvent.objects.get().seed == exercise.seed


@pytest.mark.on_engines
def test_two_tabs_that_come_back_at_once_send_each_answer_once(tablet, wire, ann):
    pages = [tablet.new_page(), tablet.new_page()]
    for page in pages:
        install(page, wire)
    lose_network(pages[0], wire)
    answer_offline(pages[0], True, True)
    answer_offline(pages[1], True)
    regain_network(pages[0], wire)
    for page in pages:
        page.evaluate("dispatchEvent(new Event('online'))")
    for page in pages:
        expect_checked(page, 3, 3)
    assert LearningEvent.objects.count() == 3


def test_a_practice_with_a_network_is_as_before(tablet, wire, ann):
    page = tablet.new_page()
    install(page, wire)
    for number in (1, 2):
        answer(page)
        expect(page.get_by_text("Yes!")).to_be_visible()
        page.get_by_role("link", name="Next").click()
        expect(page.get_by_text("Yes!")).to_be_hidden()
        assert LearningEvent.objects.count() == number
    assert LearningEvent.objects.filter(seconds__isnull=False, sent_as__isnull=False).count() == 2


# A shared tablet


def test_nothing_of_the_one_before_is_shown_after_signing_out(tablet, wire, ann):
    page = tablet.new_page()
    install(page, wire)
    wait_for(page, pages=[f"/learn/{UNIT.slug}/{step.slug}/" for step in UNIT.steps])
    expect(page.get_by_role("link", name="Ann")).to_be_visible()
    page.goto(f"{wire.url}/account/logout/")
    with page.expect_navigation():
        page.locator("main form button[type=submit]").click()
    page.wait_for_load_state()
    until(page, "async () => !(await caches.keys()).some((name) => /^pages (?!guest )/.test(name))")
    wait_for(page, pages=["/offline/", "/learn/", "/learn/practice/"])
    assert len([name for name in page.evaluate("caches.keys()") if name.startswith("pages ")]) == 1
    lose_network(page, wire)
    for path in ("/learn/", "/learn/practice/", "/offline/", "/account/"):
        page.goto(wire.url + path)
        expect(page.get_by_role("link", name="Sign in")).to_be_visible()
        assert not re.search(r"\bAnn\b", page.content()), "as a word: three letters of a token are nobody's name"


def test_answers_of_a_learner_wait_for_that_learner(tablet, wire, ann):
    page = tablet.new_page()
    install(page, wire)
    lose_network(page, wire)
    answer_offline(page, True, True)
    # Somebody else is using the tablet when the network is back.
    session = next(cookie for cookie in tablet.cookies() if cookie["name"] == "sessionid")
    page.goto("about:blank")
    ben = sign_in(tablet, wire.url, "Ben")
    regain_network(page, wire)
    install(page, wire)
    expect(page.get_by_role("link", name="Ben")).to_be_visible()
    answer(page)
    expect(page.get_by_text("Yes!")).to_be_visible()
    assert [row.user for row in LearningEvent.objects.all()] == [ben.user]
    assert store(page)["answers"] == 2
    # Nobody is signed in; the page says answers are waiting for somebody.
    tablet.clear_cookies()
    page.goto(wire.url)
    expect(page.get_by_text("Answers that wait until the one who gave them signs in again: 2")).to_be_visible()
    # Then Ann comes back.
    tablet.add_cookies([session])
    page.goto(wire.url)
    expect_checked(page, 2, 2)
    assert LearningEvent.objects.filter(user=ann.user).count() == 2
    assert LearningEvent.objects.filter(user=ben.user).count() == 1


def test_pages_of_others_than_learners_are_never_kept(tablet, wire, ann):
    page = tablet.new_page()
    install(page, wire)
    for path in ("/", "/play/", "/account/", "/learn/me/", "/lab/", "/privacy/"):
        page.goto(wire.url + path)
    page.goto(f"{wire.url}/learn/")
    wait_for(page, pages=["/learn/"])
    kept = {path for path in store(page)["pages"] if not path.startswith("/learn/")}
    assert kept == {"/offline/"}
    assert "/learn/me/" not in store(page)["pages"]


def test_a_table_says_by_itself_that_it_is_cut_off(tablet, wire, ann):
    page = tablet.new_page()
    install(page, wire)
    page.goto(f"{wire.url}/play/")
    with page.expect_response(lambda response: "/stream/" in response.url):
        page.locator("form[action$='/alone/'] button").first.click()
    lose_network(page, wire)
    expect(page.get_by_text("The connection is lost. Trying again…")).to_be_visible()
    expect(page.get_by_text(OFFLINE)).to_be_hidden()
    regain_network(page, wire)
    expect(page.get_by_text("The connection is lost. Trying again…")).to_be_hidden()
