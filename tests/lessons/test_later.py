"""Answers sent later: none counts twice or for somebody else, and each one's result is reported."""

from __future__ import annotations

import time
from threading import Barrier, Thread
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection
from django.test import Client

from core.actors import merge_guest
from core.limits import RateLimit, Window
from core.offline.policy import GUEST
from games import limits
from games.players import Player, known_player
from games.rules import find_sets
from lessons.course.units import course, find_step
from lessons.models import LearningEvent, StepDone
from lessons.progress.origins import PRACTICE, Origin
from lessons.progress.recording import Answered, Asked, finish_step, rebuild, record_event
from lessons.progress.snapshots import skill_states
from lessons.questions import make_exercise
from lessons.skills import ExerciseKind, Wanted
from lessons.tickets import Ticket, read_ticket
from lessons.views import later
from tests.lessons.test_learning import a_guest, a_user, keep, progress_of, right_answer, wrong_answer
from tests.lessons.test_practice import forms_of
from tests.lessons.test_tickets import BAD, bad_tickets, ticket_on

pytestmark = pytest.mark.django_db

PATH, AHEAD = "/learn/later/", "/learn/practice/ahead/"
WANTED = Wanted(ExerciseKind.IS_SET, 2)
NAMING = "cards/color-green"
DRILL = "same-or-different/two-differ"


@pytest.fixture(autouse=True)
def no_hurry(monkeypatch):
    monkeypatch.setattr(limits, "MOVES", limits.Limit("moves", most=100_000, seconds=10))


@pytest.fixture
def now(monkeypatch) -> float:
    """The time at which everything arrives."""
    now = time.time()
    monkeypatch.setattr(later, "time", SimpleNamespace(time=lambda: now))
    return now


def whose(client: Client) -> str:
    return client.get(PATH).json()["whose"]


def new_ticket(seed: str = "s1", *, place: str = "practice", wanted: Wanted = WANTED, ago: float = 3600.0) -> Ticket:
    return Ticket(origin=Origin.of_place(place), wanted=wanted, seed=seed, shown_at=time.time() - ago, is_ahead=True)


def form_of(client: Client, ticket: Ticket, *, right: bool = True, **more: Any) -> dict[str, Any]:
    """An answer as the service worker sends it."""
    exercise = ticket.question
    (form,) = forms_of(exercise, right_answer(exercise) if right else wrong_answer(exercise))
    head = {"ticket": ticket.sealed(), "sent_as": str(uuid4()), "whose": whose(client), "place": "practice/"}
    return {**head, "ago": "60", **form, **more}


# What can be stored


@pytest.mark.parametrize("right", [True, False])
def test_an_answer_that_comes_later_is_kept_like_any_other(client, ann, now, right):
    response = client.post(PATH, form_of(client, new_ticket(), right=right))
    row = LearningEvent.objects.get()
    again = "" if right else f"/learn/practice/?again={row.pk}"
    assert response.json() == {"is_right": right, "again": again}
    assert (row.user, row.source, row.seed, row.is_right, row.is_first) == (ann.user, "practice", "s1", right, True)
    assert row.seconds is None, "nobody knows how long it took"
    assert row.at.timestamp() == pytest.approx(now - 60, abs=0.001)
    assert skill_states(ann) != skill_states(None)
    if again:
        assert client.get(again).context["question"].cards == new_ticket().question.cards


@pytest.mark.parametrize(
    ("ago", "at"),
    [("0", 0), ("90", 90), ("99999999", 3600), ("-5", 0), ("1e9", 0), ("", 0), ("9" * 400, 0)],
)
def test_the_moment_is_between_the_question_and_now(client, ann, now, ago, at):
    ticket = Ticket(origin=PRACTICE, wanted=WANTED, seed="s1", shown_at=now - 3600)
    client.post(PATH, form_of(client, ticket, ago=ago))
    assert LearningEvent.objects.get().at.timestamp() == pytest.approx(now - at, abs=0.001)


def test_a_right_answer_finishes_its_step(client, ann):
    unit, step = find_step(*DRILL.split("/"))
    for turn in range(step.question.right):
        assert not StepDone.objects.exists()
        client.post(PATH, form_of(client, new_ticket(f"s{turn}", place=DRILL)))
    done = StepDone.objects.get()
    assert (done.user, done.unit, done.step) == (ann.user, unit.slug, step.slug)


def question_form(client: Client, *, value: str = "green", place: str = NAMING, **more: Any) -> dict[str, Any]:
    form = {"sent_as": str(uuid4()), "whose": whose(client), "place": place, "ago": "60", "value": value}
    return form | more


@pytest.mark.parametrize(("value", "right"), [("green", True), ("red", False)])
def test_a_question_of_the_course_can_be_answered_later_too(client, ann, value, right):
    form = question_form(client, value=value)
    for _time in range(2):
        response = client.post(PATH, form)
        assert response.json() == {"is_right": right, "again": "" if right else f"/learn/{NAMING}/"}
    assert LearningEvent.objects.get().is_right is right
    assert StepDone.objects.count() == right


def test_a_step_that_only_shows_something_is_finished_later(client, ann):
    form = question_form(client, place="cards/four-features")
    assert client.post(PATH, form).json()["is_right"]
    assert (StepDone.objects.count(), LearningEvent.objects.count()) == (1, 0)


def test_finding_one_of_several_sets_is_no_answer_yet(client, ann):
    wanted = Wanted(ExerciseKind.FIND_ALL, 2)
    seed = next(seed for seed in map(str, range(50)) if len(find_sets(make_exercise(wanted, seed).cards)) > 1)
    ticket = new_ticket(seed, wanted=wanted)
    cards = [card.index for card in find_sets(ticket.question.cards)[0]]
    head = {"ticket": ticket.sealed(), "sent_as": str(uuid4()), "whose": whose(client)}
    assert client.post(PATH, {**head, "cards": cards}).status_code == 200
    assert not LearningEvent.objects.exists()


# Once


def test_the_same_answer_sent_again_changes_nothing_and_is_answered_alike(client, ann):
    form = form_of(client, new_ticket(), right=False)
    said = [client.post(PATH, form).json() for _time in range(3)]
    assert said[0] == said[1] == said[2]
    rows, progress = LearningEvent.objects.count(), progress_of(ann)
    assert rows == 1
    rebuild(ann)
    assert progress_of(ann) == progress


def test_what_was_sent_counts_even_if_another_answer_comes_under_its_name(client, ann):
    form = form_of(client, new_ticket())
    client.post(PATH, form)
    changed = form | {"yes": "0" if form["yes"] == "1" else "1"}
    assert client.post(PATH, changed).json()["is_right"]
    assert LearningEvent.objects.get().is_right


def test_an_answer_that_arrived_by_its_page_is_not_kept_again(client, ann):
    page = client.get("/learn/practice/")
    ticket = read_ticket(ticket_on(page))
    form = form_of(client, ticket)
    assert "Yes!" in client.post("/learn/practice/", form).text
    assert client.post(PATH, form).json()["is_right"]
    assert LearningEvent.objects.count() == 1


def test_a_guest_who_signs_in_before_it_is_sent_again_has_it_once(client):
    form = form_of(client, new_ticket())
    client.post(PATH, form)
    guest = Player(name="guest", guest=LearningEvent.objects.get().guest)
    ann = a_user()
    merge_guest(guest, ann)
    client.force_login(ann.user)
    assert client.post(PATH, form).json()["is_right"]
    assert LearningEvent.objects.get().user == ann.user


@pytest.mark.django_db(transaction=True)
def test_two_requests_at_the_same_moment_keep_one_answer(client, ann):
    form, start, said = form_of(client, new_ticket()), Barrier(4), []

    def post() -> None:
        other = Client()
        other.cookies = client.cookies
        start.wait()
        said.append(other.post(PATH, form).json())
        connection.close()

    threads = [Thread(target=post) for _each in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert said == [{"is_right": True, "again": ""}] * 4
    assert LearningEvent.objects.count() == 1


@pytest.mark.parametrize("who", [a_user, a_guest])
def test_the_database_itself_refuses_a_second(who):
    who, name = who(), uuid4()
    attempt = record_event(
        who,
        Asked(origin=PRACTICE, kind=None),
        Answered(answer={}, is_right=True, missed=(), evidence=()),
        now=1.0,
        sent_as=name,
    )
    attempt.pk = None
    with pytest.raises(IntegrityError):
        attempt.save(force_insert=True)


def test_two_learners_may_use_the_same_name(client, ann):
    form = form_of(client, new_ticket())
    client.post(PATH, form)
    ben = a_user("Ben")
    client.force_login(ben.user)
    client.post(PATH, form | {"whose": whose(client)})
    assert [row.user for row in LearningEvent.objects.order_by("pk")] == [ann.user, ben.user]


def test_progress_is_as_if_all_had_come_in_their_order(client, ann):
    now = time.time()
    keep(ann, WANTED, "online", now=now - 10)
    client.post(PATH, form_of(client, new_ticket("offline"), right=False, ago="1800"))
    assert [row.seed for row in LearningEvent.objects.order_by("at")] == ["offline", "online"]
    progress = progress_of(ann)
    rebuild(ann)
    assert progress_of(ann) == progress


# What can't be stored


@pytest.mark.parametrize("what", BAD)
def test_a_ticket_of_long_ago_or_not_ours_is_gone_for_good(client, ann, monkeypatch, what):
    bad = bad_tickets(new_ticket(), monkeypatch)[what]
    response = client.post(PATH, form_of(client, new_ticket()) | {"ticket": bad})
    assert response.status_code == 410
    assert not LearningEvent.objects.exists()


@pytest.mark.parametrize("place", ["", "practice/", "no/where", "cards", "cards/color-green/more", DRILL])
def test_a_question_that_is_none_is_gone_for_good(client, ann, place):
    assert client.post(PATH, question_form(client, place=place)).status_code == 410
    assert not LearningEvent.objects.exists()


@pytest.mark.parametrize("more", [{"yes": "perhaps"}, {"sent_as": ""}, {"sent_as": "mine"}])
def test_what_is_no_answer_or_has_no_name_is_refused_for_good(client, ann, more):
    assert client.post(PATH, form_of(client, new_ticket()) | more).status_code == 422
    assert client.post(PATH, question_form(client, value="loud")).status_code == 422
    assert not LearningEvent.objects.exists()


def test_the_answers_of_a_user_are_nobody_elses(client, ann):
    form = form_of(client, new_ticket())
    client.logout()
    assert client.post(PATH, form).status_code == 409
    client.force_login(a_user("Ben").user)
    assert client.post(PATH, form).status_code == 409
    assert client.post(PATH, {key: value for key, value in form.items() if key != "whose"}).status_code == 409
    assert not LearningEvent.objects.exists()
    # They're still valid when she's back.
    client.force_login(ann.user)
    assert client.post(PATH, form).status_code == 200
    assert LearningEvent.objects.get().user == ann.user


def test_what_a_guest_has_answered_is_the_guests_or_whose_who_signs_in(client):
    form = form_of(client, new_ticket("first"))
    assert form["whose"] == GUEST
    client.post(PATH, form)
    assert LearningEvent.objects.get().guest
    ann = a_user()
    second = form_of(client, new_ticket("second"))
    client.force_login(ann.user)
    assert client.post(PATH, second).status_code == 200
    assert set(LearningEvent.objects.filter(user=ann.user).values_list("seed", flat=True)) == {"first", "second"}


@pytest.mark.usefixtures("clock_of_limits")
def test_a_script_that_sends_more_than_hands_can_is_told_to_wait(client, ann, monkeypatch):
    monkeypatch.setattr(limits, "MOVES", limits.Limit("later", most=2, seconds=3600))
    said = [client.post(PATH, form_of(client, new_ticket(f"s{turn}"))).status_code for turn in range(4)]
    assert said == [200, 200, 429, 429]
    assert LearningEvent.objects.count() == 2


def test_a_token_is_needed_and_can_be_asked_for(ann):
    client = Client(enforce_csrf_checks=True)
    client.force_login(ann.user)
    form = form_of(client, new_ticket())
    assert client.post(PATH, form).status_code == 403
    answer = client.get(PATH)
    assert "no-store" in answer.headers["Cache-Control"]
    assert client.post(PATH, form, headers={"X-CSRFToken": answer.json()["token"]}).status_code == 200


def test_who_is_here_is_said_without_saying_who(client, ann):
    word = whose(client)
    assert word == whose(client)
    assert str(ann.user.pk) != word
    client.force_login(a_user("Ben").user)
    assert whose(client) != word
    client.logout()
    assert whose(client) == GUEST


# Prefetching


@pytest.mark.parametrize("tries", [0, 40])
def test_exercises_ahead_are_all_different_and_can_be_answered_by_their_page(client, ann, tries):
    for turn in range(tries):
        keep(
            ann,
            Wanted(list(ExerciseKind)[turn % len(ExerciseKind)], 1 + turn % 3),
            f"t{turn}",
            now=time.time() - 600 + turn,
        )
    response = client.get(AHEAD)
    assert response.headers["X-Whose"] == whose(client)
    parts = response.json()["exercises"]
    tickets = [read_ticket(ticket_on_part(part)) for part in parts]
    assert len({ticket.seed for ticket in tickets}) == len(tickets) == 10
    assert all(ticket.is_ahead and ticket.origin.place == "practice" for ticket in tickets)
    assert ExerciseKind.FIND_ALL not in {ticket.question.kind for ticket in tickets}
    assert all('data-hx-post="/learn/practice/"' in part for part in parts)
    before = LearningEvent.objects.count()
    for ticket in tickets:
        (form,) = forms_of(ticket.question, right_answer(ticket.question))
        assert "Yes!" in client.post("/learn/practice/", {"ticket": ticket.sealed(), **form}).text
    new = LearningEvent.objects.order_by("pk")[before:]
    assert [row.seconds for row in new] == [None] * 10


def test_the_steps_of_the_current_unit_are_named_ahead(client, ann):
    first, second = course()[:2]
    assert client.get(AHEAD).json()["pages"] == [f"/learn/{first.slug}/{step.slug}/" for step in first.steps]
    for step in first.steps:
        finish_step(ann, first.slug, step.slug, now=time.time())
    pages = client.get(AHEAD).json()["pages"]
    assert pages == [f"/learn/{second.slug}/{step.slug}/" for step in second.steps]
    assert all("X-Whose" in client.get(path).headers for path in pages)


def ticket_on_part(part: str) -> str:
    return part.partition('name="ticket" value="')[2].partition('"')[0]


def test_to_ask_for_exercises_ahead_makes_nobody_a_guest(client):
    response = client.get(AHEAD)
    assert known_player(response.wsgi_request) is None
    assert not LearningEvent.objects.exists()


def test_a_script_cannot_have_its_progress_made_anew_without_end(client, ann, now, monkeypatch):
    monkeypatch.setattr(limits, "LATE_ANSWERS_OF_LEARNER", RateLimit("late-of-this-test", (Window(2, 3600),)))
    sent = [client.post(PATH, form_of(client, new_ticket(f"s{number}"))).status_code for number in range(4)]
    assert sent == [200, 200, 429, 429], "the browser keeps the others for another time"
    assert LearningEvent.objects.count() == 2
