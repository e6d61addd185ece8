"""The audit log, and a record of the letters that were sent."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from classrooms.models.people import User


class Action(models.TextChoices):
    MADE_CLASS = "made-class", _("made the class")
    CHANGED_CLASS = "changed-class", _("changed the class")
    ARCHIVED_CLASS = "archived-class", _("archived the class")
    RESTORED_CLASS = "restored-class", _("brought the class back from the archive")
    INVITED_TEACHER = "invited-teacher", _("invited a teacher")
    CANCELED_INVITATION = "canceled-invitation", _("canceled an invitation")
    JOINED_AS_TEACHER = "joined-as-teacher", _("joined as a teacher")
    REMOVED_TEACHER = "removed-teacher", _("removed a teacher")
    ADDED_STUDENT = "added-student", _("added a student")
    CHANGED_STUDENT = "changed-student", _("changed a student")
    RESET_STUDENT = "reset-student", _("gave a student new pictures and a new card")
    RENEWED_CARDS = "renewed-cards", _("gave all students new pictures and new cards")
    MOVED_STUDENT = "moved-student", _("moved a student to another class")
    REMOVED_STUDENT = "removed-student", _("removed a student from the class")
    OFFERED_STUDENT = "offered-student", _("offered a student to another class")
    DECLINED_STUDENT = "declined-student", _("ended the offer of a student")
    LET_NEW_DEVICES_IN = "let-new-devices-in", _("let new devices sign in")
    GUESSED_PICTURES = "guessed-pictures", _("wrong pictures were tried too often")
    IMPORTED_ROSTER = "imported-roster", _("read in a roster")
    PRINTED_CARDS = "printed-cards", _("printed login cards")
    SAW_PICTURES = "saw-pictures", _("looked at a student's pictures")
    MADE_CODE = "made-code", _("made a code for a guardian")
    LINKED_GUARDIAN = "linked-guardian", _("linked a guardian")
    UNLINKED_GUARDIAN = "unlinked-guardian", _("ended a guardian's link")
    MADE_CHILD = "made-child", _("made a child's account")
    FAILED_SIGN_IN = "failed-sign-in", _("tried a wrong password")
    FAILED_SECOND_STEP = "failed-second-step", _("tried a wrong code after the right password")
    SLOWED_SIGN_IN = "slowed-sign-in", _("was held up after too many tries to sign in")
    EXPORTED = "exported", _("took out data")
    DELETED = "deleted", _("deleted")
    UNDELETED = "undeleted", _("undid a deletion")
    PURGED = "purged", _("removed for good")
    BACKED_UP = "backed-up", _("made a backup")
    LISTED = "listed", _("looked at a list as an operator of the site")
    VIEWED = "viewed", _("looked at data as an operator of the site")
    CHANGED = "changed", _("changed data as an operator of the site")


class AuditEntry(models.Model):
    """Who did what to whose data. People are stored by number only, so that deleted names don't survive here."""

    at = models.DateTimeField(default=timezone.now, db_index=True)
    actor = models.BigIntegerField(null=True, blank=True)
    """The user who did it, or None for the site itself."""
    action = models.CharField(max_length=30, choices=Action.choices)
    person = models.BigIntegerField(null=True, blank=True, db_index=True)
    """The user whose data it was."""
    classroom = models.BigIntegerField(null=True, blank=True, db_index=True)
    amount = models.PositiveIntegerField(default=1)
    """How many people or things it was done to at once."""
    what = models.CharField(max_length=40, blank=True, default="", db_default="")
    """For an operator: the model that was listed, viewed or changed."""

    class Meta:
        verbose_name_plural = "audit entries"
        ordering: ClassVar = ["-at", "-pk"]

    def __str__(self) -> str:
        return f"{self.actor} {self.action} {self.person or self.classroom}"


class LetterKind(models.TextChoices):
    FAMILY = "family", _("the guardians' weekly letter")
    CLASS = "class", _("the teacher's Friday summary")


class Letter(models.Model):
    """A letter to a reader. A constraint rules out a second one of its kind for the same week."""

    reader = models.ForeignKey(User, on_delete=models.CASCADE, related_name="letters")
    kind = models.CharField(max_length=10, choices=LetterKind.choices, default=LetterKind.FAMILY)
    week = models.DateField()
    """The Monday of the week that it's about."""
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["reader", "kind", "week"], name="a_letter_of_a_kind_comes_once_a_week")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.week} to {self.reader}"
