"""Classes: created, changed, shared with other teachers, archived."""

from __future__ import annotations

import re

import pytest
from django.core.cache import cache
from django.utils import timezone

from classrooms.classes.service import (
    A_MOMENT,
    LastTeacher,
    NoLongerTeaching,
    NotTeaching,
    TaughtLonger,
    accept,
    invitation_token,
    invite,
    read_invitation,
    remove_teacher,
    teachers_by_seniority,
)
from classrooms.models import Action, AuditEntry, Classroom
from classrooms.privacy.deleting import delete_adult
from tests.classrooms.people import enrol, make_adult, make_classroom, signed_in

pytestmark = pytest.mark.django_db

FORM = {
    "name": "Class 2B",
    "language": "fr",
    "edition": "us",
    "authorised_by": "The head of school",
    "has_authority": "on",
}


def done(action: Action) -> int:
    return AuditEntry.objects.filter(action=action).count()


def test_a_teacher_makes_a_class_and_goes_on_to_its_students():
    teacher = make_adult()
    response = signed_in(teacher).post("/teach/new/", FORM)
    classroom = Classroom.objects.get()
    assert response.headers["Location"] == f"/teach/{classroom.pk}/students/"
    assert (classroom.name, classroom.language, classroom.authorised_by) == ("Class 2B", "fr", "The head of school")
    assert list(classroom.teachers.all()) == [teacher]
    assert re.fullmatch(r"[B-DF-HJ-NP-TV-XZ2-9]{9}", classroom.code)
    assert done(Action.MADE_CLASS) == 1


@pytest.mark.parametrize(
    "bad", [{"name": ""}, {"name": "x" * 61}, {"language": "tlh"}, {"authorised_by": " "}, {"has_authority": ""}]
)
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
    signed_in(teacher).post(f"/teach/{classroom.pk}/teachers/invite/", {"email": colleague.email})
    (mail,) = mailoutbox
    assert mail.to == [colleague.email]
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


def joined_by(classroom, colleague) -> None:
    founder = teachers_by_seniority(classroom)[0]
    accept(read_invitation(invitation_token(invite(classroom, colleague.email, by=founder))), colleague)


def test_whoever_came_later_cannot_remove_whoever_was_there_before(mailoutbox):
    founder, colleague, newcomer = make_adult("Rivera"), make_adult("Stone"), make_adult("Green")
    classroom = make_classroom(founder)
    joined_by(classroom, colleague)
    joined_by(classroom, newcomer)
    client = signed_in(newcomer)
    assert "Take Stone out" not in client.get(f"/teach/{classroom.pk}/settings/").text
    for senior in (founder, colleague):
        page = client.post(f"/teach/{classroom.pk}/teachers/{senior.pk}/remove/", follow=True)
        assert "You can only take out teachers who joined the class after you." in page.text
    assert teachers_by_seniority(classroom) == [founder, colleague, newcomer]
    assert not mailoutbox


def test_a_teacher_who_is_removed_is_told_by_mail_and_their_colleague_by_a_message(mailoutbox):
    founder, colleague = make_adult("Rivera"), make_adult("Stone")
    classroom = make_classroom(founder)
    joined_by(classroom, colleague)
    page = signed_in(founder).post(f"/teach/{classroom.pk}/teachers/{colleague.pk}/remove/", follow=True)
    assert "Stone doesn&#x27;t teach this class anymore" in page.text
    (mail,) = mailoutbox
    assert (mail.to, mail.subject) == ([colleague.email], "You don't teach Class 2B anymore")
    assert "Rivera took you out of the class Class 2B" in mail.body
    assert AuditEntry.objects.filter(action=Action.REMOVED_TEACHER, person=colleague.pk, actor=founder.pk).exists()
    assert teachers_by_seniority(classroom) == [founder]


def test_whoever_stays_is_told_by_mail_who_has_left(mailoutbox):
    founder, colleague, newcomer = make_adult("Rivera"), make_adult("Stone"), make_adult("Green")
    newcomer.language = "fr"
    newcomer.save()
    classroom = make_classroom(founder)
    for each in (colleague, newcomer):
        joined_by(classroom, each)
    signed_in(colleague).post(f"/teach/{classroom.pk}/teachers/{colleague.pk}/remove/")
    assert [mail.to for mail in mailoutbox] == [[founder.email], [newcomer.email]]
    assert mailoutbox[0].subject == "A colleague has left Class 2B"
    assert "Stone doesn't teach the class Class 2B on Setsite anymore" in mailoutbox[0].body


def test_a_mail_about_a_removal_is_written_with_it_or_not_at_all(monkeypatch, mailoutbox):
    founder, colleague = make_adult("Rivera"), make_adult("Stone")
    classroom = make_classroom(founder)
    joined_by(classroom, colleague)

    def fails(*_args: object, **_names: object) -> None:
        raise OSError("the outbox is full")

    monkeypatch.setattr("classrooms.classes.teacher_mail.send_mail", fails)
    for teacher in (founder, colleague):
        with pytest.raises(OSError, match="outbox"):
            remove_teacher(classroom, teacher, by=founder)
    assert teachers_by_seniority(classroom) == [founder, colleague]


def test_whoever_was_just_taken_out_is_told_by_whom_and_not_that_there_is_no_such_class():
    founder, colleague, newcomer = make_adult("Rivera"), make_adult("Stone"), make_adult("Green")
    classroom = make_classroom(founder)
    for each in (colleague, newcomer):
        joined_by(classroom, each)
    remove_teacher(classroom, colleague, by=founder)
    with pytest.raises(NoLongerTeaching):
        remove_teacher(classroom, newcomer, by=colleague)
    page = signed_in(colleague).post(f"/teach/{classroom.pk}/teachers/{newcomer.pk}/remove/", follow=True)
    assert page.redirect_chain == [("/teach/", 302)]
    assert "Rivera has just taken you out of Class 2B." in page.text
    assert newcomer in teachers_by_seniority(classroom)


def test_whoever_has_left_in_another_tab_is_told_so():
    founder, colleague = make_adult("Rivera"), make_adult("Stone")
    classroom = make_classroom(founder)
    joined_by(classroom, colleague)
    client = signed_in(colleague)
    client.post(f"/teach/{classroom.pk}/teachers/{colleague.pk}/remove/")
    client.get("/teach/")
    page = client.post(f"/teach/{classroom.pk}/teachers/{colleague.pk}/remove/", follow=True)
    assert page.redirect_chain == [("/teach/", 302)]
    assert "You don&#x27;t teach Class 2B anymore." in page.text


def test_whoever_takes_out_a_teacher_who_has_just_left_is_told_so():
    founder, colleague = make_adult("Rivera"), make_adult("Stone")
    classroom = make_classroom(founder)
    joined_by(classroom, colleague)
    remove_teacher(classroom, colleague, by=colleague)
    with pytest.raises(NotTeaching):
        remove_teacher(classroom, colleague, by=founder)
    page = signed_in(founder).post(f"/teach/{classroom.pk}/teachers/{colleague.pk}/remove/", follow=True)
    assert page.redirect_chain == [(f"/teach/{classroom.pk}/settings/", 302)]
    assert "Stone doesn&#x27;t teach this class anymore." in page.text


def test_a_teacher_who_was_taken_out_long_ago_learns_nothing_about_the_class():
    founder, colleague = make_adult("Rivera"), make_adult("Stone")
    classroom = make_classroom(founder)
    joined_by(classroom, colleague)
    remove_teacher(classroom, colleague, by=founder)
    AuditEntry.objects.update(at=timezone.now() - A_MOMENT)
    path = f"/teach/{classroom.pk}/teachers/{colleague.pk}/remove/"
    assert signed_in(colleague).post(path).status_code == 404
    assert signed_in(founder).post(path).status_code == 404


def test_whoever_leaves_and_comes_back_has_come_last():
    founder, colleague = make_adult("Rivera"), make_adult("Stone")
    classroom = make_classroom(founder)
    joined_by(classroom, colleague)
    remove_teacher(classroom, founder, by=founder)
    joined_by(classroom, founder)
    assert teachers_by_seniority(classroom) == [colleague, founder]
    with pytest.raises(TaughtLonger):
        remove_teacher(classroom, colleague, by=founder)


def test_a_colleague_whose_account_is_deleted_does_not_count_as_the_one_who_stays():
    founder, colleague = make_adult("Rivera"), make_adult("Stone")
    classroom = make_classroom(founder)
    joined_by(classroom, colleague)
    delete_adult(colleague, now=timezone.now())
    with pytest.raises(LastTeacher):
        remove_teacher(classroom, founder, by=founder)


def test_a_teacher_cannot_use_the_site_to_write_to_the_world(mailoutbox):
    cache.clear()
    teacher = make_adult()
    classroom = make_classroom(teacher, "BUY NOW")
    client = signed_in(teacher)
    answers = [
        client.post(f"/teach/{classroom.pk}/teachers/invite/", {"email": f"{number}@x.example"}).status_code
        for number in range(25)
    ]
    assert answers == [302] * 20 + [429] * 5
    assert len(mailoutbox) == 20
    assert not any("BUY NOW" in mail.subject for mail in mailoutbox)
    cache.clear()


def test_one_address_is_not_invited_all_day_by_many(mailoutbox):
    cache.clear()
    for number in range(7):
        teacher = make_adult(f"Buy{number}")
        classroom = make_classroom(teacher, f"Offer {number}")
        signed_in(teacher).post(f"/teach/{classroom.pk}/teachers/invite/", {"email": "Bea@x.example"})
    assert len(mailoutbox) == 5
    assert len({mail.subject for mail in mailoutbox}) == 1, "whoever writes, and whatever the class is called"
    cache.clear()
