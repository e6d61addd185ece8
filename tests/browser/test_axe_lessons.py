"""The screens of a live lesson, the lab and the printing room for every eye, hand and screen."""

from __future__ import annotations

import pytest
from django.test import Client

from classrooms.models import User
from setsite.jobs import desk, runs
from tests.classrooms.sessions.lesson import Lesson, a_lesson


@pytest.fixture
def lesson(site) -> Lesson:
    return a_lesson(4)


def reveal(lesson: Lesson) -> None:
    lesson.act(0, yes="1")
    lesson.act(1, breaks="color")
    lesson.steer("reveal")


def test_the_device_and_the_remote_in_every_state_of_a_lesson(lesson, inspect):
    device = inspect(lesson.seats[0].user)
    teacher = inspect(User.objects.get(kind="adult"))
    mine, remote = f"/session/{lesson.code}/", f"/teach/session/{lesson.code}/remote/"

    def look() -> None:
        device.visit(mine)
        teacher.visit(remote)

    look()
    lesson.begin("triples")
    look()
    reveal(lesson)
    look()
    lesson.order("pause")
    look()
    lesson.order("resume")
    for kind, options in (
        ("board", {"deck": "full", "size": "12"}),
        ("relay", {"deck": "full", "links": "5"}),
        ("builder", {"deck": "easy"}),
        ("unit", {"unit": "magic-rule"}),
    ):
        assert lesson.begin(kind, **options).status_code == 200
        look()
    lesson.order("end")
    look()
    teacher.visit(f"/teach/session/{lesson.code}/report/")


def test_the_lab_jobs_and_printing(site, inspect, monkeypatch):
    monkeypatch.setattr(desk, "_starters", [])
    anybody = inspect()
    anybody.visit("/lab/", "/print/", "/print/deck/", "/print/worksheet/", "/jobs/")
    client = Client()
    form = {"what": "games", "deck": "full", "cards": "12", "count": "1000", "seed": "7"}
    path = client.post("/lab/", form).headers["Location"]
    job = desk.claim(path.split("/")[2])
    cookie = client.cookies["sessionid"].value
    anybody.page.context.add_cookies([{"name": "sessionid", "value": cookie, "url": site}])
    runs.do(job.pk, job.attempt)
    anybody.visit(path, "/jobs/")
