"""A live lesson: who takes part, what is done, and every answer as a row of its own."""

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
    """One lesson with a class. Whatever a screen shows is here, so that any screen can be opened anew."""

    classroom = models.ForeignKey(Classroom, on_delete=models.CASCADE, related_name="sessions")
    code = models.CharField(max_length=12, unique=True)
    made_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    language = models.CharField(max_length=10, choices=settings.LANGUAGES)
    edition = models.CharField(max_length=20)
    allows_guests = models.BooleanField(_("guests may join"), default=False)
    guests_wait = models.BooleanField(default=False)
    """New guests ask first: somebody was taken out, and would otherwise come back as a guest."""
    opened_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    is_locked = models.BooleanField(default=False)
    is_paused = models.BooleanField(default=False)
    shows_scores = models.BooleanField(default=False)
    version = models.PositiveIntegerField(default=1)
    """Raised with everything that devices show."""
    count = models.PositiveIntegerField(default=0)
    """Raised with what only the remote and the projector show: an answer that came, somebody who came or went."""
    wall_number = models.PositiveSmallIntegerField(default=0)
    """Raised when a teacher leaves the class, who may know the projector's address: that becomes a new one."""

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
    """In how many features the SETs differ that are credited to this student; None: all of them."""
    time_factor = models.FloatField(default=1.0)
    """How much longer this student has for everything that has a time; nobody else sees it."""
    is_on_paper = models.BooleanField(default=False)
    """A seat without a device: the teacher taps the answers in."""
    is_visitor = models.BooleanField(default=False)
    """Of somebody who came as a guest, signed in afterwards, and isn't of the class."""

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
    """A guest who stands before the door until the teacher lets them in; the row goes when they are."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="waiting")
    guest = models.CharField(max_length=32)
    name = models.CharField(max_length=60)
    """What the guest will be called; they tell it to the teacher, who finds them by it."""
    asked_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["session", "guest"], name="a_guest_waits_once"),
        ]

    def __str__(self) -> str:
        return f"{self.name} before {self.session}"


class Stage(models.TextChoices):
    """How far the round of an activity is."""

    OPEN = "open", _("answers come in")
    REVEALED = "revealed", _("the answer is shown")
    DONE = "done", pgettext_lazy("activity", "over")


class Activity(models.Model):
    """Something the class does together, one after the other; the newest is the present one."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="activities")
    number = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=20)
    options = models.JSONField(default=dict)
    """As the teacher chose them; frozen with the start."""
    state = models.JSONField(default=dict)
    """What the kind of activity needs to know; the answers of the class are not in it."""
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
    """That one attendee gave an answer in one round; what it was is a learning event.

    Boards on which many SETs are found have a row for each.
    """

    event = models.OneToOneField(LearningEvent, on_delete=models.CASCADE, related_name="+")
    activity = models.ForeignKey(Activity, on_delete=models.CASCADE, related_name="answers")
    attendee = models.ForeignKey(Attendee, on_delete=models.CASCADE, related_name="answers")
    round = models.PositiveSmallIntegerField()
    key = models.CharField(max_length=40, blank=True)
    """Tells several answers of one round apart; empty where there is one."""
    cards = models.JSONField(default=list)
    """The cards that it is about, as everybody else sees them."""

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
