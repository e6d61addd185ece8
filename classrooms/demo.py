"""The people and the history of the demo: a teacher, a class, a guardian, and games that were really played."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext as _

from classrooms.models import Classroom, Enrolment, Guardianship, User
from games import matches
from games.models import Way
from games.players import Player
from games.rules import Options
from games.rules import commands as ask
from games.rules.opponents import STRENGTHS, computer_move
from games.rules.state import Phase

TEACHER_EMAIL = "rivera@demo.example"
GUARDIAN_EMAIL = "okafor@demo.example"
PASSWORD = "twelve-cards"  # noqa: S105 (printed for everybody to use, in a demo on one's own machine)
DAY = 86_400.0

# Display name, the name that only the teacher sees, and how well the child plays.
_CHILDREN = (
    ("Mia", "Mia Okafor", "learner"),
    ("Noah", "Noah Brandt", "newcomer"),
    ("Lina", "Lina Haddad", "player"),
    ("Theo", "Theo Martin", "newcomer"),
    ("Ines", "Inés García", "learner"),
    ("Sam", "Samuel Lee", "player"),
)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody whom the demo offers to be."""

    slug: str
    title: str
    sign_in: str
    user: User


def people() -> list[Person]:
    """Whom one can sign in as; empty before the demo is filled."""
    teacher = User.objects.filter(email=TEACHER_EMAIL).first()
    guardian = User.objects.filter(email=GUARDIAN_EMAIL).first()
    if not teacher or not guardian:
        return []
    student = guardian.children_links.select_related("child").get().child
    with_password = _("%(email)s with the password %(password)s")
    return [
        Person("teacher", _("Teacher"), with_password % {"email": TEACHER_EMAIL, "password": PASSWORD}, teacher),
        Person("student", _("Student"), _("one click on the front page (students have no password)"), student),
        Person("guardian", _("Parent"), with_password % {"email": GUARDIAN_EMAIL, "password": PASSWORD}, guardian),
    ]


def fill_demo(*, now: float | None = None) -> list[Person]:
    """Make the demo's people and play its games, once; what is there is left alone."""
    with transaction.atomic():
        # All or nothing, so that a start that is broken off is made good by the next.
        if not people():
            _play_history(_make_people(), time.time() if now is None else now)
    return people()


def _make_people() -> list[tuple[User, str]]:
    teacher = User.objects.create_adult(email=TEACHER_EMAIL, display_name="Ms. Rivera", password=PASSWORD)
    guardian = User.objects.create_adult(email=GUARDIAN_EMAIL, display_name="Mr. Okafor", password=PASSWORD)
    classroom = Classroom.objects.create(name=_("Class 2B"), code="MAPLE2B", edition="us")
    classroom.teachers.add(teacher)
    students = []
    for display_name, real_name, level in _CHILDREN:
        student = User.objects.create_student(display_name=display_name)
        Enrolment.objects.create(classroom=classroom, student=student, real_name=real_name)
        students.append((student, level))
    Guardianship.objects.create(guardian=guardian, child=students[0][0])
    return students


def _play_history(students: list[tuple[User, str]], now: float) -> None:
    """Two games for each child over the last week, child against computer, at the speed that children have."""
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
        # Where the child waits for the computer, a look half a second later brings its move in.
        moment, order = move or (now + 0.5, ask.Tick())
        now = max(now, moment)
        state = matches.catch_up(match.code, now=now).state
        if move and computer_move(state, 0, STRENGTHS[level]) == move:
            state = matches.command(match.code, order, now=now).state
