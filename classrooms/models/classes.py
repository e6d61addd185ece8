"""Classes, their students and teachers, and how those get in."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from classrooms.models.people import User
from games.rules import EDITIONS

if TYPE_CHECKING:
    from classrooms.models.sessions import Session


class ClassroomQuerySet(models.QuerySet["Classroom"]):
    def not_deleted(self) -> ClassroomQuerySet:
        """Classes that aren't deleted."""
        return self.filter(deleted_at=None)


class Classroom(models.Model):
    name = models.CharField(_("name"), max_length=60)
    code = models.CharField(max_length=12, unique=True)
    language = models.CharField(_("language"), max_length=10, choices=settings.LANGUAGES, default="en-us")
    edition = models.CharField(_("rules"), max_length=20, choices=[(slug, slug) for slug in EDITIONS])
    teachers = models.ManyToManyField(User, related_name="classrooms_taught")
    students = models.ManyToManyField(User, through="Enrolment", related_name="classrooms_joined")
    authorised_by = models.CharField(_("who has allowed it"), max_length=120, blank=True)
    """Who at the school, or which consent, allows the class to use the site."""
    made_at = models.DateTimeField(default=timezone.now)
    used_at = models.DateTimeField(default=timezone.now)
    """When a teacher or a student last did something in it; idle classes are archived."""
    archived_at = models.DateTimeField(null=True, blank=True)
    ends_at = models.DateTimeField(null=True, blank=True)
    """When an archived class will be deleted. Set once its teachers have been told."""
    notices = models.PositiveSmallIntegerField(default=0)
    """How many letters about that were sent."""
    deleted_at = models.DateTimeField(null=True, blank=True)
    new_devices_since = models.DateTimeField(null=True, blank=True)
    """When a teacher last let students sign in by pictures on devices that they haven't used before."""
    new_devices_until = models.DateTimeField(null=True, blank=True)

    objects = ClassroomQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name

    @cached_property
    def running_session(self) -> Session | None:
        """The class's running lesson, with who opened it and the number of connected attendees (`here`).

        Students who work on paper count as connected.
        """
        here = models.Count("attendees", filter=models.Q(attendees__removed_at=None, attendees__is_connected=True))
        running = self.sessions.filter(ended_at=None)
        return running.select_related("made_by").annotate(here=here).first()


class Group(models.Model):
    """Some students of a class, who can get assignments of their own."""

    classroom = models.ForeignKey(Classroom, on_delete=models.CASCADE, related_name="groups")
    name = models.CharField(_("name"), max_length=40)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["classroom", "name"], name="groups_of_a_class_have_different_names")
        ]

    def __str__(self) -> str:
        return self.name


class EnrolmentQuerySet(models.QuerySet["Enrolment"]):
    def present(self) -> EnrolmentQuerySet:
        """Enrolments of students who aren't deleted, in the order of a register, with their students."""
        return self.filter(student__deleted_at=None).select_related("student", "group").order_by("real_name", "pk")


class Enrolment(models.Model):
    """A student in a class. The real name is stored here, where only the class's teachers see it."""

    classroom = models.ForeignKey(Classroom, on_delete=models.CASCADE, related_name="enrolments")
    student = models.ForeignKey(User, on_delete=models.CASCADE, related_name="enrolments")
    group = models.ForeignKey(Group, on_delete=models.SET_NULL, null=True, blank=True, related_name="enrolments")
    real_name = models.CharField(max_length=80, blank=True)
    source_id = models.CharField(max_length=64, blank=True)
    """The student's id in the school's own system, by which roster files find them."""
    joined_at = models.DateTimeField(default=timezone.now)

    objects = EnrolmentQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["classroom", "student"], name="a_student_is_once_in_a_class"),
            models.UniqueConstraint(
                fields=["classroom", "source_id"],
                condition=~models.Q(source_id=""),
                name="a_source_names_one_student_of_a_class",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.student} in {self.classroom}"


class InvitationQuerySet(models.QuerySet["TeacherInvitation"]):
    def open(self, now: datetime) -> InvitationQuerySet:
        """Invitations that can still be accepted: not used, canceled or expired, and by somebody who still teaches."""
        return self.filter(
            accepted_at=None,
            cancelled_at=None,
            expires_at__gt=now,
            classroom__deleted_at=None,
            classroom__teachers=models.F("made_by"),
            made_by__deleted_at=None,
        )


class TeacherInvitation(models.Model):
    """An invitation to teach a class together. It works once, for somebody who has confirmed this address."""

    classroom = models.ForeignKey(Classroom, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField()
    made_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    cancelled_at = models.DateTimeField(null=True, blank=True)
    """When it became void: a teacher canceled it, a newer one replaced it, or its maker left the class."""

    objects = InvitationQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.email} to {self.classroom}"


class RosterImport(models.Model):
    """A roster that was read and shown, waiting for the teacher to confirm it. Deleted once it's written."""

    classroom = models.ForeignKey(Classroom, on_delete=models.CASCADE, related_name="imports")
    made_by = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    made_at = models.DateTimeField(default=timezone.now)
    rows = models.JSONField(default=list)
    done = models.PositiveIntegerField(default=0)
    """How many rows have been written."""

    def __str__(self) -> str:
        return f"{self.done} of {len(self.rows)} rows for {self.classroom}"


class HandOver(models.Model):
    """The offer of a student to another class. Nothing changes until a teacher there accepts."""

    enrolment = models.OneToOneField(Enrolment, on_delete=models.CASCADE, related_name="hand_over")
    to = models.ForeignKey(Classroom, on_delete=models.CASCADE, related_name="hand_overs")
    made_by = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    made_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"{self.enrolment} offered to {self.to}"
