"""A class: made, changed, taught together, archived."""

from __future__ import annotations

import re

import pytest

from classrooms.classes import accept, invitation_token, invite, read_invitation
from classrooms.models import Action, AuditEntry, Classroom
from tests.classrooms.people import enrol, make_adult, make_classroom, signed_in

pytestmark = pytest.mark.django_db

FORM = {"name": "Class 2B", "language": "fr", "edition": "us", "authorised_by": "The head of school"}


def done(action: Action) -> int:
    return AuditEntry.objects.filter(action=action).count()


def test_a_teacher_makes_a_class_and_goes_on_to_its_students():
    teacher = make_adult()
    response = signed_in(teacher).post("/teach/new/", FORM)
    classroom = Classroom.objects.get()
    assert response.headers["Location"] == f"/teach/{classroom.pk}/students/"
    assert (classroom.name, classroom.language, classroom.authorised_by) == ("Class 2B", "fr", "The head of school")
    assert list(classroom.teachers.all()) == [teacher]
    assert re.fullmatch(r"[B-DF-HJ-NP-TV-XZ2-9]{6}", classroom.code)
    assert done(Action.MADE_CLASS) == 1


@pytest.mark.parametrize("bad", [{"name": ""}, {"name": "x" * 61}, {"language": "tlh"}, {"authorised_by": " "}])
def test_a_class_that_cannot_be_is_told_with_the_form(bad):
    response = signed_in(make_adult()).post("/teach/new/", FORM | bad)
    assert response.status_code == 422
    assert "errorlist" in response.text
    assert not Classroom.objects.exists()


def test_who_has_no_class_is_told_the_three_steps():
    page = signed_in(make_adult()).get("/teach/")
    assert "Three steps" in page.text


def test_classes_are_listed_with_their_students_the_archived_ones_last():
    teacher = make_adult()
    for name in ("A", "B", "C"):
        enrol(make_classroom(teacher, f"Class {name}"), "Mia Okafor", "Noah Brandt")
    first = Classroom.objects.get(name="Class A")
    client = signed_in(teacher)
    assert client.post(f"/teach/{first.pk}/settings/archive/").headers["Location"] == "/teach/"
    page = client.get("/teach/").text
    assert page.index("Class B") < page.index("Class C") < page.index("Class A")
    assert page.count("2 students") == 3
    client.post(f"/teach/{first.pk}/settings/restore/")
    first.refresh_from_db()
    assert first.archived_at is None
    assert (done(Action.ARCHIVED_CLASS), done(Action.RESTORED_CLASS)) == (1, 1)


def test_the_settings_of_a_class_are_changed_and_a_bad_value_changes_nothing():
    teacher = make_adult()
    classroom = make_classroom(teacher)
    client = signed_in(teacher)
    assert client.post(f"/teach/{classroom.pk}/settings/", FORM | {"name": "  Class\t3 "}).status_code == 302
    assert client.post(f"/teach/{classroom.pk}/settings/", FORM | {"edition": "none"}).status_code == 422
    classroom.refresh_from_db()
    assert (classroom.name, classroom.edition) == ("Class 3", "us")


def test_a_new_code_ends_the_old_one():
    teacher = make_adult()
    classroom = make_classroom(teacher)
    client = signed_in(teacher)
    client.post(f"/teach/{classroom.pk}/settings/code/")
    assert client.get(f"/join/{classroom.code}/").status_code == 404
    classroom.refresh_from_db()
    assert client.get(f"/join/{classroom.code}/").status_code == 200


# Teaching together


def test_a_colleague_is_invited_by_mail_and_teaches_the_class_too(mailoutbox):
    teacher, colleague = make_adult("Rivera"), make_adult("Stone")
    classroom = make_classroom(teacher)
    signed_in(teacher).post(f"/teach/{classroom.pk}/teachers/invite/", {"email": "stone@school.example"})
    (mail,) = mailoutbox
    assert mail.to == ["stone@school.example"]
    path = re.search(r"https?://[^/]+(/teach/invitation/\S+)", mail.body)[1]
    client = signed_in(colleague)
    assert client.get(f"/teach/{classroom.pk}/settings/").status_code == 404
    assert "Rivera asks you" in client.get(path).text
    assert client.post(path).headers["Location"] == f"/teach/{classroom.pk}/"
    assert client.get(f"/teach/{classroom.pk}/settings/").status_code == 200
    for method in (client.get, client.post):
        assert method(path).status_code == 404, "an invitation is good once"


def test_an_invitation_that_is_old_changed_or_of_a_deleted_class_is_none():
    teacher = make_adult()
    classroom = make_classroom(teacher)
    invitation = invite(classroom, "stone@school.example", by=teacher)
    token = invitation_token(invitation)
    client = signed_in(make_adult("Stone"))
    assert client.get(f"/teach/invitation/{token[:-2]}/").status_code == 404
    invitation.expires_at = invitation.made_at
    invitation.save()
    assert client.post(f"/teach/invitation/{token}/").status_code == 404
    assert classroom.teachers.count() == 1


def test_a_bad_address_is_told_with_the_form(mailoutbox):
    teacher = make_adult()
    classroom = make_classroom(teacher)
    response = signed_in(teacher).post(f"/teach/{classroom.pk}/teachers/invite/", {"email": "stone"})
    assert response.status_code == 422
    assert not mailoutbox


def test_a_class_is_never_without_a_teacher():
    teacher, colleague = make_adult("Rivera"), make_adult("Stone")
    classroom = make_classroom(teacher)
    client = signed_in(teacher)
    page = client.post(f"/teach/{classroom.pk}/teachers/{teacher.pk}/remove/", follow=True)
    assert "A class needs a teacher" in page.text
    accept(read_invitation(invitation_token(invite(classroom, colleague.email, by=teacher))), colleague)
    response = client.post(f"/teach/{classroom.pk}/teachers/{teacher.pk}/remove/")
    assert response.headers["Location"] == "/teach/"
    assert list(classroom.teachers.all()) == [colleague]
