"""The odds lab: starting simulations, watching them, and downloading the numbers."""

from __future__ import annotations

import csv
import io
import json

import pytest
from django.test import Client

from core.jobs import queue, runs
from core.models import Job, JobState

pytestmark = pytest.mark.django_db

FORM = {"what": "deals", "deck": "full", "cards": "12", "count": "200000", "seed": "7"}


@pytest.fixture(autouse=True)
def no_queue(monkeypatch):
    monkeypatch.setattr(queue, "_starters", [])


def ask_for(client: Client, **changes: str) -> Job:
    response = client.post("/lab/", FORM | changes)
    assert response.status_code == 302, response.text
    job = Job.objects.get(pk=response.headers["Location"].split("/")[2])
    run = queue.claim(job.pk)
    runs.perform(run)
    return Job.objects.get(pk=job.pk)


def test_what_the_sheets_say_stands_beside_what_is_so(client):
    page = client.get("/lab/").text
    for figure in ("33:1", "2500:1", "30:1"):
        assert figure in page


def test_first_deals_are_shown_with_the_interval_the_exact_value_and_the_sheets(client):
    job = ask_for(client)
    page = client.get(f"/jobs/{job.pk}/").text
    assert "200,000" in page
    for words in ("Exactly", "The rule sheets say", "33:1", "<polyline", 'class="band"', "<caption"):
        assert words in page


def test_whole_games_show_every_stage_and_what_is_left(client):
    job = ask_for(client, what="games", count="1000")
    page = client.get(f"/jobs/{job.pk}/").text
    assert page.count('<svg class="chart"') == 3
    assert job.result["stages"]
    assert sum(each["games"] for each in job.result["endings"]) == 1000


def test_the_same_seed_finds_the_same(client):
    assert ask_for(client).result == ask_for(client).result
    assert ask_for(client, seed="8").result != ask_for(client).result


@pytest.mark.parametrize(
    "bad",
    [
        {"cards": "2"},
        {"cards": "x"},
        {"count": "1"},
        {"count": "999999999"},
        {"deck": "none"},
        {"seed": "-1"},
        {"what": "games", "cards": "13", "count": "1000"},
        {"what": "games", "count": "20000000"},
    ],
)
def test_a_question_that_cannot_be_is_told_with_the_form(client, bad):
    response = client.post("/lab/", FORM | bad)
    assert response.status_code == 422
    assert "errorlist" in response.text
    assert not Job.objects.exists()


def test_the_numbers_can_be_taken_along_by_their_owner_only(client):
    job = ask_for(client, what="games", count="1000")
    found = json.loads(client.get(f"/lab/{job.pk}/data.json").text)
    assert found["found"] == job.result
    rows = list(csv.reader(io.StringIO(client.get(f"/lab/{job.pk}/data.csv").text)))
    assert rows[0] == ["trials", "chance of no SET", "low", "high"]
    assert ["endings", "left", "games"] in rows
    assert client.get(f"/lab/{job.pk}/data.xml").status_code == 404
    assert Client().get(f"/lab/{job.pk}/data.json").status_code == 404


def test_a_simulation_that_was_stopped_shows_what_it_has_found(client):
    client.post("/lab/", FORM)
    job = Job.objects.get()
    run = queue.claim(job.pk)
    queue.beat(
        run, partial_result={"trials": 1000, "without": 30, "chance": 0.03, "low": 0.02, "high": 0.04, "path": []}
    )
    queue.cancel(job)
    queue.mark_cancelled(run)
    assert Job.objects.get().state == JobState.CANCELLED
    assert "1,000" in client.get(f"/jobs/{job.pk}/").text
