"""With a new secret key and the old one as a fallback, everything sealed by the old one works; without it, nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.conf import settings
from django.test import Client, override_settings

from classrooms.accounts.guardians import BadCode, make_code, use_code
from classrooms.accounts.signing_in import BadLoginCard, card_token, read_card
from classrooms.live import topic as lesson_stream
from classrooms.models import Enrolment, User
from classrooms.privacy.undo_mail import read_undo_token, undo_token
from classrooms.reports.mailings import LetterKind, read_stop_token, stop_token
from games.live import tokens
from lessons.tickets import BadTicket, read_ticket
from tests.classrooms.people import enrol, make_adult, make_classroom, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock_of_limits")]

NEW_KEY = "a key of our own that is as new as the morning: " + "x7Kq" * 8


@contextmanager
def rotated(*, keeps_old: bool = True) -> Iterator[None]:
    """The site with a new key; the old one is a fallback or gone."""
    older = [settings.SECRET_KEY] if keeps_old else []
    with override_settings(SECRET_KEY=NEW_KEY, SECRET_KEY_FALLBACKS=older):
        yield


@pytest.fixture
def teacher() -> User:
    return make_adult("Rivera")


@pytest.fixture
def mia(teacher) -> Enrolment:
    return enrol(make_classroom(teacher), "Mia Okafor")[0]


def test_a_login_card_of_the_old_key_lets_in_and_new_cards_are_of_the_new_one(mia):
    old = card_token(mia.student)
    with rotated():
        assert read_card(old) == mia.student
        tablet = Client()
        tablet.get(f"/join/card/{old}/")
        assert tablet.post("/join/card/").headers["Location"] == "/learn/"
        new = card_token(mia.student)
        assert new != old
    with override_settings(SECRET_KEY=NEW_KEY):
        assert read_card(new) == mia.student
    with rotated(keeps_old=False), pytest.raises(BadLoginCard):
        read_card(old)


def test_a_forged_card_is_none_under_any_key(mia):
    pk, number, seal = card_token(mia.student).split("-")
    with rotated():
        for forged in (
            f"{pk}-{int(number, 36) + 1}-{seal}",
            f"{pk}-{number}-{'0' * 24}",
            f"{pk}-{number}-{seal[::-1]}",
        ):
            with pytest.raises(BadLoginCard):
                read_card(forged)


def test_a_guardians_code_of_the_old_key_links_once(mia, teacher):
    code = make_code(mia.student, by=teacher)
    with rotated(keeps_old=False), pytest.raises(BadCode):
        use_code(code, by=make_adult("Bea"))
    with rotated():
        assert use_code(code, by=make_adult("Ada")).child == mia.student
        with pytest.raises(BadCode):
            use_code(code, by=make_adult("Cleo"))


def test_streams_of_the_old_key_go_on():
    table, lesson = tokens.TableWatch("ABCDE", 1, "en-us"), lesson_stream.LessonWatch("ABCDEF", 3)
    of_table, of_lesson = tokens.sign(table), lesson_stream.sign(lesson)
    with rotated():
        assert tokens.read(of_table) == table
        assert lesson_stream.read(of_lesson) == lesson
    with rotated(keeps_old=False):
        assert lesson_stream.read(of_lesson) is None
        with pytest.raises(tokens.BadToken):
            tokens.read(of_table)


def test_a_question_of_the_old_key_is_answered(mia):
    client = signed_in(mia.student)
    ticket = re.search(r'name="ticket" value="([^"]+)"', client.get("/learn/practice/").text)[1]
    with rotated():
        assert read_ticket(ticket)
    with rotated(keeps_old=False), pytest.raises(BadTicket):
        read_ticket(ticket)


def test_a_link_in_an_old_letter_still_stops_the_letters(teacher):
    token = stop_token(teacher)
    with rotated():
        assert read_stop_token(token) == (teacher, LetterKind.FAMILY)
    with rotated(keeps_old=False):
        assert read_stop_token(token) is None


def test_a_link_that_undoes_a_deletion_goes_on(teacher):
    User.objects.filter(pk=teacher.pk).update(deleted_at="2099-01-01T00:00Z")
    token = undo_token(teacher)
    with rotated():
        assert read_undo_token(token) == teacher
    with rotated(keeps_old=False):
        assert read_undo_token(token) is None


def test_whoever_is_signed_in_stays_so(teacher):
    client = signed_in(teacher)
    with rotated():
        assert client.get("/teach/").status_code == 200
        # From here on the session uses the new key.
    with rotated(keeps_old=False):
        assert client.get("/teach/").status_code == 200


def test_without_the_old_key_everybody_is_signed_out(teacher):
    client = signed_in(teacher)
    with rotated(keeps_old=False):
        assert client.get("/teach/").status_code == 302


def test_answers_that_were_kept_offline_are_still_the_learners_own(mia):
    client = signed_in(mia.student)
    old = client.get("/learn/later/").json()["whose"]
    with rotated():
        desk = client.get("/learn/later/").json()
        assert desk["whose"] != old
        assert desk["older"] == [old]
        assert client.post("/learn/later/", {"whose": old}).status_code != 409
        assert client.post("/learn/later/", {"whose": "0" * 16}).status_code == 409
