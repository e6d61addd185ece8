"""Archived classes are deleted after warnings by mail; what stops that, and how to undo it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from classrooms.classes.service import archive, restore
from classrooms.models import Classroom, User
from classrooms.privacy import service as privacy
from classrooms.privacy.archives import end_archived_classes
from classrooms.privacy.deleting import undo_class
from tests.classrooms.people import enrol, make_adult, make_classroom, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def classroom(settings) -> Classroom:
    settings.ARCHIVED_CLASS_DAYS = 365
    found = make_classroom(make_adult("Rivera"), "Class Heliotrope")
    enrol(found, "Mia Okafor", "Noah Lind")
    archive(found, by=None)
    return found


def nights(classroom: Classroom, first: int, last: int) -> None:
    """Run the nightly tasks of these nights after archiving."""
    archived = Classroom.objects.get(pk=classroom.pk).archived_at or timezone.now()
    for day in range(first, last + 1):
        end_archived_classes(archived + timedelta(days=day))


def is_there(classroom: Classroom) -> bool:
    return Classroom.objects.not_deleted().filter(pk=classroom.pk).exists()


def test_teachers_are_told_twice_and_then_the_class_is_deleted(classroom, mailoutbox):
    colleague = make_adult("Lund")
    classroom.teachers.add(colleague)
    nights(classroom, 0, 334)
    assert not mailoutbox
    nights(classroom, 335, 357)
    assert sorted(mail.to[0] for mail in mailoutbox) == sorted(t.email for t in classroom.teachers.all())
    assert "Your class Class Heliotrope will be deleted on" in mailoutbox[0].subject
    assert f"/teach/{classroom.pk}/settings/" in mailoutbox[0].body
    nights(classroom, 358, 364)
    assert len(mailoutbox) == 4
    assert mailoutbox[3].subject == mailoutbox[0].subject or mailoutbox[3].subject == mailoutbox[1].subject
    assert is_there(classroom)
    nights(classroom, 365, 365)
    assert not is_there(classroom)
    assert not User.objects.filter(kind="student", deleted_at=None).exists()
    assert len(mailoutbox) == 4


def test_a_class_that_is_brought_back_stays(classroom, mailoutbox):
    nights(classroom, 0, 360)
    restore(Classroom.objects.get(pk=classroom.pk), by=classroom.teachers.get())
    end_archived_classes(timezone.now() + timedelta(days=400))
    assert is_there(classroom)
    again = Classroom.objects.get(pk=classroom.pk)
    archive(again, by=None)
    later = again.archived_at + timedelta(days=100)
    Classroom.objects.filter(pk=classroom.pk).update(archived_at=later)
    mailoutbox.clear()
    nights(classroom, 0, 334)
    assert not mailoutbox, "from the archiving the time begins anew"
    assert is_there(classroom)


def test_a_class_that_has_been_archived_for_years_gets_its_month_too(classroom, mailoutbox):
    Classroom.objects.filter(pk=classroom.pk).update(archived_at=timezone.now() - timedelta(days=2_000))
    nights(classroom, 2_000, 2_029)
    assert len(mailoutbox) == 2
    assert is_there(classroom)
    nights(classroom, 2_030, 2_030)
    assert not is_there(classroom)


def test_a_site_that_was_away_for_a_year_deletes_nothing_without_a_letter(classroom, mailoutbox):
    nights(classroom, 335, 335)
    nights(classroom, 700, 700)
    assert is_there(classroom)
    assert len(mailoutbox) == 2
    nights(classroom, 706, 706)
    assert is_there(classroom)
    nights(classroom, 707, 707)
    assert not is_there(classroom)


def test_the_deletion_is_undone_as_always_and_then_there_is_a_month_again(classroom, mailoutbox):
    nights(classroom, 335, 365)
    assert not is_there(classroom)
    gone = Classroom.objects.get(pk=classroom.pk)
    undo_class(gone, by=classroom.teachers.get(), now=gone.deleted_at + timedelta(days=3))
    assert User.objects.filter(kind="student", deleted_at=None).count() == 2
    mailoutbox.clear()
    nights(classroom, 368, 397)
    assert is_there(classroom)
    assert len(mailoutbox) == 2
    nights(classroom, 398, 398)
    assert not is_there(classroom)


def test_the_nightly_task_does_it_and_the_pages_say_when(classroom, mailoutbox, settings):
    privacy.keep_promises(classroom.archived_at + timedelta(days=336))
    assert len(mailoutbox) == 1
    settings.ARCHIVED_CLASS_DAYS = 123
    page = signed_in(classroom.teachers.get()).get("/privacy/").text
    assert "123 days" in page
    ends = Classroom.objects.get(pk=classroom.pk).ends_at
    home = signed_in(classroom.teachers.get()).get("/teach/").text
    assert f"will be deleted on {ends:%b}" in home
