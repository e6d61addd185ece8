"""A populated site for tests that look at all its pages: the demo, plus what only some pages show."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from unittest import mock

from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.filebased import EmailBackend
from django.test import Client, override_settings
from django.utils import timezone

from classrooms.accounts.sign_up import vouch_for
from classrooms.classes.rosters.oneroster import ListedClass
from classrooms.classes.rosters.proposals import propose
from classrooms.classes.rosters.row_form import Row
from classrooms.classes.service import accept, archive, invitation_token, invite
from classrooms.classes.students import make_home_child, offer_student
from classrooms.demo import CLASS_CODE, GUARDIAN_EMAIL, PASSWORD, TEACHER_EMAIL, fill_demo
from classrooms.models import Classroom, Enrolment, RosterImport, User
from classrooms.privacy.service import delete_adult, delete_child, delete_class
from core.jobs import queue, runs
from core.models import Job
from games.models import Way
from games.players import Player
from games.printing.forms import PrintDeckForm
from games.rules import Options
from games.rules import commands as ask
from tests.browser.players import Game, open_game
from tests.classrooms.live.lesson import Lesson
from tests.classrooms.people import enrol, make_classroom, make_operator, prove_second_factor, signed_in

LONG = "Maximiliane Wolkenstein-Trostburg"


class Who(Enum):
    """The visitor of a page."""

    ANYBODY = "anybody"
    GUEST = "a guest"
    STUDENT = "a student"
    TEACHER = "a teacher"
    GUARDIAN = "a guardian"
    NEWCOMER = "an adult who is new"
    CAREFUL = "an adult with two-step sign-in"
    OPERATOR = "an operator with two-step sign-in"
    HASTY = "an operator with only a password"


@dataclass(frozen=True)
class World:
    """The people and data of the populated site."""

    users: dict[Who, User]
    classroom: Classroom
    empty_class: Classroom
    mia: Enrolment
    home_child: User
    gone_adult: User
    plan: RosterImport
    choice: RosterImport
    invitation: str
    replayed: Game
    lesson: Lesson
    past_lesson: Lesson
    trying_class: Classroom
    """Two teachers, a lesson with everything that can happen at its entry, and students changing classes."""
    trying_lesson: Lesson
    archived_class: Classroom
    waiting_job: Job
    job: Job
    print_job: Job

    def client(self, who: Who) -> Client:
        """A signed-in browser that has just confirmed the password."""
        if who in self.users:
            client = signed_in(self.users[who])
            if who is Who.OPERATOR:
                prove_second_factor(client, self.users[who])
            else:
                _show_password(client, self.users[who])
            return client
        client = Client()
        if who is Who.GUEST:
            client.post("/learn/cards/four-features/")
        return client

    def player(self, place: int = 0) -> Player:
        """A student of the class; 0 is Mia."""
        user = self.lesson.seats[place].user
        return Player(name=user.display_name, user=user)


def _show_password(client: Client, user: User) -> None:
    """Mark the session as if the password had just been entered."""
    session = client.session
    session["account_authentication_methods"] = [{"method": "password", "at": time.time(), "reauthenticated": True}]
    session["account_authentication_methods_user"] = str(user.pk)
    session.save()


@contextmanager
def a_world(*, mail: Path) -> Iterator[World]:
    """Build everything, on a site that stores mail in a folder and whose jobs wait."""
    with override_settings(EMAIL_FILE_PATH=mail, IS_LOCAL=True), mock.patch.object(queue, "_starters", []):
        yield _make_world()


def _make_world() -> World:
    fill_demo()
    teacher, guardian = (User.objects.get(email=email) for email in (TEACHER_EMAIL, GUARDIAN_EMAIL))
    classroom = Classroom.objects.get(code=CLASS_CODE)
    mia = classroom.enrolments.get(real_name="Mia Okafor")
    home_child, gone_child = (make_home_child(name, by=guardian) for name in ("Leo", "Zoë"))
    now = timezone.now()
    delete_child(gone_child, by=guardian, now=now)
    gone_class = make_classroom(teacher, "Class 1B")
    delete_class(gone_class, by=teacher, now=now)
    archived_class = make_classroom(teacher, "Class of last year")
    archive(archived_class, by=teacher)
    gone_adult = _adult("gone@people.example", "Ms. Lund")
    delete_adult(gone_adult, now=now)
    empty_class = make_classroom(teacher, "Class 3A")
    rows = [
        Row(line=2, real_name="Mia Okafor", display_name="Mia", group="Owls"),
        Row(line=3, real_name=f"Zoë {LONG}", display_name="Zoë", group="Foxes", source_id="u17"),
    ]
    listed = [ListedClass(title, title, tuple(rows)) for title in ("Mathematics 2B", "Mathematics 3A")]
    past_lesson = _lesson(classroom, teacher)
    _teach(past_lesson)
    lesson = _lesson(classroom, teacher)
    enrol(classroom, LONG)
    trying_lesson = _trying_lesson(teacher)
    users = {
        Who.STUDENT: mia.student,
        Who.TEACHER: teacher,
        Who.GUARDIAN: guardian,
        Who.NEWCOMER: _adult("new@people.example", "Mr. Green"),
        Who.CAREFUL: _careful_adult(),
        Who.OPERATOR: make_operator(),
        Who.HASTY: User.objects.create_superuser("hasty@people.example", PASSWORD),
    }
    _write_mail()
    owner = Player(name="Mia", user=mia.student).key
    return World(
        users=users,
        classroom=classroom,
        empty_class=empty_class,
        mia=mia,
        home_child=home_child,
        gone_adult=gone_adult,
        plan=propose(classroom, rows, by=teacher),
        choice=propose(empty_class, listed, by=teacher),
        invitation=invitation_token(invite(empty_class, "new@people.example", by=teacher)),
        replayed=_played(lesson),
        lesson=lesson,
        past_lesson=past_lesson,
        trying_class=trying_lesson.session.classroom,
        trying_lesson=trying_lesson,
        archived_class=archived_class,
        job=_done(queue.enqueue("odds", owner, _ODDS)),
        print_job=_done(queue.enqueue("deck", owner, _deck())),
        waiting_job=queue.enqueue("odds", owner, _ODDS),
    )


def _adult(email: str, name: str) -> User:
    made = User.objects.create_adult(email=email, display_name=name, password=PASSWORD)
    vouch_for(made)
    return made


def _careful_adult() -> User:
    careful = _adult("careful@people.example", LONG)
    TOTP.activate(careful, generate_totp_secret())
    RecoveryCodes.activate(careful)
    return careful


def _lesson(classroom: Classroom, teacher: User, enrolments: Iterable[Enrolment] = ()) -> Lesson:
    """A session of the class with these students, or all of them."""
    client = signed_in(teacher)
    response = client.post(f"/teach/session/open/{classroom.pk}/", {"guests": "1"})
    lesson = Lesson(response.headers["Location"].split("/")[3], client, [])
    for enrolment in enrolments or classroom.enrolments.present().order_by("pk"):
        lesson.join(signed_in(enrolment.student))
    lesson.connect()
    return lesson


def _trying_lesson(teacher: User) -> Lesson:
    """A lesson with one student on a device, one on paper, one removed, two absent, and waiting guests."""
    colleague = _adult("colleague@people.example", "Ms. Sørensen")
    classroom, elsewhere = make_classroom(teacher, "Class 4C"), make_classroom(colleague, "Class 4D")
    accept(invite(classroom, colleague.email, by=teacher), colleague)
    enrolments = enrol(classroom, "Ida Berg", "Tom Fischer", "Ravi Kapoor", "Uma Kapoor", LONG)
    lesson = _lesson(classroom, teacher, enrolments[:2])
    lesson.give_paper(enrolments[2].student)
    lesson.seat(1, "remove")
    for _guest in range(2):
        Client().post(f"/session/{lesson.code}/join/")
    offer_student(enrol(elsewhere, "Jonas Weber")[0], classroom, by=colleague)
    offer_student(enrolments[4], elsewhere, by=teacher)
    return lesson


def _teach(lesson: Lesson) -> None:
    """Run a round of triples with all kinds of answers and a board, then end the lesson."""
    lesson.begin("triples")
    answer_triples(lesson)
    lesson.begin("board", deck="full", size="12")
    lesson.order("end")


def answer_triples(lesson: Lesson) -> None:
    for place, answer in enumerate(({"yes": "1"}, {"breaks": "color"}, {"breaks": "shape"}, {"yes": "1"})):
        lesson.act(place, **answer)
    lesson.steer("reveal")


def _played(lesson: Lesson) -> Game:
    """A finished match with a wrong pick in it."""
    players = [Player(name=seat.user.display_name, user=seat.user) for seat in lesson.seats[:2]]
    game = open_game("", players, options=Options.of("us", easy=True), way=Way.TOGETHER)
    fail(game, 1)
    game.play_out(0)
    return game


def fail(game: Game, seat: int) -> None:
    """Call and pick cards that aren't a SET."""
    game.do(ask.Call(seat))
    game.do(ask.Pick(seat, game.no_set()))


_ODDS = {"what": "games", "deck": "full", "cards": 12, "count": 1000, "seed": 7}


def _deck() -> dict[str, object]:
    form = PrintDeckForm({**PrintDeckForm.first(), "cards": "easy"})
    assert form.is_valid()
    return form.asked


def _done(asked: Job) -> Job:
    job = queue.claim(asked.pk)
    runs.perform(job)
    return job


def _write_mail() -> None:
    words = f"Hello,\n\n{settings.SITE_URL}/{'long' * 30}/"
    letter = EmailMessage("A week with SET", words, to=["a@people.example"])
    EmailBackend(file_path=settings.EMAIL_FILE_PATH).send_messages([letter])
