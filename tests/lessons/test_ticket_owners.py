"""Only the person who was asked can answer a question, and help given is remembered whichever ticket comes back."""

from __future__ import annotations

import random
from uuid import uuid4

import pytest
from django.contrib.auth import get_user
from django.test import Client

from classrooms.models import User
from lessons.course.units import course
from lessons.models import HelpGiven, LearningEvent
from lessons.questions.course import Ask
from lessons.skills import ExerciseKind, Wanted
from lessons.tickets import Ticket, read_ticket
from tests.lessons.test_learning import right_answer
from tests.lessons.test_practice import PATH
from tests.lessons.test_tickets import ticket_on

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _easy(monkeypatch):
    """Make practice ask only questions answered with one tap."""
    monkeypatch.setattr("lessons.views.practice.next_wanted", _wanted)


def _wanted(tries, now, rng: random.Random, **more):

    return Wanted(ExerciseKind.IS_SET, 2)


def right(ticket: Ticket) -> dict[str, str]:
    return {"yes": "1" if right_answer(ticket.question)["yes"] else "0"}


def answer(client: Client, sealed: str, path: str = PATH, **more: str):
    return client.post(path, {"ticket": sealed, **right(read_ticket(sealed)), **more})


def later(client: Client, sealed: str, whose: str = "guest"):
    return answer(client, sealed, "/learn/later/", sent_as=str(uuid4()), whose=whose, ago="5")


def signed_in(name: str = "Ann") -> Client:
    client = Client()
    client.force_login(User.objects.create_adult(email=f"{name}@people.example", display_name=name))
    return client


@pytest.fixture(params=["user", "guest", "stranger"])
def learner(request) -> Client:
    if request.param == "user":
        return signed_in()
    client = Client()
    if request.param == "guest":
        answer(client, ticket_on(client.get(PATH)))
        LearningEvent.objects.all().delete()
    return client


# Help


def test_help_and_then_the_first_ticket_is_an_answer_with_help(learner):
    first = ticket_on(learner.get(PATH))
    learner.post(PATH, {"ticket": first, "help": "1"})
    learner.post(PATH, {"ticket": first, "help": "1"})
    assert "Yes!" in answer(learner, first).text
    assert LearningEvent.objects.get().hints == 2


def test_help_from_a_first_ticket_shows_the_next_stage_and_not_the_same_again(learner):
    first = ticket_on(learner.get(PATH))
    helps = [len(learner.post(PATH, {"ticket": first, "help": "1"}).context["helps"]) for _time in range(3)]
    assert helps == [1, 2, 3]


def test_help_with_a_question_counts_when_the_same_question_comes_back_on_another_ticket():
    ann = signed_in()
    first = ticket_on(ann.get(PATH))
    wrong = {"yes": "0" if right(read_ticket(first))["yes"] == "1" else "1"}
    ann.post(PATH, {"ticket": first, **wrong})
    again = ticket_on(ann.get(f"{PATH}?again={LearningEvent.objects.get().pk}"))
    ann.post(PATH, {"ticket": again, "help": "1"})
    answer(ann, first)
    assert [each.hints for each in LearningEvent.objects.order_by("pk")] == [0, 1]


def test_help_that_nobody_asked_for_leaves_no_row(learner):
    answer(learner, ticket_on(learner.get(PATH)))
    assert not HelpGiven.objects.exists()
    assert LearningEvent.objects.get().hints == 0


def test_help_as_a_guest_counts_after_signing_in():
    client = Client()
    first = ticket_on(client.get(PATH))
    client.post(PATH, {"ticket": first, "help": "1"})
    sign_in(client)
    answer(client, first)
    attempt = LearningEvent.objects.get()
    assert (attempt.user, attempt.hints) == (get_user(client), 1)


def drop_session(client: Client) -> None:
    """Drop the guest's session only."""
    del client.cookies["sessionid"]


def ask_for_help(client: Client, sealed: str, times: int = 3) -> str:
    """Ask for help with the newest ticket each time, as a page does; return the last ticket."""
    for _time in range(times):
        sealed = ticket_on(client.post(PATH, {"ticket": sealed, "help": "1"}))
    return sealed


def a_written_question() -> str:
    """The URL of a question that's the same for everybody."""
    steps = ((unit, step) for unit in course() for step in unit.steps if isinstance(step.question, Ask))
    unit, step = next(each for each in steps if each[1].question.exercise.kind is ExerciseKind.IS_SET)
    return f"/learn/{unit.slug}/{step.slug}/"


@pytest.mark.parametrize("is_known", [False, True], ids=["still a stranger", "already a guest"])
def test_help_counts_after_signing_in_without_the_session_in_which_it_was_given(is_known):
    client = Client()
    first = ticket_on(client.get(PATH))
    newest = first
    if is_known:
        # Without an answer, the same question comes back with the guest's own ticket.
        newest = ticket_on(client.post(PATH, {"ticket": first}))
        assert read_ticket(newest).owner != read_ticket(first).owner
    ask_for_help(client, newest)
    drop_session(client)
    sign_in(client)
    answer(client, first)
    attempt = LearningEvent.objects.get()
    assert (attempt.user, attempt.hints) == (get_user(client), 3)


def test_help_counts_for_the_next_guest_in_the_same_browser():
    client = Client()
    first = ticket_on(client.get(PATH))
    ask_for_help(client, first, 2)
    drop_session(client)
    answer(client, first)
    assert LearningEvent.objects.get().hints == 2


def test_help_after_signing_in_counts_when_the_question_is_taken_back_to_where_it_was_asked():
    client = Client()
    first = ticket_on(client.get(PATH))
    cookie = client.cookies["csrftoken"].value
    sign_in(client)
    ask_for_help(client, first, 2)
    client.logout()
    client.cookies["csrftoken"] = cookie
    answer(client, first)
    attempt = LearningEvent.objects.get()
    assert (attempt.user, attempt.hints) == (None, 2)


def test_help_as_a_guest_counts_for_the_same_question_on_a_ticket_from_after_signing_in():
    client, path = Client(), a_written_question()
    client.post(path, {"ticket": ticket_on(client.get(path)), "help": "1"})
    drop_session(client)
    sign_in(client)
    answer(client, ticket_on(client.get(path)), path)
    assert LearningEvent.objects.get(user=get_user(client)).hints == 1


def test_help_in_another_browser_does_not_count():
    ask_for_help(Client(), ticket_on(Client().get(PATH)))
    other = Client()
    ask_for_help(other, ticket_on(other.get(PATH)))
    client = Client()
    answer(client, ticket_on(client.get(PATH)))
    assert LearningEvent.objects.get().hints == 0


def test_help_counts_for_an_answer_that_is_sent_later():
    client = Client()
    first = ticket_on(client.get(PATH))
    client.post(PATH, {"ticket": first, "help": "1"})
    assert later(client, first).status_code == 200
    assert LearningEvent.objects.get().hints == 1


def test_whether_an_answer_is_right_is_not_chosen_by_the_form(learner):
    sealed = ticket_on(learner.get(PATH))
    wrong = {"yes": "0" if right(read_ticket(sealed))["yes"] == "1" else "1"}
    chosen = dict.fromkeys(("right", "is_right", "correct", "is_first", "score"), "1")
    learner.post(PATH, {"ticket": sealed, **wrong, **chosen})
    assert not LearningEvent.objects.get().is_right


# Other people's tickets


def sign_in(client: Client, name: str = "Ann") -> None:
    """Sign in with the form, in the same browser."""
    user = User.objects.create_adult(
        email=f"{name}@people.example",
        display_name=name,
        password="under the third oval",  # noqa: S106
    )
    user.emailaddress_set.create(email=user.email, verified=True, primary=True)
    client.post("/account/login/", {"login": user.email, "password": "under the third oval"})
    assert get_user(client).is_authenticated


def test_somebody_elses_ticket_is_not_accepted(learner):
    theirs = ticket_on(learner.get(PATH))
    for other in (signed_in("Ben"), Client(), guest_of_another_browser()):
        LearningEvent.objects.all().delete()
        response = answer(other, theirs)
        assert ticket_on(response) != theirs
        assert "Yes!" not in response.text
        other.post(PATH, {"ticket": theirs, "help": "1"})
        assert later(other, theirs).status_code == 409, "kept, for whoever it belongs to"
        assert not LearningEvent.objects.exists()
    assert not HelpGiven.objects.exists()
    assert "Yes!" in answer(learner, theirs).text, "and it's still good for its owner"


def guest_of_another_browser() -> Client:
    client = Client()
    answer(client, ticket_on(client.get(PATH)))
    return client


def test_a_child_at_a_shared_tablet_does_not_answer_the_question_of_the_child_before():
    tablet = Client()
    ann, ben = (User.objects.create_student(display_name=name, pictures="") for name in ("Ann", "Ben"))
    tablet.force_login(ann)
    anns = ticket_on(tablet.get(PATH))
    tablet.logout()
    tablet.force_login(ben)
    answer(tablet, anns)
    assert not LearningEvent.objects.exists()


def test_a_stranger_who_becomes_a_guest_and_signs_in_can_still_answer_what_was_asked_before():
    client = Client()
    asked_as_stranger, other = (ticket_on(client.get(PATH)) for _page in range(2))
    answer(client, other)
    asked_as_guest = ticket_on(client.get(PATH))
    sign_in(client)
    assert "Yes!" in answer(client, asked_as_stranger).text
    assert "Yes!" in answer(client, asked_as_guest).text
    assert LearningEvent.objects.filter(user=get_user(client)).count() == 3


def test_what_a_stranger_answered_offline_is_taken_after_signing_in():
    client = Client()
    ahead = client.get("/learn/practice/ahead/").json()["exercises"]
    sealed = ahead[0].partition('name="ticket" value="')[2].partition('"')[0]
    sign_in(client)
    assert later(client, sealed).status_code == 200
    assert LearningEvent.objects.get().user == get_user(client)


def test_a_second_try_with_the_same_ticket_is_taken(learner):
    first = ticket_on(learner.get(PATH))
    wrong = {"yes": "0" if right(read_ticket(first))["yes"] == "1" else "1"}
    learner.post(PATH, {"ticket": first, **wrong})
    assert "Yes!" in answer(learner, first).text
    assert [each.is_first for each in LearningEvent.objects.order_by("pk")] == [True, False]


def test_a_ticket_that_was_handed_out_before_tickets_had_owners_is_taken(learner):
    sealed = ticket_on(learner.get(PATH))
    old = read_ticket(sealed)
    assert old.owner
    unowned = Ticket(origin=old.origin, wanted=old.wanted, seed=old.seed, shown_at=old.shown_at).sealed()
    assert "Yes!" in answer(learner, unowned).text
