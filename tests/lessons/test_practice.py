"""Practice: the next exercise is the most useful one, and an answer counts once."""

from __future__ import annotations

import random
import re
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games import limits
from games.players import Player
from games.rules import Feature, explain, find_sets, is_set
from lessons import queries
from lessons.models import LearningEvent
from lessons.progress.mastery import next_wanted
from lessons.progress.snapshots import skill_states
from lessons.questions import Exercise, make_exercise
from lessons.skills import ExerciseKind, Skill, Wanted
from lessons.tickets import read_ticket
from lessons.views import exercise as exercise_page
from lessons.views import practice
from tests.lessons.test_learning import (
    DAY,
    NOW,
    a_user,
    keep,
    keep_many,
    learn_for_days,
    progress_of,
    right_answer,
    wrong_answer,
)
from tests.lessons.test_tickets import ticket_on

pytestmark = pytest.mark.django_db

PATH = "/learn/practice/"
HTMX = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def no_hurry(monkeypatch):
    """Lift the rate limit, because a script answers faster than people."""
    monkeypatch.setattr(limits, "MOVES", limits.Limit("moves", most=100_000, seconds=10))


@pytest.fixture
def clock(monkeypatch):
    """The pages' clock, which the test sets."""
    clock = SimpleNamespace(now=NOW)
    for page in (practice, exercise_page):
        monkeypatch.setattr(page, "time", SimpleNamespace(time=lambda: clock.now))
    return clock


def asks_for(monkeypatch, wanted: Wanted) -> None:
    monkeypatch.setattr(practice, "next_wanted", lambda *args, **more: wanted)


def forms_of(exercise: Exercise, answer: dict[str, Any]) -> list[dict[str, Any]]:
    """The forms the page would send for an answer: several SETs are sent one by one."""
    match exercise.kind:
        case ExerciseKind.IS_SET | ExerciseKind.ANY_SET:
            return [{"yes": "1" if answer["yes"] else "0"}]
        case ExerciseKind.FIND_ALL:
            return [{"cards": cards} for cards in answer["sets"]]
    return [answer]


def send(client, asked, *, right: bool = True, **more: Any):
    """Answer the question on a page."""
    exercise, response = asked.context["question"], asked
    for form in forms_of(exercise, right_answer(exercise) if right else wrong_answer(exercise)):
        response = client.post(PATH, {"ticket": ticket_on(response), **form, **more})
    return response


# What is asked next


@pytest.mark.parametrize("tries", [0, 1, 12, 60])
def test_practice_asks_for_what_is_wanted_next(client, ann, clock, monkeypatch, tries):
    end = learn_for_days(ann, random.Random(tries), tries=tries) if tries else NOW
    clock.now = end + DAY
    for turn in range(8):
        seed = f"{turn:016x}"
        monkeypatch.setattr(practice.secrets, "token_hex", lambda size, seed=seed: seed)
        past = queries.latest_tries(ann)
        last = past[-1].wanted if past else None
        rng = random.Random(seed)
        wanted = next_wanted(past, clock.now, rng, last=last, states=skill_states(ann))
        ticket = read_ticket(ticket_on(client.get(PATH)))
        assert ticket.wanted.kind is wanted.kind
        assert ticket.wanted.focus is wanted.focus
        if "contrast" not in ticket.seed:
            assert ticket.wanted == wanted


def test_what_was_learned_more_than_two_hundred_tries_ago_is_not_forgotten(client, ann, clock, monkeypatch):
    keep_many(ann, 140)
    keep_many(ann, 210, kinds=[ExerciseKind.IS_SET], start=NOW + DAY)
    clock.now = NOW + 2 * DAY
    practice_wants, progress_wants = [], []
    for turn in range(8):
        seed = f"{turn:016x}"
        monkeypatch.setattr(practice.secrets, "token_hex", lambda size, seed=seed: seed)
        practice_wants.append(read_ticket(ticket_on(client.get(PATH))).wanted)
        past = queries.latest_tries(ann)
        rng = random.Random(seed)
        progress_wants.append(next_wanted(past, clock.now, rng, last=past[-1].wanted, states=skill_states(ann)))
    assert practice_wants == progress_wants


def test_a_newcomer_is_asked_something_easy(client):
    ticket = read_ticket(ticket_on(client.get(PATH)))
    assert (ticket.wanted.kind, ticket.wanted.difficulty) == (ExerciseKind.IS_SET, 1)


def test_no_question_comes_twice_in_a_row(client, ann):
    rng = random.Random("fifty answers")
    asked = []
    for _turn in range(50):
        page = client.get(PATH)
        asked.append(frozenset(page.context["question"].cards))
        send(client, page, right=rng.random() < 0.7)
    assert all(before != after for before, after in pairwise(asked))
    assert LearningEvent.objects.filter(is_first=True).count() == 50


@pytest.mark.parametrize("kind", ExerciseKind)
def test_no_question_comes_twice_in_a_row_even_if_chance_has_it_so(client, ann, monkeypatch, kind):
    asks_for(monkeypatch, Wanted(kind))
    monkeypatch.setattr(practice.secrets, "token_hex", lambda size: "0" * 16)
    asked = []
    for _turn in range(4):
        page = client.get(PATH)
        asked.append(frozenset(page.context["question"].cards))
        send(client, page)
    assert all(before != after for before, after in pairwise(asked))


# Two triples that differ only in the missed feature


def miss(player: Player, feature: Feature, times: int) -> None:
    """Wrongly accept triples that only this feature breaks."""
    wanted = Wanted(ExerciseKind.IS_SET, 2, feature)
    seeds = (f"miss-{turn}" for turn in range(1000))
    blind = (s for s in seeds if [b.feature for b in explain(*make_exercise(wanted, s).cards).broken] == [feature])
    for turn in range(times):
        assert keep(player, wanted, next(blind), right=False, now=NOW + turn).missed == [feature]


def differences(first: Exercise, second: Exercise) -> list[list[Feature]]:
    """For each position, the features in which the two cards differ."""
    places = zip(first.cards, second.cards, strict=True)
    return [[f for f in Feature if a.value(f) is not b.value(f)] for a, b in places]


@pytest.mark.parametrize("right", [True, False])
@pytest.mark.parametrize("feature", Feature)
def test_after_two_misses_of_a_feature_come_two_triples_that_differ_only_in_it(client, ann, clock, feature, right):
    miss(ann, feature, 2)
    clock.now = NOW + 60
    first = client.get(PATH)
    assert client.get(PATH).context["question"].seed.startswith("contrast-1/"), "unanswered, it is a first half again"
    answered = send(client, first, right=right)
    if not right:
        send(client, answered, right=True)
    clock.now += 60
    second = client.get(PATH)
    halves = [first.context["question"], second.context["question"]]
    assert all(half.kind is ExerciseKind.IS_SET for half in halves)
    assert sorted(map(bool, differences(*halves))) == [False, False, True]
    assert [feature] in differences(*halves)
    assert {is_set(*half.cards) for half in halves} == {True, False}
    send(client, second)
    clock.now += 60
    third = read_ticket(ticket_on(client.get(PATH)))
    assert not third.seed.startswith("contrast-2/"), "the pair is over"
    assert third.seed.removeprefix("contrast-1/") not in halves[0].seed


def test_the_second_half_waits_while_the_learner_is_elsewhere(client, ann, clock):
    miss(ann, Feature.NUMBER, 2)
    clock.now = NOW + 60
    first = client.get(PATH)
    send(client, first)
    client.post("/learn/cards/color-green/", {"value": "green"})
    assert client.get(PATH).context["question"].seed == first.context["question"].seed.replace("-1/", "-2/")


@pytest.mark.parametrize("times", [0, 1])
def test_one_miss_is_not_made_much_of(client, ann, clock, times):
    miss(ann, Feature.SHADING, times)
    clock.now = NOW + 60
    assert not any(client.get(PATH).context["question"].seed.startswith("contrast") for _turn in range(8))


def test_misses_of_two_features_are_no_repeated_miss(client, ann, clock):
    miss(ann, Feature.SHADING, 1)
    miss(ann, Feature.SHAPE, 1)
    clock.now = NOW + 60
    assert not any(client.get(PATH).context["question"].seed.startswith("contrast") for _turn in range(8))


# An answer


@pytest.mark.parametrize("kind", ExerciseKind)
def test_a_wrong_answer_can_be_put_right_and_only_the_first_counts(client, ann, monkeypatch, kind):
    asks_for(monkeypatch, Wanted(kind, 2))
    page = client.get(PATH)
    wrong = send(client, page, right=False)
    assert "Not this time. Look why, and put it right." in wrong.text
    assert wrong.context["question"] == page.context["question"]
    counted = progress_of(ann)
    assert counted
    mended = send(client, wrong)
    assert "Yes!" in mended.text
    assert [(row.is_right, row.is_first) for row in LearningEvent.objects.order_by("pk")] == [
        (False, True),
        (True, False),
    ]
    assert progress_of(ann) == counted
    assert skill_states(ann)[Skill(kind.value)].rights == 0


@pytest.mark.parametrize("kind", ExerciseKind)
def test_a_right_answer_is_kept_with_what_was_asked(client, ann, monkeypatch, kind):
    asks_for(monkeypatch, Wanted(kind, 2))
    page = client.get(PATH)
    exercise = page.context["question"]
    assert "Yes!" in send(client, page).text
    row = LearningEvent.objects.get()
    assert (row.source, row.kind, row.seed, row.is_right, row.is_first) == ("practice", kind, exercise.seed, True, True)
    assert make_exercise(exercise.wanted, row.seed) == exercise
    assert row.cards == [card.index for card in exercise.cards]
    assert skill_states(ann)[Skill(kind.value)].rights == 1


@pytest.mark.parametrize("kind", [kind for kind in ExerciseKind if kind is not ExerciseKind.FIND_ALL])
def test_no_answer_is_refused_in_words_and_not_kept(client, monkeypatch, kind):
    asks_for(monkeypatch, Wanted(kind, 2))
    page = client.get(PATH)
    response = client.post(PATH, {"ticket": ticket_on(page)})
    assert response.status_code == 422
    assert re.search(r'<p class="notice" role="alert">[^<]+</p>', response.text)
    assert response.context["question"] == page.context["question"]
    assert not LearningEvent.objects.exists()


def test_htmx_gets_the_fragment_only(client):
    page = client.get(PATH)
    assert "<html" in page.text
    for response in (
        client.get(PATH, headers=HTMX),
        client.post(PATH, {"ticket": ticket_on(page), "yes": "1"}, headers=HTMX),
        client.post(PATH, {"ticket": ticket_on(page)}, headers=HTMX),
        client.post(PATH, {"ticket": "none"}, headers=HTMX),
    ):
        assert "<html" not in response.text
        assert 'class="question exercise"' in response.text


# Help and time


@pytest.mark.parametrize("kind", ExerciseKind)
def test_hints_are_counted_by_the_ticket_and_not_by_the_form(client, ann, monkeypatch, kind):
    asks_for(monkeypatch, Wanted(kind, 2))
    page = client.get(PATH)
    stages = page.context["question"].help_stages()
    for number in range(1, len(stages) + 1):
        page = client.post(PATH, {"ticket": ticket_on(page), "help": "1", "hints": "0"})
        assert page.context["helps"] == stages[:number]
        assert page.context["has_more_help"] is (number < len(stages))
    assert not LearningEvent.objects.exists()
    send(client, page, hints="0")
    assert LearningEvent.objects.get().hints == len(stages)


def test_a_hint_makes_a_right_answer_count_for_less(client):
    gained = []
    for name, hints in (("Ann", 0), ("Ben", 1), ("Cem", 3)):
        who = a_user(name)
        keep(who, Wanted(ExerciseKind.WHICH_BREAKS), "s1", hints=hints)
        gained.append(skill_states(who)[Skill.WHICH_BREAKS].probability)
    assert gained == sorted(gained, reverse=True)
    assert len(set(gained)) == 3


def test_seconds_are_measured_by_the_server(client, ann, clock):
    page = client.get(PATH)
    clock.now += 12.5
    page = client.post(PATH, {"ticket": ticket_on(page), "help": "1"})
    clock.now += 30
    send(client, page, seconds="1", shown_at=str(clock.now))
    row = LearningEvent.objects.get()
    assert row.seconds == 42.5, "from when it was shown, and asking for help does not stop the clock"
    assert row.at.timestamp() == NOW + 42.5


def test_the_clock_of_a_hunt_runs_until_the_last_set_is_found(client, ann, clock, monkeypatch):
    asks_for(monkeypatch, Wanted(ExerciseKind.FIND_ALL, 2))
    page = client.get(PATH)
    for triple in find_sets(page.context["question"].cards):
        clock.now += 10
        page = client.post(PATH, {"ticket": ticket_on(page), "cards": [card.index for card in triple]})
    assert LearningEvent.objects.get().seconds == clock.now - NOW


def test_a_clock_that_was_set_back_measures_nothing(client, ann, clock):
    page = client.get(PATH)
    clock.now -= 3600
    send(client, page)
    assert LearningEvent.objects.get().seconds == 0


# What a page costs


def test_practice_takes_as_many_queries_for_many_tries_as_for_few(client, clock):
    costs = []
    for name, tries in (("Ann", 5), ("Ben", 300)):
        who = a_user(name)
        client.force_login(who.user)
        keep_many(who, tries)
        clock.now = NOW + 60 * (tries + 1)
        with CaptureQueriesContext(connection) as asked:
            client.get(PATH)
        costs.append(len(asked))
    assert costs[0] == costs[1] <= 6
