"""Guessing at somebody's pictures by a browser that pretends to be another one with each guess."""

from __future__ import annotations

import secrets

import pytest
from django.test import Client

from classrooms.signing_in import KNOWN_COOKIE, WRONG_OF_BROWSER, WRONG_OF_STUDENT, card_token
from tests.classrooms.people import enrol, make_adult, make_classroom
from tests.classrooms.test_signing_in import tap, wrong

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock_of_limits")]


@pytest.fixture
def mia():
    return enrol(make_classroom(make_adult()), "Mia Okafor")[0]


def disguised(known: str = "") -> Client:
    """A browser with cookies that we have never seen."""
    client = Client()
    client.cookies["sessionid"] = secrets.token_hex(16)
    client.cookies["csrftoken"] = secrets.token_hex(16)
    if known:
        client.cookies[KNOWN_COOKIE] = known
    return client


def test_a_tablet_that_knows_the_child_is_held_up_whatever_else_it_says_it_is(mia):
    tablet = Client()
    tablet.post(f"/join/card/{card_token(mia.student)}/")
    known = tablet.cookies[KNOWN_COOKIE].value
    answers = [tap(disguised(known), mia, *wrong(mia)).status_code for _guess in range(WRONG_OF_BROWSER.most + 1)]
    assert answers == [422] * WRONG_OF_BROWSER.most + [429]
    assert Client().post(f"/join/card/{card_token(mia.student)}/").status_code == 302, "the card still works"


def test_strange_browsers_share_the_guesses_at_one_child(mia):
    answers = [tap(disguised(), mia, *wrong(mia)).status_code for _guess in range(WRONG_OF_STUDENT.most + 1)]
    assert answers[-1] == 429


def test_a_cookie_that_claims_to_know_the_child_is_not_believed(mia):
    for _guess in range(WRONG_OF_STUDENT.most):
        tap(disguised("W1sxXV0:1xSr00:forged"), mia, *wrong(mia))
    assert tap(disguised("W1sxXV0:1xSr00:forged"), mia, *mia.student.pictures).status_code == 429
