"""The projector on a computer where nobody is signed in: it can show the wall and nothing else."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from classrooms.classes.service import remove_teacher
from classrooms.live import joining, leading
from classrooms.live.wall import AFTERWARDS, LONGEST, wall_key
from classrooms.models import Session
from games.codes import LETTERS
from games.players import Player
from tests.classrooms.people import enrol, make_adult, make_classroom, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def session() -> Session:
    teacher = make_adult("Rivera")
    classroom = make_classroom(teacher)
    (mia,) = enrol(classroom, "Mia Okafor")
    session = leading.open_session(classroom, by=teacher)
    joining.attend(session, Player(name="Mia", user=mia.student))
    return session


def address(session: Session) -> str:
    return reverse("wall:screen", args=[session.code, wall_key(session)])


def test_the_address_on_the_remote_shows_the_wall_to_a_browser_without_any_account(session):
    remote = signed_in(session.made_by).get(f"/teach/session/{session.code}/remote/").text
    assert f'href="{address(session)}"' in remote
    assert f"http://localhost:8000{address(session)}" in remote, "to be typed on another computer"
    projector = Client()
    page = projector.get(address(session))
    assert page.status_code == 200
    assert session.code in page.text
    assert "Mia" in page.text
    assert "sessionid" not in projector.cookies
    assert "no-store" in page.headers["Cache-Control"]


def test_the_wall_shows_no_real_name_and_nothing_that_steers(session):
    page = Client().get(address(session)).text
    for hidden in ("Okafor", "/teach/", "/remote/", "Rivera"):
        assert hidden not in page


def test_the_wall_follows_the_lesson_by_its_own_part(session):
    projector = Client()
    part = f"{address(session)}part/"
    assert f'data-part="{part}"' in projector.get(address(session)).text
    leading.begin(session, "triples", {})
    assert "Is it a SET?" in projector.get(part).text


def test_with_the_walls_address_nobody_steers_or_sees_the_remote(session):
    projector = Client()
    projector.get(address(session))
    for path in ("remote/", "report/", "screen/", "report.csv"):
        assert "/account/login/" in projector.get(f"/teach/session/{session.code}/{path}").headers["Location"]
    assert projector.post(f"/teach/session/{session.code}/do/end/").status_code == 302
    assert projector.post(address(session)).status_code == 405
    session.refresh_from_db()
    assert not session.is_over


def test_a_key_that_was_made_up_or_belongs_to_another_lesson_shows_nothing(session):
    other = leading.open_session(make_classroom(make_adult("Stone"), "Class 3A"), by=make_adult("Lund"))
    for key in ("BCDFGHJKLM", wall_key(other), wall_key(session)[:-1]):
        assert Client().get(reverse("wall:screen", args=[session.code, key])).status_code == 404


def test_a_key_is_too_long_to_be_found_by_trying(session):
    key = wall_key(session)
    assert len(key) == 10
    assert set(key) <= set(LETTERS)
    years = len(LETTERS) ** len(key) / 1_000 / 86_400 / 365
    assert round(years, -3) == 9_000, "to try them all, at a thousand a second"


def test_a_typed_key_may_be_in_small_letters_and_with_a_dash(session):
    key = wall_key(session).lower()
    assert Client().get(reverse("wall:screen", args=[session.code.lower(), f"{key[:5]}-{key[5:]}"])).status_code == 200


def test_the_wall_shows_what_there_is_to_talk_about_and_ends_with_the_lesson(session):
    leading.end(session)
    assert Client().get(address(session)).status_code == 200
    Session.objects.update(ended_at=timezone.now() - AFTERWARDS - timedelta(seconds=1))
    assert Client().get(address(session)).status_code == 404
    assert Client().get(f"{address(session)}part/").status_code == 404


def test_the_wall_of_a_lesson_that_nobody_ended_goes_dark_by_itself(session):
    Session.objects.update(opened_at=timezone.now() - LONGEST - timedelta(seconds=1))
    assert Client().get(address(session)).status_code == 404


def test_a_teacher_who_was_taken_out_of_the_class_loses_the_wall_too(session):
    colleague = make_adult("Stone")
    session.classroom.teachers.add(colleague)
    known = address(session)
    remove_teacher(session.classroom, colleague, by=session.made_by)
    assert Client().get(known).status_code == 404
    session.refresh_from_db()
    assert Client().get(address(session)).status_code == 200
