"""The weekly letter: its recipients and content, sent exactly once."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from smtplib import SMTPServerDisconnected

import pytest
from django.core import mail
from django.core.mail import EmailMultiAlternatives
from django.test import Client

from classrooms import tasks
from classrooms.accounts import guardians
from classrooms.classes.students import make_home_child
from classrooms.models import Guardianship, Letter, User
from classrooms.reports import letters
from classrooms.reports.letters import send_weekly_letters, week_before
from lessons.skills import ExerciseKind
from tests.classrooms.people import enrol, make_adult, make_classroom
from tests.classrooms.tries import a_set, answered

pytestmark = pytest.mark.django_db

MONDAY = datetime(2027, 1, 18, 7, tzinfo=UTC)
WEDNESDAY_BEFORE = datetime(2027, 1, 13, 15, tzinfo=UTC)


@pytest.fixture
def ada() -> User:
    return make_adult("Ada")


@pytest.fixture
def child(ada) -> User:
    return make_home_child("Zoe", by=ada)


def practice(child: User, at: datetime = WEDNESDAY_BEFORE) -> None:
    answered(child, ExerciseKind.IS_SET, a_set(), {"yes": True}, at=at.timestamp())


@pytest.mark.parametrize("day", range(7))
def test_a_letter_tells_about_the_last_week_that_is_over(day):
    assert week_before(MONDAY + timedelta(days=day)) == date(2027, 1, 11)


def test_a_letter_goes_out_after_a_week_with_practice(ada, child):
    practice(child)
    assert send_weekly_letters(MONDAY) == 1
    (sent,) = mail.outbox
    assert sent.to == [ada.email]
    assert sent.subject == "A week with SET: Zoe"
    assert "Zoe practiced on 1 day." in sent.body
    assert f"http://localhost:8000/family/{child.pk}/" in sent.body
    html, kind = sent.alternatives[0]
    assert kind == "text/html"
    assert "Zoe practiced on 1 day." in html
    assert Letter.objects.get().sent_at


def test_the_letter_can_be_stopped_by_what_stands_in_it(ada, child):
    practice(child)
    send_weekly_letters(MONDAY)
    headers = mail.outbox[0].extra_headers
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    stop = headers["List-Unsubscribe"].strip("<>")
    assert stop in mail.outbox[0].body
    Client().post(stop.removeprefix("http://localhost:8000"), {"List-Unsubscribe": "One-Click"})
    practice(child, MONDAY)
    assert send_weekly_letters(MONDAY + timedelta(days=7)) == 0


@pytest.mark.parametrize("at", [datetime(2027, 1, 10, 23, 59, tzinfo=UTC), datetime(2027, 1, 18, 0, 0, tzinfo=UTC)])
def test_without_practice_in_the_week_there_is_nothing_to_say(child, at):
    practice(child, at)
    assert send_weekly_letters(MONDAY) == 0
    assert not mail.outbox
    assert not Letter.objects.exists()


def test_one_letter_tells_about_all_the_children_who_practiced(ada, child):
    yan, xia = make_home_child("Yan", by=ada), make_home_child("Xia", by=ada)
    practice(child)
    practice(yan)
    assert send_weekly_letters(MONDAY) == 1
    assert mail.outbox[0].subject == "A week with SET: Yan, Zoe"
    assert xia.display_name not in mail.outbox[0].body


def test_a_week_has_one_letter_however_often_it_is_tried(child):
    practice(child)
    assert [send_weekly_letters(MONDAY + timedelta(days=day)) for day in range(3)] == [1, 0, 0]
    practice(child, MONDAY)
    assert send_weekly_letters(MONDAY + timedelta(days=7)) == 1
    assert len(mail.outbox) == 2


def test_two_guardians_get_a_letter_each(ada, child):
    bea = make_adult("Bea")
    guardians.use_code(guardians.make_code(child, by=ada), by=bea)
    practice(child)
    assert send_weekly_letters(MONDAY) == 2
    assert {message.to[0] for message in mail.outbox} == {ada.email, bea.email}


def test_who_does_not_want_the_letter_does_not_get_it(child):
    practice(child)
    guardians.set_letter(child.guardian_links.get(), False)
    assert send_weekly_letters(MONDAY) == 0


def test_deleted_children_and_guardians_are_not_written_about_or_to(ada, child):
    practice(child)
    User.objects.filter(pk=child.pk).update(deleted_at=MONDAY)
    assert send_weekly_letters(MONDAY) == 0
    User.objects.filter(pk=child.pk).update(deleted_at=None)
    User.objects.filter(pk=ada.pk).update(deleted_at=MONDAY, is_active=False)
    assert send_weekly_letters(MONDAY) == 0


def test_a_letter_that_another_worker_has_claimed_is_not_sent_again(ada, child, monkeypatch):
    practice(child)
    waiting = letters._waiting

    def claimed_meanwhile(week, now):
        found = waiting(week, now)
        Letter.objects.create(reader=ada, week=week)
        return found

    monkeypatch.setattr(letters, "_waiting", claimed_meanwhile)
    assert send_weekly_letters(MONDAY) == 0
    assert not mail.outbox


def test_a_letter_that_a_dead_worker_has_claimed_stays_unsent(ada, child):
    practice(child)
    Letter.objects.create(reader=ada, week=week_before(MONDAY))
    assert send_weekly_letters(MONDAY) == 0


def test_a_letter_that_the_mail_server_refuses_is_tried_again_and_holds_up_no_other(ada, child, monkeypatch):
    bea = make_adult("Bea")
    guardians.use_code(guardians.make_code(child, by=ada), by=bea)
    practice(child)
    real = EmailMultiAlternatives.send

    def send(message, *args, **kwargs):
        if message.to == [ada.email]:
            raise SMTPServerDisconnected
        return real(message, *args, **kwargs)

    monkeypatch.setattr(EmailMultiAlternatives, "send", send)
    assert send_weekly_letters(MONDAY) == 1
    monkeypatch.undo()
    assert send_weekly_letters(MONDAY + timedelta(hours=1)) == 1
    assert [message.to[0] for message in mail.outbox] == [bea.email, ada.email]


def test_a_letter_is_in_the_language_of_the_guardian_or_else_of_the_class(ada, monkeypatch):
    classroom = make_classroom(make_adult("Rivera"))
    classroom.language = "fr"
    classroom.save()
    student = enrol(classroom, "Mia Okafor")[0].student
    Guardianship.objects.create(guardian=ada, child=student)
    assert letters._language(ada, [student]) == "fr"
    ada.language = "es"
    assert letters._language(ada, [student]) == "es"
    assert letters._language(make_adult("Bea"), [make_home_child("Zoe", by=ada)]) == "en-us"


def test_a_real_name_never_goes_by_mail(ada):
    student = enrol(make_classroom(make_adult("Rivera")), "Mia Okafor")[0].student
    Guardianship.objects.create(guardian=ada, child=student)
    practice(student)
    send_weekly_letters(MONDAY)
    assert "Okafor" not in str(mail.outbox[0].message())


def test_the_task_sends_what_is_due(child, monkeypatch):
    practice(child)
    monkeypatch.setattr(tasks.timezone, "now", lambda: MONDAY)
    assert tasks.send_weekly_letters() == 1
