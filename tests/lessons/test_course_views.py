"""Course pages: every step responds, invalid requests get an explanation, and query counts are constant."""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.limits import RateLimit, Window
from games import limits
from games.models import Match
from games.rules import find_sets
from games.rules.state import Phase
from lessons.course.units import course, find_step
from lessons.models import LearningEvent, Progress, StepDone
from lessons.progress.origins import Origin
from lessons.progress.recording import finish_step
from lessons.questions.course import Ask, Drill, PickAll
from lessons.skills import ExerciseKind, Wanted
from lessons.tickets import Ticket, read_ticket
from tests.lessons.test_learning import NOW, a_user, keep_many, right_answer
from tests.lessons.test_tickets import ticket_on

pytestmark = pytest.mark.django_db

STEPS = [f"{unit.slug}/{step.slug}" for unit in course() for step in unit.steps]
HTMX = {"HX-Request": "true"}
NOTICE = re.compile(r'<p class="notice" role="alert">([^<]+)</p>')


def nothing_is_kept() -> bool:
    return not any(model.objects.exists() for model in (LearningEvent, Progress, StepDone))


# Access


@pytest.mark.parametrize("place", STEPS)
def test_every_step_is_there(client, place):
    unit, _, step = place.partition("/")
    response = client.get(f"/learn/{place}/")
    assert response.status_code == 200
    assert (response.context["unit"].slug, response.context["step"].slug) == (unit, step)
    text = unescape(response.text)
    assert f"<h1>{response.context['step'].title}</h1>" in text
    assert all(f"<p>{words}</p>" in text for words in response.context["step"].words)
    assert "sessionid" not in client.cookies, "who looks becomes no guest"
    assert not Session.objects.exists()
    assert nothing_is_kept()


def test_the_path_leads_to_every_unit(client):
    response = client.get("/learn/")
    assert re.findall(r'href="/learn/([\w-]+/[\w-]+)/"', response.text.partition('class="path"')[2]) == [
        f"{unit.slug}/{unit.steps[0].slug}" for unit in course()
    ]
    assert [row.is_current for row in response.context["path"]] == [True, *[False] * 10]


def test_the_path_goes_on_where_the_learner_is(client):
    ann = a_user()
    client.force_login(ann.user)
    first, second, *_rest = course()
    for step in first.steps:
        finish_step(ann, first.slug, step.slug, now=NOW)
    finish_step(ann, second.slug, second.steps[0].slug, now=NOW)
    response = client.get("/learn/")
    path = response.context["path"]
    assert [row.is_done for row in path[:3]] == [True, False, False]
    assert [row.is_current for row in path[:3]] == [False, True, False]
    assert f'<a class="main-button" href="/learn/{second.slug}/{second.steps[1].slug}/">' in response.text


@pytest.mark.parametrize("unit", [unit for unit in course() if unit.game], ids=lambda unit: unit.slug)
def test_a_unit_ends_with_a_real_game(client, unit):
    ann = a_user("Ann")
    client.force_login(ann.user)
    *_rest, before, last = unit.steps
    finish_step(ann, unit.slug, before.slug, now=NOW)
    assert "game-row" not in client.get(f"/learn/{unit.slug}/{before.slug}/").text
    assert "game-row" not in client.get(f"/learn/{unit.slug}/{last.slug}/").text, "first the step"
    finish_step(ann, unit.slug, last.slug, now=NOW)
    form = client.get(f"/learn/{unit.slug}/{last.slug}/").text.partition("game-row")[2].partition("</form>")[0]
    assert str(unit.game.words) in form
    choices = dict(re.findall(r'type="hidden" name="(\w+)" value="(\w+)"', form))
    response = client.post(f"/play/open/{unit.game.way}/", choices)
    match = Match.objects.get()
    assert response.url == f"/play/{match.code}/"
    assert match.way == unit.game.way
    assert match.state.phase is Phase.PLAYING
    assert len(match.state.table + match.state.deck) == (27 if unit.game.choices["deck"] == "easy" else 81)


@pytest.mark.parametrize(
    "path",
    [
        "/learn/cards/no-such-step/",
        "/learn/no-such-unit/four-features/",
        "/learn/odds/four-features/",
        "/learn/cards/",
        "/learn/cards/four-features/more/",
        "/learn/practice/four-features/",
    ],
)
@pytest.mark.parametrize("method", ["get", "post"])
def test_what_is_not_in_the_course_is_not_found(client, path, method):
    assert getattr(client, method)(path).status_code == 404


@pytest.mark.parametrize("method", ["put", "patch", "delete", "options", "trace"])
@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/learn/cards/four-features/", "GET, HEAD, POST"),
        ("/learn/practice/", "GET, HEAD, POST"),
        ("/learn/", "GET, HEAD"),
        ("/learn/me/", "GET, HEAD"),
    ],
)
def test_a_wrong_method_is_refused(client, path, allowed, method):
    response = getattr(client, method)(path)
    assert (response.status_code, response.headers["Allow"]) == (405, allowed)


@pytest.mark.parametrize("path", ["/learn/", "/learn/me/"])
def test_what_is_only_looked_at_takes_no_post(client, path):
    assert client.post(path).status_code == 405


def test_a_form_from_elsewhere_is_refused(client):
    client.handler.enforce_csrf_checks = True
    assert client.post("/learn/cards/four-features/").status_code == 403
    assert nothing_is_kept()


@pytest.mark.parametrize("path", ["/learn/", "/learn/me/", "/learn/practice/"])
@pytest.mark.parametrize("method", ["get", "head"])
def test_a_stranger_who_looks_becomes_no_guest(client, path, method):
    assert getattr(client, method)(path).status_code == 200
    assert "sessionid" not in client.cookies
    assert not Session.objects.exists()
    assert nothing_is_kept()


def test_a_stranger_who_answers_becomes_a_guest(client):
    client.post("/learn/cards/four-features/")
    assert StepDone.objects.get().guest == client.session["guest"]["key"]


# Page and fragment


def is_fragment(response) -> bool:
    return "<html" not in response.text and "<main" not in response.text


@pytest.mark.parametrize("place", ["cards/four-features", "cards/color-green", "full-deck/one-differs", "odds/always"])
def test_htmx_gets_the_fragment_that_the_page_holds(client, place):
    page, fragment = client.get(f"/learn/{place}/"), client.get(f"/learn/{place}/", headers=HTMX)
    assert not is_fragment(page)
    assert is_fragment(fragment)
    # The ticket and its cards are new each time; everything else is as on the page.
    words = fragment.text.partition("<form")[0].strip()
    assert words in page.text
    assert 'id="step"' not in fragment.text, "it goes into the part that is named so"


def test_an_answer_by_htmx_gets_the_fragment_and_one_without_the_page(client):
    for headers in ({}, HTMX):
        right = client.post("/learn/cards/color-green/", {"value": "green"}, headers=headers)
        bad = client.post("/learn/cards/color-green/", {"value": "blue"}, headers=headers)
        assert is_fragment(right) is is_fragment(bad) is bool(headers)
        assert (right.status_code, bad.status_code) == (200, 422)


@pytest.mark.parametrize("path", ["/learn/full-deck/one-differs/", "/learn/practice/"])
def test_a_page_is_not_taken_for_its_fragment_by_what_keeps_copies(client, path):
    assert "HX-Request" in client.get(path).headers["Vary"]


# What counts


def test_a_right_answer_finishes_the_step_and_a_wrong_one_does_not(client):
    wrong = client.post("/learn/cards/color-green/", {"value": "red"})
    assert "Not quite. Look once more." in wrong.text
    assert not StepDone.objects.exists()
    right = client.post("/learn/cards/color-green/", {"value": "green"})
    assert "Yes!" in right.text
    assert 'href="/learn/cards/number-three/"' in right.text
    assert StepDone.objects.get().step == "color-green"
    assert [(row.is_right, row.is_first, row.missed) for row in LearningEvent.objects.order_by("pk")] == [
        (False, True, ["color"]),
        (True, False, []),
    ]


def test_a_drill_is_finished_by_as_many_different_questions_as_it_asks_for(client):
    path = "/learn/same-or-different/two-differ/"
    response = client.get(path)
    for right in range(1, 4):
        form = {"ticket": ticket_on(response), "yes": yes_or_no(response.context["question"])}
        for _again in range(2):
            answered = client.post(path, form)
            assert answered.context["right"] == right
        assert answered.context["is_done"] is (right == 3)
        response = client.get(path)
    assert StepDone.objects.get().step == "two-differ"
    assert LearningEvent.objects.count() == 6


def yes_or_no(exercise) -> str:
    return "1" if right_answer(exercise)["yes"] else "0"


def test_finding_one_set_of_several_is_no_answer_yet(client):
    path = "/learn/full-deck/find-all/"
    response = client.get(path)
    sets = find_sets(response.context["question"].cards)
    for found, triple in enumerate(sets, 1):
        assert not LearningEvent.objects.exists()
        cards = [card.index for card in triple]
        response = client.post(path, {"ticket": ticket_on(response), "cards": cards})
        assert len(response.context["found"]) == found
    assert response.context["grade"].is_right
    assert [sorted(each) for each in LearningEvent.objects.get().answer["sets"]] == [
        sorted(card.index for card in triple) for triple in sets
    ]


def test_an_experiment_comes_out_differently_each_time(client):
    said = set()
    for _turn in range(6):
        response = client.post("/learn/odds/twelve-cards/")
        said.add(str(response.context["grade"].say))
    assert len(said) > 2


def test_the_outcome_of_an_experiment_is_not_chosen_by_the_form(client):
    said = {str(client.post("/learn/odds/twelve-cards/", {"seed": "lucky"}).context["grade"].say) for _turn in range(6)}
    assert len(said) > 2


def test_no_page_shows_a_part_of_the_secret_against_forged_forms(client):
    response = client.get("/learn/odds/twelve-cards/")
    assert client.cookies["csrftoken"].value[:8] not in response.text


# Invalid requests


def shown(kind: ExerciseKind, place: str) -> Ticket:
    return Ticket(origin=Origin.of_place(place), wanted=Wanted(kind, 2), seed="s1", shown_at=time.time())


TICKETS = {
    kind: shown(kind, place)
    for kind, place in {
        ExerciseKind.IS_SET: "same-or-different/two-differ",
        ExerciseKind.WHICH_BREAKS: "magic-rule/almost",
        ExerciseKind.EXPLAIN: "same-or-different/say-why",
        ExerciseKind.THIRD_CARD: "third-card/two-differ",
        ExerciseKind.FIND_ONE: "full-deck/two-differ",
        ExerciseKind.FIND_ALL: "full-deck/find-all",
        ExerciseKind.ANY_SET: "full-deck/any-set",
    }.items()
}
BOARDS = {
    kind: [card.index for card in TICKETS[kind].question.cards]
    for kind in (ExerciseKind.FIND_ONE, ExerciseKind.FIND_ALL)
}
ELSEWHERE = {kind: next(index for index in range(81) if index not in board) for kind, board in BOARDS.items()}
CHOOSE, THREE, ONLY_THREE = "Choose your answer first.", "Pick three cards.", "Pick only three cards."
NOT_HERE, DIFFERENT = "One of these cards is not here.", "Pick three different cards."
EXPLAINED = dict.fromkeys(["number", "color", "shading", "shape"], "all-same")


def bad_boards(kind: ExerciseKind) -> list[tuple[ExerciseKind, dict[str, Any], str]]:
    board = BOARDS[kind]
    return [
        (kind, {"cards": board[:1]}, THREE),
        (kind, {"cards": board[:2]}, THREE),
        (kind, {"cards": board[:4]}, ONLY_THREE),
        (kind, {"cards": [*board[:2], board[0]]}, DIFFERENT),
        (kind, {"cards": [*board[:2], ELSEWHERE[kind]]}, NOT_HERE),
        (kind, {"cards": [*board[:2], "81"]}, NOT_HERE),
        (kind, {"cards": [*board[:2], "-1"]}, CHOOSE),
        (kind, {"cards": [*board[:2], "oval"]}, CHOOSE),
        (kind, {"cards": [*board[:2], "\u0663"]}, CHOOSE),
        (kind, {"cards": [*board[:2], "9" * 5000]}, CHOOSE),
        (kind, {"cards": [*board[:2], ""]}, CHOOSE),
    ]


BAD_ANSWERS: list[tuple[ExerciseKind, dict[str, Any], str]] = [
    (ExerciseKind.IS_SET, {}, CHOOSE),
    (ExerciseKind.IS_SET, {"yes": ""}, CHOOSE),
    (ExerciseKind.IS_SET, {"yes": "2"}, CHOOSE),
    (ExerciseKind.IS_SET, {"yes": "true"}, CHOOSE),
    (ExerciseKind.IS_SET, {"yes": "0", "breaks": "size"}, CHOOSE),
    (ExerciseKind.IS_SET, {"yes": "1", "breaks": "color"}, CHOOSE),
    (ExerciseKind.ANY_SET, {}, CHOOSE),
    (ExerciseKind.ANY_SET, {"yes": "maybe"}, CHOOSE),
    (ExerciseKind.ANY_SET, {"yes": "0", "breaks": "color"}, CHOOSE),
    (ExerciseKind.WHICH_BREAKS, {}, CHOOSE),
    (ExerciseKind.WHICH_BREAKS, {"breaks": ""}, CHOOSE),
    (ExerciseKind.WHICH_BREAKS, {"breaks": "size"}, CHOOSE),
    (ExerciseKind.WHICH_BREAKS, {"breaks": "COLOR"}, CHOOSE),
    (ExerciseKind.EXPLAIN, {}, CHOOSE),
    (ExerciseKind.EXPLAIN, {**EXPLAINED, "shape": ""}, CHOOSE),
    (ExerciseKind.EXPLAIN, {**EXPLAINED, "shape": "all"}, CHOOSE),
    (ExerciseKind.EXPLAIN, {"number": "all-same", "color": "all-same", "shading": "all-same"}, CHOOSE),
    (ExerciseKind.THIRD_CARD, {}, CHOOSE),
    (ExerciseKind.THIRD_CARD, {"card": ""}, CHOOSE),
    (ExerciseKind.THIRD_CARD, {"card": "oval"}, CHOOSE),
    (ExerciseKind.THIRD_CARD, {"card": "81"}, NOT_HERE),
    (ExerciseKind.THIRD_CARD, {"card": "-1"}, CHOOSE),
    (ExerciseKind.THIRD_CARD, {"card": TICKETS[ExerciseKind.THIRD_CARD].question.cards[0].index}, NOT_HERE),
    (ExerciseKind.FIND_ONE, {}, THREE),
    *bad_boards(ExerciseKind.FIND_ONE),
    *bad_boards(ExerciseKind.FIND_ALL),
]


def ids(rows) -> list[str]:
    return [f"{row[0]}-{number}" for number, row in enumerate(rows)]


@pytest.mark.parametrize(("kind", "form", "says"), BAD_ANSWERS, ids=ids(BAD_ANSWERS))
def test_an_answer_that_is_none_is_refused_in_words_and_not_kept(client, kind, form, says):
    ticket = TICKETS[kind]
    response = client.post(f"/learn/{ticket.origin.place}/", {"ticket": ticket.sealed(), **form})
    assert response.status_code == 422
    assert NOTICE.findall(response.text) == [says]
    assert replace(read_ticket(ticket_on(response)), owner="") == ticket, "the question stays"
    assert nothing_is_kept()


@pytest.mark.parametrize("found", [0, 1])
def test_to_pick_no_card_where_all_sets_are_to_be_found_is_no_answer(client, found):
    ticket = TICKETS[ExerciseKind.FIND_ALL]
    for triple in find_sets(ticket.question.cards)[:found]:
        ticket = ticket.with_found(tuple(sorted(card.index for card in triple)))
    response = client.post(f"/learn/{ticket.origin.place}/", {"ticket": ticket.sealed()})
    assert response.status_code == 422
    assert NOTICE.findall(response.text) == [THREE]
    assert nothing_is_kept()


def test_a_set_that_is_found_already_is_refused_in_words(client):
    path = f"/learn/{TICKETS[ExerciseKind.FIND_ALL].origin.place}/"
    ticket = TICKETS[ExerciseKind.FIND_ALL].sealed()
    cards = [card.index for card in find_sets(TICKETS[ExerciseKind.FIND_ALL].question.cards)[0]]
    ticket = ticket_on(client.post(path, {"ticket": ticket, "cards": cards}))
    response = client.post(path, {"ticket": ticket, "cards": cards[::-1]})
    assert response.status_code == 422
    assert NOTICE.findall(response.text) == ["You have found this one already."]
    assert nothing_is_kept()


BAD_COURSE_ANSWERS: list[tuple[str, dict[str, Any], str]] = [
    ("cards/color-green", {}, "Choose one."),
    ("cards/color-green", {"value": "blue"}, "Choose one."),
    ("cards/color-green", {"value": "oval"}, "Choose one."),
    ("cards/color-green", {"value": "?"}, "Choose one."),
    ("cards/number-changed", {}, "Choose one."),
    ("cards/number-changed", {"feature": "size"}, "Choose one."),
    ("cards/shape-squiggle", {}, "Pick the cards first."),
    ("cards/shape-squiggle", {"cards": ["80"]}, NOT_HERE),
    ("cards/shape-squiggle", {"cards": ["squiggle"]}, NOT_HERE),
    ("the-play/pick", {}, THREE),
    ("the-play/pick", {"cards": ["x"]}, NOT_HERE),
    ("beyond/four-of-nine", {"cards": ["80"]}, NOT_HERE),
    ("beyond/magic-square", {}, THREE),
    ("beyond/magic-square", {"cards": ["1"]}, NOT_HERE),
]


@pytest.mark.parametrize(("place", "form", "says"), BAD_COURSE_ANSWERS, ids=ids(BAD_COURSE_ANSWERS))
def test_an_answer_to_the_course_that_is_none_is_refused_in_words_and_not_kept(client, place, form, says):
    response = client.post(f"/learn/{place}/", form)
    assert response.status_code == 422
    assert NOTICE.findall(response.text) == [says]
    assert nothing_is_kept()


def test_two_or_four_cards_in_a_scene_are_refused_in_words(client):
    table = [card.index for card in client.get("/learn/the-play/pick/").context["question"].match.table]
    for count, says in ((1, THREE), (2, THREE), (4, ONLY_THREE), (12, ONLY_THREE)):
        response = client.post("/learn/the-play/pick/", {"cards": table[:count]})
        assert response.status_code == 422
        assert NOTICE.findall(response.text) == [says]
    assert nothing_is_kept()


names = st.sampled_from(["yes", "breaks", "card", "cards", "value", "feature", "number", "shape", "seed", "help", "x"])
texts = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=20) | st.sampled_from(
    ["0", "1", "17", "80", "color", "all-same", "green", "٣"]
)
forms = st.dictionaries(names, texts | st.lists(texts, max_size=5), max_size=5)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(place=st.sampled_from(STEPS), form=forms, is_signed=st.booleans())
def test_no_form_whatever_breaks_a_step(client, no_hurry, place, form, is_signed):
    if is_signed:
        form = {**form, "ticket": next((t.sealed() for t in TICKETS.values() if t.origin.place == place), "none")}
    before = LearningEvent.objects.count()
    response = client.post(f"/learn/{place}/", form)
    assert response.status_code in {200, 422}
    if response.status_code == 422:
        assert NOTICE.search(response.text)
        assert LearningEvent.objects.count() == before


@pytest.fixture
def no_hurry(monkeypatch):
    """Lift the rate limit, because a script answers faster than people."""
    monkeypatch.setattr(limits, "MOVES", limits.Limit("moves", most=100_000, seconds=10))


@pytest.mark.usefixtures("clock_of_limits")
def test_more_answers_than_a_hand_can_give_are_refused_and_not_kept(client, monkeypatch):
    monkeypatch.setattr(limits, "MOVES", limits.Limit("moves-of-this-test", most=2, seconds=3600))
    answers = [client.post("/learn/cards/color-green/", {"value": "red"}).status_code for _each in range(4)]
    assert answers == [200, 200, 429, 429]
    assert client.post("/learn/practice/").status_code == 429
    assert LearningEvent.objects.count() == 2


def test_guests_of_one_address_are_counted_together_whatever_their_cookies_say(monkeypatch, client):
    limit = RateLimit("guest-answers-of-this-test", (Window(2, 3600),))
    monkeypatch.setattr(limits, "GUEST_ANSWERS_OF_ADDRESS", limit)
    answers = [Client().post("/learn/cards/color-green/", {"value": "red"}).status_code for _guest in range(4)]
    assert answers == [200, 200, 429, 429]
    client.force_login(a_user("Ann").user)
    assert client.post("/learn/cards/color-green/", {"value": "red"}).status_code == 200, "accounts aren't held up"
    assert LearningEvent.objects.count() == 3


# What a page costs


def learner(client, tries: int, steps: int, name: str) -> None:
    who = a_user(name)
    client.force_login(who.user)
    keep_many(who, tries, place="full-deck/one-differs")
    for place in STEPS[:steps]:
        finish_step(who, *place.split("/"), now=NOW)


def queries(client, path: str) -> int:
    with CaptureQueriesContext(connection) as asked:
        assert client.get(path).status_code == 200
    return len(asked)


def test_a_page_takes_as_many_queries_for_many_tries_as_for_few(client):
    paths = ["/learn/", *(f"/learn/{place}/" for place in ("cards/four-features", "full-deck/one-differs", STEPS[-1]))]
    costs = []
    for tries, steps, name in ((5, 1, "Ann"), (300, 91, "Ben")):
        learner(client, tries, steps, name)
        costs.append([queries(client, path) for path in paths])
    assert costs[0] == costs[1]
    assert max(costs[0]) <= 5


def test_every_step_takes_as_many_queries_as_the_first_of_its_sort(client):
    learner(client, 5, 3, "Ann")
    costs: dict[bool, set[int]] = {True: set(), False: set()}
    for place in STEPS:
        _unit, step = find_step(*place.split("/"))
        costs[isinstance(step.question, Ask | Drill)].add(queries(client, f"/learn/{place}/"))
    assert [len(each) for each in costs.values()] == [1, 1], costs


def test_features_of_a_drill_come_in_any_order_and_each_as_often_as_it_should():
    """A fixed order of answers would give them away."""
    path = "/learn/magic-rule/number-or-shading/"
    question = find_step("magic-rule", "number-or-shading")[1].question
    orders = set()
    for _child in range(12):
        guest, asked = Client(), []
        for _turn in question.wanted:
            ticket = read_ticket(ticket_on(guest.get(path)))
            asked.append(ticket.wanted)
            guest.post(path, {"ticket": ticket.sealed(), "breaks": ticket.wanted.focus.value})
        assert Counter(asked) == Counter(question.wanted)
        orders.add(tuple(asked))
    assert len(orders) > 1


def test_of_an_answer_only_what_its_question_asks_for_is_kept(client):
    form = {"value": "red", "feature": "x" * 41, "cards": ["1", "y" * 1000, "y" * 1000] * 40}
    client.post("/learn/cards/color-green/", form)
    assert LearningEvent.objects.get().answer == {"value": "red"}


def test_of_an_answer_no_more_cards_are_kept_than_there_are(client):
    picks = next(each for each in course()[0].steps if isinstance(each.question, PickAll))
    card = str(picks.question.cards[0].index)
    client.post(f"/learn/cards/{picks.slug}/", {"cards": [card] * 1000})
    assert LearningEvent.objects.get().answer == {"cards": [card] * 81}
