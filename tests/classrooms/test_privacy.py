"""Privacy: exports contain everything about a person and about nobody else; deletions leave nothing behind."""

from __future__ import annotations

import csv
import json
import re
import time
import zipfile
from datetime import date, datetime, timedelta
from io import BytesIO, StringIO
from types import SimpleNamespace

import pytest
from allauth.account.models import EmailAddress, EmailConfirmation
from allauth.mfa.models import Authenticator
from celery.schedules import crontab
from django.conf import settings as django_settings
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group as StaffGroup
from django.contrib.auth.models import Permission
from django.contrib.sessions.models import Session
from django.core import mail
from django.core.cache import cache
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.http import QueryDict
from django.test import Client
from django.utils import timezone

from classrooms import tasks
from classrooms.accounts import devices, guardians
from classrooms.accounts.sign_up import SIGNED_IN_AT
from classrooms.classes.service import accept, archive, invite
from classrooms.classes.students import make_home_child, offer_student
from classrooms.live import joining, leading
from classrooms.live.store import place_at
from classrooms.models import (
    Action,
    Activity,
    Answer,
    Assignment,
    Attendee,
    AuditEntry,
    Classroom,
    Enrolment,
    GuardianCode,
    Guardianship,
    Letter,
    RosterImport,
    TeacherInvitation,
    User,
    WaitingGuest,
)
from classrooms.models import Session as LiveLesson
from classrooms.privacy import service as privacy
from classrooms.privacy.inventory import MOVES, inventory_tables
from core.models import Job, OutgoingMail
from core.tasks import delete_old_jobs
from games.matches import service as matches
from games.models import Event, Match, PuzzleResult, Way
from games.players import Player, friendly_names
from games.rules import Options, find_sets
from games.rules import commands as ask
from lessons.models import HelpGiven, LearningEvent, Progress, StepDone
from lessons.progress.origins import PRACTICE
from lessons.progress.recording import finish_step, give_help, rebuild
from lessons.skills import ExerciseKind
from tests.builders.pages import text_of
from tests.classrooms import data_inventory
from tests.classrooms.people import enrol, make_adult, make_classroom, signed_in
from tests.classrooms.tries import a_set, answered

pytestmark = pytest.mark.django_db

SECRETS = "fingerprint-of-nothing", "totp-secret", "confirmation-key"


@pytest.fixture(autouse=True)
def _no_counts():
    cache.clear()


@pytest.fixture
def now() -> datetime:
    return timezone.now()


def later(now: datetime, days: int) -> datetime:
    return now + timedelta(days=days)


def player(user: User) -> Player:
    return Player(name=user.display_name, user=user)


def play(way: Way, first: Player, *others: Player, computers=()) -> Match:
    """A match in which everybody has joined and called once."""
    now = timezone.now().timestamp()
    options = Options.of("us", easy=True, quick=True)
    match = matches.open_match(way=way, options=options, player=first, computers=computers, seed="privacy", now=now)
    for other in others:
        matches.join(match.code, other, now=now)
    matches.command(match.code, ask.Deal(0), now=now)
    for seat in range(1 + len(others)):
        state = Match.objects.get(pk=match.pk).state
        triple = find_sets(state.table)[0]
        matches.command(match.code, ask.Call(seat), now=now)
        matches.command(match.code, ask.Pick(seat, triple), now=now)
    return match


def learn_and_play(user: User, other: User) -> None:
    """Create a row of every kind that learning and playing leave."""
    now = timezone.now()
    answered(user, ExerciseKind.IS_SET, a_set(), {"yes": True}, at=now.timestamp())
    finish_step(player(user), "cards", "look", now=now.timestamp())
    rebuild(player(user))
    give_help(player(user), PRACTICE, "s1", stages=3, now=now.timestamp())
    PuzzleResult.objects.create(day=date(2027, 1, 1), deck="full", user=user, started_at=now)
    play(Way.ALONE, player(user))
    play(Way.COMPUTER, player(user), computers=["newcomer"])
    play(Way.TOGETHER, player(other), player(user))


def attend(lesson: LiveLesson, *players: Player) -> list[Attendee]:
    """Let everybody join a lesson and answer yes."""
    seats = [joining.attend(lesson, each) for each in players]
    activity = leading.begin(lesson, "triples", {})
    for seat in seats:
        joining.act(place_at(seat), QueryDict(f"activity={activity.number}&round=1&yes=1"))
    return seats


class World:
    """A class and a family with rows in every table of the site."""

    def __init__(self) -> None:
        now = timezone.now()
        self.teacher = make_adult("Thaddeus")
        self.colleague = make_adult("Ferdinand")
        self.classroom = make_classroom(self.teacher, "Class Heliotrope")
        accept(invite(self.classroom, self.colleague.email, by=self.teacher), self.colleague)
        self.enrolment, self.other = enrol(self.classroom, "Quillon Marchbanks", "Wilhelmina Fotheringay")
        self.student, self.classmate = self.enrolment.student, self.other.student
        Enrolment.objects.filter(pk=self.enrolment.pk).update(source_id="=SRC-777")
        group = self.classroom.groups.create(name="Foxes")
        Enrolment.objects.filter(pk=self.enrolment.pk).update(group=group)
        for more in ({}, {"group": group}, {"enrolment": self.enrolment}, {"enrolment": self.other}):
            Assignment.objects.create(classroom=self.classroom, task="daily", made_by=self.teacher, **more)
        RosterImport.objects.create(
            classroom=self.classroom, made_by=self.teacher, rows=[{"real_name": "Wilhelmina Fotheringay"}]
        )
        offer_student(self.enrolment, self.classroom, by=self.teacher)
        devices.remember(self.student, SECRETS[0])
        self.student.picture_tries.create(classroom=self.classroom, browser=SECRETS[0], standing="known")
        self.guardian = make_adult("Adalgisa")
        guardians.use_code(guardians.make_code(self.student, by=self.teacher), by=self.guardian)
        self.home_child = make_home_child("Bartholomew", by=self.guardian)
        guardians.make_code(self.home_child, by=self.guardian)
        GuardianCode.objects.filter(child=self.home_child).update(fingerprint=SECRETS[0])
        Letter.objects.create(reader=self.guardian, week=date(2027, 1, 4), sent_at=now)
        invite(self.classroom, self.guardian.email, by=self.teacher)
        for adult in (self.teacher, self.guardian):
            address = EmailAddress.objects.get(user=adult)
            EmailConfirmation.objects.create(email_address=address, key=f"{SECRETS[2]}-{adult.pk}")
            Authenticator.objects.create(user=adult, type="totp", data={"secret": SECRETS[1]})
            adult.groups.add(StaffGroup.objects.get_or_create(name="Helpers")[0])
            adult.user_permissions.add(Permission.objects.all()[0])
            LogEntry.objects.create(user=adult, action_flag=1)
            learn_and_play(adult, self.classmate)
            Job.objects.create(kind="odds", user=adult, asked={"seed": 7})
            OutgoingMail.objects.create(email=adult.email, content={"body": SECRETS[2]})
        for child in (self.student, self.home_child):
            learn_and_play(child, self.classmate)
            Job.objects.create(kind="odds", user=child, asked={"seed": 7})
        self.lesson = leading.open_session(self.classroom, by=self.teacher)
        attend(self.lesson, player(self.student), player(self.classmate))
        for person in (self.student, self.guardian, self.home_child, self.teacher):
            signed_in(person)


@pytest.fixture
def world() -> World:
    return World()


def unpacked(content: bytes) -> dict[str, str]:
    with zipfile.ZipFile(BytesIO(content)) as archive:
        return {name: archive.read(name).decode("utf-8-sig") for name in archive.namelist()}


def data_of(content: bytes, folder: str = "") -> dict[str, list[dict]]:
    return json.loads(unpacked(content)[f"{folder}data.json"])


def traces_of(*words: str) -> list[str]:
    """Rows of any model that contain one of these words, except the log's own text."""
    return [f"{label}: {text}" for label, text in data_inventory.everything() if any(word in text for word in words)]


# Every model is declared


def test_every_field_of_every_model_is_declared():
    for model in data_inventory.models():
        assert model._meta.label in data_inventory.FIELDS, (
            f"declare {model._meta.label} in tests/classrooms/data_inventory.py"
        )
        declared = set(data_inventory.FIELDS[model._meta.label])
        assert data_inventory.fields_of(model) == declared, f"declare the fields of {model._meta.label}"


def test_every_field_that_leads_to_a_user_is_declared_as_whose():
    for model in data_inventory.models():
        for field in model._meta.get_fields():
            if field.concrete and not field.many_to_many and field.related_model is User:
                assert data_inventory.FIELDS[model._meta.label][field.name] == data_inventory.WHOSE


def test_what_is_declared_as_kept_about_a_person_is_in_their_export():
    shown = {table.model: {name for role in table.roles for name in role.shown} for table in inventory_tables()}
    shown["games.Event"] = {"number", "record"}
    for label, fields in data_inventory.FIELDS.items():
        about = {name for name, kind in fields.items() if kind == data_inventory.ABOUT}
        secret = {name for name, kind in fields.items() if kind in {data_inventory.HIDDEN, data_inventory.OF_OTHERS}}
        assert about <= shown.get(label, set()), label
        assert not secret & shown.get(label, set()), label


# Exports


def test_the_world_of_these_tests_has_a_row_of_every_model_that_is_about_somebody(world):
    people = (world.student, world.guardian, world.teacher)
    covered = {label for person in people for label in data_inventory.rows_of(person)}
    personal = {label for label, fields in data_inventory.FIELDS.items() if data_inventory.WHOSE in fields.values()}
    there = {model._meta.label for model in data_inventory.models()}
    assert covered == personal & there | {"games.Event"}


@pytest.mark.parametrize("who", ["student", "home_child", "guardian", "teacher"])
def test_an_export_holds_every_row_about_the_person(world, who):
    person = getattr(world, who)
    export = privacy.export_guardian if who in {"guardian", "teacher"} else privacy.export_child
    data = data_of(export(person))
    sections = {table.model: table.name for table in inventory_tables()} | {"games.Event": MOVES}
    for label, keys in data_inventory.rows_of(person).items():
        assert {str(row["id"]) for row in data[sections[label]]} >= set(map(str, keys)), label


@pytest.mark.parametrize("who", ["student", "home_child", "guardian", "teacher"])
def test_an_export_holds_nobody_else_and_no_secret(world, who):
    person = getattr(world, who)
    export = privacy.export_guardian if who in {"guardian", "teacher"} else privacy.export_child
    text = "\n".join(unpacked(export(person)).values())
    everybody = (*(world.student, world.classmate, world.home_child, world.guardian, world.teacher, world.colleague),)
    for other in everybody:
        if other != person:
            assert other.display_name not in text
            assert not other.email or other.email not in text
    assert "Fotheringay" not in text
    for secret in (*SECRETS, person.password):
        assert secret not in text
    for session in Session.objects.all():
        assert session.session_key not in text


def test_an_export_holds_only_own_moves_and_calls_the_others_another_player(world):
    data = data_of(privacy.export_child(world.student))
    together = next(game for game in data["games"] if game["match__way"] == Way.TOGETHER)
    assert together["others"] == ["another player"]
    mine = [move for move in data[MOVES] if move["match__code"] == together["match__code"]]
    assert {move["record"]["seat"] for move in mine} == {together["number"]}
    against = next(game for game in data["games"] if game["match__way"] == Way.COMPUTER)
    assert against["others"] == ["computer"]


def test_an_export_holds_the_assignments_that_are_for_the_student(world):
    mine = {row["id"] for row in data_of(privacy.export_child(world.student))["assignments"]}
    others = set(Assignment.objects.filter(enrolment=world.other).values_list("pk", flat=True))
    assert mine == set(Assignment.objects.values_list("pk", flat=True)) - others


def test_the_tables_of_an_export_are_safe_to_open(world):
    files = unpacked(privacy.export_child(world.student))
    rows = list(csv.DictReader(StringIO(files["places_in_classes.csv"])))
    assert rows[0]["source_id"] == "'=SRC-777"
    assert data_of(privacy.export_child(world.student))["places_in_classes"][0]["source_id"] == "=SRC-777"
    cells = [
        cell
        for name, text in files.items()
        if name.endswith(".csv")
        for row in csv.reader(StringIO(text))
        for cell in row
    ]
    assert not any(cell.startswith(("=", "+", "@", "\t", "\r")) for cell in cells)


def test_the_export_of_a_class_has_a_folder_for_each_student(world):
    elsewhere = make_classroom(make_adult("Other"), "Class Elsewhere")
    Enrolment.objects.create(classroom=elsewhere, student=world.student, real_name="Another Name")
    files = unpacked(privacy.export_class(world.classroom))
    assert f"student-{world.student.pk}/answers.csv" in files
    assert f"student-{world.classmate.pk}/data.json" in files
    text = "\n".join(files.values())
    assert "Quillon Marchbanks" in text
    assert "Another Name" not in text
    assert "Class Elsewhere" not in text
    for other in (world.guardian, world.home_child, world.teacher, world.colleague):
        assert other.display_name not in text
        assert not other.email or other.email not in text


def test_no_export_shows_a_childs_pictures(world):
    exports = [privacy.export_class(world.classroom), privacy.export_child(world.student)]
    for files in map(unpacked, exports):
        text = "\n".join(files.values())
        assert "pictures" not in text
        assert not [between for between in ("", ", ", '", "') if between.join(world.student.pictures) in text]


def test_the_export_of_a_class_holds_only_the_place_of_a_child_whose_account_is_kept_at_home(world):
    Enrolment.objects.create(classroom=world.classroom, student=world.home_child, real_name="Bart")
    files = unpacked(privacy.export_class(world.classroom))
    assert set(json.loads(files[f"student-{world.home_child.pk}/data.json"])) == {"places_in_classes"}


def test_a_class_of_forty_takes_as_many_queries_as_one_of_three(world, django_assert_max_num_queries):
    with django_assert_max_num_queries(100) as few:
        privacy.export_class(world.classroom)
    enrolled = enrol(world.classroom, *(f"Name {number}" for number in range(38)))
    for each in enrolled:
        answered(each, ExerciseKind.IS_SET, a_set(), {"yes": True}, at=timezone.now().timestamp())
    with django_assert_max_num_queries(len(few)):
        privacy.export_class(world.classroom)


# Deletion, undoing and purging


def test_a_deleted_child_is_gone_for_everybody_at_once_and_can_come_back(world, now):
    privacy.delete_child(world.student, by=world.teacher, now=now, classroom=world.classroom)
    assert not world.classroom.enrolments.present().filter(student=world.student).exists()
    assert signed_in(world.guardian).get(f"/family/{world.student.pk}/").status_code == 404
    privacy.undo_child(world.student, by=world.teacher, now=later(now, 29), classroom=world.classroom)
    assert world.classroom.enrolments.present().filter(student=world.student).exists()
    assert signed_in(world.guardian).get(f"/family/{world.student.pk}/").status_code == 200
    noted = AuditEntry.objects.filter(person=world.student.pk).values_list("action", flat=True)
    assert {Action.DELETED, Action.UNDELETED} <= set(noted)


def test_after_its_days_a_deletion_cannot_be_undone(world, now, settings):
    settings.UNDO_DAYS = 3
    privacy.delete_child(world.student, by=world.teacher, now=now)
    with pytest.raises(privacy.TooLate):
        privacy.undo_child(world.student, by=world.teacher, now=later(now, 3))


def test_nothing_is_purged_before_its_time(world, now):
    privacy.delete_child(world.student, by=world.teacher, now=now)
    privacy.delete_class(world.classroom, by=world.teacher, now=now)
    assert privacy.purge(later(now, 29)) == 0
    assert User.objects.filter(pk=world.student.pk).exists()


def test_a_purged_child_leaves_nothing_behind(world, now):
    before = data_inventory.rows_of(world.student)
    Session.objects.update(expire_date=later(now, 400))
    privacy.delete_child(world.student, by=world.teacher, now=now)
    privacy.keep_promises(later(now, 30))
    assert len(before) > 10
    assert set(data_inventory.rows_of(world.student)) == {data_inventory.BY_NUMBER}
    assert traces_of("Quillon", "Marchbanks", "SRC-777") == []
    assert f"'_auth_user_id': '{world.student.pk}'" not in str(list(data_inventory.everything()))
    assert AuditEntry.objects.get(action=Action.PURGED).person == world.student.pk


def test_at_tables_with_others_a_purged_players_seat_stays_without_a_name(world, now):
    together = Match.objects.get(way=Way.TOGETHER, seats__user=world.student)
    alone = list(Match.objects.filter(seats__user=world.student).exclude(pk=together.pk).values_list("pk", flat=True))
    number = together.seats.get(user=world.student).number
    events = together.events.count()
    privacy.delete_child(world.student, by=world.teacher, now=now)
    privacy.purge(later(now, 30))
    seat = together.seats.get(number=number)
    assert (seat.user, seat.name) == (None, "Player 2")
    assert seat.guest.startswith("gone")
    assert together.events.count() == events
    assert together.seats.get(user=world.classmate).name in friendly_names()
    assert len(alone) == 2
    assert not Match.objects.filter(pk__in=alone).exists()
    assert not Event.objects.filter(match__in=alone).exists()


def test_a_purged_student_leaves_the_lessons_with_what_they_answered(world, now):
    privacy.delete_child(world.student, by=world.teacher, now=now)
    privacy.purge(later(now, 30))
    (left,) = world.lesson.attendees.all()
    assert left.user == world.classmate
    assert [each.attendee for each in Answer.objects.all()] == [left]


def test_a_purged_teacher_leaves_the_lessons_to_the_class(world, now):
    privacy.delete_adult(world.teacher, now=now)
    privacy.purge(later(now, 30))
    lesson = LiveLesson.objects.get(pk=world.lesson.pk)
    assert lesson.made_by is None
    assert lesson.attendees.count() == 2


def test_an_export_holds_the_lessons_and_the_own_answers(world):
    data = data_of(privacy.export_child(world.student))
    assert [row["session__code"] for row in data["lessons_attended"]] == [world.lesson.code]
    assert [row["event__answer"] for row in data["answers_in_lessons"]] == [{"yes": True}]
    led = data_of(privacy.export_guardian(world.teacher))["lessons_led"]
    assert [row["code"] for row in led] == [world.lesson.code]


def test_the_export_of_a_class_holds_its_lessons_and_not_those_of_another(world):
    other = make_classroom(make_adult("Other"), "Class Elsewhere")
    Enrolment.objects.create(classroom=other, student=world.student)
    elsewhere = leading.open_session(other, by=other.teachers.get())
    attend(elsewhere, player(world.student))
    files = unpacked(privacy.export_class(world.classroom))
    assert [row["code"] for row in json.loads(files["data.json"])["lessons"]] == [world.lesson.code]
    assert [row["kind"] for row in json.loads(files["data.json"])["activities"]] == ["triples"]
    student = json.loads(files[f"student-{world.student.pk}/data.json"])
    assert {row["session__code"] for row in student["lessons_attended"]} == {world.lesson.code}
    assert {row["activity__session__code"] for row in student["answers_in_lessons"]} == {world.lesson.code}
    assert {row["source"] for row in student["answers"]} == {"practice"}


def test_a_table_goes_when_the_last_of_its_players_does(world, now):
    together = Match.objects.get(way=Way.TOGETHER, seats__user=world.student)
    for each in (world.student, world.classmate):
        privacy.delete_child(each, by=world.teacher, now=now)
        privacy.purge(later(now, 30))
    assert not Match.objects.filter(pk=together.pk).exists()


def test_a_deleted_class_takes_the_students_with_it_who_are_in_no_other(world, now):
    other = make_classroom(world.teacher, "Class Other")
    Enrolment.objects.create(classroom=other, student=world.classmate)
    Enrolment.objects.create(classroom=world.classroom, student=world.home_child)
    assert privacy.delete_class(world.classroom, by=world.teacher, now=now) == 1
    gone = set(User.objects.filter(deleted_at__isnull=False))
    assert gone == {world.student}
    assert not Classroom.objects.not_deleted().filter(pk=world.classroom.pk).exists()


def test_a_class_comes_back_with_those_who_went_with_it_and_not_with_others(world, now):
    privacy.delete_child(world.classmate, by=world.teacher, now=now - timedelta(hours=1))
    privacy.delete_class(world.classroom, by=world.teacher, now=now)
    classroom = Classroom.objects.get(pk=world.classroom.pk)
    privacy.undo_class(classroom, by=world.teacher, now=later(now, 1))
    assert [each.student for each in world.classroom.enrolments.present()] == [world.student]


def test_who_went_with_the_second_of_two_classes_comes_back_with_either(world, now):
    other = make_classroom(world.teacher, "Class Other")
    Enrolment.objects.create(classroom=other, student=world.student)
    privacy.delete_class(world.classroom, by=world.teacher, now=now)
    assert User.objects.get(pk=world.student.pk).is_active
    privacy.delete_class(other, by=world.teacher, now=later(now, 1))
    assert not User.objects.get(pk=world.student.pk).is_active
    privacy.undo_class(Classroom.objects.get(pk=world.classroom.pk), by=world.teacher, now=later(now, 2))
    assert User.objects.get(pk=world.student.pk).is_active


def test_a_purged_class_leaves_nothing_behind(world, now):
    code = world.classroom.code
    before = world.lesson.code
    lesson = leading.open_session(world.classroom, by=world.teacher, allows_guests=True, instead_of=before)
    attend(lesson, Player(name="Zippy Zebu", guest="zz"))
    privacy.delete_class(world.classroom, by=world.teacher, now=now)
    privacy.keep_promises(later(now, 30))
    assert not LearningEvent.objects.filter(guest="zz").exists()
    assert traces_of("Heliotrope", code, "Quillon", "Marchbanks", "Wilhelmina", "Fotheringay", "Foxes") == []
    for person in (world.student, world.classmate):
        assert set(data_inventory.rows_of(person)) == {data_inventory.BY_NUMBER}
    for model in (Enrolment, Assignment, RosterImport, TeacherInvitation, LiveLesson, Attendee, Activity, Answer):
        assert not model.objects.exists()
    assert AuditEntry.objects.filter(action=Action.PURGED, classroom=world.classroom.pk).exists()


def test_a_deleted_guardian_takes_home_children_who_would_be_left_alone(world, now):
    bea = make_adult("Bea")
    shared = make_home_child("Shared", by=world.guardian)
    Guardianship.objects.create(guardian=bea, child=shared)
    privacy.delete_adult(world.guardian, now=now)
    assert set(User.objects.filter(deleted_at__isnull=False)) == {world.guardian, world.home_child}
    privacy.undo_adult(User.objects.get(pk=world.guardian.pk), now=later(now, 1))
    assert not User.objects.filter(deleted_at__isnull=False).exists()
    assert not User.objects.filter(is_active=False).exists()


def test_a_purged_guardian_leaves_nothing_behind(world, now):
    privacy.delete_adult(world.guardian, now=now)
    privacy.keep_promises(later(now, 30))
    for person in (world.guardian, world.home_child):
        assert set(data_inventory.rows_of(person)) == {data_inventory.BY_NUMBER}
    assert traces_of("Adalgisa", world.guardian.email, "Bartholomew") == []
    assert User.objects.filter(pk=world.student.pk).exists()


def test_a_purged_teacher_leaves_nothing_behind_and_the_class_stays_with_the_colleague(world, now):
    privacy.delete_adult(world.teacher, now=now)
    privacy.keep_promises(later(now, 30))
    assert set(data_inventory.rows_of(world.teacher)) == {data_inventory.BY_NUMBER}
    assert traces_of("Thaddeus", world.teacher.email) == []
    assert list(world.classroom.teachers.all()) == [world.colleague]
    assert world.classroom.assignments.count() == 4


def test_the_last_teacher_of_a_class_in_use_cannot_go(world, now):
    world.classroom.teachers.remove(world.colleague)
    with pytest.raises(privacy.StillTeaching) as error:
        privacy.delete_adult(world.teacher, now=now)
    assert error.value.names == ["Class Heliotrope"]
    assert User.objects.get(pk=world.teacher.pk).is_active


def test_an_archived_class_goes_and_comes_back_with_its_last_teacher(world, now):
    world.classroom.teachers.remove(world.colleague)
    running = world.classroom.sessions.filter(ended_at=None).first()
    archive(world.classroom, by=world.teacher, ending=running.code if running else "")
    privacy.delete_adult(world.teacher, now=now)
    assert not Classroom.objects.not_deleted().exists()
    assert not User.objects.get(pk=world.student.pk).is_active
    privacy.undo_adult(User.objects.get(pk=world.teacher.pk), now=later(now, 1))
    assert Classroom.objects.not_deleted().get() == world.classroom
    assert User.objects.get(pk=world.student.pk).is_active


def test_purging_twice_does_no_more(world, now):
    privacy.delete_class(world.classroom, by=world.teacher, now=now)
    assert privacy.purge(later(now, 30)) == 3
    left = sorted(data_inventory.everything())
    assert privacy.purge(later(now, 30)) == 0
    privacy.keep_promises(later(now, 30))
    assert [each for each in left if each[0] == data_inventory.BY_NUMBER] == [
        each for each in sorted(data_inventory.everything()) if each[0] == data_inventory.BY_NUMBER
    ]


# Guests, idle classes, codes


def visit(guest: str, name: str, at: datetime) -> Player:
    who = Player(name=name, guest=guest)
    LearningEvent.objects.create(guest=guest, at=at, source="practice", is_right=True, is_first=True)
    StepDone.objects.create(guest=guest, unit="cards", step="look", at=at)
    Progress.objects.create(guest=guest, events=1, last_at=at, last_event=1)
    PuzzleResult.objects.create(guest=guest, day=date(2027, 1, 1), deck="full", started_at=at)
    play(Way.ALONE, who)
    play(Way.TOGETHER, Player(name="Host", user=make_adult("Host")), who)
    Match.objects.filter(seats__guest=guest).update(touched_at=at)
    return who


def test_guests_who_stay_away_are_forgotten(now, settings):
    settings.GUEST_DAYS = 10
    visit("aa", "Zippy Zebu", now - timedelta(days=11))
    visit("bb", "Wise Whale", now - timedelta(days=9))
    assert privacy.purge_guests(now) == 1
    assert traces_of("Zippy Zebu", "aa |", "| aa") == []
    for model in (LearningEvent, StepDone, Progress, PuzzleResult):
        assert list(model.objects.values_list("guest", flat=True)) == ["bb"]
    assert Match.objects.count() == 3
    assert privacy.purge_guests(now) == 0


def test_guests_of_lessons_are_forgotten_with_their_answers(world, now, settings):
    settings.GUEST_DAYS = 10
    before = world.lesson.code
    lesson = leading.open_session(world.classroom, by=world.teacher, allows_guests=True, instead_of=before)
    seats = attend(lesson, Player(name="Zippy Zebu", guest="aa"), Player(name="Wise Whale", guest="bb"))
    Attendee.objects.filter(pk=seats[0].pk).update(joined_at=now - timedelta(days=11))
    assert privacy.purge_guests(now) == 0, "who has answered since is here"
    LearningEvent.objects.filter(guest="aa").update(at=now - timedelta(days=11))
    assert privacy.purge_guests(now) == 1
    assert list(lesson.attendees.values_list("guest", flat=True)) == ["bb"]
    WaitingGuest.objects.create(session=lesson, guest="cc", name="Calm Camel", asked_at=later(now, -20))
    assert privacy.purge_guests(now) == 1
    assert not lesson.waiting.exists()
    assert [each.attendee for each in Answer.objects.filter(activity__session=lesson)] == [seats[1]]


def test_a_guest_who_was_here_lately_keeps_what_is_old(now):
    visit("aa", "Zippy Zebu", now - timedelta(days=100))
    LearningEvent.objects.create(guest="aa", at=now, source="practice", seed="s1", is_right=True, is_first=True)
    assert privacy.purge_guests(now) == 0
    assert StepDone.objects.filter(guest="aa").exists()


def test_guests_do_not_take_users_with_them(world, now):
    before = data_inventory.rows_of(world.student)
    assert privacy.purge_guests(later(now, 365)) == 0
    assert data_inventory.rows_of(world.student) == before


def test_sessions_that_are_over_are_removed(world, now):
    assert Session.objects.exists()
    privacy.purge_guests(later(now, 365))
    assert not Session.objects.exists()


def test_idle_classes_are_archived_once(world, now, settings):
    settings.IDLE_CLASS_DAYS = 180
    assert privacy.archive_idle_classes(later(now, 179)) == 0
    assert privacy.archive_idle_classes(later(now, 181)) == 1
    assert privacy.archive_idle_classes(later(now, 181)) == 0
    entry = AuditEntry.objects.get(action=Action.ARCHIVED_CLASS)
    assert (entry.actor, entry.classroom) == (None, world.classroom.pk)


def test_codes_and_invitations_that_are_long_over_are_forgotten(world, now):
    privacy.forget_codes(later(now, 59))
    assert GuardianCode.objects.exists()
    privacy.forget_codes(later(now, 61))
    assert not GuardianCode.objects.exists()
    assert not TeacherInvitation.objects.exists()


def test_the_task_keeps_all_promises(world, now, monkeypatch):
    visit("aa", "Zippy Zebu", now)
    privacy.delete_child(world.student, by=world.teacher, now=now)
    kept_for_a_time = [
        User.objects.filter(pk=world.student.pk),
        LearningEvent.objects.filter(guest="aa"),
        Session.objects.all(),
        GuardianCode.objects.all(),
        TeacherInvitation.objects.all(),
        RosterImport.objects.all(),
        HelpGiven.objects.all(),
        Classroom.objects.filter(archived_at=None),
    ]
    tasks.keep_privacy()
    assert all(rows.exists() for rows in kept_for_a_time)
    monkeypatch.setattr(tasks, "timezone", SimpleNamespace(now=lambda: later(now, 400)))
    tasks.keep_privacy()
    assert not any(rows.exists() for rows in kept_for_a_time), "and all of it by the one task"


def test_what_is_over_its_time_goes_each_night():
    nightly = {
        entry["task"]
        for entry in django_settings.CELERY_BEAT_SCHEDULE.values()
        if isinstance(entry["schedule"], crontab)
        and (len(entry["schedule"].hour), len(entry["schedule"].day_of_week)) == (1, 7)
    }
    assert nightly == {tasks.keep_privacy.name, delete_old_jobs.name}


# The pages


def test_the_privacy_pages_are_for_anybody_and_say_the_periods(client, settings):
    settings.GUEST_DAYS, settings.UNDO_DAYS, settings.IDLE_CLASS_DAYS = 17, 23, 111
    text = text_of(client.get("/privacy/"))
    for words in ("after 17 days", "For 23 days", "for 111 days", "after 24 hours"):
        assert words in text
    assert "we forget you after 17 days" in text_of(client.get("/privacy/for-children/"))


def addresses(world: World) -> dict[str, set[User]]:
    """The pages about a child or a class, and who may open them."""
    return {
        f"/privacy/child/{world.student.pk}/export/": {world.guardian, world.teacher, world.colleague},
        f"/privacy/child/{world.student.pk}/delete/": {world.teacher, world.colleague},
        f"/privacy/child/{world.home_child.pk}/export/": {world.guardian},
        f"/privacy/child/{world.home_child.pk}/delete/": {world.guardian},
        f"/privacy/class/{world.classroom.pk}/export/": {world.teacher, world.colleague},
        f"/privacy/class/{world.classroom.pk}/delete/": {world.teacher, world.colleague},
        f"/privacy/class/{world.classroom.pk}/log/": {world.teacher, world.colleague},
    }


def test_each_page_is_there_for_those_entitled_only(world, client):
    stranger = make_adult("Stranger")
    other_teacher = make_adult("Other")
    make_classroom(other_teacher, "Class Other")
    people = (
        *(world.student, world.classmate, world.home_child, world.guardian, world.teacher, world.colleague),
        *(stranger, other_teacher),
    )
    for address, entitled in addresses(world).items():
        assert client.get(address).status_code == 302
        for person in people:
            expected = 200 if person in entitled else 404
            assert signed_in(person).get(address).status_code == expected, (address, person)
            if person not in entitled and "log" not in address:
                assert signed_in(person).post(address).status_code == 404


def test_a_teacher_does_not_get_the_data_of_a_home_child_by_the_class(world):
    Enrolment.objects.create(classroom=world.classroom, student=world.home_child)
    client = signed_in(world.teacher)
    assert client.get(f"/privacy/child/{world.home_child.pk}/export/").status_code == 404
    assert client.get(f"/privacy/child/{world.home_child.pk}/delete/").status_code == 404
    files = unpacked(client.post(f"/privacy/class/{world.classroom.pk}/export/").content)
    assert set(json.loads(files[f"student-{world.home_child.pk}/data.json"])) == {"places_in_classes"}
    assert len(json.loads(files[f"student-{world.student.pk}/data.json"])) > 1


@pytest.mark.parametrize("who", ["child", "class", "me"])
def test_an_export_is_a_file_and_is_noted(world, who):
    address = {
        "child": f"/privacy/child/{world.student.pk}/export/",
        "class": f"/privacy/class/{world.classroom.pk}/export/",
        "me": "/privacy/me/export/",
    }[who]
    client = signed_in(world.teacher)
    assert not AuditEntry.objects.filter(action=Action.EXPORTED).exists()
    assert client.get(address).status_code == 200
    assert not AuditEntry.objects.filter(action=Action.EXPORTED).exists()
    response = client.post(address)
    assert response["Content-Type"] == "application/zip"
    assert response["Content-Disposition"].startswith('attachment; filename="setsite-')
    assert "data.json" in unpacked(response.content)
    entry = AuditEntry.objects.get(action=Action.EXPORTED)
    assert entry.actor == world.teacher.pk


def test_a_guardian_deletes_a_home_child_and_undoes_it(world):
    client = signed_in(world.guardian)
    address = f"/privacy/child/{world.home_child.pk}/delete/"
    assert "30 days" in text_of(client.get(address))
    assert client.post(address)["Location"] == "/privacy/undo/"
    assert "Bartholomew" in text_of(client.get("/privacy/undo/"))
    client.post(f"/privacy/child/{world.home_child.pk}/undo/")
    assert "There is nothing to bring back." in text_of(client.get("/privacy/undo/"))
    assert User.objects.get(pk=world.home_child.pk).is_active


def test_a_teacher_deletes_a_student_and_a_class_and_undoes_it(world):
    client = signed_in(world.teacher)
    client.post(f"/privacy/child/{world.student.pk}/delete/")
    assert "Quillon" in text_of(client.get("/privacy/undo/"))
    client.post(f"/privacy/child/{world.student.pk}/undo/")
    address = f"/privacy/class/{world.classroom.pk}/delete/"
    assert "2 students who are in no other class" in text_of(client.get(address))
    client.post(address)
    assert "Class Heliotrope" in text_of(client.get("/privacy/undo/"))
    client.post(f"/privacy/class/{world.classroom.pk}/undo/")
    assert Classroom.objects.not_deleted().filter(pk=world.classroom.pk).exists()
    assert User.objects.get(pk=world.student.pk).is_active


def test_only_those_entitled_can_undo(world, now):
    privacy.delete_child(world.home_child, by=world.guardian, now=now)
    privacy.delete_class(world.classroom, by=world.teacher, now=now)
    stranger = signed_in(make_adult("Stranger"))
    for address in (f"/privacy/child/{world.home_child.pk}/undo/", f"/privacy/class/{world.classroom.pk}/undo/"):
        assert stranger.post(address).status_code == 404
        assert stranger.get(address).status_code == 405


def test_a_class_that_is_deleted_gives_its_teachers_no_say_about_students_of_other_classes(now):
    teacher, colleague = make_adult("Thaddeus"), make_adult("Ferdinand")
    classroom, other = make_classroom(teacher, "Class Heliotrope"), make_classroom(colleague, "Class Jasmine")
    (place,) = enrol(classroom, "Quillon Marchbanks")
    other.enrolments.create(student=place.student, real_name=place.real_name)
    addresses = [f"/privacy/child/{place.student_id}/{what}/" for what in ("export", "delete")]
    assert [signed_in(teacher).get(each).status_code for each in addresses] == [200, 200]
    privacy.delete_class(classroom, by=teacher, now=now)
    assert User.objects.get(pk=place.student_id).is_active, "for the other class"
    assert [signed_in(teacher).get(each).status_code for each in addresses] == [404, 404]
    assert [signed_in(teacher).post(each).status_code for each in addresses] == [404, 404]
    assert [signed_in(colleague).get(each).status_code for each in addresses] == [200, 200]
    privacy.delete_child(place.student, by=colleague, now=now)
    assert signed_in(teacher).post(f"/privacy/child/{place.student_id}/undo/").status_code == 404


def test_an_undo_that_comes_too_late_is_not_there(world, now):
    privacy.delete_child(world.home_child, by=world.guardian, now=now - timedelta(days=31))
    privacy.delete_class(world.classroom, by=world.teacher, now=now - timedelta(days=31))
    assert signed_in(world.guardian).post(f"/privacy/child/{world.home_child.pk}/undo/").status_code == 404
    assert signed_in(world.teacher).post(f"/privacy/class/{world.classroom.pk}/undo/").status_code == 404
    assert "nothing to bring back" in text_of(signed_in(world.teacher).get("/privacy/undo/"))


def just_signed_in(user: User) -> Client:
    """A client whose user has just entered the password again."""
    client = signed_in(user)
    session = client.session
    session["account_authentication_methods"] = [{"method": "password", "at": time.time(), "reauthenticated": True}]
    session["account_authentication_methods_user"] = str(user.pk)
    session.save()
    return client


def test_the_own_account_is_deleted_only_after_the_password_was_given_again(world):
    client = signed_in(world.guardian)
    session = client.session
    session[SIGNED_IN_AT] -= 3_600
    session.save()
    response = client.post("/privacy/me/delete/")
    assert "reauthenticate" in response["Location"]
    assert User.objects.get(pk=world.guardian.pk).is_active


def test_an_adult_deletes_the_own_account_and_a_mail_brings_it_back(world):
    client = just_signed_in(world.guardian)
    assert "Bartholomew" in text_of(client.get("/privacy/me/delete/"))
    assert client.post("/privacy/me/delete/").status_code == 200
    assert client.get("/family/").status_code == 302
    (sent,) = mail.outbox
    assert sent.to == [world.guardian.email]
    (link,) = re.findall(r"http://localhost:8000(/privacy/me/undo/\S+)", sent.body)
    assert client.get(link).status_code == 200
    assert not User.objects.get(pk=world.guardian.pk).is_active
    client.post(link)
    assert User.objects.get(pk=world.guardian.pk).is_active
    assert User.objects.get(pk=world.home_child.pk).is_active
    assert client.get(link).status_code == 404
    assert client.get("/privacy/me/undo/nonsense/").status_code == 404


def test_the_only_teacher_of_a_class_is_told_what_to_do_first(world):
    world.classroom.teachers.remove(world.colleague)
    response = just_signed_in(world.teacher).post("/privacy/me/delete/")
    assert response.status_code == 422
    assert "You are the only teacher of these classes" in text_of(response)
    assert User.objects.get(pk=world.teacher.pk).is_active


def test_the_log_of_a_class_names_who_is_there_and_nobody_who_is_gone(world, now):
    client = signed_in(world.teacher)
    text = text_of(client.get(f"/privacy/class/{world.classroom.pk}/log/"))
    assert "Thaddeus made the class" in text
    assert "Adalgisa linked a guardian Quillon" in text
    privacy.delete_adult(world.guardian, now=now)
    privacy.purge(later(now, 30))
    text = text_of(client.get(f"/privacy/class/{world.classroom.pk}/log/"))
    assert "Adalgisa" not in text
    assert "somebody who is gone linked a guardian Quillon" in text


def test_the_log_does_not_tell_what_another_class_did(world):
    other = make_classroom(make_adult("Other"), "Class Other")
    Enrolment.objects.create(classroom=other, student=world.student)
    AuditEntry.objects.create(action=Action.EXPORTED, person=world.student.pk, classroom=other.pk)
    text = text_of(signed_in(world.teacher).get(f"/privacy/class/{world.classroom.pk}/log/"))
    assert "took out data" not in text


def test_a_long_log_has_pages_and_takes_no_more_queries(world, django_assert_max_num_queries):
    client = signed_in(world.teacher)
    address = f"/privacy/class/{world.classroom.pk}/log/"
    with django_assert_max_num_queries(30) as few:
        client.get(address)
    AuditEntry.objects.bulk_create(
        AuditEntry(action=Action.CHANGED_CLASS, actor=world.teacher.pk, classroom=world.classroom.pk)
        for _ in range(120)
    )
    with django_assert_max_num_queries(len(few)):
        page = client.get(address)
    assert text_of(page).count("changed the class") == 50
    assert "Older" in text_of(page)
    assert client.get(f"{address}?page=nonsense").status_code == 200


def test_what_was_printed_for_a_person_goes_with_them(world, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    name = default_storage.save("jobs/a-certificate", ContentFile(b"%PDF"))
    Job.objects.create(kind="certificate", user=world.home_child, file=name)
    privacy.delete_child(world.home_child, by=world.guardian, now=timezone.now())
    privacy.purge(timezone.now() + timedelta(days=settings.UNDO_DAYS + 1))
    assert not default_storage.exists(name)
