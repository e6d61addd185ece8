"""What the site stores about a person, table by table, without secrets and without other people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from django.apps import apps
from django.db.models import F, Q

from classrooms.models import Classroom, User
from core.actors import ownerships
from games.models import Event, Seat

Row = dict[str, Any]
ANOTHER = "another player"


@dataclass(frozen=True, slots=True)
class PersonRole:
    """One way in which a row is about a person."""

    path: str
    """Lookup path from the row to the person's key, or to their email address."""
    shown: tuple[str, ...]
    only: Q = field(default_factory=Q)
    name: str = ""
    """What the person is in the row, if the table has more than one role."""


@dataclass(frozen=True, slots=True)
class InventoryTable:
    """A table with rows about people."""

    name: str
    """File name in an export."""
    model: str
    roles: tuple[PersonRole, ...]
    of_class: str = ""
    """Lookup path to the row's class, if it belongs to one."""
    not_of_class: Q = field(default_factory=Q)
    """Rows left out of a class's export."""


def _own(
    name: str, model: str, *shown: str, path: str = "user", of_class: str = "", not_of_class: Q | None = None
) -> InventoryTable:
    return InventoryTable(name, model, (PersonRole(path, shown),), of_class, not_of_class or Q())


_INVITATION = ("classroom__name", "made_at", "expires_at", "accepted_at", "cancelled_at")
_ENTRY = ("at", "action", "amount", "what")
_TASK = ("classroom__name", "task", "what", "amount", "made_at", "due_on")
_IS_THEIRS = Q(group=None) | Q(group=F("classroom__enrolments__group"))
_IS_THEIRS &= Q(enrolment=None) | Q(enrolment=F("classroom__enrolments"))

_OTHER_TABLES = (
    _own(
        "person",
        "classrooms.User",
        *("kind", "email", "display_name", "language", "look", "joined_at", "last_login", "is_active", "is_staff"),
        *("is_superuser", "is_home", "card_number", "wants_summary", "deleted_at", "declared_adult_at"),
        path="pk",
    ),
    _own(
        "places_in_classes",
        "classrooms.Enrolment",
        *("classroom__name", "group__name", "real_name", "source_id", "joined_at"),
        path="student",
        of_class="classroom",
    ),
    _own("classes_taught", "classrooms.Classroom_teachers", "classroom__name"),
    InventoryTable(
        "guardians",
        "classrooms.Guardianship",
        (
            PersonRole("child", ("made_at",), name="child"),
            PersonRole("guardian", ("made_at", "wants_letter"), name="guardian"),
        ),
    ),
    InventoryTable(
        "guardian_codes",
        "classrooms.GuardianCode",
        (
            PersonRole("child", ("made_at", "expires_at", "used_at"), name="child"),
            PersonRole("made_by", ("made_at", "expires_at", "used_at"), name="maker"),
        ),
    ),
    InventoryTable(
        "consents",
        "classrooms.Consent",
        (
            PersonRole("child", ("given_at", "text"), name="child"),
            PersonRole("given_by", ("given_at", "text", "classroom__name", "authority"), name="given by you"),
        ),
        of_class="classroom",
    ),
    _own("letters", "classrooms.Letter", "kind", "week", "sent_at", path="reader"),
    InventoryTable(
        "assignments",
        "classrooms.Assignment",
        (
            PersonRole("classroom__enrolments__student", _TASK, _IS_THEIRS, name="student"),
            PersonRole("made_by", _TASK, name="maker"),
        ),
        of_class="classroom",
    ),
    InventoryTable(
        "invitations",
        "classrooms.TeacherInvitation",
        (
            PersonRole("email", ("email", *_INVITATION), name="invited"),
            PersonRole("made_by", _INVITATION, name="maker"),
        ),
    ),
    InventoryTable(
        "hand_overs",
        "classrooms.HandOver",
        (
            PersonRole("enrolment__student", ("made_at",), name="student"),
            PersonRole("made_by", ("to__name", "made_at"), name="maker"),
        ),
        of_class="enrolment__classroom",
    ),
    _own("devices", "classrooms.StudentDevice", "used_at", path="student"),
    _own("picture_tries", "classrooms.PictureTry", "standing", "at", path="student", of_class="classroom"),
    _own("roster_files", "classrooms.RosterImport", "classroom__name", "made_at", "done", path="made_by"),
    InventoryTable(
        "log",
        "classrooms.AuditEntry",
        (PersonRole("person", _ENTRY, name="done to you"), PersonRole("actor", _ENTRY, name="done by you")),
        of_class="classroom",
    ),
    _own("mails_on_their_way", "setsite.OutgoingMail", "made_at", path="email"),
    _own(
        "lessons_led",
        "classrooms.Session",
        *("classroom__name", "code", "allows_guests", "opened_at", "started_at", "ended_at"),
        path="made_by",
        of_class="classroom",
    ),
    _own(
        "answers_in_lessons",
        "classrooms.Answer",
        *("activity__session__code", "activity__number", "activity__kind", "round", "key", "cards", "event"),
        *("event__at", "event__answer", "event__is_right", "event__missed"),
        path="attendee__user",
        of_class="activity__session__classroom",
    ),
    _own("addresses", "account.EmailAddress", "email", "verified", "primary"),
    _own("confirmations", "account.EmailConfirmation", "created", "sent", path="email_address__user"),
    _own("second_factors", "mfa.Authenticator", "type", "created_at", "last_used_at"),
    _own(
        "sign_ins_elsewhere",
        "socialaccount.SocialAccount",
        *("provider", "uid", "last_login", "date_joined", "extra_data"),
    ),
    _own("tokens_elsewhere", "socialaccount.SocialToken", "expires_at", path="account__user"),
    _own("admin_actions", "admin.LogEntry", "action_time"),
    _own("staff_groups", "classrooms.User_groups", "group__name"),
    _own("staff_permissions", "classrooms.User_user_permissions", "permission__codename"),
)
# Tables with rows about a class itself, with the path to it. Who teaches it or was invited is in their own exports.
_CLASS_TABLES: Final[Mapping[str, tuple[str, str, tuple[str, ...]]]] = {
    "class": (
        "classrooms.Classroom",
        "pk",
        ("name", "code", "language", "edition", "authorised_by", "made_at", "used_at", "archived_at"),
    ),
    "consents": ("classrooms.Consent", "classroom", ("given_at", "text", "authority")),
    "groups": ("classrooms.Group", "classroom", ("name",)),
    "assignments": (
        "classrooms.Assignment",
        "classroom",
        ("group__name", "enrolment", "task", "what", "amount", "made_at", "due_on"),
    ),
    "invitations": (
        "classrooms.TeacherInvitation",
        "classroom",
        ("made_at", "expires_at", "accepted_at", "cancelled_at"),
    ),
    "lessons": (
        "classrooms.Session",
        "classroom",
        ("code", "language", "edition", "allows_guests", "opened_at", "started_at", "ended_at"),
    ),
    "activities": (
        "classrooms.Activity",
        "session__classroom",
        ("session__code", "number", "kind", "options", "round", "started_at", "ended_at"),
    ),
    "roster_files": ("classrooms.RosterImport", "classroom", ("made_at", "rows", "done")),
}
MOVES = "moves"
"""The name of the file with a person's own moves, without those of others at the same table."""


@cache
def inventory_tables() -> tuple[InventoryTable, ...]:
    """Every table with rows about people: those owned by actors, and the rest."""
    owned = (
        _own(
            *(each.exported_as, each.model._meta.label, *each.exported),
            of_class=each.of_class,
            not_of_class=each.not_of_class,
        )
        for each in ownerships()
        if each.exported_as
    )
    return (*owned, *_OTHER_TABLES)


def held_about(people: Sequence[User], *, classroom: Classroom | None = None) -> dict[int, dict[str, list[Row]]]:
    """All rows about each of these people, by table. Takes as many queries for a class as for one person.

    With `classroom`, only what belongs to that class, or to none.
    """
    found: dict[int, dict[str, list[Row]]] = {person.pk: {} for person in people}
    for table in inventory_tables():
        for person in people:
            found[person.pk][table.name] = []
        for person_pk, row in _rows(table, people, classroom):
            found[person_pk][table.name].append(row)
    _add_others(found)
    moves = _moves(people)
    for person_pk, sections in found.items():
        sections[MOVES] = moves.get(person_pk, [])
    return found


def held_about_class(classroom: Classroom) -> dict[str, list[Row]]:
    """All rows about the class itself, by table."""
    found: dict[str, list[Row]] = {}
    for name, (model, path, shown) in _CLASS_TABLES.items():
        rows = apps.get_model(model)._default_manager.filter(**{path: classroom.pk}).order_by("pk")
        found[name] = [{"id": row.pop("pk"), **row} for row in rows.values("pk", *shown)]
    return found


def _rows(table: InventoryTable, people: Sequence[User], classroom: Classroom | None) -> Iterator[tuple[int, Row]]:
    try:
        model = apps.get_model(table.model)
    except LookupError:
        # A sign-in method that this site doesn't offer.
        return
    for role in table.roles:
        keys = _keys(role, people)
        rows = model._default_manager.filter(role.only, **{f"{role.path}__in": keys})
        if classroom and table.of_class:
            rows = rows.filter(**{table.of_class: classroom.pk})
        if classroom and table.not_of_class:
            rows = rows.exclude(table.not_of_class)
        for row in rows.order_by("pk").values("pk", *role.shown, whose=F(role.path)):
            person = keys[row.pop("whose")]
            yield person, {"id": row.pop("pk"), **({"as": role.name} if role.name else {}), **row}


def _keys(role: PersonRole, people: Iterable[User]) -> Mapping[Any, int]:
    if role.path == "email":
        return {person.email: person.pk for person in people if person.email}
    return {person.pk: person.pk for person in people}


def _add_others(found: Mapping[int, Mapping[str, list[Row]]]) -> None:
    """Add to each game how many others were there, but not who."""
    games = [(row, row.pop("match_id")) for sections in found.values() for row in sections["games"]]
    seats: dict[int, list[tuple[int, str]]] = {}
    known = Seat.objects.filter(match__in={match for _row, match in games}).order_by("number")
    for match, number, strength in known.values_list("match", "number", "strength"):
        seats.setdefault(match, []).append((number, strength))
    for row, match in games:
        others = [strength for number, strength in seats.get(match, []) if number != row["number"]]
        row["others"] = ["computer" if strength else ANOTHER for strength in others]


def _moves(people: Sequence[User]) -> dict[int, list[Row]]:
    """Each person's own moves at tables, without those of the others."""
    seats = list(Seat.objects.filter(user__in=people).values_list("match", "number", "user"))
    moves: dict[int, list[Row]] = {}
    for number in {number for _match, number, _user in seats}:
        whose: dict[int, list[int]] = {}
        for match, taken, user in seats:
            if taken == number and user is not None:
                whose.setdefault(match, []).append(user)
        events = Event.objects.filter(match__in=whose, record__seat=number).order_by("match", "number")
        for pk, match, code, each, record in events.values_list("pk", "match", "match__code", "number", "record"):
            for user in whose[match]:
                moves.setdefault(user, []).append({"id": pk, "match__code": code, "number": each, "record": record})
    return moves
