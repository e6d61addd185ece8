"""The demo's people and history: a teacher, a class, a guardian, what the children learned, and real games."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

from django.db import transaction
from django.utils.translation import gettext as _

from classrooms.accounts.devices import let_new_devices_in
from classrooms.accounts.sign_up import vouch_for
from classrooms.classes.assignments import assign
from classrooms.classes.service import change_class, make_class
from classrooms.classes.students import NewStudent, add_students
from classrooms.demo_learning import DAY, Child, learn
from classrooms.models import Classroom, Enrolment, Guardianship, Task, User
from core.db.locks import in_any_order
from games.matches import service as matches
from games.models import Way
from games.players import Player
from games.rules import Feature, Options
from games.rules import commands as ask
from games.rules.opponents import STRENGTHS, computer_move
from games.rules.state import Phase
from lessons.progress.mastery import Level
from lessons.skills import Skill

TEACHER_EMAIL = "rivera@demo.example"
GUARDIAN_EMAIL = "okafor@demo.example"
PASSWORD = "twelve-cards"  # noqa: S105 (printed for everybody to use, in a demo on one's own machine)
CLASS_CODE = "MAPLE2B"


@dataclass(frozen=True, slots=True)
class _Pupil:
    """A child in the class: display name, real name, and how they play and learn."""

    display_name: str
    real_name: str
    strength: str
    group: str
    child: Child


_PUPILS = (
    _Pupil(
        "Mia", "Mia Okafor", "learner", "Foxes", Child(0.93, (20, 17, 13, 10, 6, 3, 1), 9, 6, blind=Feature.SHADING)
    ),
    _Pupil("Noah", "Noah Brandt", "newcomer", "Owls", Child(0.55, (16, 9, 2), 8, 2)),
    _Pupil("Lina", "Lina Haddad", "player", "Foxes", Child(0.99, (24, 20, 17, 13, 10, 6, 3, 1), 9, 9)),
    _Pupil("Theo", "Theo Martin", "newcomer", "Owls", Child(0.95, (13, 10, 6, 3), 8, 3, refuses=3.2)),
    _Pupil("Ines", "Inés García", "learner", "Foxes", Child(0.94, (20, 13, 10, 6, 1), 8, 5)),
    _Pupil("Sam", "Samuel Lee", "player", "Owls", Child(0.97, (26, 24, 19), 9, 6)),
)


@dataclass(frozen=True, slots=True)
class DemoPerson:
    """Somebody as whom visitors of the demo can sign in."""

    slug: str
    title: str
    sign_in: str
    user: User


def people() -> list[DemoPerson]:
    """The people as whom visitors can sign in. Empty before the demo is filled."""
    found = {
        user.email: user for user in User.objects.filter(email__in=[TEACHER_EMAIL, GUARDIAN_EMAIL], is_active=True)
    }
    with_password = _("%(email)s with the password %(password)s")
    adults = [(TEACHER_EMAIL, "teacher", _("Teacher")), (GUARDIAN_EMAIL, "guardian", _("Parent"))]
    offered = [
        DemoPerson(slug, title, with_password % {"email": email, "password": PASSWORD}, found[email])
        for email, slug, title in adults
        if email in found
    ]
    students = User.objects.filter(guardian_links__guardian__email=GUARDIAN_EMAIL, is_home=False, is_active=True)
    if student := students.order_by("pk").first():
        way_in = _("one click on the front page (students have no password)")
        offered.insert(1, DemoPerson("student", _("Student"), way_in, student))
    return offered


def fill_demo(*, now: float | None = None) -> list[DemoPerson]:
    """Create the demo's people and let them learn and play, unless that's already done."""
    # All or nothing, so that the next start recovers from an interrupted one. Locks may be taken in any order, because
    # there are no other users yet.
    with transaction.atomic(), in_any_order():
        if not User.objects.filter(email=TEACHER_EMAIL).exists():
            _fill(time.time() if now is None else now)
    return people()


def _fill(now: float) -> None:
    teacher = User.objects.create_adult(email=TEACHER_EMAIL, display_name="Ms. Rivera", password=PASSWORD)
    guardian = User.objects.create_adult(email=GUARDIAN_EMAIL, display_name="Mr. Okafor", password=PASSWORD)
    for adult in (teacher, guardian):
        vouch_for(adult)
    classroom = make_class(
        name=_("Class 2B"),
        language="en-us",
        edition="us",
        authorised_by=_("The head of school, for this school year"),
        by=teacher,
    )
    change_class(classroom, by=teacher, code=CLASS_CODE)
    let_new_devices_in(classroom, by=teacher, span=timedelta(days=365))
    enrolments = add_students(
        classroom,
        [NewStudent(real_name=each.real_name, display_name=each.display_name, group=each.group) for each in _PUPILS],
        by=teacher,
    )
    Guardianship.objects.create(guardian=guardian, child=enrolments[0].student)
    for pupil, enrolment in zip(_PUPILS, enrolments, strict=True):
        learn(enrolment.student, pupil.child, now=now)
    _play_history([(each.student, pupil.strength) for each, pupil in zip(enrolments, _PUPILS, strict=True)], now)
    _give_tasks(classroom, teacher, enrolments[0], now)


def _give_tasks(classroom: Classroom, teacher: User, first: Enrolment, now: float) -> None:
    """Assign something to everybody, something to a group, and something to one child who needs it."""
    today = datetime.fromtimestamp(now, UTC).date()
    give = partial(assign, classroom, by=teacher)
    give(task=Task.UNIT, what="third-card", now=now - 12 * DAY, due_on=today - timedelta(days=2))
    give(task=Task.BOARDS, amount=5, now=now - 6 * DAY, group=first.group, due_on=today + timedelta(days=3))
    give(task=Task.SKILL, what=Skill.SHADING, amount=Level.SURE, now=now - 2 * DAY, enrolment=first)


def _play_history(students: list[tuple[User, str]], now: float) -> None:
    """Play two games per child against the computer over the last week, at a child's speed."""
    rng = random.Random("demo")
    for student, level in students:
        for rival in ("newcomer", "learner"):
            start = now - rng.uniform(0.1, 6.9) * DAY
            seed = f"demo/{student.display_name}/{rival}"
            _play_match(Player(name=student.display_name, user=student), level, rival, seed=seed, start=start)


def _play_match(player: Player, level: str, rival: str, *, seed: str, start: float) -> None:
    match = matches.open_match(
        way=Way.COMPUTER,
        options=Options.of("us", easy=True),
        player=player,
        computers=[rival],
        seed=seed,
        now=start,
    )
    state = matches.command(match.code, ask.Deal(0), now=start).state
    now = start
    while state.phase is not Phase.OVER:
        move = computer_move(state, 0, STRENGTHS[level])
        # If the child has no move, look again half a second later, when the computer may have moved.
        moment, order = move or (now + 0.5, ask.Tick())
        now = max(now, moment)
        state = matches.catch_up(match.code, now=now).state
        if move and computer_move(state, 0, STRENGTHS[level]) == move:
            state = matches.command(match.code, order, now=now).state
