"""What is kept of learning: every answer as an event that is never changed, and what can be rebuilt from them."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from core.actors import ONE_OWNER, OwnedByActor, OwnedQuerySet
from lessons.progress.origins import Source
from lessons.skills import ExerciseKind


class QuestionRecord(OwnedByActor):
    """Something about a question that was put to a learner."""

    source = models.CharField(max_length=10, choices=[(source, source) for source in Source])
    unit = models.CharField(max_length=40, blank=True)
    """Of the course, where the question is one of it."""
    step = models.CharField(max_length=40, blank=True)
    seed = models.CharField(max_length=120, blank=True)
    """Tells the questions of one origin apart."""

    class Meta:
        abstract = True

    @property
    def question(self) -> tuple[str, ...]:
        return self.source, self.unit, self.step, self.seed


QUESTION = ("source", "unit", "step", "seed")
"""What tells one question from another."""


class LearningEventQuerySet(OwnedQuerySet["LearningEvent"]):
    def tries(self) -> LearningEventQuerySet:
        """Those that reports are about: a live lesson also asks what says nothing about any skill."""
        return self.exclude(kind="", evidence=[])

    def counted(self) -> LearningEventQuerySet:
        """Those that say something about skills."""
        return self.filter(is_first=True).exclude(evidence=[])


class LearningEvent(QuestionRecord):
    """One answer to one question, wherever it was asked; written once and never changed."""

    at = models.DateTimeField(db_index=True)
    kind = models.CharField(max_length=20, choices=[(kind, kind) for kind in ExerciseKind], blank=True)
    """Empty for a question that only the course asks."""
    wanted = models.JSONField(default=dict)
    cards = models.JSONField(default=list)
    answer = models.JSONField(default=dict)
    is_right = models.BooleanField()
    is_first = models.BooleanField()
    """Whether it was the first try at this very question: later ones put it right, and tell nothing new."""
    missed = models.JSONField(default=list)
    evidence = models.JSONField(default=list)
    seconds = models.FloatField(null=True, blank=True)
    hints = models.PositiveSmallIntegerField(default=0)
    sent_as = models.UUIDField(null=True, blank=True)
    """What the browser calls this answer: sent again, because the network swallowed our word, it is the same one."""

    objects = LearningEventQuerySet.as_manager()  # type: ignore[misc]  # more than the base class has

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(name="an_event_is_one_learners", condition=ONE_OWNER),
            models.UniqueConstraint(
                fields=["user", "sent_as"],
                condition=models.Q(user__isnull=False, sent_as__isnull=False),
                name="a_user_sends_an_answer_once",
            ),
            models.UniqueConstraint(
                fields=["guest", "sent_as"],
                condition=~models.Q(guest="") & models.Q(sent_as__isnull=False),
                name="a_guest_sends_an_answer_once",
            ),
            models.UniqueConstraint(
                fields=["user", *QUESTION],
                condition=models.Q(user__isnull=False, is_first=True),
                name="a_user_has_one_first_try",
            ),
            models.UniqueConstraint(
                fields=["guest", *QUESTION],
                condition=~models.Q(guest="") & models.Q(is_first=True),
                name="a_guest_has_one_first_try",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["user", "at"]), models.Index(fields=["guest", "at"])]
        ordering: ClassVar = ["at", "pk"]

    def __str__(self) -> str:
        return f"{self.source} {'right' if self.is_right else 'wrong'}"


class StepDone(OwnedByActor):
    """A step of the course that a learner has finished."""

    unit = models.CharField(max_length=40)
    step = models.CharField(max_length=40)
    at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(name="a_step_is_done_by_one_learner", condition=ONE_OWNER),
            models.UniqueConstraint(
                fields=["user", "unit", "step"], condition=models.Q(user__isnull=False), name="a_user_does_a_step_once"
            ),
            models.UniqueConstraint(
                fields=["guest", "unit", "step"], condition=~models.Q(guest=""), name="a_guest_does_a_step_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.unit}/{self.step}"


class Progress(OwnedByActor):
    """How a learner stood at some event: a snapshot that `lessons.progress.snapshots` goes on from, and can rebuild."""

    states = models.JSONField(default=dict)
    """By the skill, those that were ever seen."""
    events = models.PositiveIntegerField()
    """How many of the learner's events are in it: all up to the last one."""
    last_at = models.DateTimeField()
    last_event = models.BigIntegerField()
    version = models.PositiveIntegerField(default=1)

    class Meta:
        verbose_name_plural = "progress"
        constraints: ClassVar = [
            models.CheckConstraint(name="progress_is_one_learners", condition=ONE_OWNER),
            models.UniqueConstraint(
                fields=["user"], condition=models.Q(user__isnull=False), name="a_user_has_progress_once"
            ),
            models.UniqueConstraint(fields=["guest"], condition=~models.Q(guest=""), name="a_guest_has_progress_once"),
        ]

    def __str__(self) -> str:
        return f"{self.events} events"


class HelpGiven(QuestionRecord):
    """How much help a learner has had with a question. There's a row only where help was asked for."""

    hints = models.PositiveSmallIntegerField()
    at = models.DateTimeField(db_index=True)
    """When it was first asked for."""

    class Meta:
        verbose_name_plural = "help given"
        constraints: ClassVar = [
            models.CheckConstraint(name="help_is_given_to_one_learner", condition=ONE_OWNER),
            models.UniqueConstraint(
                fields=["user", *QUESTION], condition=models.Q(user__isnull=False), name="a_user_has_help_once"
            ),
            models.UniqueConstraint(
                fields=["guest", *QUESTION], condition=~models.Q(guest=""), name="a_guest_has_help_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.hints} x {self.source}"
