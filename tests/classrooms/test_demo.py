"""The demo: its people, its games, and its one-click sign-in."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth import get_user
from django.test import Client

from classrooms.demo import DAY, GUARDIAN_EMAIL, PASSWORD, TEACHER_EMAIL, fill_demo, people
from classrooms.models import AccountKind, Classroom, Enrolment, Guardianship, User
from games.models import Event, Match, Seat, Way
from games.rules import replay
from games.rules.records import event_from, match_from
from games.rules.state import Ending, Phase

pytestmark = pytest.mark.django_db

NOW = 1_800_000_000.0


@pytest.fixture(scope="module")
def _filled(django_db_setup, django_db_blocker):
    """Fill the demo once per file, because playing its games takes a while."""
    with django_db_blocker.unblock():
        fill_demo(now=NOW)
    yield
    with django_db_blocker.unblock():
        for model in (Match, Classroom, User):
            model.objects.all().delete()


@pytest.fixture
def demo(_filled, db, settings) -> None:
    settings.DEMO = True


def everything() -> dict:
    """All stored data that filling a second time could change."""
    models = (User, Classroom, Enrolment, Guardianship, Seat, Event)
    counts = {model.__name__: model.objects.count() for model in models}
    versions = list(Match.objects.order_by("code").values_list("code", "version", "touched_at"))
    return {**counts, "matches": versions}


def enter(client, slug: str):
    return client.post(f"/demo/{slug}/")


def offered(response) -> list[str]:
    return re.findall(r'action="/demo/(\w+)/"', response.text)


# What is in it


def test_before_it_is_filled_there_is_nobody_to_be(client, settings):
    settings.DEMO = True
    # Remove what other tests may have filled in; the test's transaction restores it.
    User.objects.all().delete()
    assert people() == []
    response = client.get("/")
    assert (response.status_code, offered(response)) == (200, [])
    assert enter(client, "teacher").status_code == 404


def test_there_is_a_teacher_with_a_class_of_six(demo):
    teacher = User.objects.get(email=TEACHER_EMAIL)
    classroom = teacher.classrooms_taught.get()
    assert teacher.check_password(PASSWORD)
    assert classroom.enrolments.count() == 6
    for enrolment in classroom.enrolments.select_related("student"):
        assert enrolment.student.kind == AccountKind.STUDENT
        assert not enrolment.student.has_usable_password()
        assert enrolment.real_name.split()


def test_there_is_a_guardian_linked_to_one_child_of_the_class(demo):
    guardian = User.objects.get(email=GUARDIAN_EMAIL)
    assert guardian.check_password(PASSWORD)
    child = guardian.children_links.get().child
    assert child.classrooms_joined.get() == Classroom.objects.get()


def test_each_child_has_played_two_games_against_the_computer_to_the_end(demo):
    matches = list(Match.objects.all())
    assert len(matches) == 12
    for match in matches:
        assert (match.way, match.phase, match.due) == (Way.COMPUTER, Phase.OVER, None)
        assert match.state.outcome.why is Ending.PLAYED_OUT
    for student in User.objects.filter(kind=AccountKind.STUDENT):
        assert list(Seat.objects.filter(user=student).values_list("number", flat=True)) == [0, 0]
    assert Seat.objects.exclude(strength="").count() == 12


def test_the_log_of_each_game_replays_to_its_snapshot(demo):
    for match in Match.objects.prefetch_related("events"):
        events = list(match.events.all())
        assert [event.number for event in events] == list(range(1, match.version + 1))
        assert replay(match_from(match.start), (event_from(event.record) for event in events)) == match.state


def test_the_games_are_of_the_last_week_and_time_goes_forward_in_them(demo):
    for match in Match.objects.prefetch_related("events"):
        moments = [event.record["at"] for event in match.events.all()]
        assert moments == sorted(moments)
        assert NOW - 7 * DAY < moments[0] < moments[-1] < NOW
        assert match.opened_at.timestamp() == pytest.approx(moments[0])
        assert moments[-1] - moments[0] < 1800, "a child's game of 27 cards is no half an hour"


def test_both_sides_win_now_and_then(demo):
    winners = [match.state.outcome.winners for match in Match.objects.all()]
    assert any(0 in seats for seats in winners)
    assert any(1 in seats for seats in winners)


def test_to_fill_it_again_changes_nothing(demo):
    before = everything()
    again = fill_demo(now=NOW + DAY)
    assert everything() == before
    assert again == people()


def test_one_may_be_a_teacher_a_student_or_a_guardian(demo):
    assert [person.slug for person in people()] == ["teacher", "student", "guardian"]
    teacher, student, guardian = people()
    for adult in (teacher, guardian):
        assert adult.user.email in adult.sign_in
        assert PASSWORD in adult.sign_in
    assert student.user == guardian.user.children_links.get().child
    assert PASSWORD not in student.sign_in


# The way in


@pytest.mark.parametrize("slug", ["teacher", "student", "guardian"])
def test_one_click_signs_in(demo, client, slug):
    response = enter(client, slug)
    assert (response.status_code, response.headers["Location"]) == (302, "/account/next/")
    assert get_user(client) == next(person.user for person in people() if person.slug == slug)
    assert client.get("/account/").status_code == 200


def test_outside_of_a_demo_there_is_no_such_way_in(demo, client, settings):
    settings.DEMO = False
    assert enter(client, "teacher").status_code == 404
    assert get_user(client).is_anonymous


def test_the_way_in_is_not_a_link(demo, client):
    response = client.get("/demo/teacher/")
    assert (response.status_code, response.headers["Allow"]) == (405, "POST")
    assert get_user(client).is_anonymous


@pytest.mark.parametrize("slug", ["nobody", "Teacher", "rivera"])
def test_nobody_else_can_be_entered_as(demo, client, slug):
    assert enter(client, slug).status_code == 404
    assert get_user(client).is_anonymous


def test_another_site_cannot_send_one_in(demo):
    strict = Client(enforce_csrf_checks=True)
    assert enter(strict, "teacher").status_code == 403
    assert get_user(strict).is_anonymous


def test_the_front_page_offers_the_sign_ins_in_a_demo_only(demo, client, settings):
    response = client.get("/")
    assert offered(response) == ["teacher", "student", "guardian"]
    assert "Ms. Rivera" in response.text
    assert PASSWORD not in response.text
    settings.DEMO = False
    response = client.get("/")
    assert offered(response) == []
    assert "This is a demo" not in response.text
    assert response.context["demo_people"]() == [], "nor would any other page offer them"
