"""An unattended computer with a teacher signed in: what needs the password, and what the owner is told."""

from __future__ import annotations

import re

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from classrooms.accounts.sign_up import SIGNED_IN_AT, vouch_for
from classrooms.accounts.signing_in import card_token
from classrooms.classes.students import make_home_child
from classrooms.live import leading
from classrooms.models import Action, AuditEntry, Classroom, Guardianship, TeacherInvitation, User
from tests.classrooms.people import enrol, make_classroom, signed_in
from tests.test_permissions import POLICIES, Role, make_world

pytestmark = pytest.mark.django_db

PASSWORD = "under the third oval"  # noqa: S105 (nobody's)
SECRET = "JBSWY3DPEHPK3PXP"  # noqa: S105 (nobody's)
ASKS = "/account/reauthenticate/"


@pytest.fixture(autouse=True)
def _nobody_has_guessed() -> None:
    cache.clear()


@pytest.fixture
def rivera() -> User:
    user = User.objects.create_adult(email="rivera@school.example", display_name="Ms. Rivera", password=PASSWORD)
    vouch_for(user)
    return user


@pytest.fixture
def classroom(rivera: User) -> Classroom:
    classroom = make_classroom(rivera)
    enrol(classroom, "Mia Okafor")
    return classroom


@pytest.fixture
def unattended(rivera: User) -> Client:
    """A client that signed in an hour ago."""
    return left_alone(signed_in(rivera))


def left_alone(client: Client) -> Client:
    session = client.session
    session[SIGNED_IN_AT] -= 3_600
    session.save()
    return client


def asks_for_the_password(response) -> bool:
    return response.status_code == 302 and response.headers["Location"].startswith(ASKS)


GIVES_AWAY = {
    "login cards": ("get", "/teach/{classroom}/cards/"),
    "codes for guardians": ("post", "/teach/{classroom}/students/codes/"),
    "a code for one guardian": ("post", "/teach/{classroom}/students/{student}/code/"),
    "the data of a class": ("post", "/privacy/class/{classroom}/export/"),
    "the data of a student": ("post", "/privacy/child/{person}/export/"),
    "one's own data": ("post", "/privacy/me/export/"),
    "a card at home": ("post", "/family/{child}/card/"),
    "a code for another guardian": ("post", "/family/{child}/invite/"),
    "an invitation": ("post", "/teach/{classroom}/teachers/invite/"),
    "deleting the account": ("post", "/privacy/me/delete/"),
    "deleting the class": ("post", "/privacy/class/{classroom}/delete/"),
    "deleting a student": ("post", "/privacy/child/{person}/delete/"),
    "a student's pictures": ("get", "/teach/{classroom}/students/{student}/pictures/"),
    "handing a student over": ("post", "/teach/{classroom}/students/{student}/move/"),
    "the report of a class": ("get", "/teach/{classroom}/report.csv"),
    "the report of a class as a spreadsheet": ("get", "/teach/{classroom}/report.xlsx"),
    "making all cards worthless": ("post", "/teach/{classroom}/settings/access/"),
    "taking a colleague out": ("post", "/teach/{classroom}/teachers/{teacher}/remove/"),
}


@pytest.mark.parametrize("what", GIVES_AWAY)
def test_what_gives_people_or_accounts_away_asks_for_the_password_again(
    what, rivera, classroom, unattended, mailoutbox
):
    method, path = GIVES_AWAY[what]
    mia = classroom.enrolments.get()
    child = make_home_child("Leo", by=rivera)
    people = {"person": mia.student_id, "child": child.pk, "teacher": rivera.pk}
    path = path.format(classroom=classroom.pk, student=mia.pk, **people)
    response = getattr(unattended, method)(path, {"email": "thief@people.example"})
    assert asks_for_the_password(response)
    assert not TeacherInvitation.objects.exists()
    assert not mailoutbox
    assert not asks_for_the_password(getattr(signed_in(rivera), method)(path, {"email": "lund@people.example"}))


def test_no_page_at_all_shows_an_unattended_computer_how_a_student_signs_in():
    """Checks every URL a teacher may open, so that new ones are included."""
    world = make_world()
    tokens = [card_token(each.student) for each in world.classroom.enrolments.all()]
    owner = world.users[Role.TEACHER]
    owner.set_password(PASSWORD)
    owner.save()
    teacher = left_alone(signed_in(owner))
    seen = 0
    for name, policy in POLICIES.items():
        if Role.TEACHER not in policy.may or name.startswith("style"):
            continue
        answer = teacher.get(reverse(name, args=policy.arguments(world)))
        if answer.status_code != 200 or answer.streaming:
            continue
        seen += 1
        text = answer.content.decode(errors="replace")
        assert 'class="secret"' not in text, name
        assert not any(token in text for token in tokens), name
        assert answer.headers["Content-Type"] != "application/pdf" or "card" not in name, name
    assert seen > 40


def test_pictures_are_shown_after_the_password_and_that_is_noted(rivera, classroom):
    mia = classroom.enrolments.get()
    page = signed_in(rivera).get(f"/teach/{classroom.pk}/students/{mia.pk}/pictures/")
    assert 'class="secret"' in page.text
    noted = AuditEntry.objects.get(action=Action.SAW_PICTURES)
    assert (noted.actor, noted.person, noted.classroom) == (rivera.pk, mia.student_id, classroom.pk)


def test_the_report_of_a_lesson_is_not_taken_away_without_the_password(rivera, classroom, unattended):
    lesson = leading.open_session(classroom, by=rivera)
    for file in ("report.csv", "report.xlsx"):
        path = f"/teach/session/{lesson.code}/{file}"
        assert asks_for_the_password(unattended.get(path))
        assert signed_in(rivera).get(path).status_code == 200


@pytest.mark.parametrize("action", ["action_add", "action_primary", "action_remove"])
def test_the_addresses_of_an_account_are_not_changed_without_the_password(action, rivera, unattended, mailoutbox):
    EmailAddress.objects.create(user=rivera, email="second@school.example", verified=True)
    email = "thief@people.example" if action == "action_add" else "second@school.example"
    assert asks_for_the_password(unattended.post("/account/email/", {"email": email, action: ""}))
    assert not mailoutbox
    assert set(EmailAddress.objects.values_list("email", "primary")) == {
        ("rivera@school.example", True),
        ("second@school.example", False),
    }


def test_after_the_password_the_work_goes_on_where_it_was(classroom, unattended):
    asked = unattended.post(f"/teach/{classroom.pk}/students/codes/").headers["Location"]
    assert "Incorrect password" in unattended.post(asked, {"password": "a guess"}).text
    page = unattended.post(asked, {"password": PASSWORD})
    assert "Mia Okafor" in page.text
    assert re.search(r"[A-Z0-9]{5}-[A-Z0-9]{5}", page.text)
    assert unattended.get(f"/teach/{classroom.pk}/cards/").headers["Content-Type"] == "application/pdf"


@pytest.mark.parametrize(("seconds", "asks"), [(290, False), (310, True)])
def test_five_minutes_after_signing_in_one_is_asked_again(seconds, asks, rivera, classroom):
    client = signed_in(rivera)
    session = client.session
    session[SIGNED_IN_AT] -= seconds
    session.save()
    assert asks_for_the_password(client.get(f"/teach/{classroom.pk}/cards/")) is asks


def test_whoever_has_just_signed_in_prints_cards_without_being_asked_again(rivera, classroom, client):
    client.post("/account/login/", {"login": rivera.email, "password": PASSWORD})
    assert client.get(f"/teach/{classroom.pk}/cards/").status_code == 200


def test_a_second_step_serves_as_well_where_there_is_no_password(rivera, classroom):
    rivera.set_unusable_password()
    rivera.save()
    TOTP.activate(rivera, SECRET)
    client = left_alone(signed_in(rivera))
    asked = client.get(f"/teach/{classroom.pk}/cards/").headers["Location"]
    assert asked.startswith("/account/2fa/reauthenticate/")
    code = format_hotp_value(hotp_value(SECRET, next(iter(yield_hotp_counters_from_time()))))
    assert client.post(asked, {"code": code}).headers["Location"] == f"/teach/{classroom.pk}/cards/"
    assert client.get(f"/teach/{classroom.pk}/cards/").status_code == 200


def test_the_second_step_that_is_asked_for_again_cannot_be_guessed_without_end(rivera, classroom):
    rivera.set_unusable_password()
    rivera.save()
    TOTP.activate(rivera, SECRET)
    client = left_alone(signed_in(rivera))
    asked = client.get(f"/teach/{classroom.pk}/cards/").headers["Location"]
    judged = [client.post(asked, {"code": "000000"}) for _try in range(12)]
    assert sum("Incorrect code" in each.text for each in judged) <= 5


def test_an_account_that_another_site_vouches_for_has_nothing_to_be_asked_and_still_works(rivera, classroom):
    rivera.set_unusable_password()
    rivera.save()
    assert left_alone(signed_in(rivera)).get(f"/teach/{classroom.pk}/cards/").status_code == 200


# What the owner is told


def told(mailoutbox) -> list[tuple[str, str]]:
    return [(mail.to[0], mail.subject) for mail in mailoutbox]


def test_the_old_address_hears_of_a_new_one_and_of_losing_its_place(rivera, client, mailoutbox):
    client.force_login(rivera)
    client.post("/account/email/", {"email": "new@school.example", "action_add": ""})
    code = re.search(r"^[A-Z]{4}-[A-Z]{4}$", mailoutbox[0].body, re.MULTILINE)[0]
    mailoutbox.clear()
    client.post("/account/confirm-email/", {"code": code})
    assert told(mailoutbox) == [("rivera@school.example", "A new address on your account")]
    assert "new@school.example" in mailoutbox[0].body
    assert "http://localhost:8000/account/password/reset/" in mailoutbox[0].body
    mailoutbox.clear()
    client.post("/account/email/", {"email": "new@school.example", "action_primary": ""})
    assert told(mailoutbox) == [("rivera@school.example", "Your account has a new main address")]
    mailoutbox.clear()
    client.post("/account/email/", {"email": "rivera@school.example", "action_remove": ""})
    assert [to for to, _subject in told(mailoutbox)] == ["new@school.example", "rivera@school.example"]


def test_the_owner_hears_of_a_new_password(rivera, client, mailoutbox):
    client.force_login(rivera)
    new = "under the second diamond"
    form = {"oldpassword": PASSWORD, "password1": new, "password2": new}
    client.post("/account/password/change/", form)
    assert told(mailoutbox) == [("rivera@school.example", "Your password was changed")]
    assert "127.0.0.1" not in mailoutbox[0].body


def test_the_owner_hears_of_a_second_step_that_comes_or_goes(
    rivera, client, mailoutbox, django_capture_on_commit_callbacks
):
    client.force_login(rivera)
    secret = client.get("/account/2fa/totp/activate/").context["form"].secret
    code = format_hotp_value(hotp_value(secret, next(iter(yield_hotp_counters_from_time()))))
    with django_capture_on_commit_callbacks(execute=True):
        client.post("/account/2fa/totp/activate/", {"code": code})
    client.post("/account/2fa/totp/deactivate/")
    subjects = {subject for _to, subject in told(mailoutbox)}
    assert {"Two-step sign-in is on", "Two-step sign-in is off"} <= subjects


def test_a_guardian_can_still_look_after_an_hour_without_being_asked(rivera):
    child = make_home_child("Leo", by=rivera)
    assert Guardianship.objects.count() == 1
    assert left_alone(signed_in(rivera)).get(f"/family/{child.pk}/").status_code == 200
