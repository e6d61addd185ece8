"""What the admin shows of each model.

Codes, fingerprints, hashes, pictures, guests' keys, the undealt cards of a match and the content of mail aren't named
here, so they're never shown. Neither are second factors, sessions and tokens.
"""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.admin import register
from django.db.models import QuerySet
from django.http import HttpRequest

from classrooms.models import (
    Answer,
    Attendee,
    AuditEntry,
    Classroom,
    Consent,
    Enrolment,
    Guardianship,
    Session,
    TeacherInvitation,
    User,
)
from core.models import Job, OutgoingMail
from games.access import rights_changed
from games.models import Match, Seat
from lessons.models import LearningEvent
from setsite.admin.base import ReadOnlyAdmin
from setsite.admin.site import operators

__all__ = ["operators"]


@register(User, site=operators)
class UserAdmin(ReadOnlyAdmin):
    """People. The only thing that can be changed is whether another adult may sign in."""

    person_path = "self"
    methods = ("GET", "HEAD", "POST")
    list_display = ("pk", "kind", "email", "is_active", "is_superuser", "joined_at", "deleted_at")
    list_filter = ("kind", "is_active", "is_superuser", "is_home")
    search_fields = ("=email", "id__exact")
    search_help_text = "an adult's whole email address, or a person's number"
    fields = (
        *("kind", "display_name", "email", "language", "is_active", "is_superuser", "is_home", "wants_summary"),
        *("joined_at", "last_login", "declared_adult_at", "deleted_at"),
    )

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return obj is None or not (obj.is_student or obj.pk == request.user.pk)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return tuple(name for name in self.fields if name != "is_active")

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        # Only this column: the rest of the row may have changed since it was read.
        User.objects.filter(pk=obj.pk).update(is_active=obj.is_active)
        rights_changed(obj.pk)


@register(EmailAddress, site=operators)
class EmailAddressAdmin(ReadOnlyAdmin):
    person_path = "user"
    list_display = ("pk", "email", "verified", "primary", "user_id")
    list_filter = ("verified",)
    search_fields = ("=email",)
    search_help_text = "a whole email address"
    fields = ("user", "email", "verified", "primary")


@register(Classroom, site=operators)
class ClassroomAdmin(ReadOnlyAdmin):
    classroom_path = "self"
    list_display = ("pk", "name", "language", "made_at", "used_at", "archived_at", "deleted_at")
    search_fields = ("name", "id__exact")
    search_help_text = "part of a class's name, or its number"
    fields = (
        *("name", "language", "edition", "authorised_by", "teachers", "made_at", "used_at"),
        *("archived_at", "ends_at", "notices", "deleted_at"),
    )


@register(Enrolment, site=operators)
class EnrolmentAdmin(ReadOnlyAdmin):
    person_path, classroom_path = "student", "classroom"
    list_display = ("pk", "classroom_id", "student_id", "joined_at")
    search_fields = ("classroom__id__exact", "student__id__exact")
    search_help_text = "the number of a class or a student"
    fields = ("classroom", "student", "group", "real_name", "source_id", "joined_at")


@register(Guardianship, site=operators)
class GuardianshipAdmin(ReadOnlyAdmin):
    person_path = "child"
    list_display = ("pk", "guardian_id", "child_id", "made_at")
    search_fields = ("guardian__id__exact", "child__id__exact")
    search_help_text = "the number of a guardian or a child"
    fields = ("guardian", "child", "made_at", "wants_letter")


@register(Consent, site=operators)
class ConsentAdmin(ReadOnlyAdmin):
    person_path, classroom_path = "child", "classroom"
    list_display = ("pk", "child_id", "classroom_id", "given_by_id", "given_at", "text")
    fields = ("child", "classroom", "given_by", "given_at", "text", "authority")


@register(TeacherInvitation, site=operators)
class TeacherInvitationAdmin(ReadOnlyAdmin):
    classroom_path = "classroom"
    list_display = ("pk", "classroom_id", "email", "made_at", "accepted_at", "cancelled_at")
    search_fields = ("=email",)
    search_help_text = "a whole email address"
    fields = ("classroom", "email", "made_by", "made_at", "expires_at", "accepted_at", "cancelled_at")


@register(Session, site=operators)
class SessionAdmin(ReadOnlyAdmin):
    """Live lessons."""

    classroom_path = "classroom"
    list_display = ("pk", "classroom_id", "opened_at", "ended_at")
    search_fields = ("classroom__id__exact",)
    search_help_text = "the number of a class"
    fields = (
        *("classroom", "made_by", "language", "edition", "allows_guests", "guests_wait", "opened_at", "started_at"),
        *("ended_at", "is_locked", "is_paused", "shows_scores"),
    )


@register(Attendee, site=operators)
class AttendeeAdmin(ReadOnlyAdmin):
    """Seats in live lessons."""

    person_path, classroom_path = "user", "session.classroom"
    list_display = ("pk", "session_id", "number", "user_id", "joined_at", "is_connected")
    search_fields = ("session__id__exact", "user__id__exact")
    search_help_text = "the number of a lesson or a person"
    fields = (
        *("session", "number", "name", "user", "joined_at", "is_connected", "removed_at", "team", "target"),
        *("time_factor", "is_on_paper", "is_visitor"),
    )


@register(Answer, site=operators)
class AnswerAdmin(ReadOnlyAdmin):
    """Answers in live lessons."""

    person_path, classroom_path = "attendee.user", "attendee.session.classroom"
    list_display = ("pk", "activity_id", "attendee_id", "round", "at")
    search_fields = ("attendee__id__exact", "activity__id__exact")
    search_help_text = "the number of a seat or an activity"
    fields = ("activity", "attendee", "round", "key", "cards", "event")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.select_related("attendee__user", "attendee__session__classroom")


@register(LearningEvent, site=operators)
class LearningEventAdmin(ReadOnlyAdmin):
    person_path = "user"
    list_display = ("pk", "user_id", "at", "source", "kind", "is_right")
    list_filter = ("source", "kind")
    search_fields = ("user__id__exact",)
    search_help_text = "a person's number"
    fields = (
        *("user", "at", "source", "unit", "step", "kind", "wanted", "cards", "answer", "is_right", "is_first"),
        *("missed", "evidence", "seconds", "hints"),
    )


@register(Match, site=operators)
class MatchAdmin(ReadOnlyAdmin):
    list_display = ("pk", "way", "phase", "is_open", "version", "opened_at", "touched_at")
    list_filter = ("way", "phase")
    fields = ("way", "is_open", "version", "phase", "opened_at", "touched_at")


@register(Seat, site=operators)
class SeatAdmin(ReadOnlyAdmin):
    """Seats at matches."""

    person_path = "user"
    list_display = ("pk", "match_id", "number", "user_id", "strength")
    search_fields = ("match__id__exact", "user__id__exact")
    search_help_text = "the number of a match or a person"
    fields = ("match", "number", "name", "user", "strength")


@register(Job, site=operators)
class JobAdmin(ReadOnlyAdmin):
    person_path = "user"
    list_display = ("pk", "kind", "state", "attempt", "user_id", "made_at", "ended_at")
    list_filter = ("state",)
    ordering = ("-made_at",)
    fields = ("kind", "user", "state", "progress", "error", "is_to_stop", "attempt", "made_at", "beat_at", "ended_at")


@register(OutgoingMail, site=operators)
class OutgoingMailAdmin(ReadOnlyAdmin):
    """Mail that waits for the mail server."""

    list_display = ("pk", "attempt", "is_sending", "made_at", "due_at")
    ordering = ("-made_at",)
    fields = ("email", "at_most_once", "attempt", "is_sending", "made_at", "due_at")


@register(AuditEntry, site=operators)
class AuditEntryAdmin(ReadOnlyAdmin):
    list_display = ("pk", "at", "actor", "action", "what", "person", "classroom", "amount")
    list_filter = ("action",)
    search_fields = ("actor__exact", "person__exact", "classroom__exact")
    search_help_text = "the number of a person or a class"
    fields = ("at", "actor", "action", "what", "person", "classroom", "amount")
