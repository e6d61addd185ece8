"""Exercise tickets in forms: only questions asked by the site can be answered, and no ticket reveals its answer."""

from __future__ import annotations

import base64
import json
import re
import time
from itertools import permutations
from typing import Any

import pytest
from cryptography import fernet
from django.conf import settings
from django.test import override_settings

from lessons.models import LearningEvent, Progress, StepDone
from lessons.progress.origins import Origin
from lessons.questions import make_exercise
from lessons.skills import ExerciseKind, Wanted
from lessons.tickets import BadTicket, Ticket, read_ticket
from tests.lessons.test_learning import right_answer

pytestmark = pytest.mark.django_db
NEW_KEY = "another site's, or ours of tomorrow"

DRILL = "same-or-different/two-differ"
ASK = "five-examples/first-decide"
PLACES = {DRILL: f"/learn/{DRILL}/", ASK: f"/learn/{ASK}/", "practice": "/learn/practice/"}
WANTED = Wanted(ExerciseKind.IS_SET, 2)
TWO_DAYS = 2 * 86_400
TICKET = re.compile(r'name="ticket" value="([^"]+)"')


def ticket_on(response) -> str:
    """The ticket on a page; other page tests use this too."""
    (ticket,) = TICKET.findall(response.text)
    return ticket


def right_form(ticket: Ticket) -> dict[str, Any]:
    return {"yes": "1" if right_answer(ticket.question)["yes"] else "0"}


def new_ticket(place: str) -> Ticket:
    return Ticket(origin=Origin.of_place(place), wanted=WANTED, seed="" if place == ASK else "s1", shown_at=time.time())


def assert_asked_afresh(response, old: str) -> None:
    """The page asks a new question, mentions no answer, and nothing was stored."""
    assert response.status_code == 200
    fresh = read_ticket(ticket_on(response))
    assert ticket_on(response) != old
    assert (fresh.hints, fresh.found) == (0, ())
    assert "answer-title" not in response.text
    assert not LearningEvent.objects.exists()
    assert not StepDone.objects.exists()
    assert not Progress.objects.exists()


# Tickets


def test_a_ticket_is_read_as_it_was_sealed():
    ticket = Ticket(
        origin=Origin.of_place(DRILL), wanted=WANTED, seed="s1", shown_at=12.5, hints=2, found=((1, 2, 3), (4, 5, 6))
    )
    assert read_ticket(ticket.sealed()) == ticket
    assert ticket.question == make_exercise(WANTED, "s1")


def test_a_ticket_that_names_its_origin_as_a_place_is_still_good(monkeypatch):
    ticket = new_ticket(DRILL)
    dumps = json.dumps
    monkeypatch.setattr(json, "dumps", lambda data: dumps({**data, "place": data["origin"], "origin": None}))
    assert read_ticket(ticket.sealed()) == ticket


def test_a_ticket_without_a_seed_is_the_question_that_the_course_has_written_down():
    exercise = new_ticket(ASK).question
    assert [str(card) for card in exercise.cards] == [
        "two solid red ovals",
        "two striped red ovals",
        "two outlined red ovals",
    ]
    for place in (DRILL, "no/where", "practice"):
        with pytest.raises(BadTicket):
            _ = Ticket(origin=Origin.of_place(place), wanted=WANTED, seed="", shown_at=0.0).question


def test_a_ticket_tells_nothing_of_what_it_asks():
    """The specification contains the answer: its focus is the feature that breaks."""
    sealed = Ticket(origin=Origin.of_place(DRILL), wanted=WANTED, seed="s1", shown_at=12.5).sealed()
    said = base64.urlsafe_b64decode(sealed)
    assert not any(word in said for word in (b"wanted", b"focus", b"seed", DRILL.encode()))


def test_a_ticket_of_before_the_key_was_changed_is_still_good():
    ticket = Ticket(origin=Origin.of_place(DRILL), wanted=WANTED, seed="s1", shown_at=12.5)
    sealed = ticket.sealed()
    with override_settings(SECRET_KEY=NEW_KEY, SECRET_KEY_FALLBACKS=[settings.SECRET_KEY]):
        assert read_ticket(sealed) == ticket


# What is refused


def sealed_long_ago(ticket: Ticket, monkeypatch, seconds: float) -> str:
    then = time.time() - seconds
    with monkeypatch.context() as past:
        past.setattr(fernet.time, "time", lambda: then)
        return ticket.sealed()


def sealed_elsewhere(ticket: Ticket) -> str:
    with override_settings(SECRET_KEY=NEW_KEY):
        return ticket.sealed()


def bad_tickets(ticket: Ticket, monkeypatch) -> dict[str, str]:
    good = ticket.sealed()
    return {
        "none": "",
        "nonsense": "Give me a point!",
        "half of it": good[: len(good) // 2],
        "one letter changed": ("A" if good[0] != "A" else "B") + good[1:],
        "one letter in the middle changed": good[:100] + ("A" if good[100] != "A" else "B") + good[101:],
        "another site": sealed_elsewhere(ticket),
        "long ago": sealed_long_ago(ticket, monkeypatch, TWO_DAYS + 60),
        "no letters": "\u2603:\u2603:\u2603",
    }


BAD = ["none", "nonsense", "half of it", "one letter changed", "one letter in the middle changed"]
BAD += ["another site", "long ago", "no letters"]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("what", BAD)
def test_a_ticket_that_is_not_ours_gets_a_fresh_question_and_counts_for_nothing(client, monkeypatch, place, what):
    ticket = new_ticket(place)
    bad = bad_tickets(ticket, monkeypatch)[what]
    with pytest.raises(BadTicket):
        read_ticket(bad)
    for form in (right_form(ticket), {"help": "1"}):
        assert_asked_afresh(client.post(PLACES[place], {"ticket": bad, **form}), bad)


@pytest.mark.parametrize("place", PLACES)
def test_a_form_without_a_ticket_gets_a_fresh_question(client, place):
    assert_asked_afresh(client.post(PLACES[place], {"yes": "1"}), "")


@pytest.mark.parametrize("place", PLACES)
def test_the_same_ticket_untouched_is_good_for_nearly_two_days(client, monkeypatch, place):
    ticket = new_ticket(place)
    old = sealed_long_ago(ticket, monkeypatch, TWO_DAYS - 60)
    response = client.post(PLACES[place], {"ticket": old, **right_form(ticket)})
    assert "Yes!" in response.text
    assert LearningEvent.objects.get().is_right


@pytest.mark.parametrize(("here", "elsewhere"), list(permutations([*PLACES, "same-or-different/three-differ"], 2)))
def test_a_ticket_of_another_place_does_not_count_here(client, here, elsewhere):
    ticket = new_ticket(elsewhere)
    for form in (right_form(ticket), {"help": "1"}):
        assert_asked_afresh(client.post(f"/learn/{here}/", {"ticket": ticket.sealed(), **form}), ticket.sealed())


@pytest.mark.parametrize("form", [{"yes": "1"}, {"help": "1"}])
def test_a_ticket_for_a_question_that_the_course_no_longer_asks_gets_a_fresh_one(client, form):
    # Sealed before the course changed: what's a drill now was a question with its own cards.
    ticket = Ticket(origin=Origin.of_place(DRILL), wanted=WANTED, seed="", shown_at=time.time()).sealed()
    assert_asked_afresh(client.post(PLACES[DRILL], {"ticket": ticket, **form}), ticket)


# Pages and tickets don't reveal the answer


def test_what_was_wanted_says_nothing_about_yes_or_no():
    for kind in (ExerciseKind.IS_SET, ExerciseKind.ANY_SET):
        wanted = Wanted(kind, 2)
        assert {right_answer(make_exercise(wanted, f"s{turn}"))["yes"] for turn in range(20)} == {True, False}


CARD = re.compile(r'<span class="card" data-card="\d+">.*?</svg></span>', re.DOTALL)
OF_THE_MOMENT = re.compile(
    r'(?<=name="ticket" value=")[^"]+|(?<=csrfmiddlewaretoken" value=")\w+|(?<=X-CSRFToken": ")\w+'
)


def without_cards(response) -> str:
    """The page without its cards and without parts that are new each time."""
    return OF_THE_MOMENT.sub("", CARD.sub("<card>", response.text))


@pytest.mark.parametrize("htmx", [{}, {"HX-Request": "true"}], ids=["page", "fragment"])
@pytest.mark.parametrize(
    "path", ["/learn/same-or-different/two-differ/", "/learn/full-deck/any-set/", "/learn/practice/"]
)
def test_a_page_looks_the_same_for_yes_and_for_no_but_for_the_cards(client, path, htmx):
    pages: dict[bool, set[str]] = {True: set(), False: set()}
    for _turn in range(24):
        response = client.get(path, headers=htmx)
        exercise = response.context["question"]
        assert exercise.kind in {ExerciseKind.IS_SET, ExerciseKind.ANY_SET}
        pages[right_answer(exercise)["yes"]].add(without_cards(response))
    assert pages[True] == pages[False], "either side came up, and looks like the other"
    assert len(pages[True]) == 1


def test_the_five_examples_look_the_same_but_for_the_cards_and_their_titles(client):
    looks = set()
    for name in ("first", "second", "third", "fourth", "fifth"):
        response = client.get(f"/learn/five-examples/{name}-decide/")
        form = without_cards(response).partition("<form")[2].partition("</form>")[0]
        looks.add(form.replace(f"{name}-decide", ""))
    assert len(looks) == 1


def test_the_cards_of_a_question_are_named_alike_wherever_they_are_shown(client):
    response = client.get(PLACES[DRILL])
    exercise = response.context["question"]
    named = re.findall(r'data-card="(\d+)"><span class="visually-hidden">([^<]+)</span>', response.text)
    assert named == [(str(card.index), str(card)) for card in exercise.cards]
