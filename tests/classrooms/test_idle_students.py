"""A child's idle session on a shared tablet ends after a while; nobody else's does."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.conf import settings
from django.contrib.auth import get_user
from django.test import Client
from django.utils import timezone

from classrooms.live import joining, leading
from classrooms.live.wall import LONGEST
from classrooms.models import Attendee, Enrolment, Session
from games.players import Player
from tests.classrooms.people import enrol, make_adult, make_classroom, signed_in
from tests.classrooms.test_signing_in import scan

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock_of_limits")]
IDLE = settings.STUDENT_IDLE_SECONDS
HOUR = 3_600


@pytest.fixture
def clock(monkeypatch) -> SimpleNamespace:
    clock = SimpleNamespace(now=1_800_000_000.0)
    clock.time = lambda: clock.now
    monkeypatch.setattr("classrooms.middleware.time", clock)
    return clock


@pytest.fixture
def mia() -> Enrolment:
    return enrol(make_classroom(make_adult()), "Mia Okafor")[0]


@pytest.fixture
def tablet(mia, clock) -> Client:
    tablet = Client()
    scan(tablet, mia)
    tablet.get("/learn/")
    return tablet


def test_a_child_who_walked_away_is_signed_out_and_asked_back_in(tablet, mia, clock):
    # Activity is recorded every five minutes.
    clock.now += HOUR + 301
    answer = tablet.get("/learn/me/")
    assert answer.headers["Location"] == "/join/?away=1"
    assert get_user(tablet).is_anonymous
    page = tablet.get("/join/?away=1").text
    assert "You were away for a while" in page
    assert mia.classroom.name in page, "the tablet knows the class: no code to type"
    assert scan(tablet, mia).headers["Location"] == "/learn/me/", "and on to where the child was"


def test_with_htmx_the_whole_page_leads_to_the_sign_in(tablet, clock):
    clock.now += IDLE + 301
    answer = tablet.post("/learn/cards/four-features/", headers={"HX-Request": "true"})
    assert answer.headers["HX-Redirect"] == "/join/?away=1"


def test_a_child_who_goes_on_stays_for_as_long_as_they_like(tablet, mia, clock):
    for _step in range(20):
        clock.now += IDLE - 60
        tablet.get("/learn/")
    assert get_user(tablet) == mia.student


def test_a_busy_child_costs_no_write_for_each_page(tablet, clock, django_assert_max_num_queries):
    clock.now += 10
    before = dict(tablet.session)
    for _page in range(5):
        tablet.get("/learn/")
        clock.now += 10
    assert tablet.session["seen"] == before["seen"]


def test_a_child_whose_device_is_in_a_running_lesson_stays(tablet, mia, clock):
    lesson = leading.open_session(mia.classroom, by=mia.classroom.teachers.get())
    joining.attend(lesson, Player(name="Mia", user=mia.student))
    Attendee.objects.update(is_connected=True)
    clock.now += 3 * IDLE
    tablet.get("/learn/")
    assert get_user(tablet) == mia.student
    leading.end(lesson)
    clock.now += IDLE + 301
    tablet.get("/learn/")
    assert get_user(tablet).is_anonymous


def test_adults_and_guests_stay(clock):
    teacher = make_adult()
    at_desk, guest = signed_in(teacher), Client()
    guest.post("/learn/cards/four-features/")
    key = guest.session["guest"]
    for _day in range(3):
        clock.now += 86_400
        at_desk.get("/teach/")
        guest.get("/learn/")
    assert get_user(at_desk) == teacher
    assert guest.session["guest"] == key


def test_answers_from_a_browser_that_was_offline_are_kept_there(tablet, clock):
    whose = tablet.get("/learn/later/").json()["whose"]
    clock.now += IDLE + 301
    assert tablet.post("/learn/later/", {"whose": whose, "place": "cards/four-features"}).status_code == 409


def test_a_lesson_that_nobody_ended_keeps_a_left_tablet_signed_in_for_a_day_at_most(tablet, mia, clock):
    lesson = leading.open_session(mia.classroom, by=mia.classroom.teachers.get())
    joining.attend(lesson, Player(name="Mia", user=mia.student))
    Attendee.objects.update(is_connected=True)
    Session.objects.update(opened_at=timezone.now() - LONGEST)
    clock.now += IDLE + 301
    tablet.get("/learn/")
    assert get_user(tablet).is_anonymous
