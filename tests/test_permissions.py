"""Permissions: every URL of the site, opened as every kind of user.

The URLs come from the resolver. One without a policy below fails, so none can be forgotten.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import pytest
from django.core.cache import cache
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Model
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from classrooms.accounts.signing_in import card_token
from classrooms.classes.assignments import assign
from classrooms.classes.service import invitation_token, invite
from classrooms.classes.students import make_home_child, offer_student
from classrooms.live import joining, leading
from classrooms.live.wall import wall_key
from classrooms.models import Answer as LessonAnswer
from classrooms.models import (
    Assignment,
    Classroom,
    Enrolment,
    Guardianship,
    HandOver,
    RosterImport,
    Session,
    Task,
    TeacherInvitation,
    User,
    WaitingGuest,
)
from classrooms.privacy.undo_mail import undo_token
from classrooms.reports.mailings import stop_token
from core.mail import OutboxBackend
from core.models import Job
from games.matches import service as matches
from games.models import Match, Way
from games.players import Player
from games.rules import Options
from games.rules import commands as ask
from lessons.models import LearningEvent
from lessons.progress.origins import Source
from setsite.admin.models import operators
from tests.classrooms.people import enrol, make_adult, make_classroom, make_operator, prove_second_factor

pytestmark = pytest.mark.django_db


class Role(Enum):
    ANONYMOUS = "anonymous"
    GUEST = "a guest"
    STUDENT = "a student of the class"
    OTHER_STUDENT = "a student of another class"
    TEACHER = "a teacher of the class"
    OTHER_TEACHER = "another teacher"
    GUARDIAN = "a guardian of the child"
    OTHER_GUARDIAN = "another guardian"
    STAFF = "staff"
    OPERATOR = "an operator with a second factor"


class Answer(Enum):
    YES = "yes"
    NO = "no"
    SIGN_IN = "sign in first"


@dataclass(frozen=True)
class World:
    """A class, a student with a game and a live lesson, her guardian, and unrelated people."""

    users: dict[Role, User]
    classroom: Classroom
    mia: Enrolment
    match: Match
    lesson: Session
    waiting: WaitingGuest
    assignment: Assignment
    plan: RosterImport
    link: Guardianship
    home_child: User
    gone_class: Classroom
    gone_child: User
    gone_adult: User
    invitation: TeacherInvitation
    job: Job
    hand_over: HandOver


@pytest.fixture
def world() -> World:
    return make_world()


def make_world() -> World:
    teacher, other_teacher = make_adult("Rivera"), make_adult("Stone")
    guardian, other_guardian = make_adult("Okafor"), make_adult("Green")
    classroom = make_classroom(teacher)
    mia, gone = enrol(classroom, "Mia Okafor", "Gone Girl")
    (zoe,) = enrol(make_classroom(other_teacher, "Class 3A"), "Zoe Stern")
    Guardianship.objects.create(guardian=other_guardian, child=zoe.student)
    gone_class, gone_adult = make_classroom(teacher, "Class of last year"), make_adult("Gone")
    for each in (gone.student, gone_class, gone_adult):
        each.deleted_at = timezone.now()
        each.save()
    staff = make_adult("Staff")
    staff.is_staff = staff.is_superuser = True
    staff.save()
    now = time.time()
    player = Player(name="Mia", user=mia.student)
    match = matches.open_match(way=Way.PRACTICE, options=Options.of("us", alone=True), player=player, now=now)
    matches.command(match.code, ask.Deal(0), now=now)
    lesson = leading.open_session(classroom, by=teacher)
    joining.attend(lesson, player)
    leading.begin(lesson, "triples", {})
    event = LearningEvent.objects.create(
        user=mia.student, source=Source.LESSON, at=timezone.now(), is_right=True, is_first=True
    )
    LessonAnswer.objects.create(event=event, activity=lesson.activities.get(), attendee=lesson.attendees.get(), round=1)
    OutboxBackend().send_messages([EmailMessage("A letter", "Words", to=[str(teacher.email)])])
    return World(
        users={
            Role.STUDENT: mia.student,
            Role.OTHER_STUDENT: zoe.student,
            Role.TEACHER: teacher,
            Role.OTHER_TEACHER: other_teacher,
            Role.GUARDIAN: guardian,
            Role.OTHER_GUARDIAN: other_guardian,
            Role.STAFF: staff,
            Role.OPERATOR: make_operator(),
        },
        classroom=classroom,
        mia=mia,
        match=match,
        lesson=lesson,
        waiting=WaitingGuest.objects.create(session=lesson, guest="a" * 32, name="Calm Camel"),
        assignment=assign(classroom, task=Task.DAILY, by=teacher, now=now),
        plan=RosterImport.objects.create(classroom=classroom, made_by=teacher),
        link=Guardianship.objects.create(guardian=guardian, child=mia.student),
        home_child=make_home_child("Leo", by=guardian),
        gone_class=gone_class,
        gone_child=gone.student,
        gone_adult=gone_adult,
        job=Job.objects.create(kind="odds", user=mia.student, asked={"what": "deals", "deck": "full", "cards": 12}),
        invitation=invite(classroom, str(other_teacher.email), by=teacher),
        hand_over=offer_student(zoe, classroom, by=other_teacher),
    )


Arguments = Callable[[World], list[Any]]


@dataclass(frozen=True)
class Policy:
    may: frozenset[Role]
    arguments: Arguments
    asks_to_sign_in: bool = True
    """URLs where strangers are redirected to sign in; elsewhere they get 404."""
    is_halfway: bool = False
    """A page in the middle of a process nobody here has started: those who may open it are redirected."""

    def expects(self, role: Role) -> Answer:
        if role in self.may:
            return Answer.YES
        is_stranger = role in {Role.ANONYMOUS, Role.GUEST}
        return Answer.SIGN_IN if is_stranger and self.asks_to_sign_in else Answer.NO


def nothing(world: World) -> list[Any]:
    return []


EVERYBODY = frozenset(Role)
STRANGERS = frozenset({Role.ANONYMOUS, Role.GUEST})
STUDENTS = frozenset({Role.STUDENT, Role.OTHER_STUDENT})
ADULTS = EVERYBODY - STRANGERS - STUDENTS


def everybody(arguments: Arguments = nothing) -> Policy:
    return Policy(EVERYBODY, arguments)


def adults(arguments: Arguments = nothing) -> Policy:
    return Policy(ADULTS, arguments)


def strangers_and_adults() -> Policy:
    """Account pages that students don't have."""
    return Policy(EVERYBODY - STUDENTS, nothing)


def halfway(policy: Policy) -> Policy:
    return replace(policy, is_halfway=True)


def of_class(more: Arguments = nothing) -> Policy:
    """Allowed for the teachers of the class."""
    return Policy(frozenset({Role.TEACHER}), lambda world: [world.classroom.pk, *more(world)])


def of_student(more: Arguments = nothing) -> Policy:
    """Allowed for the teachers of the student's class."""
    return of_class(lambda world: [world.mia.pk, *more(world)])


def of_child() -> Policy:
    """Allowed for the guardians of the child."""
    return Policy(frozenset({Role.GUARDIAN}), lambda world: [world.mia.student_id])


def of_home_child() -> Policy:
    """Allowed for the guardians who created the child's account."""
    return Policy(frozenset({Role.GUARDIAN}), lambda world: [world.home_child.pk])


def of_match() -> Policy:
    """Allowed for the player of this solo table."""
    return Policy(frozenset({Role.STUDENT}), lambda world: [world.match.code], asks_to_sign_in=False)


def of_lesson(more: Arguments = nothing) -> Policy:
    """Allowed for the teachers of the lesson's class."""
    return Policy(frozenset({Role.TEACHER}), lambda world: [world.lesson.code, *more(world)])


def of_lesson_seat() -> Policy:
    """Allowed for people with a seat in the lesson; the class's own teacher has none."""
    return Policy(frozenset({Role.STUDENT}), lambda world: [world.lesson.code], asks_to_sign_in=False)


def of_job(more: Arguments = nothing) -> Policy:
    """Allowed for the person who requested the job."""
    return Policy(frozenset({Role.STUDENT}), lambda world: [world.job.pk, *more(world)], asks_to_sign_in=False)


def of_operator(arguments: Arguments = nothing) -> Policy:
    """Allowed for superusers who signed in with a second factor, and for no other superuser."""
    return Policy(frozenset({Role.OPERATOR}), arguments)


def in_admin() -> dict[str, Policy]:
    """The list and one row of each model in the admin."""
    found = {"admin:index": of_operator()}
    for model in operators._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        found[f"{name}_changelist"] = of_operator()
        found[f"{name}_change"] = of_operator(lambda world, model=model: [row_of(model, world)])
    return found


def row_of(model: type[Model], world: World) -> Any:
    """The key of a row; of users, one who can be changed."""
    return world.users[Role.TEACHER].pk if model is User else model._default_manager.order_by("pk").first().pk


def _plan(world: World) -> list[Any]:
    return [world.plan.pk]


TEACHER_OR_GUARDIAN = frozenset({Role.TEACHER, Role.GUARDIAN})

POLICIES: dict[str, Policy] = {
    # Learning and playing are open to everybody.
    "front": everybody(),
    "manifest": everybody(),
    "worker": everybody(),
    "offline": everybody(),
    "help": everybody(),
    "help-topic": everybody(lambda world: ["game"]),
    "look": everybody(),
    "language": everybody(),
    "style": everybody(),
    "learn:home": everybody(),
    "learn:practice": everybody(),
    "learn:ahead": everybody(),
    "learn:later": everybody(),
    "learn:me": everybody(),
    "learn:sheet": everybody(lambda world: ["is-set", "apple-6-fair"]),
    "learn:step": everybody(lambda world: ["cards", "four-features"]),
    "play:lobby": everybody(),
    "play:find": everybody(),
    "play:open": everybody(lambda world: ["alone"]),
    "play:daily": everybody(lambda world: ["full"]),
    "play:daily-find": everybody(lambda world: ["full"]),
    "play:daily-picture": everybody(lambda world: ["full"]),
    # A solo game belongs to its player.
    "play:table": of_match(),
    "play:replay": of_match(),
    "play:join": of_match(),
    "play:deal": of_match(),
    "play:call": of_match(),
    "play:pick": of_match(),
    "play:withdraw": of_match(),
    "play:no-set": of_match(),
    "play:take-back": of_match(),
    "play:leave": of_match(),
    "play:again": of_match(),
    "play:hint": of_match(),
    # Sign-in pages are open; what's behind them isn't.
    "join:home": everybody(),
    "join:card-tap": everybody(),
    "join:card": everybody(lambda world: [card_token(world.mia.student)]),
    "join:class": everybody(lambda world: [world.classroom.code]),
    "join:pictures": everybody(lambda world: [world.classroom.code, world.mia.pk]),
    # Teachers
    "teach:home": adults(),
    "teach:new": adults(),
    "teach:summary": adults(),
    # Only the account with the invited email address can use an invitation, whoever else has the link.
    "teach:invitation": Policy(frozenset({Role.OTHER_TEACHER}), lambda world: [invitation_token(world.invitation)]),
    "teach:settings": of_class(),
    "teach:code": of_class(),
    "teach:new-devices": of_class(),
    "teach:new-devices-stop": of_class(),
    "teach:archive": of_class(),
    "teach:restore": of_class(),
    "teach:invite": of_class(),
    "teach:cancel-invitation": of_class(lambda world: [world.invitation.pk]),
    "teach:renew-access": of_class(),
    "teach:remove-teacher": of_class(lambda world: [world.users[Role.TEACHER].pk]),
    "teach:roster": of_class(),
    "teach:roster-paste": of_class(),
    "teach:roster-import": of_class(),
    "teach:roster-plan": of_class(_plan),
    "teach:roster-choose": halfway(of_class(_plan)),
    "teach:roster-apply": of_class(_plan),
    "teach:roster-cancel": of_class(_plan),
    "teach:codes": of_class(),
    "teach:cards": of_class(),
    "teach:student": of_student(),
    "teach:student-edit": of_student(),
    "teach:student-pictures": of_student(),
    "teach:student-reset": of_student(),
    "teach:student-move": of_student(),
    "teach:hand-over-cancel": of_student(),
    "teach:hand-over-accept": of_class(lambda world: [world.hand_over.pk]),
    "teach:hand-over-decline": of_class(lambda world: [world.hand_over.pk]),
    "teach:student-remove": of_student(),
    "teach:student-code": of_student(),
    "teach:student-unlink": of_student(lambda world: [world.link.pk]),
    "teach:class": of_class(),
    "teach:print": of_class(),
    "teach:report-csv": of_class(),
    "teach:report-xlsx": of_class(),
    "teach:ledger": of_class(),
    "teach:assignments": of_class(),
    "teach:assign": of_class(lambda world: ["daily"]),
    "teach:withdraw": of_class(lambda world: [world.assignment.pk]),
    # A live lesson: anybody can open the entry page; the rest is for people with a seat and for teachers.
    "session:device": everybody(lambda world: [world.lesson.code]),
    "session:door": everybody(lambda world: [world.lesson.code]),
    "session:join": everybody(lambda world: [world.lesson.code]),
    "session:paper": everybody(lambda world: [world.lesson.code]),
    "session:part": of_lesson_seat(),
    "session:act": of_lesson_seat(),
    # Anybody with the projector's URL sees the wall, and nothing else.
    "wall:screen": everybody(lambda world: [world.lesson.code, wall_key(world.lesson)]),
    "wall:part": everybody(lambda world: [world.lesson.code, wall_key(world.lesson)]),
    "lead:open": of_class(),
    "lead:remote": of_lesson(),
    "lead:remote-part": of_lesson(),
    "lead:projector": of_lesson(),
    "lead:projector-part": of_lesson(),
    "lead:order": of_lesson(lambda world: ["pause"]),
    "lead:end": of_lesson(),
    "lead:teams": of_lesson(),
    "lead:paper-seats": of_lesson(),
    "lead:admit": of_lesson(lambda world: [world.waiting.pk]),
    "lead:seat": of_lesson(lambda world: [1, "remove"]),
    "lead:begin": of_lesson(lambda world: ["triples"]),
    "lead:steer": of_lesson(lambda world: ["reveal"]),
    "lead:report": of_lesson(),
    "lead:report-csv": of_lesson(),
    "lead:report-xlsx": of_lesson(),
    "lead:paper": of_lesson(),
    # Printing: games and exercises are for everybody; strangers learn only that they have no certificate.
    "print:home": everybody(),
    "print:deck": everybody(),
    "print:worksheet": everybody(),
    "print:certificate": everybody(),
    "print:certificates": of_class(),
    # Guardians
    "family:home": adults(),
    "family:code": adults(),
    "family:new-child": adults(),
    "family:letters-stop": everybody(lambda world: [stop_token(world.users[Role.GUARDIAN])]),
    "family:child": of_child(),
    "family:activity": of_child(),
    "family:letter": of_child(),
    "family:unlink": of_child(),
    "family:invite": of_home_child(),
    "family:consent": of_home_child(),
    "family:card": of_home_child(),
    "family:reset": of_home_child(),
    # Privacy
    "privacy:page": everybody(),
    "privacy:children": everybody(),
    "privacy:export-me": adults(),
    "privacy:delete-me": adults(),
    "privacy:undo-me": everybody(lambda world: [undo_token(world.gone_adult)]),
    "privacy:undo": adults(),
    "privacy:export-child": Policy(TEACHER_OR_GUARDIAN, lambda world: [world.mia.student_id]),
    "privacy:delete-child": Policy(frozenset({Role.TEACHER}), lambda world: [world.mia.student_id]),
    "privacy:undo-child": Policy(frozenset({Role.TEACHER}), lambda world: [world.gone_child.pk]),
    "privacy:export-class": of_class(),
    "privacy:delete-class": of_class(),
    "privacy:undo-class": Policy(frozenset({Role.TEACHER}), lambda world: [world.gone_class.pk]),
    "privacy:log": of_class(),
    # A job belongs to the person who requested it.
    "lab:lab": everybody(),
    "lab:data": of_job(lambda world: ["json"]),
    "jobs:jobs": everybody(),
    "jobs:job": of_job(),
    "jobs:stop": of_job(),
    "jobs:file": halfway(of_job()),
    # A user's own account
    "account": Policy(EVERYBODY - STRANGERS, nothing),
    "landing": everybody(),
    "account_login": everybody(),
    "account_logout": everybody(),
    "account_inactive": everybody(),
    "account_signup": strangers_and_adults(),
    "account_reset_password": strangers_and_adults(),
    "account_email_verification_sent": halfway(strangers_and_adults()),
    "account_confirm_login_code": halfway(strangers_and_adults()),
    "account_confirm_password_reset_code": halfway(strangers_and_adults()),
    "account_complete_password_reset": halfway(strangers_and_adults()),
    "account_password_reset_completed": halfway(strangers_and_adults()),
    "account_reauthenticate": halfway(adults()),
    "account_email": adults(),
    "account_change_password": adults(),
    "account_set_password": adults(),
    "mfa_index": adults(),
    "mfa_authenticate": halfway(strangers_and_adults()),
    "mfa_reauthenticate": halfway(adults()),
    "mfa_activate_totp": adults(),
    "mfa_deactivate_totp": halfway(adults()),
    "mfa_view_recovery_codes": halfway(adults()),
    "mfa_generate_recovery_codes": halfway(adults()),
    "mfa_download_recovery_codes": halfway(adults()),
    **in_admin(),
    # Only in demos and development.
    "mail": everybody(),
    "enter-demo": Policy(frozenset(), lambda world: ["teacher"], asks_to_sign_in=False),
}


def names(resolver: URLResolver | None = None, space: str = "") -> Iterator[str]:
    for pattern in (resolver or get_resolver()).url_patterns:
        if isinstance(pattern, URLPattern):
            yield f"{space}{pattern.name}"
        else:
            yield from names(pattern, f"{space}{pattern.namespace}:" if pattern.namespace else space)


def test_every_address_has_a_policy_and_every_policy_an_address():
    assert sorted(names()) == sorted(POLICIES)


SIGN_IN = "/account/login/"
WRONG_METHOD = 405


def answer_in(response: HttpResponse, path: str) -> Answer | None:
    """Classify the response; None if nobody may use this method."""
    if response.status_code == WRONG_METHOD:
        return None
    if response.status_code in {403, 404}:
        return Answer.NO
    location = response.headers.get("Location", "")
    if location.startswith(SIGN_IN) and not path.startswith(SIGN_IN):
        return Answer.SIGN_IN
    assert response.status_code < 500
    return Answer.YES


def client_of(world: World, role: Role) -> Client:
    client = Client()
    if role is Role.GUEST:
        client.post("/learn/cards/four-features/")
    elif role is not Role.ANONYMOUS:
        sign_in(client, world, role)
    return client


def sign_in(client: Client, world: World, role: Role) -> None:
    client.force_login(world.users[role])
    if role is Role.OPERATOR:
        prove_second_factor(client, world.users[role])


@pytest.mark.parametrize("name", sorted(POLICIES))
def test_who_may_open(world, name, settings):
    settings.IS_LOCAL = True
    settings.EMAIL_FILE_PATH = "/nowhere"
    policy = POLICIES[name]
    path = reverse(name, args=policy.arguments(world))
    asked = set()
    for role in Role:
        for method in ("get", "post"):
            cache.clear()
            undone = transaction.atomic()
            # Code inside runs its own transactions, as in any other test.
            undone._from_testcase = True
            with undone:
                # Roll back, so that each role finds the same world.
                answer = answer_in(getattr(client_of(world, role), method)(path), path)
                transaction.set_rollback(True)
            if answer is not None:
                asked.add(method)
                if policy.is_halfway and role in policy.may:
                    continue
                assert answer is policy.expects(role), f"{method} {path} by {role.value}"
    assert asked, "an address that answers to nothing"
