"""What is kept of learning: every try for ever, and what can be rebuilt from them."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from core.actors import ONE_OWNER, OwnedByActor
from lessons.skills import ExerciseKind, Skill


class Attempt(OwnedByActor):
    """One try at one question; written once and never changed."""

    at = models.DateTimeField(db_index=True)
    place = models.CharField(max_length=80)
    """Where it was asked: "unit/step", "practice", or "sheet"."""
    kind = models.CharField(max_length=20, choices=[(kind, kind) for kind in ExerciseKind], blank=True)
    """Empty for a question that only the course asks."""
    wanted = models.JSONField(default=dict)
    seed = models.CharField(max_length=120, blank=True)
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

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(name="an_attempt_is_one_learners", condition=ONE_OWNER),
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
                fields=["user", "place", "seed"],
                condition=models.Q(user__isnull=False, is_first=True),
                name="a_user_has_one_first_try",
            ),
            models.UniqueConstraint(
                fields=["guest", "place", "seed"],
                condition=~models.Q(guest="") & models.Q(is_first=True),
                name="a_guest_has_one_first_try",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["user", "at"]), models.Index(fields=["guest", "at"])]
        ordering: ClassVar = ["at", "pk"]

    def __str__(self) -> str:
        return f"{self.place} {'right' if self.is_right else 'wrong'}"


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
    """How well a learner has a skill: a summary of the attempts, rebuilt from them by `rebuild_progress`."""

    skill = models.CharField(max_length=20, choices=[(skill, skill) for skill in Skill])
    state = models.JSONField()

    class Meta:
        verbose_name_plural = "progress"
        constraints: ClassVar = [
            models.CheckConstraint(name="progress_is_one_learners", condition=ONE_OWNER),
            models.UniqueConstraint(
                fields=["user", "skill"], condition=models.Q(user__isnull=False), name="a_user_has_a_skill_once"
            ),
            models.UniqueConstraint(
                fields=["guest", "skill"], condition=~models.Q(guest=""), name="a_guest_has_a_skill_once"
            ),
        ]

    def __str__(self) -> str:
        return self.skill


class HelpGiven(OwnedByActor):
    """How much help a learner has had with a question. There's a row only where help was asked for."""

    place = models.CharField(max_length=80)
    seed = models.CharField(max_length=120, blank=True)
    hints = models.PositiveSmallIntegerField()
    at = models.DateTimeField(db_index=True)
    """When it was first asked for."""

    class Meta:
        verbose_name_plural = "help given"
        constraints: ClassVar = [
            models.CheckConstraint(name="help_is_given_to_one_learner", condition=ONE_OWNER),
            models.UniqueConstraint(
                fields=["user", "place", "seed"], condition=models.Q(user__isnull=False), name="a_user_has_help_once"
            ),
            models.UniqueConstraint(
                fields=["guest", "place", "seed"], condition=~models.Q(guest=""), name="a_guest_has_help_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.hints} x {self.place}"
