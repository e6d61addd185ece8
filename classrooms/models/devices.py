"""Browsers on which students have signed in, and wrong tries at their pictures."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils import timezone

from classrooms.models.classes import Classroom
from classrooms.models.people import User


class StudentDevice(models.Model):
    """A browser on which a student has signed in before, stored as a fingerprint of its id."""

    student = models.ForeignKey(User, on_delete=models.CASCADE, related_name="devices")
    browser = models.CharField(max_length=64, db_index=True)
    used_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["student", "browser"], name="a_device_is_a_students_once")
        ]

    def __str__(self) -> str:
        return f"a device of {self.student}"


class DeviceStanding(models.TextChoices):
    """How well a browser is known when somebody taps a child's pictures on it."""

    KNOWN = "known", "the child has signed in on it"
    SHARED = "shared", "another child of the class has"
    NEW = "new", "nobody of the class has"


class PictureTry(models.Model):
    """A wrong try at a child's pictures."""

    student = models.ForeignKey(User, on_delete=models.CASCADE, related_name="picture_tries")
    classroom = models.ForeignKey(Classroom, on_delete=models.CASCADE, related_name="picture_tries")
    browser = models.CharField(max_length=64, blank=True)
    standing = models.CharField(max_length=10, choices=DeviceStanding.choices)
    last_user = models.CharField(max_length=64, blank=True)
    """On a shared device, a hash of the student who signed in on it last."""
    is_forgiven = models.BooleanField(default=False)
    """The right pictures soon followed on the same browser, so no budget counts this try."""
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = "picture tries"
        indexes: ClassVar = [
            models.Index(fields=["student", "at"], name="tries_of_student"),
            models.Index(fields=["classroom", "at"], name="tries_of_class"),
            models.Index(fields=["browser", "at"], name="tries_of_browser"),
        ]

    def __str__(self) -> str:
        return f"a try at {self.student}"
