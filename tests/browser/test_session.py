"""One lesson in real browsers: a remote, a projector and four devices, through every activity to the report.

With DOCS=1 it also takes the screenshots for var/sessions/, each screen at its sizes.
"""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest
from django.core.cache import cache
from playwright.sync_api import BrowserContext, Page, expect

from classrooms.live import leading
from classrooms.live.activities import kind_of
from classrooms.live.activities.silent_board import Arrangement
from classrooms.live.activities.teams import own_team
from classrooms.live.report import session_report
from classrooms.models import Activity, Answer, Attendee, Enrolment, Session, User
from games.codes import grouped
from games.rules import explain, find_sets
from games.rules.cards import Card
from tests.browser.players import give_session, session_key_of
from tests.classrooms.people import enrol, make_adult, make_classroom

DOCS = Path(__file__).resolve().parents[2] / "var" / "sessions"
PHONE, TABLET, LAPTOP, PROJECTOR = (390, 844), (820, 1180), (1366, 768), (1280, 720)
SIZES = {
    "device": {"phone": PHONE, "tablet": TABLET},
    "remote": {"phone": PHONE, "laptop": LAPTOP},
    "report": {"phone": PHONE, "laptop": LAPTOP},
    "projector": {"projector": PROJECTOR},
}


class Lesson:
    """A lesson as everybody in the room sees it."""

    def __init__(self, site: str, new_context) -> None:
        cache.clear()
        self.site, self.new_context = site, new_context
        self.teacher = make_adult("Ms. Rivera")
        self.classroom = make_classroom(self.teacher)
        self.enrolments = enrol(self.classroom, "Mia Okafor", "Noah Brandt", "Lina Haddad", "Theo Martin", "Ines Lopez")
        self.remote = self.open(self.teacher, LAPTOP)
        self.remote.goto(f"{site}/teach/{self.classroom.pk}/")
        self.remote.get_by_role("button", name="Start a lesson").click()
        self.remote.wait_for_url("**/remote/")
        self.code = re.search(r"session/(\w+)/remote", self.remote.url)[1]
        self.projector = self.open(self.teacher, PROJECTOR)
        self.projector.goto(f"{site}/teach/session/{self.code}/screen/")
        self.devices = [self.join(enrolment, PHONE) for enrolment in self.enrolments[:4]]
        # From now on no arrival moves what somebody is about to press on the remote.
        expect(self.remote.locator(".attendee-name:not(.is-away)")).to_have_count(4)

    def open(self, user: User, size: tuple[int, int]) -> Page:
        context: BrowserContext = self.new_context(viewport={"width": size[0], "height": size[1]})
        give_session(context, self.site, session_key_of(user))
        return context.new_page()

    def join(self, enrolment: Enrolment, size: tuple[int, int]) -> Page:
        page = self.open(enrolment.student, size)
        with page.expect_response(lambda response: "/stream/" in response.url):
            page.goto(f"{self.site}/session/{self.code}/")
        return page

    @property
    def session(self) -> Session:
        return Session.objects.get(code=self.code)

    @property
    def activity(self) -> Activity:
        return self.session.activities.order_by("number").last()

    def seat(self, place: int) -> Attendee:
        return self.session.attendees.get(user=self.enrolments[place].student)

    def begin(self, title: str, **choices: str) -> None:
        card = self.remote.locator(".activity-card", has=self.remote.get_by_role("heading", name=title, exact=True))
        for label, choice in choices.items():
            card.get_by_label(label.replace("_", " ")).select_option(choice)
        card.get_by_role("button", name="Start", exact=True).click()
        expect(self.remote.locator(".remote-now h2")).to_contain_text(title)

    def press(self, name: str) -> None:
        self.remote.get_by_role("button", name=name, exact=True).first.click()

    def sure(self, question: str, answer: str) -> None:
        """Confirm a question on the remote."""
        dialog = self.remote.get_by_role("dialog", name=question)
        dialog.get_by_role("button", name=answer).click()
        expect(dialog).to_be_hidden()

    def finish(self) -> None:
        # Wait for the devices, which are updated first; a button of the previous round does nothing.
        expect(self.remote.locator(f'[name="round"][value="{self.activity.round}"]').first).to_be_attached()
        self.press("Finish")
        expect(self.remote.get_by_role("heading", name="What shall we do?")).to_be_visible()

    def picture(self, name: str, page: Page) -> None:
        """Take screenshots for the docs if requested, each screen at its typical sizes."""
        if not os.environ.get("DOCS"):
            return
        DOCS.mkdir(parents=True, exist_ok=True)
        usual = page.viewport_size
        for title, size in SIZES[name.partition("-")[0]].items():
            page.set_viewport_size({"width": size[0], "height": size[1]})
            page.screenshot(path=DOCS / f"{name}-{title}.png", caret="initial")
        page.set_viewport_size(usual)


@pytest.fixture
def lesson(site, new_context, console) -> Lesson:
    # A device that's taken out of the lesson learns so from a refusal.
    console.allow(r"status of 404 .*/session/\w+/part/", r"Status Error Code 404 from /session/\w+/part/")
    return Lesson(site, new_context)


@pytest.mark.on_engines
def test_a_whole_lesson_with_every_activity_and_the_report_at_its_end(lesson):
    the_lobby(lesson)
    is_it_a_set(lesson)
    a_silent_board(lesson)
    the_relay(lesson)
    a_board_with_no_set(lesson)
    a_unit_together(lesson)
    the_box_game(lesson)
    at_tables(lesson)
    the_end_and_the_report(lesson)


def the_lobby(lesson: Lesson) -> None:
    expect(lesson.projector.locator(".giant-code")).to_have_text(grouped(lesson.code))
    expect(lesson.projector.locator(".lobby-people li")).to_have_count(4)
    expect(lesson.remote.locator(".attendee-name:not(.is-away)")).to_have_count(4)
    for device in lesson.devices:
        expect(device.get_by_text("You are in!")).to_be_visible()
    lesson.picture("projector-lobby", lesson.projector)
    lesson.picture("device-waiting", lesson.devices[0])


def is_it_a_set(lesson: Lesson) -> None:
    mia, noah, lina, theo = lesson.devices
    lesson.begin("Is it a SET?")
    for device in lesson.devices:
        expect(device.get_by_role("button", name="Yes", exact=True)).to_be_visible()
    lesson.picture("device-triple", mia)
    mia.get_by_role("button", name="Yes", exact=True).click()
    expect(mia.get_by_text("Your answer is in")).to_be_visible()
    expect(lesson.projector.locator(".count")).to_have_text(re.compile("1 of 4"))

    # A late joiner waits for the next round; a reload of each screen loses nothing.
    lesson.devices.append(lesson.join(lesson.enrolments[4], TABLET))
    expect(lesson.devices[4].get_by_text("You come in at the next round")).to_be_visible()
    expect(lesson.remote.locator(".attendee-name:not(.is-away)")).to_have_count(5)
    for page in (mia, lesson.projector, lesson.remote):
        page.reload()
    expect(mia.get_by_text("Your answer is in")).to_be_visible()
    expect(lesson.projector.locator(".count")).to_have_text(re.compile("1 of 4"))

    # "Eyes up": nobody can answer until the teacher goes on.
    lesson.press("Eyes up! (pause)")
    expect(noah.get_by_role("heading", name="Eyes up!")).to_be_visible()
    expect(lesson.projector.get_by_role("heading", name="Eyes up!")).to_be_visible()
    lesson.picture("projector-eyes-up", lesson.projector)
    lesson.press("Go on")
    noah.get_by_role("button", name="color").click()
    lina.get_by_role("button", name="Yes", exact=True).click()
    expect(lesson.projector.locator(".count")).to_have_text(re.compile("3 of 4"))
    expect(lesson.remote.locator(".attendees .is-answered")).to_have_count(3)

    # Theo is removed, and his open page says so.
    row = lesson.remote.locator(".attendees li", has_text="Theo")
    row.locator("summary").click()
    row.get_by_role("button", name="Take out of the lesson").click()
    lesson.sure("Take Theo out of the lesson?", "Take out of the lesson")
    expect(lesson.remote.locator(".attendee-name")).to_have_count(4)
    expect(theo.get_by_text("taken you out")).to_be_visible()

    expect(lesson.projector.locator(".count")).to_have_text(re.compile("Everybody has answered"))
    lesson.picture("remote-triple", lesson.remote)
    lesson.press("Show the answer")
    expect(lesson.projector.locator(".bars tr")).to_have_count(5)
    expect(mia.locator(".verdict")).to_be_visible()
    expect(noah.get_by_text("Not this time")).to_be_visible()
    lesson.picture("projector-triple", lesson.projector)
    lesson.press("Next")
    expect(lesson.devices[4].get_by_role("button", name="Yes", exact=True)).to_be_visible()
    assert set(lesson.activity.answers.values_list("attendee__name", "event__is_right")) == {
        ("Mia", True),
        ("Noah", False),
        ("Lina", True),
    }
    lesson.devices.pop(3).close()
    lesson.enrolments.insert(4, lesson.enrolments.pop(3))
    lesson.finish()


def mark(device: Page, cards) -> None:
    for card in cards:
        device.locator(f"label.card:has(input[value='{card.index}'])").click()


def a_silent_board(lesson: Lesson) -> None:
    mia, noah = lesson.devices[:2]
    lesson.begin("Silent board")
    for device in lesson.devices:
        expect(device.locator("label.card")).not_to_have_count(0)
    seen = [Arrangement(lesson.activity, lesson.seat(place)) for place in (0, 1)]
    first, second = find_sets(seen[0].cards)[:2]
    mark(mia, first)
    expect(mia.get_by_text("Yes, a SET!")).to_be_visible()
    lesson.picture("device-board", mia)
    mark(mia, second)
    expect(mia.get_by_text("You have found 2 SETs")).to_be_visible()
    wrong = next(
        (a, b, c)
        for a in seen[1].cards
        for b in seen[1].cards
        for c in seen[1].cards
        if a < b < c and not explain(a, b, c).is_set
    )
    mark(noah, wrong)
    expect(noah.get_by_text("Not a SET. Look why.")).to_be_visible()
    there = len(find_sets(seen[0].cards))
    expect(lesson.projector.locator("#screen")).to_contain_text(f"2 of {there} found by the class")
    lesson.picture("projector-board", lesson.projector)
    lesson.press("Show all SETs")
    expect(lesson.projector.locator(".board-sets li")).to_have_count(there)
    lesson.picture("projector-board-sets", lesson.projector)
    assert list(lesson.activity.answers.values_list("attendee__name", "event__is_right")) == [
        ("Mia", True),
        ("Mia", True),
        ("Noah", False),
    ]
    lesson.finish()


def whose_turn(lesson: Lesson) -> int:
    """The index of the device whose turn it is; the others are told a moment later."""
    deadline = time.monotonic() + 30
    while True:
        turns = [place for place, device in enumerate(lesson.devices) if device.get_by_text("Your turn!").is_visible()]
        if len(turns) == 1:
            return turns[0]
        assert time.monotonic() < deadline
        lesson.projector.wait_for_timeout(50)


def the_relay(lesson: Lesson) -> None:
    lesson.begin("Third-card relay")
    kind = kind_of(lesson.activity)
    for _turn in range(2):
        turn = whose_turn(lesson)
        activity = lesson.activity
        exercise = kind.exercise(activity, kind.track(activity, own_team(activity, lesson.seat(turn))))
        right = exercise.solve().card
        lesson.picture("device-relay", lesson.devices[turn])
        with lesson.devices[turn].expect_response(lambda response: response.url.endswith("/act/")):
            lesson.devices[turn].locator(f"#choice-{right.index}").click()
        expect(lesson.devices[turn].get_by_text("looks for the third card")).to_be_visible()
    lesson.picture("projector-relay", lesson.projector)
    assert [answer.is_right for answer in lesson.activity.answers.all()] == [True, True]
    lesson.finish()


def a_board_with_no_set(lesson: Lesson) -> None:
    lesson.begin("A board with no SET")
    mia, noah = lesson.devices[:2]
    for place, device in enumerate((mia, noah)):
        expect(device.locator("#screen")).to_contain_text(f"{place} of")
        device.locator("[id^=add-]").nth(place).click()
        expect(device.locator("#screen")).to_contain_text(f"{place + 1} of")
    lesson.picture("device-builder", mia)
    lesson.picture("projector-builder", lesson.projector)
    lesson.finish()


def a_unit_together(lesson: Lesson) -> None:
    lesson.begin("Lesson together")
    expect(lesson.projector.locator("h1")).to_be_visible()
    lesson.picture("projector-unit", lesson.projector)
    lesson.picture("device-unit", lesson.devices[0])
    lesson.press("Next")
    expect(lesson.remote.locator(".remote-now h2")).to_contain_text("round 2")
    lesson.finish()


def the_box_game(lesson: Lesson) -> None:
    mia, noah = lesson.devices[:2]
    # Twelve cards of the easy deck always contain a SET; the long time is for slow machines.
    lesson.begin("Box game", Deck="easy", Time_to_pick="20")
    for device in lesson.devices:
        expect(device.get_by_role("button", name="SET!")).to_be_visible()
    lesson.picture("device-buzzer", noah)
    mia.get_by_role("button", name="SET!").click()
    expect(mia.get_by_text("Tap three cards")).to_be_visible()
    expect(noah.get_by_text("Wait: Mia picks")).to_be_visible()
    lesson.picture("projector-box", lesson.projector)
    values = mia.locator("input[name=cards]").evaluate_all("all => all.map((each) => Number(each.value))")
    triple = find_sets(tuple(map(Card.from_index, values)))[0]
    mark(mia, triple)
    expect(mia.get_by_text("A SET! Why?")).to_be_visible()
    for each in explain(*triple).features:
        mia.locator(f"label:has(input[name={each.feature.value}][value={each.kind.value}])").click()
    mia.get_by_role("button", name="That is why").click()
    expect(mia.get_by_text("Well explained!")).to_be_visible()
    lesson.finish()


def at_tables(lesson: Lesson) -> None:
    lesson.begin("Tables")
    for device in lesson.devices:
        device.wait_for_url(re.compile(r"/play/\w+/"))
    lesson.picture("projector-tables", lesson.projector)
    lesson.finish()
    for device in lesson.devices:
        device.wait_for_url(re.compile(rf"/session/{lesson.code}/"))


def the_end_and_the_report(lesson: Lesson) -> None:
    lesson.press("End the lesson")
    lesson.picture("remote-question", lesson.remote)
    lesson.sure("End the lesson?", "End the lesson")
    expect(lesson.projector.locator(".debrief")).to_be_visible()
    for device in lesson.devices:
        expect(device.get_by_text("Well done")).to_be_visible()
    lesson.picture("projector-debrief", lesson.projector)
    lesson.remote.get_by_role("link", name="Report").click()
    lesson.remote.wait_for_url("**/report/")
    lesson.picture("report", lesson.remote)
    report = session_report(lesson.session)
    answers = Answer.objects.filter(activity__session=lesson.session)
    assert sum(row.total.answers for row in report.students) == answers.count()
    assert sum(row.total.rights for row in report.students) == answers.filter(event__is_right=True).count()
    page = lesson.remote.locator("main").inner_text()
    for name in ("Mia Okafor", "Noah Brandt", "Lina Haddad", "Ines Lopez"):
        assert name in page


def test_the_door_names_and_teams_reach_devices_at_once_without_a_reload(lesson):
    mia = lesson.devices[0]
    mia.evaluate("window.isTheSamePage = true")
    row = lesson.remote.locator(".attendees li", has_text="Mia Okafor")
    row.locator("summary").click()
    row.get_by_label("Name on screens").fill("Captain Mia")
    row.get_by_role("button", name="Rename").click()
    expect(mia.locator(".attendee-who")).to_have_text("Captain Mia")
    lesson.press("Deal into teams")
    expect(mia.locator(".attendee-who")).to_contain_text("team")
    assert mia.evaluate("window.isTheSamePage"), "a reload is no push"

    lesson.press("Close the door")
    # Pressing the button isn't enough: the session is closed only after confirming.
    expect(lesson.remote.get_by_role("button", name="Open the door")).to_be_visible()
    ines = lesson.join(lesson.enrolments[4], PHONE)
    expect(ines.get_by_text("The door is closed. Ask your teacher.")).to_be_visible()
    lesson.press("Open the door")
    expect(ines.get_by_role("heading", name="You are in!")).to_be_visible()

    row = lesson.remote.locator(".attendees li", has_text="Ines Lopez")
    row.locator("summary").click()
    row.get_by_role("button", name="Take out of the lesson").click()
    lesson.sure("Take Ines out of the lesson?", "Take out of the lesson")
    expect(ines.get_by_text("Your teacher has taken you out of this lesson.")).to_be_visible()
    lesson.remote.get_by_role("button", name="Let Ines back in").click()
    expect(ines.get_by_role("heading", name="You are in!")).to_be_visible()


def test_a_picture_that_comes_after_the_answer_to_something_sent_later_is_not_shown(lesson):
    mia = lesson.devices[0]
    lesson.begin("Silent board")
    expect(mia.locator("label.card")).not_to_have_count(0)
    part = f"{lesson.site}/session/{lesson.code}/part/"
    before = mia.request.get(part, headers={"HX-Request": "true"}).text()
    mark(mia, find_sets(Arrangement(lesson.activity, lesson.seat(0)).cards)[0])
    expect(mia.get_by_text("Yes, a SET!")).to_be_visible()
    mia.route(f"{part}*", lambda route: route.fulfill(body=before, content_type="text/html"))
    mia.evaluate("part => htmx.ajax('GET', part, { target: '#screen', swap: 'innerHTML' })", part)
    expect(mia.get_by_text("Yes, a SET!")).to_be_visible()


def test_the_remote_asks_before_it_ends_a_lesson_and_waits_whatever_comes_meanwhile(lesson):
    lesson.begin("Is it a SET?")
    question = lesson.remote.get_by_role("dialog", name="End the lesson?")
    lesson.press("End the lesson")
    expect(question).to_contain_text("can't be opened again")
    expect(question.get_by_role("button", name="Cancel")).to_be_focused()
    lesson.remote.keyboard.press("Escape")
    expect(question).to_be_hidden()
    assert not lesson.session.is_over

    lesson.press("End the lesson")
    expect(question).to_be_visible()
    lesson.devices[0].get_by_role("button", name="Yes", exact=True).click()
    expect(lesson.projector.locator(".count")).to_have_text(re.compile("1 of 4"))
    question.get_by_role("button", name="Cancel").click()
    expect(lesson.remote.locator(".remote-now")).to_contain_text("1 of 4")

    lesson.press("End the lesson")
    lesson.devices[1].get_by_role("button", name="Yes", exact=True).click()
    expect(lesson.projector.locator(".count")).to_have_text(re.compile("2 of 4"))
    lesson.sure("End the lesson?", "End the lesson")
    expect(lesson.remote.get_by_role("heading", name="The lesson is over")).to_be_visible()
    assert lesson.session.is_over


@pytest.mark.on_engines
def test_what_the_remote_was_sure_about_is_done_though_others_changed_the_lesson_meanwhile(lesson):
    """Their change redraws the remote once the dialog is closed, which removes the form."""
    row = lesson.remote.locator(".attendees li", has_text="Noah")
    row.locator("summary").click()
    row.get_by_role("button", name="Take out of the lesson").click()
    for name in ("Captain", "Admiral"):
        leading.rename(lesson.seat(0), name)
        expect(lesson.devices[0].locator(".attendee-who")).to_have_text(name)
    lesson.sure("Take Noah out of the lesson?", "Take out of the lesson")
    expect(lesson.devices[1].get_by_text("Your teacher has taken you out of this lesson.")).to_be_visible()
