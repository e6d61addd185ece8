"""Invitations to co-teach a class: who can accept them, what ends them, and what removing a teacher leaves behind."""

from __future__ import annotations

import re

import pytest
from allauth.account.models import EmailAddress
from django.test import Client
from django.urls import reverse

from classrooms import deletion_ledger as ledger
from classrooms.accounts import guardians
from classrooms.accounts.signing_in import card_token
from classrooms.classes.service import OtherAddress, accept, invitation_token, invite, read_invitation, remove_teacher
from classrooms.classes.students import make_home_child, renew_cards
from classrooms.models import Action, AuditEntry, Classroom, TeacherInvitation, User
from tests.classrooms.people import enrol, make_adult, make_classroom, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def rivera() -> User:
    return make_adult("Rivera")


@pytest.fixture
def stone() -> User:
    return make_adult("Stone")


@pytest.fixture
def classroom(rivera: User) -> Classroom:
    return make_classroom(rivera)


def path_to(invitation: TeacherInvitation) -> str:
    return reverse("teach:invitation", args=[invitation_token(invitation)])


def join(classroom: Classroom, newcomer: User, *, by: User) -> None:
    accept(invite(classroom, str(newcomer.email), by=by), newcomer)


# Only the owner of the email address


def test_somebody_else_who_gets_hold_of_the_link_does_not_become_a_teacher(classroom, rivera, stone):
    path = path_to(invite(classroom, str(stone.email), by=rivera))
    thief = signed_in(make_adult("Thief"))
    assert thief.get(path).status_code == 403
    assert thief.post(path).status_code == 403
    assert list(classroom.teachers.all()) == [rivera]
    assert signed_in(stone).post(path).status_code == 302
    assert stone in classroom.teachers.all()


def test_whoever_is_signed_in_with_another_account_is_told_which_one_to_use_without_the_whole_address(
    classroom, rivera, stone
):
    page = signed_in(make_adult("Thief")).get(path_to(invite(classroom, str(stone.email), by=rivera)))
    assert "This invitation is for another address" in page.text
    assert "s•••@p•••.example" in page.text
    assert str(stone.email) not in page.text
    assert classroom.name not in page.text


def test_an_address_that_is_claimed_but_not_confirmed_accepts_nothing(classroom, rivera, stone):
    path = path_to(invite(classroom, "lund@people.example", by=rivera))
    claimed = EmailAddress.objects.create(user=stone, email="lund@people.example", verified=False)
    assert signed_in(stone).post(path).status_code == 403
    claimed.verified = True
    claimed.save()
    assert signed_in(stone).post(path).status_code == 302


def test_accepting_checks_the_address_by_itself(classroom, rivera, stone):
    invitation = invite(classroom, str(stone.email), by=rivera)
    with pytest.raises(OtherAddress):
        accept(invitation, make_adult("Thief"))
    assert list(classroom.teachers.all()) == [rivera]


def test_capitals_in_an_address_do_not_matter(classroom, rivera, stone):
    path = path_to(invite(classroom, str(stone.email).upper(), by=rivera))
    assert signed_in(stone).post(path).status_code == 302


# What ends an invitation


def test_a_removed_teachers_invitations_are_void_even_when_they_come_back(classroom, rivera, stone):
    join(classroom, stone, by=rivera)
    helper = make_adult("Helper")
    path = path_to(invite(classroom, str(helper.email), by=stone))
    remove_teacher(classroom, stone, by=rivera)
    assert signed_in(helper).post(path).status_code == 404
    join(classroom, stone, by=rivera)
    assert signed_in(helper).post(path).status_code == 404
    assert helper not in classroom.teachers.all()


def test_an_invitation_of_somebody_who_does_not_teach_the_class_any_more_is_void(classroom, rivera, stone):
    join(classroom, stone, by=rivera)
    helper = make_adult("Helper")
    path = path_to(invite(classroom, str(helper.email), by=stone))
    classroom.teachers.remove(stone)
    assert signed_in(helper).post(path).status_code == 404


def test_an_invitation_of_a_deleted_account_is_void(classroom, rivera, stone):
    join(classroom, stone, by=rivera)
    helper = make_adult("Helper")
    path = path_to(invite(classroom, str(helper.email), by=stone))
    User.objects.filter(pk=stone.pk).update(deleted_at=stone.joined_at)
    assert signed_in(helper).post(path).status_code == 404


def test_a_teacher_sees_open_invitations_and_cancels_them(classroom, rivera, stone):
    invitation = invite(classroom, str(stone.email), by=rivera)
    client = signed_in(rivera)
    settings_page = f"/teach/{classroom.pk}/settings/"
    assert str(stone.email) in client.get(settings_page).text
    response = client.post(f"/teach/{classroom.pk}/teachers/invitations/{invitation.pk}/cancel/", follow=True)
    assert f"The invitation to {stone.email} is canceled." in response.text
    assert f"Cancel the invitation to {stone.email}" not in response.text
    assert signed_in(stone).post(path_to(invitation)).status_code == 404
    assert AuditEntry.objects.filter(action=Action.CANCELED_INVITATION).count() == 1


def test_an_invitation_of_another_class_cannot_be_canceled_through_ones_own(classroom, rivera, stone):
    other = make_classroom(stone, "Class 3A")
    invitation = invite(other, "lund@people.example", by=stone)
    path = f"/teach/{classroom.pk}/teachers/invitations/{invitation.pk}/cancel/"
    assert signed_in(rivera).post(path).status_code == 404
    invitation.refresh_from_db()
    assert invitation.cancelled_at is None


def test_expired_and_void_invitations_are_not_listed(classroom, rivera, stone):
    invitation = invite(classroom, str(stone.email), by=rivera)
    TeacherInvitation.objects.filter(pk=invitation.pk).update(expires_at=invitation.made_at)
    assert str(stone.email) not in signed_in(rivera).get(f"/teach/{classroom.pk}/settings/").text


def test_a_second_invitation_to_the_same_address_replaces_the_first(classroom, rivera, stone):
    first, second = (invite(classroom, str(stone.email), by=rivera) for _time in range(2))
    client = signed_in(stone)
    assert client.get(path_to(first)).status_code == 404
    assert client.get(path_to(second)).status_code == 200


# Who can be invited


@pytest.mark.parametrize("own", ["primary", "second"])
def test_nobody_invites_themselves(classroom, rivera, mailoutbox, own):
    email = str(rivera.email)
    if own == "second":
        email = "other@people.example"
        EmailAddress.objects.create(user=rivera, email=email, verified=True)
    page = signed_in(rivera).post(f"/teach/{classroom.pk}/teachers/invite/", {"email": email.upper()})
    assert page.status_code == 422
    assert "your own address" in page.text
    assert not mailoutbox
    assert not TeacherInvitation.objects.exists()


def test_a_colleague_who_teaches_the_class_is_not_invited_again(classroom, rivera, stone, mailoutbox):
    join(classroom, stone, by=rivera)
    page = signed_in(rivera).post(f"/teach/{classroom.pk}/teachers/invite/", {"email": stone.email})
    assert page.status_code == 422
    assert "already teaches the class" in page.text
    assert not mailoutbox


# After a removal


def test_after_a_removal_all_cards_and_the_code_are_renewed_with_one_button(classroom, rivera, stone):
    mia, noah = enrol(classroom, "Mia Okafor", "Noah Brandt")
    join(classroom, stone, by=rivera)
    old_cards = [card_token(each.student) for each in (mia, noah)]
    old_pictures = [each.student.pictures for each in (mia, noah)]
    tablet = signed_in(mia.student)
    client = signed_in(rivera)
    response = client.post(f"/teach/{classroom.pk}/teachers/{stone.pk}/remove/")
    offer = response.headers["Location"]
    assert "Make new ones" in client.get(offer).text
    assert Client().get(f"/join/card/{old_cards[0]}/", follow=True).status_code == 200, "looking changes nothing"
    client.post(offer)
    for card in old_cards:
        assert Client().get(f"/join/card/{card}/", follow=True).status_code == 404
    for each, pictures in zip((mia, noah), old_pictures, strict=True):
        each.student.refresh_from_db()
        assert each.student.pictures != pictures
    assert tablet.get("/account/").status_code == 302, "whoever came in by an old card is out"
    old_code = classroom.code
    classroom.refresh_from_db()
    assert classroom.code != old_code
    assert AuditEntry.objects.get(action=Action.RENEWED_CARDS).amount == 2


@pytest.mark.django_db(transaction=True)
def test_cards_that_were_renewed_together_stay_so_after_a_restore(classroom, rivera, settings, tmp_path):
    settings.VAR_DIR = tmp_path
    mia, noah = enrol(classroom, "Mia Okafor", "Noah Brandt")
    renew_cards(classroom, by=rivera)
    noted = {(entry.what, entry.pk, entry.number) for entry in ledger.read(ledger.file())}
    assert noted == {(ledger.LedgerEvent.CARD, each.student_id, 2) for each in (mia, noah)}


@pytest.mark.parametrize("way", ["removed", "renewed"])
def test_after_a_removal_no_code_for_a_guardian_that_the_teacher_made_links_anybody(classroom, rivera, stone, way):
    (mia,) = enrol(classroom, "Mia Okafor")
    join(classroom, stone, by=rivera)
    maker = stone if way == "removed" else rivera
    code = guardians.make_code(mia.student, by=maker, classroom=classroom)
    client = signed_in(rivera)
    client.post(f"/teach/{classroom.pk}/teachers/{stone.pk}/remove/")
    if way == "renewed":
        client.post(f"/teach/{classroom.pk}/settings/access/")
    with pytest.raises(guardians.BadCode):
        guardians.use_code(code, by=stone)


def test_renewing_the_cards_of_a_class_leaves_accounts_from_home_and_other_classes_alone(classroom, rivera, stone):
    child = make_home_child("Leo", by=stone)
    classroom.enrolments.create(student=child)
    (zoe,) = enrol(make_classroom(stone, "Class 3A"), "Zoe Stern")
    cards = [card_token(child), card_token(zoe.student)]
    signed_in(rivera).post(f"/teach/{classroom.pk}/settings/access/")
    for each in (child, zoe.student):
        each.refresh_from_db()
    assert [card_token(child), card_token(zoe.student)] == cards


# Where links lead


@pytest.fixture
def _another_host_reaches_us_too(settings) -> None:
    settings.ALLOWED_HOSTS = ["localhost", "evil.example"]


@pytest.mark.usefixtures("_another_host_reaches_us_too")
def test_the_link_in_an_invitation_is_the_sites_own_whatever_host_was_asked(classroom, rivera, mailoutbox):
    path = f"/teach/{classroom.pk}/teachers/invite/"
    signed_in(rivera).post(path, {"email": "lund@people.example"}, headers={"host": "evil.example"})
    (link,) = re.findall(r"https?://\S+", mailoutbox[0].body)
    assert link.startswith("http://localhost:8000/teach/invitation/")
    assert read_invitation(link.split("/")[-2]).email == "lund@people.example"


@pytest.mark.usefixtures("_another_host_reaches_us_too")
@pytest.mark.parametrize("path", ["/account/signup/", "/account/password/reset/"])
def test_no_mail_about_an_account_names_the_host_that_was_asked(rivera, mailoutbox, path):
    for email in (rivera.email, "nobody@people.example"):
        form = {"email": email, "display_name": "Lund", "password1": "under the third oval", "is_adult": "yes"}
        Client().post(path, form, headers={"host": "evil.example"})
    assert len(mailoutbox) == 2
    for mail in mailoutbox:
        assert "evil.example" not in mail.subject + mail.body


@pytest.mark.usefixtures("_another_host_reaches_us_too")
def test_printed_links_are_the_sites_own_whatever_host_was_asked(classroom, rivera, stone):
    enrol(classroom, "Mia Okafor")
    child = make_home_child("Leo", by=stone)
    host = {"host": "evil.example"}
    slips = signed_in(rivera).post(f"/teach/{classroom.pk}/students/codes/", headers=host)
    assert slips.context["address"] == "http://localhost:8000/family/"
    card = signed_in(stone).post(f"/family/{child.pk}/card/", headers=host)
    assert card.context["address"].startswith("http://localhost:8000/join/card/")
