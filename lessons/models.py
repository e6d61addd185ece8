"""Models for learning: answers as append-only events, progress derived from them, finished steps, and help."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from core.actors import ONE_OWNER, OwnedByActor, OwnedQuerySet
from lessons.progress.origins import Source
from lessons.skills import ExerciseKind


class QuestionRecord(OwnedByActor):
    """Base class for records about a question that a learner was asked."""

    source = models.CharField(max_length=10, choices=[(source, source) for source in Source])
    unit = models.CharField(max_length=40, blank=True)
    """The course unit, if the course asked the question."""
    step = models.CharField(max_length=40, blank=True)
    seed = models.CharField(max_length=120, blank=True)
    """Distinguishes questions of one origin."""

    class Meta:
        abstract = True

    @property
    def question(self) -> tuple[str, ...]:
        return self.source, self.unit, self.step, self.seed


QUESTION = ("source", "unit", "step", "seed")
"""The columns that identify a question."""


class LearningEventQuerySet(OwnedQuerySet["LearningEvent"]):
    def tries(self) -> LearningEventQuerySet:
        """Events for reports, without answers in live lessons that say nothing about any skill."""
        return self.exclude(kind="", evidence=[])

    def counted(self) -> LearningEventQuerySet:
        """First tries that say something about skills."""
        return self.filter(is_first=True).exclude(evidence=[])


class LearningEvent(QuestionRecord):
    """One answer to one question, wherever it was asked. Written once and never edited."""

    at = models.DateTimeField(db_index=True)
    kind = models.CharField(max_length=20, choices=[(kind, kind) for kind in ExerciseKind], blank=True)
    """Empty for a course-only question."""
    wanted = models.JSONField(default=dict)
    cards = models.JSONField(default=list)
    answer = models.JSONField(default=dict)
    is_right = models.BooleanField()
    is_first = models.BooleanField()
    """Whether this was the first try at this question. Later ones are corrections and don't count toward skills."""
    missed = models.JSONField(default=list)
    evidence = models.JSONField(default=list)
    seconds = models.FloatField(null=True, blank=True)
    hints = models.PositiveSmallIntegerField(default=0)
    sent_as = models.UUIDField(null=True, blank=True)
    """The browser's ID for this answer, to recognize it if it's sent again because the response was lost."""

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
    """A snapshot of a learner's skills as of some event, which `lessons.progress.snapshots` continues or rebuilds."""

    states = models.JSONField(default=dict)
    """Keyed by skill; only skills that were ever seen."""
    events = models.PositiveIntegerField()
    """How many of the learner's events it includes: all up to `last_event`."""
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
    """How much help a learner has had with a question. Only questions with help asked for have a row."""

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
