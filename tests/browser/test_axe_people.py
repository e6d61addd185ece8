"""The pages about people for every eye, hand and screen: axe finds nothing, all fits and is easy to hit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings as site_settings
from django.core import mail
from django.core.mail.backends.filebased import EmailBackend
from django.utils import timezone
from playwright.sync_api import Page, expect

from classrooms.accounts import vouch_for
from classrooms.classes import archive, invitation_token, invite
from classrooms.demo import CLASS_CODE, GUARDIAN_EMAIL, PASSWORD, TEACHER_EMAIL, fill_demo
from classrooms.models import Classroom, Enrolment, User
from classrooms.post import stop_token
from classrooms.privacy import delete_child, delete_class
from classrooms.privacy.undo_mail import undo_token
from classrooms.rosters.files import ListedClass, Row
from classrooms.rosters.proposals import propose
from classrooms.signing_in import card_token
from classrooms.students import make_home_child
from tests.classrooms.people import enrol, make_classroom

LONG = "Maximiliane Wolkenstein-Trostburg"


def adult(name: str) -> User:
    made = User.objects.create_adult(email="new@people.example", display_name=name, password=PASSWORD)
    vouch_for(made)
    return made


@pytest.fixture
def teacher(site) -> User:
    """Ms. Rivera with her class, which has learned and played, and a student whose name is long."""
    fill_demo()
    found = User.objects.get(email=TEACHER_EMAIL)
    enrol(Classroom.objects.get(code=CLASS_CODE), LONG)
    return found


def test_the_pages_of_a_teacher(teacher, inspect):
    classroom = Classroom.objects.get(code=CLASS_CODE)
    here = f"/teach/{classroom.pk}"
    mia = f"{here}/students/{Enrolment.objects.get(real_name='Mia Okafor').pk}"
    rows = [
        Row(line=2, real_name="Mia Okafor", display_name="Mia", group="Owls"),
        Row(line=3, real_name=f"Zoë {LONG}", display_name="Zoë", group="Foxes", source_id="u17"),
    ]
    plan = propose(classroom, rows, by=teacher).pk
    archive(make_classroom(teacher, "Class of last year"), by=teacher)
    me = inspect(teacher)
    me.visit("/teach/", "/teach/new/", f"{here}/", f"{here}/students/", f"{here}/students/import/{plan}/")
    me.visit(f"{mia}/", f"{mia}/edit/", f"{mia}/remove/", f"{here}/ledger/", f"{here}/assignments/")
    me.visit(f"{here}/settings/", f"{here}/print/")
    me.page.goto(f"{me.site}{here}/students/")
    me.press("Make slips for guardians", "slips")


def test_a_teachers_pages_of_an_empty_class_and_of_lists(site, inspect):
    teacher = adult(LONG)
    me = inspect(teacher)
    me.visit("/teach/")
    classroom = make_classroom(teacher)
    here = f"/teach/{classroom.pk}"
    listed = [
        ListedClass(title, title, (Row(line=2, real_name=LONG),)) for title in ("Mathematics 2B", "Mathematics 3A")
    ]
    me.visit("/teach/", f"{here}/", f"{here}/students/", f"{here}/ledger/", f"{here}/assignments/")
    me.visit(f"{here}/students/import/{propose(classroom, listed, by=teacher).pk}/")
    me.page.goto(f"{site}{here}/students/")
    me.page.get_by_label("Names", exact=True).fill("=HYPERLINK(1)")
    me.press("See what is added", "a list that is refused")
    invited = invitation_token(invite(classroom, "colleague@people.example", by=teacher))
    me.visit(f"/teach/invitation/{invited}/", f"{here}/settings/")
    me.page.goto(f"{site}/teach/invitation/none/")
    me.look("an invitation that is over")


def test_the_pages_about_a_teachers_data(teacher, inspect):
    classroom = Classroom.objects.get(code=CLASS_CODE)
    gone = make_classroom(teacher, "Class of last year")
    delete_class(gone, by=teacher, now=timezone.now())
    child = Enrolment.objects.get(real_name="Noah Brandt").student
    me = inspect(teacher)
    me.visit("/account/", "/privacy/", "/privacy/me/export/", "/privacy/undo/")
    me.visit(*(f"/privacy/class/{classroom.pk}/{page}/" for page in ("log", "export", "delete")))
    me.visit(*(f"/privacy/child/{child.pk}/{page}/" for page in ("export", "delete")))
    me.visit("/account/email/", "/account/password/change/", "/account/2fa/")
    me.visit("/privacy/me/delete/")
    expect(me.page.get_by_label("Password")).to_be_visible()
    me.page.get_by_label("Password").fill(PASSWORD)
    me.press("Confirm", "deleting the own account")
    me.press("Yes, delete", "an account that is still needed")
    me.visit("/account/2fa/totp/activate/")


def test_the_pages_of_a_guardian(teacher, inspect):
    guardian = User.objects.get(email=GUARDIAN_EMAIL)
    mia = Enrolment.objects.get(real_name="Mia Okafor").student
    leo, gone = (make_home_child(name, by=guardian) for name in ("Leo", "Zoë"))
    delete_child(gone, by=guardian, now=timezone.now())
    me = inspect(guardian)
    me.visit("/family/", f"/family/{mia.pk}/", f"/family/{mia.pk}/together/", f"/family/{mia.pk}/unlink/")
    me.visit(f"/family/letters/{stop_token(guardian)}/", f"/family/{leo.pk}/", "/account/", "/privacy/undo/")
    me.visit(f"/privacy/child/{leo.pk}/export/", f"/privacy/child/{leo.pk}/delete/")
    me.page.goto(f"{me.site}/family/{leo.pk}/")
    me.press("Show the card", "the login card")
    me.page.goto(f"{me.site}/family/{leo.pk}/")
    me.press("A code for another guardian", "a code for another guardian")
    me.page.goto(f"{me.site}/family/{leo.pk}/unlink/")
    me.press("Yes, end it", "the last guardian")


def test_the_pages_of_a_guardian_who_has_no_child_yet(inspect):
    me = inspect(adult("Mr. Okafor"))
    me.visit("/family/", "/account/")
    me.page.get_by_role("link", name="My children").click()
    me.page.get_by_label("Code on the paper").fill("WRONG-CODES")
    me.press("See my child", "a wrong code")


def test_the_pages_of_a_student(teacher, inspect):
    me = inspect(Enrolment.objects.get(real_name="Mia Okafor").student)
    me.visit("/account/", "/privacy/for-children/", "/learn/")


def test_the_way_in_of_a_student(site, inspect):
    classroom = make_classroom(adult("Ms. Rivera"))
    (mia, *_others) = enrol(classroom, "Mia Okafor", "Noah Brandt", LONG)
    me = inspect()
    me.visit("/join/", f"/join/{classroom.code}/", f"/join/{classroom.code}/{mia.pk}/")
    taps = me.page.locator(".tapped-one:not(.is-empty)")
    for number in (1, 2):
        me.page.get_by_role("button", name=str(mia.student.pictures[0]), exact=True).click()
        expect(taps).to_have_count(number)
    expect(me.page.get_by_role("status")).to_have_text("2 pictures tapped")
    me.look("two pictures tapped")
    me.page.get_by_role("button", name="sun", exact=True).click()
    expect(me.page.get_by_role("alert")).to_be_visible()
    me.look("wrong pictures")
    me.visit(f"/join/card/{card_token(mia.student)}/")
    me.page.goto(f"{site}/join/card/none/")
    me.look("an old card")
    me.page.goto(f"{site}/join/")
    me.page.get_by_label("Code").fill("XXXXXXX")
    me.press("Go", "a wrong class code")


def test_the_pages_of_a_stranger(site, inspect):
    me = inspect()
    me.visit("/privacy/", "/privacy/for-children/", "/account/login/", "/account/signup/", "/account/password/reset/")
    gone = adult("Ms. Lund")
    gone.deleted_at = timezone.now()
    gone.save()
    me.visit(f"/privacy/me/undo/{undo_token(gone)}/")
    me.page.goto(f"{site}/account/login/")
    me.page.get_by_label("Email").fill("nobody@people.example")
    me.page.get_by_label("Password").fill("wrong, all wrong")
    me.press("Sign in", "a wrong password")
    me.page.goto(f"{site}/account/signup/")
    me.page.get_by_label("Your name").fill("Ada")
    me.page.get_by_label("Email").fill("ada@people.example")
    me.page.get_by_label("Password").fill(PASSWORD)
    me.press("Make my account", "the code in the mail")


def test_resetting_a_password(site, inspect):
    adult("Ms. Lund")
    me = inspect()
    me.page.goto(f"{site}/account/password/reset/")
    me.page.get_by_label("Email").fill("new@people.example")
    me.press("Reset", "the code of a new password")
    me.page.get_by_label("Code").fill(re.search(r"^[A-Z0-9]{4}-[A-Z0-9]{4}$", mail.outbox[-1].body, re.MULTILINE)[0])
    me.press("Confirm", "a new password")


def test_the_mail_that_was_written(inspect, settings, tmp_path: Path):
    me = inspect()
    settings.EMAIL_FILE_PATH = tmp_path
    me.visit("/mail/")
    words = f"Hello,\n\n{site_settings.SITE_URL}/{'long' * 30}/"
    letter = mail.EmailMessage("A week with SET", words, to=["a@people.example"])
    EmailBackend(file_path=tmp_path).send_messages([letter])
    me.visit("/mail/")


@pytest.fixture
def pad(site, inspect) -> tuple[Page, list[str]]:
    """Where Mia taps her pictures, and which they are."""
    (mia,) = enrol(make_classroom(adult("Ms. Rivera")), "Mia Okafor")
    page = inspect().page
    page.goto(f"{site}/join/{mia.classroom.code}/{mia.pk}/")
    return page, mia.student.pictures


def test_the_pad_can_be_used_with_the_keyboard_alone(site, pad):
    page, pictures = pad
    for number, slug in enumerate(pictures):
        expect(page.get_by_role("status")).to_contain_text(f"{number} picture")
        button = page.locator(f"[value={slug}].picture-button")
        button.focus()
        page.keyboard.press("Enter")
    page.wait_for_url(f"{site}/learn/")


def test_no_tap_is_lost_when_fingers_are_faster_than_the_network(site, pad):
    page, pictures = pad
    tap = "(slugs) => slugs.forEach((slug) => document.querySelector(`[value=${slug}].picture-button`).click())"
    page.evaluate(tap, pictures)
    page.wait_for_url(f"{site}/learn/")
