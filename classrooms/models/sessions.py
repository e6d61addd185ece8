"""A live lesson: its attendees, activities and answers."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from classrooms.models.classes import Classroom
from classrooms.models.people import User
from core.actors import OwnedByActor
from lessons.models import LearningEvent


class Session(models.Model):
    """One lesson with a class. The database holds everything that screens show, so any screen can be reopened."""

    classroom = models.ForeignKey(Classroom, on_delete=models.CASCADE, related_name="sessions")
    code = models.CharField(max_length=12, unique=True)
    made_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    language = models.CharField(max_length=10, choices=settings.LANGUAGES)
    edition = models.CharField(max_length=20)
    allows_guests = models.BooleanField(_("guests may join"), default=False)
    guests_wait = models.BooleanField(default=False)
    """New guests have to wait to be let in. Set when somebody is taken out, who could otherwise return as a guest."""
    opened_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    is_locked = models.BooleanField(default=False)
    is_paused = models.BooleanField(default=False)
    shows_scores = models.BooleanField(default=False)
    version = models.PositiveIntegerField(default=1)
    """Incremented whenever something changes that devices show."""
    count = models.PositiveIntegerField(default=0)
    """Incremented for what only the remote and the projector show: an answer, or a device that came or went."""
    wall_number = models.PositiveSmallIntegerField(default=0)
    """Incremented when a teacher leaves the class, to change the projector's address, which they may know."""

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["classroom"], condition=models.Q(ended_at__isnull=True), name="one_running_session_of_a_class"
            )
        ]

    def __str__(self) -> str:
        return f"{self.code} of {self.classroom}"

    @property
    def is_over(self) -> bool:
        return self.ended_at is not None


class Attendee(OwnedByActor):
    """Somebody who takes part: a student of the class, or a guest where the session allows them."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="attendees")
    number = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=60)
    joined_at = models.DateTimeField(default=timezone.now)
    is_connected = models.BooleanField(default=False)
    removed_at = models.DateTimeField(null=True, blank=True)
    team = models.PositiveSmallIntegerField(null=True, blank=True)
    target = models.PositiveSmallIntegerField(null=True, blank=True)
    """Only SETs that differ in this many features are credited to this student; None means all."""
    time_factor = models.FloatField(default=1.0)
    """How much longer this student gets wherever time is limited; nobody else sees it."""
    is_on_paper = models.BooleanField(default=False)
    """The student has no device, and the teacher taps in their answers."""
    is_visitor = models.BooleanField(default=False)
    """Somebody who came as a guest, signed in later, and isn't in the class."""

    class Meta:
        ordering: ClassVar = ["number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["session", "number"], name="a_seat_of_a_session_is_there_once"),
            models.UniqueConstraint(
                fields=["session", "user"], condition=models.Q(user__isnull=False), name="a_user_attends_once"
            ),
            models.UniqueConstraint(
                fields=["session", "guest"], condition=~models.Q(guest=""), name="a_guest_attends_once"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class WaitingGuest(models.Model):
    """A guest who waits for the teacher to let them in. The row is deleted when they're let in."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="waiting")
    guest = models.CharField(max_length=32)
    name = models.CharField(max_length=60)
    """The guest's future name. They tell it to the teacher, who finds them by it."""
    asked_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["session", "guest"], name="a_guest_waits_once"),
        ]

    def __str__(self) -> str:
        return f"{self.name} before {self.session}"


class Stage(models.TextChoices):
    """The state of an activity's round."""

    OPEN = "open", _("answers come in")
    REVEALED = "revealed", _("the answer is shown")
    DONE = "done", pgettext_lazy("activity", "over")


class Activity(models.Model):
    """Something the class does together. A session has one after the other, and the last is the present one."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="activities")
    number = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=20)
    options = models.JSONField(default=dict)
    """The teacher's choices, fixed when the activity begins."""
    state = models.JSONField(default=dict)
    """Whatever the kind of activity stores, except answers."""
    round = models.PositiveSmallIntegerField(default=1)
    stage = models.CharField(max_length=10, choices=Stage.choices, default=Stage.OPEN)
    started_at = models.DateTimeField(default=timezone.now)
    round_at = models.DateTimeField(default=timezone.now)
    """When the present round began."""
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "activities"
        ordering: ClassVar = ["number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["session", "number"], name="an_activity_of_a_session_is_there_once")
        ]

    def __str__(self) -> str:
        return f"{self.kind} in {self.session}"


class AnswerManager(models.Manager["Answer"]):
    def get_queryset(self) -> models.QuerySet[Answer]:
        return super().get_queryset().select_related("event")


class Answer(models.Model):
    """An attendee's answer in a round. What it was is in its learning event.

    On a board with many SETs, each SET that's found is a row.
    """

    event = models.OneToOneField(LearningEvent, on_delete=models.CASCADE, related_name="+")
    activity = models.ForeignKey(Activity, on_delete=models.CASCADE, related_name="answers")
    attendee = models.ForeignKey(Attendee, on_delete=models.CASCADE, related_name="answers")
    round = models.PositiveSmallIntegerField()
    key = models.CharField(max_length=40, blank=True)
    """Distinguishes several answers in one round; empty if there's only one."""
    cards = models.JSONField(default=list)
    """The cards of the answer, as on the class's board."""

    objects = AnswerManager()

    class Meta:
        ordering: ClassVar = ["event__at", "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["activity", "round", "attendee", "key"], name="an_answer_is_given_once")
        ]

    def __str__(self) -> str:
        return f"{self.attendee} in round {self.round} of {self.activity}"

    @property
    def at(self) -> datetime:
        return self.event.at

    @property
    def answer(self) -> dict[str, Any]:
        said: dict[str, Any] = self.event.answer
        return said

    @property
    def is_right(self) -> bool:
        return self.event.is_right

    @property
    def missed(self) -> list[str]:
        missed: list[str] = self.event.missed
        return missed
