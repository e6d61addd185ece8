"""Classifies every field of every model by what it says about people. New fields must be declared here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.db.models import Model, Q

from classrooms.models import User
from games.models import Event, Seat

PLAIN = "plain"
"""Says nothing about anybody, or follows from another field of the row."""
WHOSE = "whose"
"""Says whose row it is: deleted with the person, except in the log, which uses numbers."""
ABOUT = "about"
"""Data about the row's person; included in their export."""
HIDDEN = "hidden"
"""A credential; never exported."""
OF_OTHERS = "of others"
"""May contain other people's data; not in any person's export."""


def _fields(**kinds: str) -> dict[str, str]:
    return {name: kind for kind, names in kinds.items() for name in names.split()}


FIELDS: dict[str, dict[str, str]] = {
    "auth.Permission": _fields(plain="id name content_type codename"),
    "auth.Group": _fields(plain="id name"),
    "auth.Group_permissions": _fields(plain="id group permission"),
    # Never written: the admin writes to the site's own log.
    "admin.LogEntry": _fields(
        plain="id content_type object_id object_repr action_flag change_message", whose="user", about="action_time"
    ),
    "contenttypes.ContentType": _fields(plain="id app_label model"),
    # A session contains the signed-in user; `everything` below looks inside.
    "sessions.Session": _fields(hidden="session_key session_data", plain="expire_date"),
    "account.EmailAddress": _fields(plain="id", whose="user", about="email verified primary"),
    "account.EmailConfirmation": _fields(plain="id", whose="email_address", about="created sent", hidden="key"),
    "mfa.Authenticator": _fields(plain="id", whose="user", about="type created_at last_used_at", hidden="data"),
    "socialaccount.SocialApp": _fields(plain="id provider provider_id name client_id settings", hidden="secret key"),
    "socialaccount.SocialAccount": _fields(
        plain="id", whose="user", about="provider uid last_login date_joined extra_data"
    ),
    "socialaccount.SocialToken": _fields(
        plain="id app", whose="account", about="expires_at", hidden="token token_secret"
    ),
    "games.Match": _fields(plain="id code way is_open place version snapshot start phase due opened_at touched_at"),
    "games.Seat": _fields(plain="id match strength", whose="user guest", about="number name"),
    "games.PuzzleResult": _fields(plain="id", whose="user guest", about="day deck found wrong started_at finished_at"),
    "games.Event": _fields(plain="id match", about="number record"),
    "lessons.LearningEvent": _fields(
        plain="id sent_as",
        whose="user guest",
        about="at source unit step kind wanted seed cards answer is_right is_first missed evidence seconds hints",
    ),
    "lessons.StepDone": _fields(plain="id", whose="user guest", about="unit step at"),
    "lessons.Progress": _fields(plain="id last_event version", whose="user guest", about="states events last_at"),
    "lessons.HelpGiven": _fields(plain="id", whose="user guest", about="source unit step seed hints at"),
    "classrooms.User_groups": _fields(plain="id group", whose="user"),
    "classrooms.User_user_permissions": _fields(plain="id permission", whose="user"),
    "classrooms.User": _fields(
        whose="id",
        hidden="password pictures",
        about="last_login is_superuser kind email display_name language look is_active is_staff joined_at deleted_at "
        "is_home card_number wants_summary declared_adult_at",
    ),
    "classrooms.Guardianship": _fields(plain="id wants_letter", whose="guardian child", about="made_at"),
    "classrooms.GuardianCode": _fields(
        plain="id", whose="child made_by", hidden="fingerprint", about="made_at expires_at used_at"
    ),
    "classrooms.Classroom_teachers": _fields(plain="id classroom", whose="user"),
    "classrooms.Classroom": _fields(
        plain="id name code language edition authorised_by made_at used_at archived_at ends_at notices deleted_at "
        "new_devices_since new_devices_until"
    ),
    "classrooms.Group": _fields(plain="id classroom name"),
    "classrooms.Enrolment": _fields(plain="id classroom group", whose="student", about="real_name source_id joined_at"),
    "classrooms.TeacherInvitation": _fields(
        plain="id classroom", whose="made_by email", about="made_at expires_at accepted_at cancelled_at"
    ),
    "classrooms.HandOver": {
        **_fields(plain="id", whose="enrolment made_by", about="made_at"),
        "to": PLAIN,
    },
    "classrooms.StudentDevice": {**_fields(plain="id", whose="student", about="used_at"), "browser": HIDDEN},
    "classrooms.PictureTry": {
        **_fields(plain="id classroom is_forgiven", whose="student", about="standing at"),
        **_fields(hidden="browser last_user"),
    },
    "classrooms.RosterImport": {
        **_fields(plain="id classroom", whose="made_by", about="made_at done"),
        "rows": OF_OTHERS,
    },
    "classrooms.Assignment": _fields(
        plain="id classroom group", whose="enrolment made_by", about="task what amount made_at due_on"
    ),
    "classrooms.AuditEntry": _fields(plain="id classroom", whose="actor person", about="at action amount what"),
    "classrooms.Consent": _fields(plain="id classroom", whose="child given_by", about="given_at text authority"),
    "classrooms.Letter": _fields(plain="id", whose="reader", about="kind week sent_at"),
    "setsite.Job": _fields(
        plain="id progress partial_result file is_to_stop attempt beat_at",
        hidden="client",
        whose="user guest",
        about="kind asked state result file_name error made_at ended_at",
    ),
    "setsite.OutgoingMail": _fields(
        plain="id at_most_once attempt is_sending due_at", whose="email", hidden="content", about="made_at"
    ),
    "classrooms.Session": _fields(
        plain="id classroom language edition guests_wait is_locked is_paused shows_scores version count wall_number",
        whose="made_by",
        about="code allows_guests opened_at started_at ended_at",
    ),
    "classrooms.Attendee": _fields(
        plain="id session is_connected",
        whose="user guest",
        about="number name joined_at removed_at team target time_factor is_on_paper is_visitor",
    ),
    # Only for guests, and deleted with the lesson; there's no account to export it to.
    "classrooms.WaitingGuest": _fields(plain="id session guest name asked_at"),
    "classrooms.Activity": _fields(
        plain="id session number kind options state round stage started_at round_at ended_at"
    ),
    "classrooms.Answer": _fields(plain="id activity", whose="attendee", about="round key cards event"),
}

# Rows that belong to somebody through another row.
PATHS = {
    "account.EmailConfirmation": {"email_address": "email_address__user"},
    "socialaccount.SocialToken": {"account": "account__user"},
    "classrooms.Assignment": {"enrolment": "enrolment__student"},
    "classrooms.Answer": {"attendee": "attendee__user"},
    "classrooms.User": {"id": "pk"},
}
BY_NUMBER = "classrooms.AuditEntry"


def models() -> list[type[Model]]:
    return list(apps.get_models(include_auto_created=True))


def fields_of(model: type[Model]) -> set[str]:
    return {field.name for field in model._meta.get_fields() if field.concrete and not field.many_to_many}


def rows_of(person: User) -> dict[str, set[Any]]:
    """The keys of all rows about a person, by model."""
    found: dict[str, set[Any]] = {}
    for model in models():
        label = model._meta.label
        whose = [name for name, kind in FIELDS[label].items() if kind == WHOSE and name != "guest"]
        wanted = Q(pk__in=[])
        for name in whose:
            key = person.email if name == "email" else person.pk
            wanted |= Q(**{PATHS.get(label, {}).get(name, name): key})
        found[label] = set(model._default_manager.filter(wanted).values_list("pk", flat=True))
    found["games.Event"] = {
        event.pk
        for seat in Seat.objects.filter(user=person)
        for event in Event.objects.filter(match=seat.match_id)
        if event.record.get("seat") == seat.number
    }
    return {label: keys for label, keys in found.items() if keys}


def everything() -> Iterator[tuple[str, str]]:
    """Every row of every model as text, including decoded sessions."""
    for model in models():
        names = sorted(fields_of(model))
        for row in model._default_manager.all():
            values = [str(getattr(row, model._meta.get_field(name).attname)) for name in names]
            if hasattr(row, "get_decoded"):
                values.append(str(row.get_decoded()))
            yield model._meta.label, " | ".join(values)
