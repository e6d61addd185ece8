"""Consents to a child's home account, and to a class's use of the site."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils import timezone

from classrooms.models.classes import Classroom
from classrooms.models.people import User


class Consent(models.Model):
    """A guardian's consent to a child's account, or a teacher's statement that the school lets a class use the site."""

    child = models.ForeignKey(User, on_delete=models.CASCADE, null=True, blank=True, related_name="consents")
    classroom = models.ForeignKey(Classroom, on_delete=models.CASCADE, null=True, blank=True, related_name="consents")
    given_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    given_at = models.DateTimeField(default=timezone.now)
    text = models.CharField(max_length=20)
    """Which version of the text was agreed to; `classrooms.consents.TEXTS` has the words."""
    authority = models.CharField(max_length=120, blank=True)
    """For a class: who allowed it, in the teacher's words."""

    class Meta:
        ordering: ClassVar = ["given_at", "pk"]
        constraints: ClassVar = [
            models.CheckConstraint(
                name="a_consent_is_for_a_child_or_a_class",
                condition=models.Q(child__isnull=False, classroom__isnull=True)
                | models.Q(child__isnull=True, classroom__isnull=False),
            )
        ]

    def __str__(self) -> str:
        return f"{self.text} for {self.child or self.classroom}"
