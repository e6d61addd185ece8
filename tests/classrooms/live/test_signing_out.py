"""A stream belongs to the signed-in user: it ends when they sign out or their session ends in any other way."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session as BrowserSession
from django.test import Client
from django.utils import timezone

from classrooms.accounts.sign_up import Adapter
from classrooms.classes import students
from classrooms.live import joining, leading
from classrooms.models import Session, User
from core.live import hub as live_hub
from games.models import Match
from games.players import Player
from tests.browser.players import session_key_of
from tests.classrooms.live.page_streams import PageStream, is_closed, is_refused, key_of
from tests.classrooms.people import enrol, make_adult, make_classroom, signed_in
from tests.games.live import PATIENCE

PASSWORD = "under the third oval"  # noqa: S105 (nobody's)
NEW = "between two green waves"


@pytest.fixture
def lesson(site) -> Session:
    """A lesson with Mia and Noah at a table."""
    teacher = make_adult("Rivera")
    teacher.set_password(PASSWORD)
    teacher.save()
    classroom = make_classroom(teacher)
    session = leading.open_session(classroom, by=teacher)
    for each in enrol(classroom, "Mia Okafor", "Noah Brandt"):
        joining.attend(session, Player(name=each.student.display_name, user=each.student))
    leading.begin(session, "tables", {"size": 2, "how": "chance"})
    return session


@pytest.fixture
def mia(lesson) -> User:
    return lesson.attendees.get(number=1).user


@pytest.fixture
def told(monkeypatch) -> None:
    """Turn off the periodic check, so that streams can only end because of a notification."""
    monkeypatch.setattr(live_hub, "HEARTBEAT_SECONDS", 10 * PATIENCE)


@pytest.fixture
def often(monkeypatch) -> None:
    """Check viewers at every heartbeat, instead of every ten seconds."""
    monkeypatch.setattr(live_hub, "HEARTBEAT_SECONDS", 0.0)


def streams_of_student(lesson: Session, client: Client) -> list[PageStream]:
    """The streams of the lesson page, of the part that leads to the table, and of the table."""
    pages = (f"/session/{lesson.code}/", f"/session/{lesson.code}/part/", f"/play/{Match.objects.get().code}/")
    return [PageStream.on(page, client) for page in pages]


def streams_of_teacher(lesson: Session, client: Client) -> list[PageStream]:
    lead = f"/teach/session/{lesson.code}"
    pages = (f"{lead}/remote/", f"{lead}/screen/", f"/play/{Match.objects.get().code}/")
    return [PageStream.on(page, client) for page in pages]


class Open:
    """Open streams that have received something."""

    def __init__(self, site: str, streams: list[PageStream]) -> None:
        self.screens = [stream.open(site) for stream in streams]
        for screen in self.screens:
            screen.data("part" if "/session/" in screen.path else "table")

    def all_end(self) -> bool:
        return all(is_closed(screen) for screen in self.screens)

    def __enter__(self) -> Open:
        return self

    def __exit__(self, *error: object) -> None:
        for screen in self.screens:
            screen.close()


def sign_out(client: Client, lesson: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    assert client.post("/account/logout/").status_code == 302


def stay_away(client: Client, lesson: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stay away after the lesson for longer than a child stays signed in."""
    client.get("/learn/")
    leading.end(lesson)
    later = time.time() + settings.STUDENT_IDLE_SECONDS + 301
    monkeypatch.setattr("classrooms.middleware.time", SimpleNamespace(time=lambda: later))
    assert client.get("/learn/").headers["Location"] == "/join/?away=1"


def get_new_card(client: Client, lesson: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    students.reset_student(lesson.attendees.get(number=1).user, by=lesson.made_by, classroom=lesson.classroom)


def get_new_cards(client: Client, lesson: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    students.renew_cards(lesson.classroom, by=lesson.made_by)


def make_way(client: Client, lesson: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hand the tablet to the next child."""
    client.force_login(lesson.attendees.get(number=2).user)


Ends = Callable[[Client, Session, pytest.MonkeyPatch], None]


@pytest.mark.parametrize("ends", [sign_out, stay_away, get_new_card, get_new_cards, make_way])
def test_the_streams_of_a_student_end_with_the_session(site, lesson, mia, told, monkeypatch, ends: Ends):
    tablet = signed_in(mia)
    streams = streams_of_student(lesson, tablet)
    with Open(site, streams) as screens:
        ends(tablet, lesson, monkeypatch)
        assert screens.all_end()
    for stream in streams:
        assert is_refused(site, stream), "with the old cookie"
        assert is_refused(site, PageStream(stream.path, key_of(tablet))), "with the one of now"


def test_the_streams_of_a_teacher_end_when_they_sign_out(site, lesson, told):
    laptop = signed_in(lesson.made_by)
    streams = streams_of_teacher(lesson, laptop)
    with Open(site, streams) as screens:
        laptop.post("/account/logout/")
        assert screens.all_end()
    assert all(is_refused(site, stream) for stream in streams)


def by_page(teacher: User) -> None:
    form = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}
    assert signed_in(teacher).post("/account/password/change/", form).status_code == 302


def by_mail(teacher: User) -> None:
    """Change the account the way allauth does after the link in the mail was followed."""
    Adapter().set_password(teacher, NEW)


@pytest.mark.parametrize("change", [by_page, by_mail])
def test_a_new_password_ends_the_streams_of_other_browsers(site, lesson, told, change: Callable[[User], None]):
    streams = streams_of_teacher(lesson, signed_in(lesson.made_by))
    with Open(site, streams) as screens:
        change(lesson.made_by)
        assert screens.all_end()
    assert all(is_refused(site, stream) for stream in streams)


def test_whoever_changes_the_password_has_their_streams_again_at_once(site, lesson, told):
    laptop = signed_in(lesson.made_by)
    streams = streams_of_teacher(lesson, laptop)
    form = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}
    assert laptop.post("/account/password/change/", form).status_code == 302
    with Open(site, [PageStream(stream.path, key_of(laptop)) for stream in streams]):
        pass


def test_a_session_that_ends_without_a_word_ends_its_streams_at_the_next_look(site, lesson, mia, often):
    tablet = signed_in(mia)
    with Open(site, streams_of_student(lesson, tablet)) as screens:
        BrowserSession.objects.filter(pk=key_of(tablet)).update(expire_date=timezone.now())
        assert screens.all_end()


def test_signing_out_at_one_tablet_leaves_the_other_its_streams(site, lesson, mia, often):
    here, there = signed_in(mia), signed_in(mia)
    with Open(site, streams_of_student(lesson, there)) as others, Open(site, streams_of_student(lesson, here)) as own:
        here.post("/account/logout/")
        assert own.all_end()
        device, _part, table = others.screens
        leading.rename(lesson.attendees.get(number=1), "Captain")
        table.table(until=lambda shown: "Captain" in shown.html)
        device.data("part")
    assert lesson.attendees.get(number=1).removed_at is None


@pytest.mark.parametrize("browser", ["nobody's", "classmate's", "none"])
def test_a_token_opens_nothing_in_another_browser(site, lesson, mia, told, browser):
    noah = lesson.attendees.get(number=2).user
    key = {"nobody's": "a" * 32, "classmate's": session_key_of(noah), "none": ""}[browser]
    for stream in streams_of_student(lesson, signed_in(mia)):
        assert is_refused(site, PageStream(stream.path, key))
    assert not lesson.attendees.get(number=1).is_connected


def test_the_stream_of_a_table_for_everybody_ends_too(site, lesson, mia, told):
    tablet = signed_in(mia)
    opened = tablet.post(
        "/play/open/together/", {"edition": "us", "deck": "full", "window": "none", "votes": "checked"}
    )
    stream = PageStream.on(opened.headers["Location"], tablet)
    with Open(site, [stream]) as screens:
        tablet.post("/account/logout/")
        assert screens.all_end()
    assert is_refused(site, stream)
