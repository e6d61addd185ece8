"""Handing a student over to a colleague's class: the colleague must accept, and then the old card stops working."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.contrib.auth import get_user
from django.db import connection
from django.test import Client
from django.utils import timezone

from classrooms.accounts import guardians
from classrooms.accounts.pictures import NAMES
from classrooms.accounts.signing_in import BadLoginCard, card_token, read_card
from classrooms.classes import students
from classrooms.classes.service import archive
from classrooms.models import Action, AuditEntry, Enrolment, HandOver, User
from tests.classrooms.people import enrol, make_adult, make_classroom, signed_in
from tests.classrooms.test_signing_in import scan, tap

pytestmark = pytest.mark.django_db


@pytest.fixture
def rosa() -> User:
    return make_adult("Rosa")


@pytest.fixture
def colleague() -> User:
    return make_adult("Colleague")


@pytest.fixture
def mia(rosa) -> Enrolment:
    return enrol(make_classroom(rosa), "Mia Okafor")[0]


@pytest.fixture
def other(colleague):
    return make_classroom(colleague, "Class 3A")


def edit(enrolment: Enrolment) -> str:
    return f"/teach/{enrolment.classroom_id}/students/{enrolment.pk}/"


def offer(mia, other) -> HandOver:
    return students.offer_student(mia, other, by=mia.classroom.teachers.get())


def accept(offered: HandOver) -> str:
    return f"/teach/{offered.to_id}/hand-overs/{offered.pk}/accept/"


def test_a_class_code_alone_puts_nobody_into_a_class(rosa, mia, other):
    answer = signed_in(rosa).post(f"{edit(mia)}move/", {"code": other.code.lower()})
    assert answer.status_code == 302
    assert not other.enrolments.exists()
    assert Enrolment.objects.filter(pk=mia.pk).exists()


def test_the_colleague_sees_the_display_name_only_and_accepts(rosa, colleague, mia, other):
    signed_in(rosa).post(f"{edit(mia)}move/", {"code": other.code})
    receiving = signed_in(colleague)
    page = receiving.get(f"/teach/{other.pk}/").text
    assert "Rosa would like to move Mia to this class" in page
    assert "Okafor" not in page
    assert mia.classroom.name not in page
    receiving.post(accept(HandOver.objects.get()))
    assert other.enrolments.get().student == mia.student
    assert signed_in(rosa).get(f"{edit(mia)}edit/").status_code == 404
    assert not HandOver.objects.exists()


def test_after_a_hand_over_the_old_card_pictures_devices_and_sessions_are_worth_nothing(mia, other, colleague):
    old_card, old_pictures = card_token(mia.student), mia.student.pictures
    tablet = Client()
    scan(tablet, mia)
    assert get_user(tablet) == mia.student
    moved = students.accept_student(offer(mia, other), by=colleague)
    moved.student.refresh_from_db()
    assert get_user(tablet).is_anonymous
    assert not moved.student.devices.exists()
    assert moved.student.card_number == 2
    with pytest.raises(BadLoginCard):
        read_card(old_card)
    assert read_card(card_token(moved.student)) == moved.student
    open_door = {"new_devices_until": timezone.now() + timedelta(hours=1)}
    type(other).objects.filter(pk=other.pk).update(**open_door)
    assert tap(Client(), moved, *old_pictures).status_code == 422
    assert tap(Client(), moved, *moved.student.pictures).status_code == 302


def test_new_pictures_are_never_the_old_ones(mia, rosa, monkeypatch):
    """By chance, one child in 1,320 would get the same three pictures again."""
    draws = iter([0, 0, 0, 0, 0, 1])
    monkeypatch.setattr("classrooms.accounts.pictures.secrets.randbelow", lambda most: next(draws))
    first_three = list(NAMES)[:3]
    User.objects.filter(pk=mia.student_id).update(pictures=first_three)
    mia.student.refresh_from_db()
    students.reset_student(mia.student, by=rosa, classroom=mia.classroom)
    assert mia.student.pictures == [*first_three[:2], list(NAMES)[3]]


def test_within_my_own_classes_a_student_moves_at_once_and_keeps_the_card(rosa, mia):
    mine = make_classroom(rosa, "Class 3A")
    card = card_token(mia.student)
    signed_in(rosa).post(f"{edit(mia)}move/", {"to": mine.pk})
    assert mine.enrolments.get().student == mia.student
    assert read_card(card) == mia.student


def test_a_co_teacher_who_stays_behind_has_a_worthless_card(rosa, colleague, mia):
    mia.classroom.teachers.add(colleague)
    mine = make_classroom(rosa, "Class 3A")
    card = card_token(mia.student)
    signed_in(rosa).post(f"{edit(mia)}move/", {"to": mine.pk})
    with pytest.raises(BadLoginCard):
        read_card(card)


def test_an_account_from_home_keeps_what_its_family_has(mia, other, colleague):
    User.objects.filter(pk=mia.student_id).update(is_home=True)
    mia.student.refresh_from_db()
    card = card_token(mia.student)
    students.accept_student(offer(mia, other), by=colleague)
    assert read_card(card) == mia.student


def test_the_colleague_declines_and_the_sender_takes_back(rosa, colleague, mia, other):
    offered = offer(mia, other)
    signed_in(colleague).post(f"/teach/{other.pk}/hand-overs/{offered.pk}/decline/")
    assert not HandOver.objects.exists()
    offer(mia, other)
    assert "Take the offer back" in signed_in(rosa).get(f"{edit(mia)}edit/").text
    signed_in(rosa).post(f"{edit(mia)}move/cancel/")
    assert not HandOver.objects.exists()
    assert Enrolment.objects.filter(pk=mia.pk).exists()
    assert not other.enrolments.exists()


def test_nobody_but_a_teacher_of_the_receiving_class_accepts(rosa, mia, other):
    offered = offer(mia, other)
    for who in (rosa, make_adult("Stranger"), mia.student):
        assert signed_in(who).post(accept(offered)).status_code in {302, 404}
        assert not other.enrolments.exists()
    # Nor by another class of the same teacher.
    assert signed_in(rosa).post(f"/teach/{mia.classroom_id}/hand-overs/{offered.pk}/accept/").status_code == 404


@pytest.mark.parametrize("what", ["student", "class", "receiving class", "archive", "age", "sender"])
def test_an_offer_that_was_overtaken_is_gone(what, rosa, colleague, mia, other):
    offered = offer(mia, other)
    if what == "student":
        students.remove_student(mia, by=rosa)
    elif what == "class":
        type(other).objects.filter(pk=mia.classroom_id).update(deleted_at=timezone.now())
    elif what == "receiving class":
        type(other).objects.filter(pk=other.pk).update(deleted_at=timezone.now())
    elif what == "archive":
        archive(other, by=colleague)
    elif what == "age":
        HandOver.objects.update(made_at=timezone.now() - students.OFFERED_FOR - timedelta(minutes=1))
    else:
        mia.classroom.teachers.set([make_adult("Heir")])
    with pytest.raises(students.OfferGone):
        students.accept_student(offered, by=colleague)
    assert not other.enrolments.exists()


def test_a_second_offer_replaces_the_first(colleague, mia, other):
    first = offer(mia, other)
    third = make_classroom(make_adult("Third"), "Class 4A")
    offer(mia, third)
    with pytest.raises(students.OfferGone):
        students.accept_student(first, by=colleague)
    assert HandOver.objects.get().to == third


def test_a_class_is_not_buried_in_offers(rosa, mia, other, monkeypatch):
    monkeypatch.setattr(students, "MOST_OFFERED", 1)
    offer(enrol(mia.classroom, "Noah Brandt")[0], other)
    with pytest.raises(students.TooManyOffers):
        offer(mia, other)
    assert signed_in(rosa).post(f"{edit(mia)}move/", {"code": other.code}).status_code == 422


def test_offers_and_what_became_of_them_are_in_the_log(colleague, mia, other):
    offered = offer(mia, other)
    students.decline_student(offered, by=colleague)
    students.accept_student(offer(mia, other), by=colleague)
    actions = set(AuditEntry.objects.filter(person=mia.student_id).values_list("action", flat=True))
    assert {Action.OFFERED_STUDENT, Action.DECLINED_STUDENT, Action.MOVED_STUDENT, Action.RESET_STUDENT} <= actions


@pytest.mark.django_db(transaction=True)
def test_of_two_teachers_who_accept_at_once_one_does(colleague, mia, other):
    offered, barrier, outcomes = offer(mia, other), threading.Barrier(2), []

    def run() -> None:
        barrier.wait()
        try:
            students.accept_student(HandOver.objects.get(pk=offered.pk), by=colleague)
            outcomes.append("accepted")
        except (students.OfferGone, HandOver.DoesNotExist):
            outcomes.append("gone")
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _each in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["accepted", "gone"]
    mia.student.refresh_from_db()
    assert mia.student.card_number == 2
    assert mia.student.enrolments.count() == 1


# Codes for guardians that the sender may still have


def test_a_code_for_a_guardian_that_the_sender_made_links_nobody_after_the_hand_over(rosa, mia, other, colleague):
    code = guardians.make_code(mia.student, by=rosa, classroom=mia.classroom)
    students.accept_student(offer(mia, other), by=colleague)
    with pytest.raises(guardians.BadCode):
        guardians.use_code(code, by=rosa)


def test_a_code_stays_good_where_the_student_only_moves_between_my_classes(rosa, mia):
    code = guardians.make_code(mia.student, by=rosa, classroom=mia.classroom)
    students.move_student(mia, make_classroom(rosa, "Class 3A"), by=rosa)
    assert guardians.use_code(code, by=make_adult("Parent")).child == mia.student


def test_a_code_ends_when_the_student_leaves_the_class_and_stays_in_another(rosa, mia, other):
    code = guardians.make_code(mia.student, by=rosa, classroom=mia.classroom)
    Enrolment.objects.create(classroom=other, student=mia.student, real_name="Mia")
    students.remove_student(mia, by=rosa)
    with pytest.raises(guardians.BadCode):
        guardians.use_code(code, by=rosa)


def test_one_teacher_alone_does_not_keep_the_offers_of_others_out(rosa, mia, other, monkeypatch):
    monkeypatch.setattr(students, "MOST_OFFERED_BY_ONE", 1)
    noah, lina = enrol(mia.classroom, "Noah Brandt", "Lina Roth")
    students.offer_student(noah, other, by=rosa)
    with pytest.raises(students.TooManyOffers):
        students.offer_student(lina, other, by=rosa)
    another = make_adult("Another")
    zoe = enrol(make_classroom(another), "Zoe Stern")[0]
    assert students.offer_student(zoe, other, by=another).enrolment == zoe
