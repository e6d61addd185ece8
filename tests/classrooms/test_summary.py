"""The teacher's Friday summary: once a week, without real names, and only after a week with practice."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from classrooms.models import User
from classrooms.reports.summary import send_friday_summaries
from games.players import Player
from lessons.skills import ExerciseKind, Wanted
from tests.classrooms.people import enrol, make_adult, make_classroom, signed_in
from tests.lessons.test_learning import keep

pytestmark = pytest.mark.django_db

FRIDAY = datetime(2027, 1, 15, 15, tzinfo=UTC)


@pytest.fixture
def teacher() -> User:
    teacher = make_adult("Rivera")
    mia, _noah = enrol(make_classroom(teacher), "Mia Okafor", "Noah Brandt")
    keep(
        Player(name="Mia", user=mia.student),
        Wanted(ExerciseKind.IS_SET),
        "s1",
        now=(FRIDAY - timedelta(days=1)).timestamp(),
    )
    return teacher


def test_it_tells_how_many_practiced_and_names_nobody_really(teacher, mailoutbox):
    assert send_friday_summaries(FRIDAY) == 1
    (mail,) = mailoutbox
    assert mail.to == [teacher.email]
    assert "1 of 2 students practiced" in mail.body
    html = mail.alternatives[0][0]
    for text in (mail.body, html):
        assert "Okafor" not in text
        assert "/teach/" in text


def test_it_comes_once_a_week(teacher, mailoutbox):
    for _run in range(3):
        send_friday_summaries(FRIDAY)
    assert len(mailoutbox) == 1


def test_a_week_without_practice_is_not_written_about(mailoutbox):
    teacher = make_adult("Stone")
    enrol(make_classroom(teacher), "Zoe Stern")
    assert send_friday_summaries(FRIDAY) == 0
    assert not mailoutbox


def test_one_click_stops_it_and_another_brings_it_back(teacher, mailoutbox):
    send_friday_summaries(FRIDAY)
    path = re.search(r"/family/letters/\S+/", mailoutbox[0].body)[0]
    Client().post(path)
    teacher.refresh_from_db()
    assert not teacher.wants_summary
    client = signed_in(teacher)
    assert "Send me a summary" in client.get("/teach/").text
    client.post("/teach/summary/", {"wants": "1"})
    teacher.refresh_from_db()
    assert teacher.wants_summary
