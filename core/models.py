"""Models for background work: jobs and outgoing mail."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from core.actors import OwnedByActor


class JobState(models.TextChoices):
    WAITING = "waiting", _("waiting")
    RUNNING = "running", _("running")
    DONE = "done", _("done")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("stopped")


class Job(OwnedByActor):
    """A job of any kind. The broker may lose messages; this row is what counts."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=40)
    client = models.CharField(max_length=32, blank=True, db_index=True)
    """A keyed hash of the guest's network address, for counting."""
    asked = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=JobState.choices, default=JobState.WAITING)
    progress = models.FloatField(default=0.0)
    partial_result = models.JSONField(default=dict, db_column="so_far")
    """A partial result, shown before the job is done."""
    result = models.JSONField(default=dict)
    file = models.CharField(max_length=200, blank=True)
    """The result file's name in the storage."""
    file_name = models.CharField(max_length=120, blank=True)
    error = models.CharField(max_length=300, blank=True)
    is_to_stop = models.BooleanField(default=False)
    attempt = models.PositiveSmallIntegerField(default=0)
    """The number of the current run; only that run may write."""
    made_at = models.DateTimeField(default=timezone.now)
    beat_at = models.DateTimeField(null=True, blank=True)
    """The run's last heartbeat."""
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-made_at"]
        indexes: ClassVar = [models.Index(fields=["state", "beat_at"])]

    def __str__(self) -> str:
        return f"{self.kind} {self.state}"

    @property
    def is_over(self) -> bool:
        return self.state in {JobState.DONE, JobState.FAILED, JobState.CANCELLED}

    @property
    def percent(self) -> int:
        return round(100 * self.progress)


class OutgoingMail(models.Model):
    """A mail on its way to the mail server. The row is deleted once the mail is sent or given up, within a day."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    email = models.EmailField(db_index=True)
    """The first recipient."""
    content = models.JSONField()
    at_most_once = models.BooleanField(default=False)
    attempt = models.PositiveSmallIntegerField(default=0)
    is_sending = models.BooleanField(default=False)
    made_at = models.DateTimeField(default=timezone.now)
    due_at = models.DateTimeField(default=timezone.now, db_index=True)
    """When to send it; while a worker has it, when another may take over."""

    def __str__(self) -> str:
        return f"mail, attempt {self.attempt}"
