"""Assignments for a class, a group or a student."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from classrooms.models.classes import Classroom, Enrolment, Group
from classrooms.models.people import User


class Task(models.TextChoices):
    UNIT = "unit", _("a unit of the course")
    SKILL = "skill", _("a skill up to a level")
    BOARDS = "boards", _("a number of boards")
    DAILY = "daily", _("the daily puzzle")


class Assignment(models.Model):
    """Something that students should do. Whether it's done is measured, never ticked off."""

    classroom = models.ForeignKey(Classroom, on_delete=models.CASCADE, related_name="assignments")
    group = models.ForeignKey(Group, on_delete=models.CASCADE, null=True, blank=True, related_name="assignments")
    enrolment = models.ForeignKey(
        Enrolment, on_delete=models.CASCADE, null=True, blank=True, related_name="assignments"
    )
    """For one student. With neither group nor enrolment, it's for the whole class."""
    task = models.CharField(max_length=10, choices=Task.choices)
    what = models.CharField(max_length=40, blank=True)
    """The slug of the unit, or the skill."""
    amount = models.PositiveSmallIntegerField(default=1)
    """The level of the skill, or the number of boards or days."""
    made_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField(default=timezone.now)
    due_on = models.DateField(_("due on"), null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                name="an_assignment_is_for_a_group_or_a_student_and_not_both",
                condition=models.Q(group=None) | models.Q(enrolment=None),
            )
        ]

    def __str__(self) -> str:
        return f"{self.task} {self.what} for {self.classroom}"
